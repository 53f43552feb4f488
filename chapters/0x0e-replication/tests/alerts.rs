//! The alerts of `alerts.yml`: Prometheus accepts the rules, and each alert fires at real machines with its fault.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]
#![cfg(unix)]

#[path = "../../0x0c-whole-path/tests/metrics/prometheus.rs"]
#[allow(dead_code)]
mod prometheus;
mod support;

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use market::Options;
use market::data_dir::SnapshotLock;
use prometheus::{Prometheus, check_rules, is_there, skip};
use serde_json::json;
use support::client::Client;
use support::machine::Machine;
use support::servers;

const RULES: &str = include_str!("../alerts.yml");

#[test]
fn the_rules_are_sound() {
    check_rules();
}

/// The same rules with seconds for minutes, and half a second for a minute where a figure says how long something has lasted.
fn hurried() -> String {
    RULES.replace("1m", "1s").replace("15m", "15s").replace("> 60", "> 0.5")
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
    two.wait_for("standby of cents-0: after command");
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

/// Places orders in several lanes at once, until it is over.
fn trade(address: SocketAddr, key: &str, over: &AtomicBool) {
    thread::scope(|scope| {
        for lane in 0..8 {
            let mut client = Client::connect(address).unwrap().with_key(key);
            scope.spawn(move || {
                for number in 1.. {
                    let order = json!({ "market": 1, "intent": "buy-yes", "price": 1, "quantity": 1, "lane": lane, "number": number });
                    if over.load(Ordering::Relaxed) || client.post("/v1/orders", &order).is_err() {
                        return;
                    }
                }
            });
        }
    });
}

/// Stops what runs in other threads, even when the test fails.
struct Ends<'o>(&'o AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A standby whose syncs take a second and longer.
fn with_a_slow_disk(folder: &Path, replicas: &[String]) -> Option<Machine> {
    let mut strace = Command::new("strace");
    strace.args(["-D", "-f", "-qq", "-e", "trace=fdatasync"]).stdout(Stdio::null()).stderr(Stdio::null());
    if !strace.arg("true").status().is_ok_and(|status| status.success()) {
        skip("strace is not there, or may not trace: no standby had a slow disk");
        return None;
    }
    let mut command = Command::new("strace");
    command.args(["-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync"]);
    command.args([
        "-e",
        "inject=fdatasync:delay_enter=1000000",
        env!("CARGO_BIN_EXE_ch0e"),
        "standby",
        "--name",
        "slow",
    ]);
    command.args(["--no-demo", "--replicas", &replicas.join(","), "--data-dir"]).arg(folder);
    Some(Machine::of(&mut command))
}

#[test]
fn each_alert_of_a_standby_fires_at_the_standby_with_its_fault() {
    let Some((_kept, servers)) = servers() else { return };
    if !is_there() {
        return;
    }
    let folders = [(); 4].map(|()| tempfile::tempdir().unwrap());
    let [of_one, of_well, of_held, of_slow] = folders.each_ref().map(tempfile::TempDir::path);
    let replicas = servers.addresses();
    let mut one = Machine::start(&[], of_one, &replicas, &["--name", "one", "--play-money", "1000000000"]);
    let operator = one.operator();
    let (address, first) = (one.address(), metrics(&mut one));
    let mut well = Machine::start(&["standby"], of_well, &replicas, &["--name", "well"]);
    // A backup of this one does not end.
    let held = SnapshotLock::take(&*Options::new(of_held).disk, of_held).unwrap();
    let mut waiting = Machine::start(&["standby"], of_held, &replicas, &["--name", "waiting"]);
    let mut slow = with_a_slow_disk(of_slow, &replicas);
    let (well_at, waiting_at) = (metrics(&mut well), metrics(&mut waiting));
    let slow_at = slow.as_mut().map(metrics);
    let targets: Vec<_> = [first, well_at, waiting_at].into_iter().chain(slow_at).collect();
    let prometheus = Prometheus::start(&hurried(), &targets);

    let mut client = one.client().with_key(&operator);
    let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
    assert_eq!(client.post("/v1/markets", &question).unwrap().status, 201);
    let made = client.post("/v1/accounts", &json!({})).unwrap().json();
    let (key, over) = (made["key"].as_str().unwrap().to_owned(), AtomicBool::new(false));
    thread::scope(|scope| {
        let _ends = Ends(&over);
        scope.spawn(|| trade(address, &key, &over));
        fires(&prometheus, "NothingCompared", waiting_at);
        slow_at.iter().for_each(|slow| fires(&prometheus, "StandbyBehind", *slow));
    });
    let never = |alert: &str, at: SocketAddr| {
        let fired = prometheus.value(&format!("count_over_time({}[10m])", firing(alert, at)));
        assert_eq!(fired, None, "{alert} fired at {at}");
    };
    never("NothingCompared", well_at);
    never("NothingCompared", first);
    never("StandbyBehind", first);
    one.kill();
    fires(&prometheus, "PrimarySilent", well_at);
    drop(held);
}
