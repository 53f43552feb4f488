//! What a crash may leave of segments and snapshots, derived from what the real program does.

use ch08::Chapter;
use ch08::shadow::Shadow;
use contract::traced;
use keeping::reshard::reshard;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ch08");

/// How the program works, and makes a snapshot by itself.
const WORKING: [&str; 6] = ["--segment-commands", "10", "--snapshot-every", "12", "--keep-log", "since-snapshot"];
const ALONE: [&str; 3] = ["--snapshot", "--keep-log", "since-snapshot"];

/// How it works where only that makes snapshots.
const IN_SEGMENTS: [&str; 2] = ["--segment-commands", "10"];

#[test]
fn crash_states_of_snapshots() {
    traced::crash_states_of_snapshots::<Chapter>(PROGRAM, &WORKING, &ALONE);
}

#[test]
fn planted_mistakes_of_snapshots() {
    traced::planted_mistakes_of_snapshots::<Chapter>(PROGRAM, &WORKING);
}

#[test]
fn crash_states_of_dealing() {
    traced::crash_states_of_dealing::<Chapter>(PROGRAM, &IN_SEGMENTS, &ALONE, reshard::<Shadow>);
}

#[test]
fn planted_mistakes_of_dealing() {
    traced::planted_mistakes_of_dealing::<Chapter>(PROGRAM, &IN_SEGMENTS, &ALONE, reshard::<Shadow>);
}
