//! Random faults, again and again: primaries are killed, stopped and cut off, and so are the servers of the stream; a standby takes
//! over, and the machine that it replaced comes back. Meanwhile clients number their requests and send each again until it has an
//! answer, through a proxy that breaks connections too. In the end nothing that was answered is lost, nothing was done twice, each
//! account has read each of its notices once and in order, and all logs hold the same bytes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]
#![cfg(unix)]

#[path = "../../0x0b-exactly-once/tests/kills/judge.rs"]
mod judge;
#[path = "../../0x0b-exactly-once/measure/src/proxy.rs"]
mod proxy;
#[path = "../../0x0b-exactly-once/tests/kills/reader.rs"]
mod reader;
mod support;
#[path = "../../0x0b-exactly-once/tests/kills/trader.rs"]
mod trader;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use contract::streams::Random;
use market::log::ShardOf;
use program::rounds::Rounds;
use proxy::Proxy;
use reader::Reader;
use replication::cluster::{Cluster, SERVERS};
use serde_json::json;
use support::client;
use support::machine::{Machine, signal};
use support::servers;
use support::wire::Wires;
use tempfile::TempDir;
use trader::{Account, Trader};

/// Traders of each account: they share its lanes, and each has connections of its own.
const TRADERS_EACH: u64 = 2;

/// What makes no progress for so long is stuck. No measurement.
const STUCK: Duration = Duration::from_secs(90);

/// What happens to the machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    /// The primary is killed, and the standby takes over by itself.
    KillPrimary,
    /// The primary is stopped for longer than the standby waits, and goes on when it was replaced.
    StopPrimary,
    /// The standby is asked to take over from a primary that is well.
    Hand,
    /// A server of the stream is killed, and started again.
    KillServer,
    /// A server of the stream is stopped for a while.
    StopServer,
    /// A server and the primary are killed together.
    KillBoth,
    /// The primary is cut off from the servers until it was replaced: to them, from them, or both.
    Cut(bool, bool),
}

const FAULTS: [Fault; 9] = [
    Fault::KillPrimary,
    Fault::StopPrimary,
    Fault::Cut(true, true),
    Fault::Hand,
    Fault::KillServer,
    Fault::Cut(false, true),
    Fault::StopServer,
    Fault::KillBoth,
    Fault::Cut(true, false),
];

/// Two machines on one cluster: one is the primary, the other follows.
struct Pair {
    folders: [TempDir; 2],
    machines: [Option<Machine>; 2],
    primary: usize,
    shards: u16,
    replicas: Vec<String>,
    /// Between each machine and the servers.
    wires: [Wires; 2],
}

impl Pair {
    fn start(&mut self, which: usize, is_standby: bool) {
        let role: &[&str] = if is_standby { &["standby"] } else { &[] };
        let takeover: &[&str] = if is_standby { &["--takeover", "auto", "--missed", "5"] } else { &[] };
        let (name, shards) = (["one", "two"][which], self.shards.to_string());
        let flags = ["--name", name, "--shards", &shards, "--play-money", "1000000", "--snapshot-every", "20"];
        let folder = self.folders[which].path();
        self.machines[which] =
            Some(Machine::start(role, folder, self.wires[which].addresses(), &[&flags[..], takeover].concat()));
        if is_standby {
            let shards = self.shards;
            for shard in 0..shards {
                self.machine(which).wait_for(&format!("standby of cents-{shard}: behind command"));
            }
        }
    }

    fn machine(&mut self, which: usize) -> &mut Machine {
        self.machines[which].as_mut().unwrap()
    }

    /// The standby has taken over: the clients go there, and the old primary comes back as the standby.
    fn turn(&mut self, proxy: &Proxy) {
        let (old, new) = (self.primary, 1 - self.primary);
        proxy.turn_to(self.machine(new).address());
        if let Some(machine) = self.machines[old].take() {
            let (status, said) = machine.end();
            assert_eq!(status.code(), Some(3), "{said}");
            assert!(said.contains("has replaced this machine"), "{said}");
        }
        self.start(old, true);
        self.primary = new;
    }

    /// Turns to the standby if it has taken over by itself.
    fn look(&mut self, proxy: &Proxy) {
        let standby = 1 - self.primary;
        if self.machine(standby).has_opened() {
            self.turn(proxy);
        }
    }

    fn suffer(&mut self, fault: Fault, servers: &mut Cluster, proxy: &Proxy, random: &mut Random) {
        // Where beats were lost, the standby may have taken over already.
        self.look(proxy);
        let (primary, server) = (self.primary, random.below(SERVERS as u64) as usize);
        match fault {
            Fault::KillPrimary => drop(self.machines[primary].take().map(Machine::kill)),
            Fault::StopPrimary => {
                self.machine(primary).signal("STOP");
                self.machine(1 - primary).address();
                self.machine(primary).signal("CONT");
            }
            Fault::Cut(to_servers, to_machine) => {
                self.wires[primary].cut(to_servers, to_machine);
                self.machine(1 - primary).address();
                self.wires[primary].mend();
            }
            Fault::Hand => {
                let mut takeover = std::process::Command::new(env!("CARGO_BIN_EXE_ch0e"));
                takeover.args(["takeover", ["one", "two"][1 - primary], "--replicas", &self.replicas.join(",")]);
                let (status, said) = Machine::of(&mut takeover).end();
                let standby = self.machine(1 - primary);
                assert!(status.success() || standby.has_opened(), "{said}\n{}", standby.said());
            }
            Fault::KillServer => servers.kill(server),
            Fault::StopServer => {
                let process = servers.process(server).unwrap();
                signal(process, "STOP");
                thread::sleep(Duration::from_millis(random.below(1_500)));
                signal(process, "CONT");
            }
            Fault::KillBoth => {
                servers.kill(server);
                drop(self.machines[primary].take().map(Machine::kill));
            }
        }
        if !matches!(fault, Fault::KillServer | Fault::StopServer) {
            self.turn(proxy);
        }
        if matches!(fault, Fault::KillServer | Fault::KillBoth) {
            servers.start_one(server).unwrap();
        }
    }
}

fn rounds(seed: u64, count: u64, shards: u16) {
    let Some((_kept, mut servers)) = servers() else { return };
    println!("seed {seed}: {count} faults, shards: {shards}");
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let replicas = servers.addresses();
    let wires = [(); 2].map(|()| Wires::to(&replicas));
    let mut pair = Pair { folders, machines: [None, None], primary: 0, shards, replicas, wires };
    let mut random = Random::new(seed);
    pair.start(0, false);
    let operator = pair.machine(0).operator();
    let address = pair.machine(0).address();
    pair.start(1, true);
    let accounts = accounts(address, &operator);
    let proxy = Proxy::start(address, seed).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = accounts.iter().map(|account| Reader::start(account, proxy.address)).collect();
    let traders: Vec<_> = accounts
        .iter()
        .flat_map(|account| (0..TRADERS_EACH).map(move |which| (Arc::clone(account), which)))
        .map(|(account, which)| {
            let (address, stop) = (proxy.address, Arc::clone(&stop));
            let random = Random::new(seed * 1_000 + u64::from(account.number) * 10 + which);
            thread::spawn(move || Trader::new(account, which, address, random).go(&stop))
        })
        .collect();
    let mut seen = Vec::new();
    for round in 0..count {
        let (before, began) = (answered(&accounts), Instant::now());
        while answered(&accounts) < before + 1 + random.below(40) as usize {
            assert!(
                began.elapsed() < STUCK,
                "round {round}, after {seen:?}: no client gets an answer\n{}",
                said(&pair)
            );
            pair.look(&proxy);
            thread::sleep(Duration::from_millis(1));
        }
        // Each once, and then any.
        let fault = FAULTS.get(round as usize).copied().unwrap_or_else(|| random.pick(&FAULTS));
        pair.suffer(fault, &mut servers, &proxy, &mut random);
        seen.push((fault, began.elapsed().as_millis()));
    }
    println!("{seen:?}");
    stop.store(true, Ordering::Relaxed);
    while !traders.iter().all(thread::JoinHandle::is_finished) {
        pair.look(&proxy);
        thread::sleep(Duration::from_millis(1));
    }
    let histories: Vec<_> = traders.into_iter().map(|trader| trader.join().expect("a trader")).collect();
    // What is still on its way arrives now, or never.
    proxy.calm();
    pair.look(&proxy);
    let mut client = pair.machines[pair.primary].as_mut().unwrap().client().with_key(&operator);
    let ends: Vec<_> = accounts.iter().map(|account| account.end(&mut client, shards)).collect();
    let read: Vec<_> = readers.into_iter().zip(&ends).map(|(reader, end)| reader.read_to(end)).collect();
    (0..shards).for_each(|shard| wait_until_equal(&pair.folders, ShardOf { shard, shards }));
    pair.machines.iter_mut().for_each(|machine| drop(machine.take()));
    for folder in &pair.folders {
        let log = judge::Log::read(folder.path(), shards);
        histories.iter().flatten().for_each(|intent| log.check(intent));
        for (account, read) in accounts.iter().zip(&read) {
            log.check_notices(account.number, read, "as they came");
        }
        log.report(&histories, &read, proxy.cuts());
    }
}

/// Opens the markets, and makes accounts.
fn accounts(address: SocketAddr, operator: &str) -> Vec<Arc<Account>> {
    let mut client = client::Client::connect(address).unwrap().with_key(operator);
    for _ in 0..trader::MARKETS {
        let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
        assert_eq!(client.post("/v1/markets", &question).unwrap().status, 201);
    }
    (0..3).map(|_| Arc::new(Account::make(&mut client))).collect()
}

fn said(pair: &Pair) -> String {
    pair.machines.iter().flatten().map(Machine::said).collect::<Vec<_>>().join("\n---\n")
}

fn answered(accounts: &[Arc<Account>]) -> usize {
    accounts.iter().map(|account| account.answered.load(Ordering::Relaxed)).sum()
}

/// Waits until both logs of a shard hold the same bytes.
fn wait_until_equal([one, other]: &[TempDir; 2], shard: ShardOf) {
    let began = Instant::now();
    let log = |folder: &TempDir| std::fs::read(folder.path().join(shard.file_name())).unwrap();
    while log(one) != log(other) {
        assert!(began.elapsed() < STUCK, "the logs stay different");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn nothing_is_lost_and_nothing_is_done_twice() {
    rounds(1, Rounds::asked().pick(4, 11), 1);
}

/// Each shard has a stream and a fence of its own, and a takeover takes all of them.
#[test]
fn nor_with_two_shards() {
    rounds(3, Rounds::asked().pick(2, 9), 2);
}

/// `FAULTS=300 cargo test -p ch0e --test faults three_hundred` takes half an hour.
#[test]
fn three_hundred_times() {
    let Some(count) = std::env::var("FAULTS").ok().and_then(|count| count.parse::<u64>().ok()) else {
        println!("skipped: FAULTS=300 asks for so many");
        return;
    };
    rounds(2, count / 2, 1);
    rounds(4, count.div_ceil(2), 2);
}
