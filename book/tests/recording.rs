//! The recordings that the book plays are what the engines do: the same run again gives the same bytes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

#[path = "../examples/record/digest.rs"]
mod digest;
#[path = "../examples/record/ordering.rs"]
mod ordering;
#[path = "../examples/record/ring.rs"]
mod ring;

use serde_json::Value;
use std::fs;
use std::path::Path;

fn is_what_runs(name: &str, recorded: &Value) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings").join(name).with_extension("json");
    let again = serde_json::to_string_pretty(recorded).unwrap() + "\n";
    assert!(
        fs::read_to_string(&file).unwrap().replace("\r\n", "\n") == again,
        "{} is not what the engine does now: cargo run -p book --example record",
        file.display()
    );
}

#[test]
fn the_ring_is_recorded_as_it_runs() {
    is_what_runs("ring", &ring::record());
}

#[test]
fn one_ordering_weakened_is_recorded_as_it_runs() {
    let recording = ordering::record();
    is_what_runs("ordering", &recording);
    let ends = |variant: &str| {
        let steps = recording["steps"].as_array().unwrap();
        steps.iter().rfind(|step| step["variant"] == variant).unwrap()["value"].clone()
    };
    // Each of the two words is needed, and both together are enough.
    assert_eq!(["release", "acquire", "nothing"].map(ends), [0, 0, 4]);
}
