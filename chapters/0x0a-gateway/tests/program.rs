//! The program as users run it: help, rejected arguments, exit codes, and how it ends.
#![allow(clippy::unwrap_used)]

mod support;

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use program::said::{ends_quietly_on_a_closed_pipe, ends_with_its_code_when_it_cannot_complain, said};
use serde_json::{Value, json};
use support::frames::Frames;
use support::server::{PROGRAM, Server, ended};

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments);
    command
}

#[test]
fn help_and_refusals() {
    insta::assert_snapshot!("help", said(&mut program(&["--help"]), &[]));
    let refused = [
        &["--engine", "0x09"][..],
        &["--engine", "0x03", "--shards", "2"],
        &["--shards", "0"],
        &["--listen", "0.0.0.0:80"],
        &["--tls-certificate", "nothing.pem"],
        &["--tls-certificate", "nothing.pem", "--tls-key", "nothing.key"],
        &["--classroom", "--behind-proxy"],
        &["--connections", "0"],
        &["--orders-per-second", "many"],
        &["--updates-per-second", "0"],
        &["--colour"],
    ];
    let all: Vec<_> = refused.iter().map(|arguments| said(&mut program(arguments), &[])).collect();
    insta::assert_snapshot!("refusals", all.join("\n\n"));
}

#[test]
fn a_closed_output_ends_the_program() {
    ends_quietly_on_a_closed_pipe(&mut program(&["--help"]));
    ends_with_its_code_when_it_cannot_complain(&mut program(&["--shards", "0"]), 2);
    // A venue that can't print its address or the operator's key is useless: it ends.
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full");
    if let Ok(full) = full() {
        let ended = program(&["--no-demo"]).stdin(Stdio::null()).stdout(full).output().unwrap();
        let words = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(3), "{words}");
        assert!(words.contains("error: could not write to standard output: "), "{words}");
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let ended = program(&["--no-demo"]).stdin(Stdio::null()).stdout(writer).output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
}

/// The exit code and the output when it does not start on this folder.
fn refusal(folder: &Path) -> (Option<i32>, String) {
    let mut command = program(&["--no-demo", "--data-dir"]);
    let ended = ended(command.arg(folder));
    (ended.status.code(), String::from_utf8_lossy(&ended.stderr).into_owned())
}

#[test]
fn a_data_directory_has_one_venue() {
    let folder = tempfile::tempdir().unwrap();
    let first = Server::start(folder.path(), &[]);
    let (code, words) = refusal(folder.path());
    assert_eq!(code, Some(3), "{words}");
    assert!(words.contains(&format!("process {}", first.id())), "{words}");
    assert_eq!(first.client().get("/readyz").unwrap().status, 200, "the first keeps running");
}

#[test]
fn an_address_has_one_venue() {
    // A folder of the test's: a venue that is killed can't remove its own.
    let folder = tempfile::tempdir().unwrap();
    let first = Server::start(folder.path(), &[]);
    let ended = ended(&mut program(&["--no-demo", "--listen", &first.address.to_string()]));
    let words = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(2), "{words}");
    assert!(words.contains(&first.address.to_string()) && words.contains("--listen"), "{words}");
}

/// How many connections over HTTP trade while the venue is asked to stop.
const CONNECTIONS: usize = 10;

/// How many orders a WebSocket has under way then.
const UNDER_WAY: usize = 200;

fn order() -> Value {
    json!({ "market": 1, "intent": "buy-yes", "price": 1, "quantity": 1 })
}

/// Places orders over HTTP until the connection is closed between two of them; returns how many were placed.
fn place_until_the_end(address: SocketAddr, key: &str) -> usize {
    let mut client = support::client::Client::connect(address).unwrap().with_key(key);
    let mut placed = 0;
    // Each order is answered or refused with a problem.
    while let Ok(answer) = client.post("/v1/orders", &order()) {
        match answer.status {
            200 => placed += 1,
            503 => assert_eq!(answer.reason(), "draining"),
            status => panic!("{status}: {answer:?}"),
        }
    }
    placed
}

/// The same over a WebSocket, with many under way, until it gets the last message.
fn stream_until_the_end(address: SocketAddr, key: &str) -> usize {
    let mut frames = Frames::connect(address, "").unwrap();
    assert!(frames.ask(&json!({ "id": 1, "do": "login", "key": key }).to_string()).get("ok").is_some());
    let mut place = order();
    (place["id"], place["do"]) = (json!(2), json!("place"));
    let place = place.to_string();
    (0..UNDER_WAY).for_each(|_| frames.say(&place).unwrap());
    let mut placed = 0;
    loop {
        let said = frames.hear_any(&["re", "kind"]);
        if said["kind"] == "bye" {
            assert_eq!(said["reason"], "draining");
            return placed;
        }
        if said.get("ok").is_some() {
            placed += 1;
            let _ = frames.say(&place);
        } else if said.get("re").is_some() {
            assert_eq!(said["problem"]["reason"], "draining", "{said}");
        }
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_drains() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--orders-per-second", "0", "--play-money", "100000000"]);
    let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
    operator.post("/v1/markets", &json!({ "question": { "en": "Will it?", "zh": "会吗？" } })).unwrap();
    let mut key = |_| operator.post("/v1/accounts", &json!({})).unwrap().json()["key"].as_str().unwrap().to_owned();
    let (address, [over_http, over_websocket]) = (server.address, [0, 1].map(&mut key));
    let traders: Vec<_> = (0..CONNECTIONS)
        .map(|_| over_http.clone())
        .map(|key| std::thread::spawn(move || place_until_the_end(address, &key)))
        .collect();
    let key = over_websocket.clone();
    let stream = std::thread::spawn(move || stream_until_the_end(address, &key));
    std::thread::sleep(std::time::Duration::from_millis(300));
    let (status, said) = server.interrupt();
    let placed = traders.into_iter().map(|trader| trader.join().unwrap()).sum::<usize>();
    let streamed = stream.join().unwrap();
    assert_eq!(status.code(), Some(0), "{said}");
    assert!(said.contains("no new requests"), "{said}");
    assert!(placed > 0 && streamed > 0, "{placed} and {streamed} orders were placed");
    let again = Server::start(folder.path(), &[]);
    for (key, placed) in [(over_http, placed), (over_websocket, streamed)] {
        let kept = again.client().with_key(&key).open_orders().len();
        assert_eq!(kept, placed, "an order in the log was not answered, or the other way round");
    }
}

/// All files of a folder except the names and the lock.
fn log_files(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_log = |path: &std::path::PathBuf| path.extension().is_some_and(|kind| kind == "log");
    let mut files: Vec<_> = paths.filter(is_log).map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
    files.sort();
    files
}

fn remove_names(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("names.sqlite")) {
            std::fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn losing_the_names_loses_no_cent() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--play-money", "500"]);
    let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
    operator.post("/v1/markets", &json!({ "question": { "en": "Will it?", "zh": "会吗？" } })).unwrap();
    let made = operator.post("/v1/accounts", &json!({ "name": "Ann" })).unwrap().json();
    let (ann, key) = (made["account"].as_u64().unwrap(), made["key"].as_str().unwrap().to_owned());
    let held = server.client().with_key(&key).get("/v1/account").unwrap().json()["holdings"].clone();
    assert_eq!(held[0]["cash"], json!(500));
    server.kill();

    remove_names(folder.path());
    let server = Server::start(folder.path(), &["--play-money", "500"]);
    let shown = server.operator.clone().expect("the operator gets a new key, which is shown");
    let mut operator = server.client().with_key(&shown);
    assert_eq!(server.client().with_key(&key).get("/v1/account").unwrap().status, 401, "the key is unknown");
    let other = operator.post("/v1/accounts", &json!({})).unwrap().json();
    assert!(other["account"].as_u64() > Some(ann), "no account changes hands: {other}");
    let new = operator.post(&format!("/v1/accounts/{ann}/key"), &json!({})).unwrap().json();
    let mut again = server.client().with_key(new["key"].as_str().unwrap());
    let account = again.get("/v1/account").unwrap().json();
    assert_eq!((&account["account"], &account["holdings"]), (&json!(ann), &held), "the balance comes from the log");
    let markets = again.get("/v1/markets").unwrap().json();
    assert_eq!(markets["markets"][0]["market"], json!(1), "{markets}");
    let opened = operator.post("/v1/markets", &json!({ "question": { "en": "And?", "zh": "还有？" } })).unwrap().json();
    assert_eq!(opened["market"], json!(2), "{opened}");
}

#[test]
fn a_damaged_names_file_is_refused_and_the_log_is_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
    operator.post("/v1/markets", &json!({ "question": { "en": "Will it?", "zh": "会吗？" } })).unwrap();
    server.kill();
    remove_names(folder.path());
    let path = folder.path().join("names.sqlite");
    std::fs::write(&path, "no database at all, but long enough to look like one").unwrap();
    let before = log_files(folder.path());
    assert!(!before.is_empty());
    let (code, words) = refusal(folder.path());
    assert_eq!(code, Some(3), "{words}");
    assert!(words.contains("names.sqlite") && words.contains("no money"), "{words}");
    assert!(log_files(folder.path()) == before, "the log has changed");
}
