//! 0x0a: the gateway. How far is it from a browser to the disk?
//!
//! Around the engine and the feed of 0x09 stands a door: a request goes in with its session, and exactly one answer
//! comes out, when the command is on disk. The acknowledgement reaches the connection that waits for it.
//!
//! Follow one order: [`http`] reads it, the [`door`] accepts it, the [`engine_thread`] submits it, the [`way_back`]
//! copies its acknowledgement, and the [`replies`] thread gives it to the waiting connection. [`venue`] shows how the
//! parts fit together.
#![forbid(unsafe_code)]

pub mod args;
pub mod bell;
pub mod books;
pub mod bot;
pub mod bots;
pub mod capacity;
pub mod codes;
pub mod door;
pub mod engine_thread;
pub mod error;
pub mod fill;
pub mod front;
pub mod http;
pub mod keys;
pub mod layer;
pub mod limited;
pub mod limits;
pub mod log_disk;
pub mod names;
pub mod notable;
pub mod problem;
pub mod projection;
pub mod replies;
pub mod reply;
pub mod serve;
pub mod stream;
pub mod tls;
pub mod venue;
pub mod watch;
pub mod way_back;
pub mod wire;
