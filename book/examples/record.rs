//! Records engines at work, for the players in the book: `cargo run -p book --example record`.
//!
//! `books`: ten commands through the books of 0x01 and 0x05, whose reads and writes are noted.
//!
//! `ring`: the ring, the events that wait and the markets are the engine's own. Only the clock is ours: one thread
//! plays the three roles in a fixed order, so that every recording is the same, and a step does what the role's own
//! step does (`submit` and `publish` of the pipeline, `step` of journal and matcher).
//!
//! `ordering`: the ring's own code over a memory that permits everything that the language permits, with one ordering
//! weakened.
//!
//! `log`: the bytes of a frame, and what a start does with each beginning of them.
//!
//! `timelines`: whole engines at work on this machine's disk, by its clock. Every run is different, so a recording is
//! kept until its code changes, and is made only with `--release`; `-- timelines` records it in any case.
//!
//! `window`: one side of the ladder of 0x0f while its market moves.
//!
//! `mask`: the feed of 0x09 behind an engine's acknowledgements, with a reader that keeps up and one that is slow.
//!
//! `numbers`: what 0x0b's table answers to requests that overtake each other, are repeated and come too late.
//!
//! `takeover`: the shortest ways to a lost command that the search of 0x0e's model finds with mistakes planted.
#![allow(clippy::unwrap_used, reason = "a recorder that cannot continue stops")]

#[path = "record/books.rs"]
mod books;
#[path = "record/digest.rs"]
mod digest;
#[path = "record/log.rs"]
mod log;
#[path = "record/mask.rs"]
mod mask;
#[path = "record/numbers.rs"]
mod numbers;
#[path = "record/ordering.rs"]
mod ordering;
#[path = "record/ring.rs"]
mod ring;
#[path = "record/takeover.rs"]
mod takeover;
#[path = "record/timelines.rs"]
mod timelines;
#[path = "record/window.rs"]
mod window;

use serde_json::Value;
use std::path::Path;
use std::{env, fs};

/// The time lines show the median of this many runs of an engine.
const ROUNDS: usize = 25;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings");
    let write = |name: &str, recording: &Value| {
        let file = folder.join(name).with_extension("json");
        fs::write(&file, serde_json::to_string_pretty(recording).unwrap() + "\n").unwrap();
        program::print(format_args!("{}\n", file.display())).unwrap();
    };
    let recordings = [
        ("books", books::record()),
        ("ring", ring::record()),
        ("ordering", ordering::record()),
        ("mask", mask::record()),
        ("log", log::record()),
        ("window", window::record()),
        ("numbers", numbers::record()),
        ("takeover", takeover::record()),
    ];
    for (name, recording) in recordings {
        write(name, &recording);
    }
    let is_asked_for = env::args().any(|argument| argument == "timelines");
    if !is_asked_for && timelines::is_of_these_sources(&folder.join("timelines.json")) {
        return;
    }
    if cfg!(debug_assertions) {
        let again = "the time lines need an optimised engine: cargo run --release -p book --example record";
        program::print(format_args!("{again}\n")).unwrap();
    } else {
        write("timelines", &timelines::record(ROUNDS));
    }
}
