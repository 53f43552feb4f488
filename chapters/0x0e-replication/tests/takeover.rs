//! Three servers, a primary and a standby, all as processes of their own: a takeover by hand, with nothing lost; a primary that
//! was replaced and does not know it; and an old machine that comes back.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]
#![cfg(unix)]

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use exactly_once::client::{Access, Orders};
use market::log::ShardOf;
use market::{Options, Sequence, snapshot};
use program::rounds::Rounds;
use serde_json::{Value, json};
use support::client::Client;
use support::machine::Machine;
use support::servers;
use support::wire::Wires;

/// Opens a market, makes an account, and returns its client.
fn account(machine: &mut Machine, operator: &str) -> (Client, String) {
    let mut client = machine.client().with_key(operator);
    let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
    assert_eq!(client.post("/v1/markets", &question).unwrap().status, 201);
    let made = client.post("/v1/accounts", &json!({ "name": "Ann" })).unwrap().json();
    let key = made["key"].as_str().unwrap().to_owned();
    (machine.client().with_key(&key), key)
}

fn order(number: u64) -> Value {
    json!({ "market": 1, "intent": "buy-yes", "price": 1 + number % 50, "quantity": 1, "lane": 0, "number": number })
}

/// Places an order, and returns its sequence.
fn place(client: &mut Client, number: u64) -> u64 {
    let answer = client.post("/v1/orders", &order(number)).unwrap();
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()["sequence"].as_u64().unwrap()
}

fn take_over(replicas: &[String], standby: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ch0e"));
    command.args(["takeover", standby, "--replicas", &replicas.join(",")]);
    let (status, said) = Machine::of(&mut command).end();
    assert!(status.success(), "{said}");
    said
}

fn log(folder: &Path) -> Vec<u8> {
    fs::read(folder.join("commands.log")).unwrap()
}

/// Waits until both logs hold the same bytes.
fn wait_until_equal(one: &Path, other: &Path, machines: [&Machine; 2]) {
    let began = Instant::now();
    while log(one) != log(other) {
        let said = || machines.map(Machine::said).join("\n---\n");
        assert!(began.elapsed() < Duration::from_secs(30), "the logs stay different\n{}", said());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until there is a snapshot of the state after this command or a later one.
fn wait_for_snapshot(folder: &Path, command: Sequence) {
    let (began, disk) = (Instant::now(), Options::new(folder).disk);
    let next = || snapshot::list(&*disk, folder, ShardOf::ONLY).unwrap().into_iter().map(|(next, _)| next).max();
    while next() <= Some(command) {
        assert!(began.elapsed() < Duration::from_secs(30), "no snapshot comes");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_standby_has_every_byte_and_takes_over_with_nothing_lost() {
    let Some((_kept, servers)) = servers() else { return };
    let replicas = servers.addresses();
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let mut one = Machine::start(&[], folders[0].path(), &replicas, &["--name", "one"]);
    let operator = one.operator();
    let (mut client, key) = account(&mut one, &operator);
    let mut last = (1..=20).map(|number| place(&mut client, number)).last().unwrap();
    let flags = ["--name", "two", "--snapshot-every", "10"];
    let mut two = Machine::start(&["standby"], folders[1].path(), &replicas, &flags);
    two.wait_for("standby of cents-0: after command");
    last = (21..=40).map(|number| place(&mut client, number)).last().unwrap_or(last);
    wait_until_equal(folders[0].path(), folders[1].path(), [&one, &two]);
    wait_for_snapshot(folders[1].path(), Sequence(30));
    let metrics = one.metrics();
    for figure in ["epoch", "messages", "behind_frames"] {
        assert!(metrics.contains(&format!("venue_replication_{figure}{{shard=\"0\"}} ")), "{metrics}");
    }
    let old = one.address();
    let said = one.kill();
    assert!(said.contains("primary of cents-0: epoch 1,"), "{said}");

    let said = take_over(&replicas, "two");
    assert!(said.contains("two is the primary: epoch "), "{said}");
    // The standby has kept snapshots, so its engine replays what came after the last.
    let began = two.wait_for("began with the snapshot after command ");
    let replayed: u64 = began.split_once(" and replayed ").unwrap().1.split_once(' ').unwrap().0.parse().unwrap();
    assert!(replayed < 20, "{began}");
    let mut client = two.client().with_key(&key);
    // The answer may have been lost with the machine: the same request is answered, and not carried out again.
    let again = client.post("/v1/orders", &order(40)).unwrap().json();
    assert_eq!(again["sequence"].as_u64(), Some(last));
    assert_eq!(place(&mut client, 41), last + 1);
    let orders = client.get("/v1/account").unwrap().json();
    assert!(orders.to_string().contains("Ann"), "names came over too: {orders}");

    // The client's library finds the new address in the list that it was given.
    let access = Access { addresses: vec![old, two.address()], key: key.clone() };
    let mut orders = Orders::open(access, 7, &folders[1].path().join("lane")).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let order = json!({ "market": 1, "intent": "buy-yes", "price": 3, "quantity": 1 });
    let answer = runtime.block_on(orders.place(order)).unwrap();
    assert_eq!((answer.status, answer.body["sequence"].as_u64()), (200, Some(last + 2)));

    // The old machine comes back as a standby.
    let mut one = Machine::start(&["standby"], folders[0].path(), &replicas, &["--name", "one"]);
    one.wait_for("standby of cents-0: after command");
    wait_until_equal(folders[0].path(), folders[1].path(), [&one, &two]);
    // And a second takeover leads back.
    take_over(&replicas, "one");
    let (status, said) = two.end();
    assert_eq!(status.code(), Some(3), "{said}");
    assert!(said.contains("one (epoch") && said.contains("has replaced this machine"), "{said}");
    let mut client = one.client().with_key(&key);
    assert_eq!(place(&mut client, 42), last + 3);
}

#[test]
fn a_primary_that_was_stopped_and_replaced_acknowledges_nothing_more() {
    let Some((_kept, servers)) = servers() else { return };
    let replicas = servers.addresses();
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let mut one = Machine::start(&[], folders[0].path(), &replicas, &["--name", "one"]);
    let operator = one.operator();
    let (mut client, key) = account(&mut one, &operator);
    let last = (1..=10).map(|number| place(&mut client, number)).last().unwrap();
    let mut two = Machine::start(
        &["standby"],
        folders[1].path(),
        &replicas,
        &["--name", "two", "--takeover", "auto", "--missed", "5"],
    );
    two.wait_for("standby of cents-0: after command");
    one.signal("STOP");
    // Its client's request waits in the machine that is stopped.
    let address = one.address();
    let waiting = std::thread::spawn({
        let key = key.clone();
        move || Client::connect(address).and_then(|client| client.with_key(&key).post("/v1/orders", &order(11)))
    });
    two.wait_for("taking over: the primary was silent for 5 beats");
    let mut other = two.client().with_key(&key);
    assert_eq!(place(&mut other, 12), last + 1);
    one.signal("CONT");
    let answer = waiting.join().unwrap();
    assert!(answer.as_ref().map_or(true, |answer| answer.status == 503), "it was acknowledged: {answer:?}");
    let (status, said) = one.end();
    assert_eq!(status.code(), Some(3), "{said}");
    assert!(said.contains("two (epoch") && said.contains("has replaced this machine"), "{said}");
    assert!(said.contains("nothing that the stream does not have was acknowledged here"), "{said}");

    // A frame that it wrote and that was not acknowledged is cut off, kept, and named.
    let mut one = Machine::start(&["standby"], folders[0].path(), &replicas, &["--name", "one"]);
    one.wait_for("standby of cents-0: after command");
    wait_until_equal(folders[0].path(), folders[1].path(), [&one, &two]);
    let kept: Vec<_> = fs::read_dir(folders[0].path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let is_kept = kept.iter().any(|name| name.to_string_lossy().contains("cut-from-"));
    assert_eq!(is_kept, one.said().contains("cut off 1 commands from command"), "{}\n{kept:?}", one.said());
    // The request that the new primary did not have is sent again to the new primary, and carried out once.
    let first = place(&mut other, 11);
    assert_eq!(other.post("/v1/orders", &order(11)).unwrap().json()["sequence"].as_u64(), Some(first));
}

/// With `local` the stream is behind the log, so there is always a message under way when another machine begins its epoch.
#[test]
fn takeovers_under_load_leave_no_hole_in_the_stream() {
    let Some((_kept, servers)) = servers() else { return };
    let replicas = servers.addresses();
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let names = ["one", "two"];
    let flags = |which: usize| ["--name", names[which], "--durable", "local", "--play-money", "1000000"];
    let mut primary = Machine::start(&[], folders[0].path(), &replicas, &flags(0));
    let operator = primary.operator();
    let (_, key) = account(&mut primary, &operator);
    let (rounds, mut tries) = (Rounds::asked().pick(2, 10), 0);
    for round in 0..rounds {
        let (old, new) = (round % 2, 1 - round % 2);
        let mut standby = Machine::start(&["standby"], folders[new].path(), &replicas, &flags(new));
        standby.wait_for("standby of cents-0: after command");
        let address = primary.address();
        let traders: Vec<_> = (0..8)
            .map(|trader| {
                let (base, mut client) = (1_000_000 * round as u64, Client::connect(address).unwrap().with_key(&key));
                std::thread::spawn(move || {
                    let mut orders = (base + 1..).map(|number| {
                        let order = json!({ "market": 1, "intent": "buy-yes", "price": 1, "quantity": 1, "lane": trader, "number": number });
                        client.post("/v1/orders", &order)
                    });
                    orders.by_ref().take_while(|answer| answer.as_ref().is_ok_and(|answer| answer.status == 200)).count()
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(300));
        take_over(&replicas, names[new]);
        standby.wait_for("open http://");
        let (status, said) = primary.end();
        assert_eq!(status.code(), Some(3), "{said}");
        // Up to 1,024 frames may be acknowledged and not in the stream, and the machine does not deny it.
        assert!(said.contains("frames were acknowledged here that the stream does not have"), "{said}");
        tries += standby
            .said()
            .split_once("began at try ")
            .map_or(1, |(_, rest)| rest.split_once(';').unwrap().0.parse().unwrap());
        let answered: usize = traders.into_iter().map(|trader| trader.join().unwrap()).sum();
        println!("round {round}: {answered} orders answered");
        assert!(answered > 0, "no order was under way");
        // What only the old machine has is cut off there, and the rest is the same.
        let mut back = Machine::start(&["standby"], folders[old].path(), &replicas, &flags(old));
        back.wait_for("standby of cents-0: after command");
        wait_until_equal(folders[0].path(), folders[1].path(), [&standby, &back]);
        drop(back);
        primary = standby;
    }
    // The old primary pauses for a fence that is announced; otherwise it is faster most of the time.
    assert!(tries <= 4 * rounds, "{rounds} fences took {tries} tries");
}

/// A takeover waits for the servers, for as long as it takes. It still ends when it is asked to.
#[test]
fn a_standby_that_waits_for_servers_ends_when_it_is_asked_to() {
    let Some((_kept, servers)) = servers() else { return };
    let replicas = servers.addresses();
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let mut one = Machine::start(&[], folders[0].path(), &replicas, &["--name", "one"]);
    one.address();
    let wires = Wires::to(&replicas);
    let flags = ["--name", "two", "--takeover", "auto", "--missed", "5"];
    let mut two = Machine::start(&["standby"], folders[1].path(), wires.addresses(), &flags);
    two.wait_for("standby of cents-0: after command");
    wires.cut(true, true);
    // It has missed the beats and takes over, or it asks the servers for something else: either waits for them.
    std::thread::sleep(Duration::from_secs(3));
    two.signal("TERM");
    let (status, said) = two.end();
    assert!(status.success(), "{status}: {said}");
    assert!(!said.contains("primary of cents-0"), "{said}");
}
