//! The client's part of the way: what a load saw of an order and what the venue saw of it are one way, from the moment when the
//! order was due until its answer was received.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]

use std::process::{Command, Stdio};

use whole_path::show::Found;

/// What `-- path` prints; it ends with 1 where the load itself was the limit, which a busy machine makes it.
fn path(more: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_ch0c"));
    program.args(["path", "--seconds", "1"]).args(more).arg("--output").arg(folder.path());
    let ended = program.stdin(Stdio::null()).output().unwrap();
    let words = String::from_utf8_lossy(&ended.stderr);
    assert!(matches!(ended.status.code(), Some(0 | 1)), "{more:?}: {words}");
    String::from_utf8(ended.stdout).unwrap()
}

fn found(more: &[&str]) -> Found {
    let text = path(&[&["--json"], more].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{more:?}: {error} in {text:.200}"))
}

#[test]
fn the_books_balance_from_due_to_received() {
    for protocol in ["http", "websocket"] {
        let found = found(&["--rate", "500", "--connections", "4", "--protocol", protocol]);
        // The market, a deposit for each account, and the orders. All of them are sampled and kept.
        assert_eq!(found.ways.sampled.len() + 5, found.path.sampled.len(), "{protocol}: every order is joined");
        let mut wholes: Vec<u64> = found.ways.sampled.iter().map(|way| way.whole_ns()).collect();
        for way in &found.ways.sampled {
            let stages: Vec<u64> = way.at_ns.windows(2).map(|two| two[1].checked_sub(two[0]).unwrap()).collect();
            assert_eq!(stages.iter().sum::<u64>(), way.whole_ns(), "{protocol}: {way:?}");
            let request = found.path.sampled.iter().find(|request| request.sequence == way.sequence).unwrap();
            assert_eq!(way.at_ns[2..12], request.at_ns[..10], "{protocol}: the venue's moments stay as they are");
        }
        let (parts, whole) = found.ways.parts();
        let sum: f64 = parts.iter().map(|part| part.mean_ns).sum();
        assert!((sum - whole.mean_ns).abs() < 1.0, "{protocol}: means add up: {sum} {}", whole.mean_ns);
        // The client's own stopwatch, which knows no stage. The venue may not have noted the last order when it was asked.
        wholes.sort_unstable();
        let middle = wholes.len() / 2;
        let (low, high) = (wholes[middle - 2] as f64, wholes[middle + 2] as f64);
        let (p50, room) = (found.client.p50_ms * 1e6, (0.01 * high).max(2_000.0));
        assert!(low - room <= p50 && p50 <= high + room, "{protocol}: {low} to {high}, and the client says {p50}");
    }
}

#[test]
fn an_order_that_waits_for_its_connection_shows_it() {
    // One connection, and one request at a time on it: far fewer than are due.
    let found = found(&["--rate", "3000", "--connections", "1"]);
    let (parts, whole) = found.ways.parts();
    assert_eq!(parts[0].name, "wait");
    assert!(parts[0].mean_ns > 0.5 * whole.mean_ns, "{parts:?} of {whole:?}");
    assert!(whole.p50_ns > 2 * found.path.whole.p50_ns, "the venue does not see it: {whole:?} {:?}", found.path.whole);
}

#[test]
fn tables_and_waterfalls_show_both_sides() {
    for (language, title) in [("en", "both sides know"), ("zh", "双方都知道")] {
        let text = path(&["--rate", "200", "--slowest", "1", "--lang", language]);
        let line = |start: &str| text.lines().filter(|line| line.trim_start().starts_with(start)).count();
        assert!(text.contains(title), "{text}");
        assert_eq!((line("│ wait"), line("│ venue"), line("│ way back"), line("│ whole")), (1, 1, 1, 2), "{text}");
        assert_eq!((line("wait "), line("parse "), line("way back "), line("whole ")), (1, 1, 1, 1), "{text}");
    }
}
