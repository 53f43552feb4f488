//! 0x0e: replication. What if the machine burns?
//!
//! The log is the only thing that has to be copied, and a sealed frame is a message. A primary appends each frame to a
//! [`stream`] of three replicas, right after the message that it saw last: so it notices another primary that has begun an
//! epoch, because the append is refused. A standby believes nothing that does not follow in the [`chain`], and keeps a log of
//! its own.
#![forbid(unsafe_code)]

pub mod args;
pub mod backup;
pub mod beat;
pub mod behind;
pub mod chain;
pub mod cluster;
pub mod cut;
pub mod digest;
pub mod disk;
pub mod durable;
pub mod ends;
pub mod error;
pub mod follower;
pub mod held;
pub mod http;
pub mod join;
pub mod layer;
pub mod link;
pub mod mark;
pub mod message;
pub mod names;
pub mod own;
pub mod primary;
pub mod publisher;
pub mod reach;
pub mod servers;
pub mod settings;
pub mod standby;
pub mod status;
pub mod stream;
pub mod takeover;
pub mod trim;
pub mod warm;
pub mod watched;
