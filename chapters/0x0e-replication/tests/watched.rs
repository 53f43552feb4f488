//! What the real machines show to Prometheus: a standby as well as a primary, at one address before and after a takeover.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]
#![cfg(unix)]

#[path = "../../0x0c-whole-path/tests/metrics/prometheus.rs"]
#[allow(dead_code)]
mod prometheus;
mod support;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::process::Command;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use market::log::LogHeader;
use prometheus::{get, is_there, promtool};
use replication::digest::STRETCH;
use replication::follower::{first_message, header};
use replication::link::Link;
use replication::message::Epoch;
use replication::reach::ReachArgs;
use replication::stream::Stream;
use serde_json::{Value, json};
use support::client::Client;
use support::machine::Machine;
use support::servers;

const PAGES: [&str; 2] = [include_str!("../../../book/en/operators.md"), include_str!("../../../book/zh/operators.md")];

fn address(machine: &mut Machine) -> SocketAddr {
    machine.wait_for("metrics http://").trim_end_matches("/metrics").parse().unwrap()
}

fn text(at: SocketAddr) -> String {
    let (head, body) = get(at, "/metrics", "").unwrap();
    assert!(head.starts_with("HTTP/1.0 200 OK"), "{head}");
    body
}

/// The value of a figure of the first shard.
fn value(text: &str, figure: &str) -> Option<f64> {
    let series = format!("venue_replication_{figure}{{shard=\"0\"}} ");
    text.lines().find_map(|line| line.strip_prefix(&series)).map(|value| value.parse().unwrap())
}

/// Waits until this is so of what is shown there.
fn until(at: SocketAddr, what: &str, is_so: impl Fn(&str) -> bool) -> String {
    let began = Instant::now();
    loop {
        let shown = text(at);
        if is_so(&shown) {
            return shown;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{what}: it does not come:\n{shown}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The names of this chapter's metrics.
fn names(text: &str) -> BTreeSet<&str> {
    let lines = text.lines().filter_map(|line| line.split_once("{shard=\"0\"} "));
    lines.map(|(name, _)| name).filter(|name| name.starts_with("venue_replication_")).collect()
}

fn open_a_market(machine: &mut Machine) -> (Client, Value) {
    let operator = machine.operator();
    let mut client = machine.client().with_key(&operator);
    let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
    assert_eq!(client.post("/v1/markets", &question).unwrap().status, 201);
    let account = client.post("/v1/accounts", &json!({ "name": "Ann" })).unwrap().json()["account"].clone();
    (client, account)
}

fn take_over(replicas: &[String], standby: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ch0e"));
    command.args(["takeover", standby, "--replicas", &replicas.join(",")]);
    let (status, said) = Machine::of(&mut command).end();
    assert!(status.success(), "{said}");
}

#[test]
fn a_standby_shows_how_far_it_is_and_what_it_compared_and_then_what_a_primary_shows() {
    let Some((_kept, servers)) = servers() else { return };
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let replicas = servers.addresses();
    let mut one = Machine::start(&[], folders[0].path(), &replicas, &["--name", "one"]);
    let (mut client, account) = open_a_market(&mut one);
    let mut two = Machine::start(&["standby"], folders[1].path(), &replicas, &["--name", "two"]);
    let (first, second) = (address(&mut one), address(&mut two));
    let deposit = json!({ "account": account, "amount": 1 });
    let mut deposit = || client.post("/v1/markets/1/deposits", &deposit).unwrap().json()["sequence"].as_u64().unwrap();
    while deposit() < 2 * STRETCH + 7 {}
    let last = deposit() as f64;

    let standby = until(second, "the standby is there, and has compared", |shown| {
        let figures = ["command", "digest_equal_command"].map(|figure| value(shown, figure).unwrap());
        figures == [last, 2.0 * STRETCH as f64] && value(shown, "behind_messages") == Some(0.0)
    });
    let primary = text(first);
    for (figure, of_primary, of_standby) in [
        ("primary", Some(1.0), Some(0.0)),
        ("epoch", Some(1.0), Some(1.0)),
        ("command", Some(last), Some(last)),
        ("messages", value(&primary, "messages"), value(&primary, "messages")),
        ("behind_frames", Some(0.0), None),
        ("first_message", None, Some(1.0)),
        ("behind_seconds", Some(0.0), Some(0.0)),
        ("refused_appends_total", Some(0.0), None),
        ("fences_total", None, Some(1.0)),
        ("digest_told_command", Some(2.0 * STRETCH as f64), Some(2.0 * STRETCH as f64)),
        ("digests_compared_total", None, Some(2.0)),
    ] {
        let shown = (value(&primary, figure), value(&standby, figure));
        assert_eq!(shown, (of_primary, of_standby), "{figure}\n{primary}\n{standby}");
    }
    assert!(value(&standby, "silence_seconds").unwrap() < 10.0, "{standby}");
    for figure in ["venue_disk_free_bytes", "process_start_time_seconds", "process_resident_memory_bytes"] {
        assert!(standby.contains(&format!("\n{figure} ")), "{figure}\n{standby}");
    }
    for name in names(&primary).union(&names(&standby)) {
        assert!(PAGES.iter().all(|page| page.contains(&format!("`{name}`"))), "{name} is not on the operators' pages");
    }
    if is_there() {
        [&primary, &standby].iter().for_each(|text| promtool(&["check", "metrics"], text, folders[0].path()));
    }

    one.signal("STOP");
    until(second, "the primary is silent", |shown| value(shown, "silence_seconds").unwrap() > 1.0);
    one.signal("CONT");
    until(second, "the primary is heard", |shown| value(shown, "silence_seconds").unwrap() < 1.0);
    one.kill();
    take_over(&replicas, "two");
    two.wait_for("open http://");
    let shown = until(second, "it shows a primary", |shown| value(shown, "primary") == Some(1.0));
    assert!(value(&shown, "epoch").unwrap() > 1.0 && value(&shown, "behind_frames") == Some(0.0), "{shown}");
    assert_eq!((value(&shown, "silence_seconds"), value(&shown, "fences_total")), (None, None), "{shown}");
}

/// Appends one epoch of another machine when a machine says that it is about to append its own.
fn interfere(link: &Link, stream: &Stream, header: LogHeader) {
    let own = stream.clone();
    let (mut fences, last) = link.wait(async move { (own.fences().await, own.last().await) });
    let stream = stream.clone();
    link.spawn(async move {
        while !fences.announced() {
            tokio::time::sleep(Duration::from_micros(100)).await;
        }
        let epoch = Epoch { number: last + 1, header, name: "another".into() };
        let _ = stream.append(last, &Bytes::from(epoch.encode())).await;
    });
}

#[test]
fn a_primary_counts_how_often_the_stream_refused_it() {
    let Some((_kept, servers)) = servers() else { return };
    let replicas = servers.addresses();
    let folder = tempfile::tempdir().unwrap();
    let mut machine = Machine::start(&[], folder.path(), &replicas, &["--name", "one"]);
    machine.wait_for("open http://");
    let link = Link::connect(&ReachArgs::plain(replicas.clone())).unwrap();
    let stream = Stream::open(&link, "cents-0").unwrap();
    let first = first_message(&link, &stream, 0).unwrap().unwrap();
    let header = header(&stream, &first).unwrap();
    // The other may be slower for once, so it is tried until it was not.
    for name in (2..22).map(|number| number.to_string()) {
        let folder = tempfile::tempdir().unwrap();
        let mut machine = Machine::start(&["standby"], folder.path(), &replicas, &["--name", &name]);
        machine.wait_for("standby of cents-0: after command");
        interfere(&link, &stream, header);
        take_over(&replicas, &name);
        machine.wait_for("open http://");
        let refused = value(&text(address(&mut machine)), "refused_appends_total").unwrap();
        let said = machine.said();
        let tries = said.split_once("began at try ").map_or("1", |(_, rest)| rest.split_once(';').unwrap().0);
        assert_eq!(refused + 1.0, tries.parse::<f64>().unwrap(), "{said}");
        println!("{name}: {refused} appends refused");
        if refused > 0.0 {
            return;
        }
    }
    panic!("no append was refused");
}
