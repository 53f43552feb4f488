//! 0x0d: history. Who traded what last March, and why not ask the engine?
//!
//! A [`follower`] replays the log behind the engine and derives rows from it, with its own place in the same write. Accounts
//! and charts read the rows; neither asks the engine. Everything here can be thrown away and made again.
#![forbid(unsafe_code)]

pub mod archive;
pub mod args;
pub mod at;
pub mod bytes;
pub mod candle;
pub mod changes;
pub mod columns;
pub mod derived;
pub mod ends;
pub mod error;
pub mod follow;
pub mod follower;
pub mod following;
pub mod history;
pub mod http;
pub mod key;
pub mod layer;
pub mod live;
pub mod mark;
pub mod missing;
pub mod moment;
pub mod notices;
pub mod numbered;
pub mod pages;
pub mod panics;
pub mod part;
pub mod past;
pub mod place;
pub mod profit;
pub mod rebuild;
pub mod removed;
pub mod rows;
pub mod store;
pub mod time;
pub mod width;
