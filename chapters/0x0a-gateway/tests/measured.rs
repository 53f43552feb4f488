//! Runs each part of the measurement briefly, and checks that its record is meaningful. Speed is not tested.
//!
//! Tests start in alphabetical order. The two longest are first, so that neither runs alone at the end.
#![allow(clippy::unwrap_used)]

use std::process::{Command, Stdio};

use results::record::{Record, VenueRecord};

fn measured(part: &str) -> (VenueRecord, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut venue = Command::new(env!("CARGO_BIN_EXE_ch0a"));
    venue.args(["venue", "--quick", "--lang", "zh", "--only", part, "--output"]).arg(folder.path());
    let ended = venue.stdin(Stdio::null()).output().unwrap();
    let words = String::from_utf8_lossy(&[&ended.stdout[..], &ended.stderr[..]].concat()).into_owned();
    assert_eq!(ended.status.code(), Some(0), "{words}");
    let record = VenueRecord::load(&folder.path().join(format!("venue-{part}.json"))).unwrap();
    assert_eq!(record.command, format!("cargo run --release -- venue --only {part} --quick"));
    (record, words)
}

/// How much memory a watching connection may cost the server: three times the intended amount, for builds without
/// optimization.
const CONNECTION_BYTES_MAX: f64 = 36.0 * 1024.0;

#[test]
fn how_many_orders_per_second() {
    let (record, words) = measured("throughput");
    let (http, http2) = (record.http.unwrap(), record.http2.unwrap());
    assert!(http.ratio.median > 0.0 && http2.ratio.median > 0.0, "{words}");
    assert_eq!((http.connections, http2.requests, http2.connections), (64, 64, 4), "as many requests over fewer");
    assert!(words.contains("HTTP/2，落盘的订单"), "{words}");
    let connections: Vec<_> = record.concurrency.iter().map(|case| case.connections).collect();
    assert_eq!(connections.first(), Some(&64), "{words}");
    if cfg!(target_os = "linux") {
        assert_eq!(connections, [64, 256, 768], "{words}");
        let names: Vec<_> = record.profile.iter().map(|way| way.name.as_str()).collect();
        let ways = ["empty", "orders", "fresh", "echo", "one", "json-batch", "binary-batch", "empty-http2", "http2"];
        assert_eq!(names, ways, "{words}");
        let of = |way: &str, thread: &str| {
            let way = record.profile.iter().find(|profile| profile.name == way).unwrap();
            way.threads.iter().find(|threads| threads.name == thread).unwrap().ns
        };
        // These threads all handled every order.
        for thread in ["network", "engine", "journal", "matching", "replies"] {
            assert!(of("orders", thread) > 0.0, "{thread}: {words}");
        }
        assert!(words.contains("服务端每次耗时") && words.contains("影子"), "{words}");
    }
}

#[test]
fn watching_connections() {
    let (record, words) = measured("connections");
    assert!(words.contains("在看的连接") && record.http.is_none(), "{words}");
    let connections = record.connections.unwrap();
    let [case] = &connections.cases[..] else { panic!("{words}") };
    assert_eq!((case.connections, case.served, case.changes), (100, 100, 20), "{words}");
    assert!(case.connection_bytes.is_none_or(|bytes| bytes < CONNECTION_BYTES_MAX), "{words}");
}

#[test]
fn orders_at_a_high_rate() {
    let (record, words) = measured("sustained");
    let sustained = record.sustained.unwrap();
    // Early or late, all of them arrived.
    let due = sustained.offered_per_s as f64 * 2.0;
    assert!((sustained.orders as f64) > 0.9 * due && (sustained.orders as f64) <= due, "{words}");
    assert_eq!(sustained.windows.len(), 2, "{words}");
}

#[test]
fn many_accounts() {
    let (record, words) = measured("accounts");
    let counts: Vec<_> = record.accounts.iter().map(|case| case.accounts).collect();
    assert_eq!(counts, [100, 1_000], "{words}");
}

#[test]
fn notices_of_fills() {
    let (record, words) = measured("notices");
    let messages: Vec<_> = record.notices.iter().map(|way| (way.name.as_str(), way.messages)).collect();
    let [("one-by-one", _), ("words", each), ("bytes", together)] = messages[..] else { panic!("{words}") };
    assert!(each == 100.0 && together < 100.0, "{words}");
}

#[test]
fn how_late_an_answer_is() {
    let (record, words) = measured("late");
    assert!(words.contains("从应到时刻到落盘应答"), "{words}");
    for (late, offered) in [(&record.late, 5_000), (&record.late_high, 20_000)] {
        let names: Vec<_> = late.iter().map(|late| late.name.as_str()).collect();
        assert_eq!(names, ["bare", "http", "stream"], "{words}");
        assert!(late.iter().all(|late| late.offered_per_s == offered), "{words}");
        assert!(late.iter().all(|late| late.p99_rounds_ms == [late.p99_ms]), "{words}");
        let loads: Vec<_> = late.iter().map(|late| late.load.is_some()).collect();
        assert_eq!(loads, [false, true, true], "{words}");
    }
    // The record says whether the load was the limit.
    let mut loads = record.late.iter().chain(&record.late_high).filter_map(|late| late.load.as_ref());
    assert_eq!(words.contains("作废"), loads.any(|load| load.is_void), "{words}");
}
