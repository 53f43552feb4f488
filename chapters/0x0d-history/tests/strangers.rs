//! Engines that we did not write read the columns: DuckDB and Polars, with the lines of the READMEs and with queries of our
//! own, while the venue trades and writes. Their answers are those of the reference model.
//!
//! They need a Python with both packages: `HISTORY_PYTHON`, or one of the path. Without it the tests report that they were
//! skipped; with `CI` set that is a failure.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "what was seen is for those who run it")]

#[path = "../../0x0a-gateway/tests/support/client.rs"]
#[allow(dead_code)]
mod client;
#[path = "support/expected.rs"]
#[allow(dead_code)]
mod expected;
#[path = "../../0x0a-gateway/tests/support/server.rs"]
#[allow(dead_code)]
mod server;
#[path = "support/trades.rs"]
#[allow(dead_code)]
mod trades;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use contract::streams::Random;
use market::{Intent, Sequence};
use serde_json::{Value, json};
use server::{PROGRAM, Server, ended};

use expected::Rows;
use trades::{Trades, before};

const SHARDS: u16 = 2;

/// Between lists of orders, so that a file stands for a while: with new trades all the time, a reader would begin again and
/// again.
const PAUSE: Duration = Duration::from_millis(100);

/// A Python with both packages, or none after reporting that.
fn python() -> Option<PathBuf> {
    let named = std::env::var_os("HISTORY_PYTHON").map(PathBuf::from);
    let has_both = |python: &PathBuf| {
        let looked = Command::new(python).args(["-c", "import duckdb, polars"]).stderr(Stdio::null()).status();
        looked.is_ok_and(|status| status.success())
    };
    let found = named.into_iter().chain(["python3".into()]).find(has_both);
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "CI has no Python with DuckDB and Polars");
        eprintln!("skipped: no Python with DuckDB and Polars");
    }
    found
}

/// A venue with three markets and four accounts, which writes columns all the time, in small files.
fn venue(folder: &Path) -> (Server, Vec<String>) {
    let flags = ["--shards", "2", "--orders-per-second", "0", "--play-money", "1000000"];
    let server = Server::start(folder, &[&flags[..], &["--columns-every", "0", "--columns-rows", "60"]].concat());
    let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
    for _ in 0..3 {
        let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
        assert_eq!(operator.post("/v1/markets", &question).unwrap().status, 201);
    }
    let mut make = || operator.post("/v1/accounts", &json!({})).unwrap().json()["key"].as_str().unwrap().to_owned();
    let keys = (0..4).map(|_| make()).collect();
    (server, keys)
}

/// Each account sends a list of orders.
fn trade(server: &Server, keys: &[String], random: &mut Random) {
    for key in keys {
        let mut one = || {
            let intent = random.pick(&["buy-yes", "buy-no", "sell-yes", "sell-no"]);
            json!({
                "market": 1 + random.below(3), "intent": intent, "price": 30 + random.below(41),
                "quantity": 1 + random.below(20),
            })
        };
        let orders: Value = (0..20).map(|_| one()).collect();
        assert!(server.client().with_key(key).post("/v1/orders", &orders).unwrap().status < 300);
    }
}

/// The lines of a README that ask the columns: what begins so, without the quotes around what follows.
fn lines(readme: &str, begins: &str) -> Vec<String> {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(readme);
    let text = std::fs::read_to_string(readme).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix(begins)?.strip_suffix('"'));
    lines.filter(|line| line.contains("history/trades")).map(str::to_owned).collect()
}

/// Asks Python, in the data directory. What it prints are lists, or tuples.
fn asked(python: &Path, folder: &Path, arguments: &[&str]) -> Value {
    let output = Command::new(python).arg("-c").args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout).replace('(', "[").replace(')', "]");
    serde_json::from_str(&said).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {said}"))
}

#[test]
fn the_lines_of_the_readmes_are_answered_as_the_model_does() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let ((server, keys), mut random) = (venue(folder.path()), Random::new(2));
    trade(&server, &keys, &mut random);
    follow_to_the_end(folder.path(), server);
    let (mut markets, mut takers) = (BTreeMap::new(), BTreeMap::new());
    for ((market, _), trade) in logged(folder.path()) {
        let (count, shares, price) = markets.entry(market).or_insert((0, 0, 0));
        (*count, *shares) = (*count + 1, *shares + trade.quantity.0);
        *price = trade.price.cents().max(*price);
        *takers.entry(trade.taker_account.0).or_insert(0) += trade.quantity.0;
    }
    let mut takers: Vec<_> = takers.into_iter().collect();
    takers.sort_by_key(|(account, shares)| (Reverse(*shares), *account));
    let counts: Value = markets.iter().map(|(market, (count, shares, _))| json!([market, count, shares])).collect();
    let prices: Value = markets.iter().map(|(market, (.., price))| json!([market, price])).collect();
    assert!(markets.len() > 1 && takers.len() > 1, "too little was traded");
    for readme in ["README.md", "README.zh-CN.md"] {
        let query = "import duckdb, sys; print(duckdb.sql(sys.argv[1]).fetchall())";
        let sql = lines(readme, "duckdb -c \"");
        let found: Vec<_> = sql.iter().map(|line| asked(&python, folder.path(), &[query, line])).collect();
        assert_eq!(found, [counts.clone(), json!(takers)], "{readme}");
        let scripts = lines(readme, "python3 -c \"");
        let found: Vec<_> = scripts.iter().map(|line| asked(&python, folder.path(), &[line])).collect();
        assert_eq!(found, std::slice::from_ref(&prices), "{readme}");
    }
}

fn logged(folder: &Path) -> Trades {
    Rows::of_logs(folder, SHARDS, &[Sequence(u64::MAX); SHARDS as usize]).public
}

/// Ends the venue, and brings rows and columns to the end of the log.
fn follow_to_the_end(folder: &Path, server: Server) {
    server.kill();
    let output = ended(Command::new(PROGRAM).args(["follow", "--once", "--data-dir"]).arg(folder));
    assert!(output.status.success(), "{output:?}");
}

/// What both engines are asked, answered from the model's trades.
fn by_market(trades: &Trades) -> Value {
    let mut found: BTreeMap<(u16, u32), (Value, BTreeSet<u32>)> = BTreeMap::new();
    for ((market, place), trade) in trades {
        let none = || (json!([place.shard, market, 0, 0, 0, 0, 0, 0, place.time.0, 0, 0]), BTreeSet::new());
        let (row, takers) = found.entry((place.shard, *market)).or_insert_with(none);
        takers.insert(trade.taker_account.0);
        let mut add = |at: usize, more: u64| row[at] = json!(row[at].as_u64().unwrap() + more);
        add(2, 1);
        add(3, trade.quantity.0.into());
        add(4, u64::from(trade.quantity.0) * u64::from(trade.price.cents()));
        add(6, 1);
        add(7, u64::from(trade.taker_intent == Intent::BuyYes));
        row[5] = json!(row[5].as_u64().unwrap().max(place.sequence.0));
        row[9] = json!(row[9].as_u64().unwrap().max(place.time.0));
        row[10] = json!(takers.len());
    }
    found.into_values().map(|(row, _)| row).collect()
}

fn script(python: &Path, folder: &Path, argument: &str) -> Command {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/columns.py");
    let mut command = Command::new(python);
    command.arg(script).arg(folder.join("history/trades")).arg(argument);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The lines that the script printed.
fn said(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn duckdb_and_polars_answer_as_the_model_does_also_while_files_are_replaced() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let ((server, keys), mut random) = (venue(folder.path()), Random::new(1));
    // The first files.
    while !folder.path().join("history/trades/manifest.json").exists() {
        trade(&server, &keys, &mut random);
    }
    let mut looking = script(&python, folder.path(), "15").spawn().unwrap();
    let mut lists = 0;
    while looking.try_wait().unwrap().is_none() && lists < 2_000 {
        trade(&server, &keys, &mut random);
        lists += 1;
        std::thread::sleep(PAUSE);
    }
    let looks = said(&looking.wait_with_output().unwrap());
    follow_to_the_end(folder.path(), server);
    let all = logged(folder.path());
    let mut different = BTreeSet::new();
    for look in &looks {
        let found = &look["found"];
        let mut next = [0; SHARDS as usize];
        for row in found.as_array().unwrap() {
            let next = &mut next[row[0].as_u64().unwrap() as usize];
            *next = (*next).max(row[5].as_u64().unwrap() + 1);
        }
        assert_eq!(*found, by_market(&before(&all, &next)), "{}, up to {next:?}", look["engine"]);
        different.insert(next);
    }
    let again: u64 = looks.iter().map(|look| look["again"].as_u64().unwrap()).sum();
    println!("{} looks at {} states, {again} begun again, beside {lists} lists", looks.len(), different.len());
    assert!(different.len() > 3, "too little happened while they looked: {different:?}");
    let in_the_end = by_market(&all);
    for argument in ["1", "manifest"] {
        let looks = said(&script(&python, folder.path(), argument).output().unwrap());
        assert!(looks.len() == 2 && looks.iter().all(|look| look["found"] == in_the_end), "{looks:?}\n{in_the_end}");
    }
}
