//! The recordings that the book plays are what the engines do: the same run again gives the same bytes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

#[path = "../examples/record/ring.rs"]
mod ring;

use std::fs;
use std::path::Path;

#[test]
fn the_ring_is_recorded_as_it_runs() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/ring.json");
    let again = serde_json::to_string_pretty(&ring::record()).unwrap() + "\n";
    assert!(
        fs::read_to_string(&file).unwrap().replace("\r\n", "\n") == again,
        "{} is not what the engine does now: cargo run -p book --example record",
        file.display()
    );
}
