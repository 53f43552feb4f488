//! Load on a venue: clients that trade, the venue as a process of its own, and the clocks beside both.
//!
//! The chapters' measurements stand on this, and `cargo run --release -- load` hands it to a reader. The clients are
//! those of the bots, too.
#![forbid(unsafe_code)]

pub mod asking;
pub mod cells;
pub mod client;
pub mod crowd;
pub mod figures;
pub mod late;
pub mod mix;
pub mod open_files;
pub mod open_loop;
pub mod profile;
pub mod request_kind;
pub mod server;
pub mod table;
pub mod waits;
pub mod windows;
