//! Fuzzing on stable Rust: seeds from real flows, changed at random for a few seconds for each target.
//!
//! What must hold is in `contract::fuzz`; the targets of `cargo fuzz` in the folder `fuzz` share it and the
//! seeds. With `cargo fuzz`, coverage guides the fuzzer, which finds more; here only Rust is needed. A
//! case's number determines it, so a failure can be named and repeated:
//!
//! ```text
//! FUZZ_SECONDS=60 cargo test -p contract --test fuzz        longer
//! FUZZ_CASE=1234  cargo test -p contract --test fuzz log    that case of that target alone
//! FUZZ_WRITE_SEEDS=1 cargo test -p contract --test fuzz     makes the seeds anew, after a change of format
//! ```

// These are tests: an `unwrap` here is an assertion, and what is printed is for the person who runs
// them.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod changes;
mod seeds;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

use contract::fuzz::TARGETS;
use contract::streams::Random;
use program::rounds::Rounds;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("FUZZ_SECONDS and FUZZ_CASE are numbers"))
}

/// At least this many cases are tried, however busy the machine is.
const CASES: u64 = 100;

/// Every seed unchanged, then changed seeds until the time is over and enough were tried.
fn fuzz(name: &str) {
    let (_, target) = TARGETS.into_iter().find(|(target, _)| *target == name).unwrap();
    let seeds: Vec<Vec<u8>> = seeds::of(name).into_iter().map(|(_, bytes)| bytes).collect();
    seeds.iter().for_each(|seed| target(seed));
    let seconds = number("FUZZ_SECONDS").unwrap_or_else(|| Rounds::asked().pick(1, 3));
    let end = Instant::now() + Duration::from_secs(seconds);
    let only = number("FUZZ_CASE");
    for case in only.map_or(0..u64::MAX, |case| case..case + 1) {
        let bytes = changes::changed(&seeds, &mut Random::new(case));
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(&bytes))) {
            // A long one can be repeated by its number.
            let hex: String = bytes.iter().take(10_000).map(|byte| format!("{byte:02x}")).collect();
            eprintln!("these bytes break `{name}`: {hex}");
            eprintln!("repeat: FUZZ_CASE={case} cargo test -p contract --test fuzz {name} -- --exact");
            resume_unwind(panic);
        }
        if case >= CASES && Instant::now() > end {
            return;
        }
    }
}

#[test]
fn log() {
    fuzz("log");
}

#[test]
fn snapshot() {
    fuzz("snapshot");
}

#[test]
fn csv() {
    fuzz("csv");
}

#[test]
fn command() {
    fuzz("command");
}

#[test]
fn event() {
    fuzz("event");
}

/// The committed seeds are what the flows give today, and each target has some.
#[test]
fn seeds_are_of_this_format() {
    for (name, _) in TARGETS {
        let seeds = seeds::of(name);
        assert!(seeds.len() >= 5, "{name} has {} seeds", seeds.len());
        seeds::compare_or_write(name, &seeds);
    }
}
