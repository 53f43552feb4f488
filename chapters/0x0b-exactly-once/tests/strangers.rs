//! A client that others wrote, in Python, survives kills of the venue and of itself: each of its orders is in the log once, and
//! it has counted each of its notices once.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]
#![allow(clippy::print_stdout, reason = "what was skipped is said to those who run it")]

#[path = "../../0x0a-gateway/tests/support/client.rs"]
#[allow(dead_code)]
mod client;
#[path = "../measure/src/proxy.rs"]
#[allow(dead_code)]
mod proxy;
#[path = "../../0x0a-gateway/tests/support/server.rs"]
#[allow(dead_code)]
mod server;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use market::log::ShardOf;
use market::log_chain::{read_chain, segments};
use market::{LogError, RealDisk};
use proxy::Proxy;
use serde_json::{Value, json};
use server::Server;

const ORDERS: u64 = 120;

/// A notice that has not come by then is missing. Not a measurement.
const IN_TIME: Duration = Duration::from_secs(60);

fn python() -> bool {
    let is_there = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    assert!(is_there || std::env::var_os("CI").is_none(), "CI has Python");
    if !is_there {
        println!("skipped: there is no python3");
    }
    is_there
}

/// The state that the client has saved.
fn state(file: &Path) -> Value {
    std::fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or(json!({ "next": 1 }))
}

struct Python(Child);

impl Python {
    fn start(proxy: &Proxy, key: &str, file: &Path) -> Python {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/client.py");
        let mut python = Command::new("python3");
        python.arg(script).arg(format!("http://{}", proxy.address)).arg(key).arg(file).arg(ORDERS.to_string());
        Python(python.stdout(Stdio::null()).stdin(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_python_client_survives_kills_of_the_venue_and_of_itself() {
    if !python() {
        return;
    }
    let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let start = || Server::start(folder.path(), &["--play-money", "100000", "--snapshot-every", "50"]);
    let mut server = start();
    let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
    operator.post("/v1/markets", &json!({ "question": { "en": "Rain?", "zh": "下雨吗？" } })).unwrap();
    let made = operator.post("/v1/accounts", &json!({})).unwrap().json();
    let key = made["key"].as_str().unwrap().to_owned();
    let proxy = Proxy::start(server.address, 11).unwrap();
    let file = home.path().join("state.json");
    let mut python = Python::start(&proxy, &key, &file);
    let next = || state(&file)["next"].as_u64().unwrap();
    for kill in 1..=6 {
        let began = Instant::now();
        while next() < ORDERS * kill / 7 {
            assert!(began.elapsed() < IN_TIME, "the client makes no progress: {}", state(&file));
            sleep(Duration::from_millis(1));
        }
        if kill % 3 == 0 {
            drop(python);
            python = Python::start(&proxy, &key, &file);
        } else {
            server.kill();
            server = start();
            proxy.turn_to(server.address);
        }
    }
    let is_placed = || next() > ORDERS && state(&file)["under_way"].is_null();
    // The deposit, and one notice for each order: they meet nothing.
    let is_counted = || state(&file)["counted"] == json!(ORDERS + 1);
    let began = Instant::now();
    while !(is_placed() && is_counted()) {
        assert!(began.elapsed() < IN_TIME, "something is missing, or there twice: {}", state(&file));
        sleep(Duration::from_millis(2));
    }
    drop(python);
    proxy.calm();
    server.kill();
    let mut counts = BTreeMap::<u64, u32>::new();
    let pieces = segments(&RealDisk, folder.path(), ShardOf::ONLY).unwrap();
    let read = read_chain::<LogError>(&RealDisk, ShardOf::ONLY, &pieces, None, None, |_, command| {
        if let market::Command::Place(place) = command {
            *counts.entry(place.client_order_id).or_default() += 1;
        }
        Ok(())
    });
    read.unwrap();
    let expected: BTreeMap<u64, u32> = (1..=ORDERS).map(|number| (9 << 56 | number, 1)).collect();
    assert_eq!(counts, expected);
    assert_eq!(state(&file)["counted"], json!(ORDERS + 1), "and none was counted twice meanwhile");
    println!("{} connections were cut", proxy.cuts());
}
