//! Killed under load, repeatedly, on one data directory: nothing that a client was told of is ever lost.
//!
//! Clients place, cancel and read over kept-alive connections, an operator deposits cash, opens and resolves; meanwhile
//! the program is killed. Then every answer that any client got is compared with the log, as the format's own reader
//! reads it, and with the model's events for the command that it names; and after the next start, with any engine, the
//! data that each account sees equals the model's state.

mod history;
mod load;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::rounds;
use crate::support::server::Server;
use contract::streams::Random;

use history::History;
use load::Load;

/// How many traders there are from the start.
const TRADERS: u64 = 4;

/// A load without progress for this long is stuck. Not a measurement.
const STUCK: Duration = Duration::from_secs(60);

fn lives(seed: u64, kills: u64, shards: u16, engines: &[&str]) {
    println!("seed {seed}: {kills} kills with {shards} shards");
    let (folder, mut random) = (tempfile::tempdir().unwrap(), Random::new(seed));
    let (mut history, load) = (History::new(shards), Arc::new(Load::default()));
    for (kill, engine) in (0..kills).zip(engines.iter().cycle()) {
        let server = start(folder.path(), shards, engine);
        if kill == 0 {
            load.set_up(&server, TRADERS);
        }
        history.compare_accounts(&server, &load);
        let told_before = load.told();
        let clients: Vec<_> = (0..=TRADERS)
            .map(|who| {
                let (load, address, seed) = (Arc::clone(&load), server.address, seed * 1_000 + kill * 10 + who);
                std::thread::spawn(move || load.go(who, address, Random::new(seed)))
            })
            .collect();
        let (began, enough) = (Instant::now(), 50 + random.below(500) as usize);
        while load.told() < told_before + enough {
            assert!(began.elapsed() < STUCK, "no client gets an answer");
            std::thread::sleep(Duration::from_micros(300));
        }
        let said = server.kill();
        clients.into_iter().for_each(|client| client.join().unwrap());
        for key in load.keys() {
            assert!(!said.contains(&key), "the program printed a key: {said}");
        }
        history.read(folder.path());
        history.check(&load.take()).unwrap_or_else(|complaint| panic!("kill {kill}, {engine}: {complaint}"));
    }
    let server = start(folder.path(), shards, engines[0]);
    history.compare_accounts(&server, &load);
    println!("{} answers were promises, {} commands are in the log", load.told(), history.commands());
    println!("{:?}", history.seen);
    assert!(history.seen.traded > 0 && history.seen.cancelled > 0 && history.seen.rejected > 0, "{:?}", history.seen);
}

fn start(folder: &Path, shards: u16, engine: &str) -> Server {
    Server::start(
        folder,
        &["--engine", engine, "--shards", &shards.to_string(), "--play-money", "20000", "--orders-per-second", "0"],
    )
}

#[test]
fn nothing_acknowledged_is_lost() {
    lives(1, rounds().pick(4, 20), 1, &["0x08", "0x01", "0x03"]);
}

#[test]
fn nothing_is_lost_with_shards() {
    lives(2, rounds().pick(2, 6), 3, &["0x08", "0x07"]);
}
