//! Clients that we did not write: `curl` with every line of the READMEs and of the book's page of commands, Python's
//! `websockets`, `wrk`.
//!
//! Without one of them a test reports that it was skipped; with `CI` set that is a failure.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::server::Server;
use serde_json::{Value, json};

/// Where the READMEs and the book are.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Whether this program can be run, or false after reporting that; in CI it must be there.
fn is_there(program: &str, arguments: &[&str]) -> bool {
    if Command::new(program).args(arguments).output().is_ok_and(|ended| ended.status.code() != Some(127)) {
        return true;
    }
    assert!(std::env::var_os("CI").is_none(), "CI has no {program}");
    eprintln!("skipped: no {program}");
    false
}

fn venue(folder: &Path) -> Server {
    let server = Server::start(folder, &["--orders-per-second", "0", "--classroom", "--http2"]);
    let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
    let made = operator.post("/v1/markets", &json!({ "question": { "en": "Rain?", "zh": "下雨吗？" } })).unwrap();
    assert_eq!(made.status, 201);
    server
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The commands that begin with `curl`, in order: rows of a table, and lines of a block.
fn lines(page: &str) -> Vec<String> {
    let page = std::fs::read_to_string(root().join(page)).unwrap();
    let command = |line: &str| match line.strip_prefix("| `curl ") {
        Some(row) => Some(row.split_once("` |").unwrap().0.to_owned()),
        None => line.strip_prefix("curl ").map(str::to_owned),
    };
    page.lines().filter_map(command).collect()
}

fn every_line_is_answered(page: &str, at_least: usize, version: &str) {
    let folder = tempfile::tempdir().unwrap();
    let server = venue(folder.path());
    let lines = lines(page);
    assert!(lines.len() >= at_least, "{page} lists {} requests", lines.len());
    let (mut key, mut account, mut order, mut code) = (String::new(), String::new(), String::new(), String::new());
    for line in &lines {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("curl {version} -sS --fail-with-body {line}")]);
        shell.env("VENUE", format!("http://{}", server.address)).env("OPERATOR", server.operator.as_ref().unwrap());
        shell.env("KEY", &key).env("ACCOUNT", &account).env("ORDER", &order).env("CODE", &code);
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{page}: curl {line}: {}", text(&output));
        let Ok(said) = serde_json::from_slice::<Value>(&output.stdout) else { continue };
        if line.ends_with("/v1/accounts") {
            (key, account) = (said["key"].as_str().unwrap().to_owned(), said["account"].to_string());
            said["code"].as_str().unwrap().clone_into(&mut code);
        }
        if said["status"] == "resting" {
            order = said["order"].to_string();
        }
    }
    assert!(!order.is_empty(), "no line placed an order");
}

#[test]
fn every_curl_line_of_the_readmes_and_the_book_works() {
    if is_there("curl", &["--version"]) {
        every_line_is_answered("README.md", 3, "--http1.1");
        every_line_is_answered("README.zh-CN.md", 3, "--http1.1");
        every_line_is_answered("book/en/commands.md", 15, "--http1.1");
        every_line_is_answered("book/zh/commands.md", 15, "--http1.1");
        every_line_is_answered("book/en/commands.md", 15, "--http2-prior-knowledge");
    }
}

#[test]
fn pythons_websockets_trade() {
    // Another Python may come before the system's in the path, without the system's packages.
    let has = |python: &&str| {
        let looked = Command::new(python).args(["-c", "import websockets"]).output();
        looked.is_ok_and(|ended| ended.status.success())
    };
    let Some(python) = ["python3", "/usr/bin/python3"].into_iter().find(has) else {
        assert!(std::env::var_os("CI").is_none(), "CI has no Python with websockets");
        eprintln!("skipped: no Python with websockets");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let server = venue(folder.path());
    let keys = ["Ann", "Ben"].map(|name| {
        let made = server.client().post("/v1/accounts", &json!({ "name": name })).unwrap();
        made.json()["key"].as_str().unwrap().to_owned()
    });
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../0x0a-gateway/tests/venue/trade.py");
    let mut trade = Command::new(python);
    let output = trade.arg(script).arg(format!("ws://{}/v1/stream", server.address)).args(keys).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

#[test]
fn wrk_is_served() {
    if !is_there("wrk", &["--version"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let server = venue(folder.path());
    let made = server.client().post("/v1/accounts", &json!({})).unwrap();
    let script = folder.path().join("order.lua");
    let order = json!({ "market": 1, "intent": "buy-yes", "price": 1, "quantity": 1 });
    let lua = format!(
        "wrk.method = 'POST'\nwrk.body = '{order}'\nwrk.headers['Authorization'] = 'Bearer {}'\n",
        made.json()["key"].as_str().unwrap()
    );
    std::fs::write(&script, lua).unwrap();
    let mut wrk = Command::new("wrk");
    wrk.args(["-t1", "-c8", "-d1s", "-s"]).arg(&script).arg(format!("http://{}/v1/orders", server.address));
    let output = wrk.output().unwrap();
    let said = text(&output);
    assert!(output.status.success() && said.contains("requests in"), "{said}");
    assert!(!said.contains("Socket errors"), "{said}");
    // The account runs out of money within the second, and a rejection for that is an answer too.
    let held = server.client().with_key(made.json()["key"].as_str().unwrap()).get("/v1/account").unwrap().json();
    assert!(held["holdings"][0]["cash_locked"].as_u64().unwrap() > 0, "{held}");
}
