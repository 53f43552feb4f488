//! Each subcommand once, on a small market: its figures are those that were asked for.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const SIZE: [&str; 6] = ["--markets", "4", "--accounts", "50", "--resting", "300"];

/// Runs a subcommand on the data directory `data` in `folder`, and reads the figures that it wrote.
fn run(folder: &Path, data: &str, flags: &str) -> BTreeMap<String, f64> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_recovered"));
    program.args(flags.split(' ')).arg("--data-dir").arg(folder.join(data)).current_dir(folder);
    let output = program.output().unwrap();
    assert!(output.status.success(), "{flags}: {}", String::from_utf8_lossy(&output.stderr));
    let figures = std::fs::read_to_string(folder.join("figures.txt")).unwrap();
    let pair = |line: &str| line.split_once('=').map(|(key, value)| (key.to_string(), value.parse().unwrap())).unwrap();
    figures.lines().map(pair).collect()
}

#[test]
fn starts_replay_what_they_should() {
    let folder = tempfile::tempdir().unwrap();
    let laid = run(folder.path(), "data", &format!("lay --commands 3000 --tail 400 {}", SIZE.join(" ")));
    // Headers, 4 markets, 200 accounts and 300 orders, and a block's checksum.
    assert_eq!(laid["snapshot_bytes"], (256 + 4 * 48 + 200 * 40 + 300 * 24 + 8) as f64);
    let alone = run(folder.path(), "data", "start --replay-alone");
    assert_eq!((alone["commands"], alone["replayed"]), (3_000.0, 3_000.0));
    // The command of the previous start is in the log now.
    let with_snapshot = run(folder.path(), "data", "start");
    assert_eq!((with_snapshot["commands"], with_snapshot["replayed"]), (3_001.0, 401.0));
    assert!(with_snapshot["start_ns"] > 0.0);
    if cfg!(target_os = "linux") {
        assert_eq!(run(folder.path(), "data", "start --cold")["replayed"], 402.0);
    }
    let state = run(folder.path(), "data", "state --folder again");
    assert_eq!((state["markets"], state["accounts"], state["resting"]), (4.0, 200.0, 300.0));
    assert_eq!(state["bytes"], laid["snapshot_bytes"]);
}

#[test]
fn every_way_makes_its_snapshots() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), "data", &format!("lay {}", SIZE.join(" ")));
    let offer = format!("offer --copy copy --rate 20000 --seconds 0.5 --every 3000 {} --snapshots", SIZE.join(" "));
    let none = run(folder.path(), "data", &format!("{offer} none"));
    assert!(none["p50_ns"] > 0.0 && none["p50_ns"] <= none["max_ns"] && !none.contains_key("snapshots"));
    let stopped = run(folder.path(), "data", &format!("{offer} stopped"));
    assert_eq!(stopped["snapshots"], 3.0);
    assert!(stopped["max_ns"] * 3.0 >= stopped["snapshot_ns"] && stopped["snapshot_ns"] > 0.0);
    let shadow = run(folder.path(), "data", &format!("{offer} shadow"));
    assert!(shadow["snapshots"] <= 3.0 && shadow["behind_last_snapshot"] <= 10_000.0, "{shadow:?}");
    assert!(!folder.path().join("copy").exists(), "a copy was left");
}
