//! Records the ring of 0x06 at work, for the player in the book: `cargo run -p book --example record`.
//!
//! The ring, the events that wait and the markets are the engine's own. Only the clock is ours: one thread plays the
//! three roles in a written order, so that the same recording comes out every time, and a step does what the role's
//! own loop does between two looks (`submit` and `publish` of the pipeline, `run` of journal and matcher).
#![allow(clippy::unwrap_used, reason = "a recorder that cannot go on stops")]

#[path = "record/ring.rs"]
mod ring;

use std::fs;
use std::path::Path;

fn main() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = serde_json::to_string_pretty(&ring::record()).unwrap() + "\n";
    let file = book.join("recordings/ring.json");
    fs::write(&file, text).unwrap();
    program::print(format_args!("{}\n", file.display())).unwrap();
}
