//! The program from outside, as a process that serves all kinds of clients.
//!
//! Most of these tests wait for the network, a clock or a process. As one program they wait concurrently, and shared
//! code is linked once: `cargo test -p ch0a --test venue hostile::` runs those of one file.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the tests report what was skipped or seen")]

mod accounts;
mod classroom;
mod election_night;
mod hostile;
mod hostile_stream;
mod http2;
mod kills;
mod limits;
mod lines;
mod load;
mod many_orders;
mod notices;
mod openapi;
mod stale_books;
mod strangers;
#[path = "../support/mod.rs"]
mod support;
mod tls;

use program::rounds::Rounds;

/// All rounds for 0x0a's own program. Those of later chapters run these tests too, in few rounds.
fn rounds() -> Rounds {
    Rounds::asked_at("ch0a", env!("CARGO_PKG_NAME"))
}
