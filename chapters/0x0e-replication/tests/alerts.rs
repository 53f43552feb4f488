//! The alerts of `alerts.yml`: sound, and each seen firing at real machines with its fault.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]
#![cfg(unix)]

#[path = "../../0x0c-whole-path/tests/metrics/prometheus.rs"]
#[allow(dead_code)]
mod prometheus;
mod support;

use std::net::SocketAddr;

use prometheus::{Prometheus, check_rules, is_there};
use serde_json::json;
use support::machine::Machine;
use support::servers;

const RULES: &str = include_str!("../alerts.yml");

#[test]
fn the_rules_are_sound() {
    check_rules();
}

/// The same rules with seconds for minutes.
fn hurried() -> String {
    RULES.replace("1m", "1s").replace("15m", "15s")
}

fn metrics(machine: &mut Machine) -> SocketAddr {
    machine.wait_for("metrics http://").trim_end_matches("/metrics").parse().unwrap()
}

/// The series of an alert that fires at this machine.
fn firing(alert: &str, at: SocketAddr) -> String {
    format!("ALERTS{{alertname=\"{alert}\",alertstate=\"firing\",instance=\"{at}\"}}")
}

/// Waits until this alert fires at this machine.
fn fires(prometheus: &Prometheus, alert: &str, at: SocketAddr) {
    prometheus.until(&format!("{alert} fires"), |prometheus| prometheus.value(&firing(alert, at)));
}

#[test]
fn each_alert_fires_at_the_machine_with_its_fault() {
    let Some((_kept, mut servers)) = servers() else { return };
    if !is_there() {
        return;
    }
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let replicas = servers.addresses();
    let mut one = Machine::start(&[], folders[0].path(), &replicas, &["--name", "one"]);
    let (operator, first) = (one.operator(), metrics(&mut one));
    let flags = ["--name", "two", "--takeover", "auto", "--missed", "5"];
    let mut two = Machine::start(&["standby"], folders[1].path(), &replicas, &flags);
    two.wait_for("standby of cents-0: behind command");
    let second = metrics(&mut two);
    let prometheus = Prometheus::start(&hurried(), &[first, second]);
    prometheus.until("the primary is up", |prometheus| prometheus.value("sum(up)").filter(|up| *up >= 1.0));
    one.kill();
    fires(&prometheus, "TakenOver", second);

    // Two of three servers end: what is asked of the venue waits, and is answered when one of them is back.
    let mut client = two.client().with_key(&operator);
    let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
    assert_eq!(client.post("/v1/markets", &question).unwrap().status, 201);
    let made = client.post("/v1/accounts", &json!({})).unwrap().json();
    let mut client = two.client().with_key(made["key"].as_str().unwrap());
    // A primary that is idle for long enough raises no alarm.
    let scrapes = format!("count_over_time(venue_replication_epoch{{instance=\"{second}\"}}[10m])");
    let seen = prometheus.value(&scrapes).unwrap_or_default();
    prometheus.until("it was scraped for longer than the rule waits", |prometheus| {
        prometheus.value(&scrapes).filter(|now| *now > seen + 20.0)
    });
    assert_eq!(prometheus.value(&format!("count_over_time({}[10m])", firing("NoMajority", second))), None);
    [0, 1].into_iter().for_each(|server| servers.kill(server));
    let waiting = std::thread::spawn(move || {
        let order = json!({ "market": 1, "intent": "buy-yes", "price": 1, "quantity": 1 });
        client.post("/v1/orders", &order).unwrap().status
    });
    fires(&prometheus, "NoMajority", second);
    servers.start_one(0).unwrap();
    assert_eq!(waiting.join().unwrap(), 200);
}
