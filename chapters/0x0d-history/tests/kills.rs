//! The venue is killed again and again while it trades, and so is a follower in a process of its own. Whatever the rows reach,
//! they are what the log says up to there: nothing is missing and nothing is there twice, row by row. Snapshots are written
//! meanwhile, and columns: whatever these reach, a reader that knows their folder alone finds what the log says up to there.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]

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

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use client::Client;
use contract::streams::Random;
use history::store::Store;
use market::{Options, Sequence};
use program::rounds::Rounds;
use serde_json::{Value, json};
use server::{PROGRAM, Server, ended};

use expected::{Rows, next};
use trades::{Trades, assert_is_a_beginning, assert_same, in_folder};

/// Columns that do not come in this time never do. No measurement.
const STUCK: Duration = Duration::from_secs(60);

/// Columns all the time, in small files, and rows in tables of their own as soon as a few lists came at once.
const SMALL: [&str; 6] = ["--columns-every", "0", "--columns-rows", "40", "--table-rows", "60"];

fn start(folder: &Path, shards: u16, more: &[&str]) -> Server {
    let shards = shards.to_string();
    let flags = ["--shards", &shards, "--snapshot-every", "50", "--orders-per-second", "0", "--play-money", "1000000"];
    Server::start(folder, &[&flags[..], &SMALL, more].concat())
}

/// Opens markets and accounts; returns the accounts' keys.
fn begin(server: &Server) -> Vec<String> {
    let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
    for _ in 0..3 {
        let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
        assert_eq!(operator.post("/v1/markets", &question).unwrap().status, 201);
    }
    let mut make = || operator.post("/v1/accounts", &json!({})).unwrap().json()["key"].as_str().unwrap().to_owned();
    (0..4).map(|_| make()).collect()
}

/// A list of orders that trade with each other, rest, and are rejected.
fn orders(random: &mut Random) -> Value {
    let one = |random: &mut Random| {
        let intent = random.pick(&["buy-yes", "buy-no", "sell-yes", "sell-no"]);
        let time_in_force = random.pick(&["gtc", "ioc", "fok"]);
        json!({
            "market": 1 + random.below(3), "intent": intent, "price": 30 + random.below(41),
            "quantity": 1 + random.below(20), "time_in_force": time_in_force,
        })
    };
    (0..20).map(|_| one(random)).collect()
}

/// The rows that are there, against the log as far as they go. Says how many commands that are.
fn check(folder: &Path, shards: u16, when: &str) -> u64 {
    let store = Store::open(&Options { shards, ..Options::new(folder) }, false).unwrap();
    let reached = next(&store, shards);
    Rows::of_store(&store).assert_is(&Rows::of_logs(folder, shards, &reached), when);
    assert_eq!(store.missing().unwrap(), []);
    reached.iter().map(|next| next.0 - 1).sum()
}

/// All trades in the log.
fn logged(folder: &Path, shards: u16) -> Trades {
    Rows::of_logs(folder, shards, &[Sequence(u64::MAX); 3]).public
}

/// The columns that are there, against the log as far as they go. Says how many trades that are.
fn check_columns(folder: &Path, shards: u16, when: &str) -> usize {
    let columns = folder.join("history/trades");
    let found = if columns.exists() { in_folder(&columns) } else { Trades::new() };
    assert_is_a_beginning(&found, &logged(folder, shards), shards, when)
}

/// Follows to the end and checks all that was derived.
fn follow_to_the_end(folder: &Path, shards: u16) {
    let follow = ["follow", "--check", "--columns-rows", "40", "--data-dir"];
    let output = ended(Command::new(PROGRAM).args(follow).arg(folder));
    assert!(output.status.success(), "{output:?}");
    assert_same(&in_folder(&folder.join("history/trades")), &logged(folder, shards), "in the end");
}

/// Sends orders until the venue is killed, which may be in the middle of one.
fn trade(server: &Server, key: &str, random: &mut Random, lists: u64) {
    let mut client: Client = server.client().with_key(key);
    for _ in 0..lists {
        assert!(client.post("/v1/orders", &orders(random)).unwrap().status < 300);
    }
}

/// How often to kill: so many times, twice that with all rounds, and as many as `KILLS` says where it is given.
fn asked(few: u64) -> u64 {
    let flag = std::env::var("KILLS").ok().map(|kills| kills.parse().expect("KILLS is a number"));
    flag.unwrap_or_else(|| Rounds::asked().pick(few, 2 * few))
}

#[test]
fn the_venue_is_killed_and_its_rows_are_what_the_log_says() {
    for (shards, kills) in [(1, asked(6)), (3, asked(6))] {
        let (folder, mut random) = (tempfile::tempdir().unwrap(), Random::new(u64::from(shards)));
        let mut server = start(folder.path(), shards, &[]);
        let keys = begin(&server);
        let (mut seen, mut caught, mut in_columns) = (0, 0, 0);
        for kill in 0..kills {
            for key in &keys {
                let lists = 1 + random.below(3);
                trade(&server, key, &mut random, lists);
            }
            thread::sleep(Duration::from_millis(random.below(25)));
            server.kill();
            let when = format!("kill {kill} with {shards} shards");
            in_columns = check_columns(folder.path(), shards, &when).max(in_columns);
            let reached = check(folder.path(), shards, &when);
            (seen, caught) = (reached.max(seen), caught + u64::from(reached > seen));
            server = start(folder.path(), shards, &[]);
        }
        server.kill();
        assert!(caught > 0, "the follower never got anywhere");
        assert!(in_columns > 0, "no kill left columns");
        follow_to_the_end(folder.path(), shards);
        let all = check(folder.path(), shards, "in the end");
        println!("{shards} shards: {kills} kills, {all} commands, the rows got further in {caught} lives");
    }
}

/// A follower of its own beside a venue. It ends when this is dropped.
struct Followed(Child);

impl Followed {
    fn start(folder: &Path) -> Followed {
        let mut command = Command::new(PROGRAM);
        command.args(["follow", "--data-dir"]).arg(folder).args(SMALL).stdout(Stdio::null()).stderr(Stdio::inherit());
        Followed(command.spawn().unwrap())
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait_for_columns(folder: &Path) {
    let (began, list) = (Instant::now(), folder.join("history/trades/manifest.json"));
    while !list.exists() {
        assert!(began.elapsed() < STUCK, "no columns came");
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_follower_of_its_own_is_killed_and_its_rows_are_what_the_log_says() {
    let (folder, mut random) = (tempfile::tempdir().unwrap(), Random::new(77));
    let server = start(folder.path(), 2, &["--no-history"]);
    let keys = begin(&server);
    let answer = server.client().with_key(&keys[0]).get("/v1/account/trades").unwrap();
    assert_eq!((answer.status, answer.reason().as_str()), (503, "no-history"));
    let kills = asked(10);
    let (mut seen, mut caught, mut in_columns) = (0, 0, 0);
    for kill in 0..kills {
        let follower = Followed::start(folder.path());
        for key in &keys {
            let lists = random.below(4);
            trade(&server, key, &mut random, lists);
            thread::sleep(Duration::from_millis(random.below(8)));
        }
        if kill == kills / 2 {
            // At least one life of the follower lasts until columns are written.
            wait_for_columns(folder.path());
        }
        drop(follower);
        in_columns = check_columns(folder.path(), 2, &format!("kill {kill}")).max(in_columns);
        let reached = check(folder.path(), 2, &format!("kill {kill}"));
        (seen, caught) = (reached.max(seen), caught + u64::from(reached > seen));
    }
    assert!(caught > 0, "the follower never got anywhere");
    server.kill();
    assert!(in_columns > 0, "no kill left columns");
    follow_to_the_end(folder.path(), 2);
    let all = check(folder.path(), 2, "in the end");
    println!("{kills} kills, {all} commands, the rows got further in {caught} lives");
}
