//! 0x0b: exactly once. The answer got lost. Was the order placed?
//!
//! A client numbers its requests. The venue keeps a [`window`] of the numbers that each [`lane`] has used, which follows from
//! the log alone, and the answers of the last million. The [`once_door`] stands around the engine's door: it lets a new
//! request in, and answers a repeat itself. So a client that got no answer sends the same request again.
#![forbid(unsafe_code)]

pub mod client;
pub mod http;
pub mod lane;
pub mod lanes;
pub mod layer;
pub mod memory;
pub mod notices;
pub mod notices_part;
pub mod notices_sse;
pub mod once;
pub mod once_door;
pub mod outcome;
pub mod outcomes;
pub mod table;
pub mod ticket;
pub mod window;
