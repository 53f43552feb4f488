//! The client's part of the way: what a load saw of an order and what the venue saw of it are one way, from the moment when the
//! order was due until its answer was received. Elsewhere than on Unix there is no clock that both read, and nothing to join.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use whole_path::show::Found;
use whole_path::stage;

/// What the program prints; it ends with 1 where the load itself was the limit, which a busy machine makes it.
fn run(arguments: &[&str], output: &Path) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_ch0c"));
    program.args(arguments).args(["--seconds", "1", "--output"]).arg(output);
    let ended = program.stdin(Stdio::null()).output().unwrap();
    let words = String::from_utf8_lossy(&ended.stderr);
    assert!(matches!(ended.status.code(), Some(0 | 1)), "{arguments:?}: {words}");
    String::from_utf8(ended.stdout).unwrap()
}

fn path(more: &[&str]) -> String {
    run(&[&["path"], more].concat(), tempfile::tempdir().unwrap().path())
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

/// When a bar begins and ends, in nanoseconds.
type Span = (u64, u64);

/// A timeline's bars of this kind by the number of their command, each with its name.
fn bars(file: &Value, cat: &str) -> BTreeMap<u64, Vec<(String, Span)>> {
    let mut bars: BTreeMap<u64, Vec<_>> = BTreeMap::new();
    for bar in file["traceEvents"].as_array().unwrap().iter().filter(|bar| bar["cat"] == cat) {
        let [from, took] = ["ts", "dur"].map(|key| (bar[key].as_f64().unwrap() * 1e3).round() as u64);
        let number = bar["args"]["sequence"].as_u64().unwrap();
        bars.entry(number).or_default().push((bar["name"].as_str().unwrap().into(), (from, from + took)));
    }
    bars
}

#[test]
fn a_timeline_has_each_order_from_due_to_received_around_its_request() {
    for protocol in ["http", "websocket"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("trace.json");
        let name = file.to_str().unwrap();
        let load = ["trace", name, "--rate", "500", "--connections", "4", "--protocol", protocol];
        let said = run(&load, folder.path());
        let file: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let [orders, parts, requests, stages] = ["order", "part", "request", "stage"].map(|cat| bars(&file, cat));
        // The market and the deposits of the four accounts are no orders.
        assert_eq!(orders.len() + 5, requests.len(), "{protocol}");
        assert!(said.contains(&format!("{} of them with their client's moments", orders.len())), "{said}");
        for (number, order) in orders {
            let [(_, (due, received))] = order[..] else { panic!("{number}: {order:?}") };
            let [(_, (read, written))] = requests[&number][..] else { panic!("{number}: {requests:?}") };
            let sent = parts[&number][0].1.1;
            let expected = [
                ("wait", (due, sent)),
                ("way in", (sent, read)),
                ("venue", (read, written)),
                ("way back", (written, received)),
            ];
            assert_eq!(parts[&number], expected.map(|(name, span)| (name.to_owned(), span)), "{protocol} {number}");
            assert!(due <= sent && sent <= read && written <= received, "{protocol} {number}: {expected:?}");
            let venue: Vec<u64> = stages[&number].iter().map(|(_, (from, to))| to - from).collect();
            let sum = (sent - due) + (read - sent) + venue.iter().sum::<u64>() + (received - written);
            assert_eq!((venue.len(), sum), (stage::STAGES, received - due), "{protocol} {number}: the stages add up");
        }
    }
}

#[test]
fn the_other_side_of_each_trade_reads_its_notice_after_the_order_was_due() {
    for protocol in ["http", "websocket"] {
        let load = ["--rate", "500", "--connections", "4", "--protocol", protocol, "--notices"];
        let found = found(&load);
        let times = found.notices.unwrap();
        // Half of the accounts buy YES and half buy NO, at prices that match: of two orders one rests, and the other meets it.
        // The first orders may come in any order, and the last notices too late to count.
        let orders = found.ways.sampled.len() as u64;
        assert!(
            times.count * 2 <= orders + 1 && times.count * 5 >= orders * 2,
            "{protocol}: {times:?} of {orders} orders"
        );
        // What the venue knows of them is a part of it.
        assert!(times.p50_ns > found.path.notice.p50_ns && found.path.notice.count > 0, "{protocol}: {times:?}");
    }
}

#[test]
fn an_order_that_waits_for_its_connection_shows_it() {
    // One connection, and one request at a time on it: far fewer than are due.
    let found = found(&["--rate", "3000", "--connections", "1"]);
    assert_eq!(found.notices, None, "no account was told to read them");
    let (parts, whole) = found.ways.parts();
    assert_eq!(parts[0].name, "wait");
    assert!(parts[0].mean_ns > 0.5 * whole.mean_ns, "{parts:?} of {whole:?}");
    assert!(whole.p50_ns > 2 * found.path.whole.p50_ns, "the venue does not see it: {whole:?} {:?}", found.path.whole);
}

#[test]
fn tables_and_waterfalls_show_both_sides() {
    for (language, title, notices) in
        [("en", "both sides know", "had read its notice"), ("zh", "双方都知道", "到对方读到通知")]
    {
        let text = path(&["--rate", "200", "--slowest", "1", "--notices", "--lang", language]);
        assert!(text.contains(notices), "{text}");
        let line = |start: &str| text.lines().filter(|line| line.trim_start().starts_with(start)).count();
        assert!(text.contains(title), "{text}");
        assert_eq!((line("│ wait"), line("│ venue"), line("│ way back"), line("│ whole")), (1, 1, 1, 2), "{text}");
        assert_eq!((line("wait "), line("parse "), line("way back "), line("whole ")), (1, 1, 1, 1), "{text}");
    }
}
