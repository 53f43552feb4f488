//! Records engines at work, for the players in the book: `cargo run -p book --example record`.
//!
//! `ring`: the ring, the events that wait and the markets are the engine's own. Only the clock is ours: one thread plays
//! the three roles in a written order, so that the same recording comes out every time, and a step does what the role's
//! own step does (`submit` and `publish` of the pipeline, `step` of journal and matcher).
//!
//! `ordering`: the ring's own code over a memory that permits all that the language does, with one ordering weakened.
//!
//! `log`: the bytes of a frame, and what a start says to each of their beginnings.
//!
//! `mask`: the feed of 0x09 behind an engine's acknowledgements, with a reader that keeps up and one that is slow.
#![allow(clippy::unwrap_used, reason = "a recorder that cannot go on stops")]

#[path = "record/digest.rs"]
mod digest;
#[path = "record/log.rs"]
mod log;
#[path = "record/mask.rs"]
mod mask;
#[path = "record/ordering.rs"]
mod ordering;
#[path = "record/ring.rs"]
mod ring;

use std::fs;
use std::path::Path;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings");
    let recordings =
        [("ring", ring::record()), ("ordering", ordering::record()), ("mask", mask::record()), ("log", log::record())];
    for (name, recording) in recordings {
        let file = folder.join(name).with_extension("json");
        fs::write(&file, serde_json::to_string_pretty(&recording).unwrap() + "\n").unwrap();
        program::print(format_args!("{}\n", file.display())).unwrap();
    }
}
