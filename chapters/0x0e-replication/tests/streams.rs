//! What a stream may do to its readers, with real servers: settings that lose messages, another log, a stream that has become
//! shorter, and bytes that were changed in a server's files. Each is refused with a message, or it does no harm.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]
#![cfg(unix)]

mod support;

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType};
use axum::body::Bytes;
use contract::faults::Faults;
use contract::sim_disk::SimDisk;
use contract::streams::Random;
use market::log::{LogHeader, ShardOf, encode_log};
use market::{Command, DataDir, Disk, LogId, LogReader, MarketId, Options, Sequence, UnixMs};
use program::rounds::Rounds;
use replication::chain::Chain;
use replication::cluster::{Cluster, free_ports};
use replication::durable::Durable;
use replication::error::ReplicaError;
use replication::follower::Follower;
use replication::join::{Joined, fence};
use replication::link::Link;
use replication::mark::{self, Marking, Whose};
use replication::own::OwnLog;
use replication::publisher::Publisher;
use replication::reach::ReachArgs;
use replication::stream::{NotAppended, Stream};
use serde_json::json;
use support::client::Client;
use support::machine::Machine;
use support::{log, make_stream, servers, wait_until, wait_until_equal};
use tokio::sync::watch;

/// Starts a primary, and puts some orders into its log.
fn primary(folder: &Path, replicas: &[String], orders: u64) -> (Machine, Client) {
    let mut machine = Machine::start(&[], folder, replicas, &["--name", "one"]);
    let mut operator = machine.client().with_key(&machine.operator());
    let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
    assert_eq!(operator.post("/v1/markets", &question).unwrap().status, 201);
    let made = operator.post("/v1/accounts", &json!({})).unwrap().json();
    let mut client = machine.client().with_key(made["key"].as_str().unwrap());
    (1..=orders).for_each(|number| place(&mut client, number));
    (machine, client)
}

fn place(client: &mut Client, number: u64) {
    let order = json!({ "market": 1, "intent": "buy-yes", "price": 1, "quantity": 1, "lane": 0, "number": number });
    assert_eq!(client.post("/v1/orders", &order).unwrap().status, 200);
}

/// What it says when it ends by itself with code 3.
fn refused(machine: Machine) -> String {
    let (status, said) = machine.end();
    assert_eq!(status.code(), Some(3), "{said}");
    said
}

#[test]
fn servers_take_other_ports_when_another_program_has_taken_one() {
    if servers().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (mut taken, mut chosen) = (None, 0);
    let servers = Cluster::start_at(folder.path(), || {
        chosen += 1;
        let ports = free_ports()?;
        // Another program is faster, the first time.
        if chosen == 1 {
            taken = Some(TcpListener::bind((Ipv4Addr::LOCALHOST, ports[2].cluster))?);
        }
        Ok(ports)
    });
    assert_eq!((servers.unwrap().addresses().len(), chosen), (3, 2));
    drop(taken);
}

#[test]
fn a_stream_that_could_lose_something_is_refused_with_each_setting() {
    let Some((_kept, servers)) = servers() else { return };
    let replicas = servers.addresses();
    let link = Link::connect(&ReachArgs::plain(replicas.clone())).unwrap();
    let config = Config {
        name: "cents-0".into(),
        subjects: vec!["cents-0".into()],
        storage: StorageType::Memory,
        num_replicas: 1,
        max_messages: 10,
        max_age: Duration::from_secs(60),
        discard: DiscardPolicy::Old,
        ..Config::default()
    };
    make_stream(&link, config);
    let folder = tempfile::tempdir().unwrap();
    let said = refused(Machine::start(&[], folder.path(), &replicas, &[]));
    for words in [
        "its storage is memory",
        "it has 1 replicas, and needs 3",
        "it keeps 10 messages",
        "it keeps messages for 60s",
        "discards the oldest",
        "messages can be deleted",
        "name another stream with --stream",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn another_log_a_second_primary_and_a_stream_that_lost_everything_are_refused() {
    let Some((_kept, servers)) = servers() else { return };
    let replicas = servers.addresses();
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let (one, _) = primary(folders[0].path(), &replicas, 10);
    // A plain start does not replace a primary that is alive.
    let said = refused(Machine::start(&[], folders[1].path(), &replicas, &[]));
    assert!(said.contains("one is the primary of cents and is alive"), "{said}");
    // The log of another venue is never merged.
    let (other, _) = primary_of(folders[1].path(), &replicas, "other");
    other.kill();
    let said = refused(Machine::start(&["standby"], folders[1].path(), &replicas, &[]));
    assert!(said.contains("two logs are never merged"), "{said}");

    let mut two = Machine::start(&["standby"], folders[2].path(), &replicas, &["--name", "two"]);
    two.wait_for("standby of cents-0: after command");
    wait_until_equal(folders[0].path(), folders[2].path());
    one.kill();
    let link = Link::connect(&ReachArgs::plain(replicas.clone())).unwrap();
    let context = link.context().clone();
    link.wait(async move { context.delete_stream("cents-0").await.map(drop) }).unwrap();
    let said = refused(two);
    assert!(said.contains("it has lost what it acknowledged") && said.contains("whole up to command"), "{said}");
    // The way out that it names: a new stream gets the whole log, and a new machine copies it.
    let flags = ["--stream", "again", "--name", "two"];
    let mut two = Machine::start(&[], folders[2].path(), &replicas, &flags);
    two.wait_for("open http://");
    let fresh = tempfile::tempdir().unwrap();
    let mut three = Machine::start(&["standby"], fresh.path(), &replicas, &["--stream", "again"]);
    three.wait_for("standby of again-0: after command");
    wait_until_equal(folders[2].path(), fresh.path());
}

/// A primary of a stream of its own.
fn primary_of(folder: &Path, replicas: &[String], stream: &str) -> (Machine, ()) {
    let mut machine = Machine::start(&[], folder, replicas, &["--stream", stream]);
    machine.wait_for("open http://");
    (machine, ())
}

#[test]
fn another_number_of_shards_is_refused_before_anything_is_made() {
    let Some((_kept, servers)) = servers() else { return };
    let replicas = servers.addresses();
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let start = |role: &[&str], folder: &Path, shards, stream| {
        Machine::start(role, folder, &replicas, &["--shards", shards, "--stream", stream])
    };
    for (folder, shards, stream) in [(&folders[0], "1", "one"), (&folders[1], "2", "two")] {
        let mut machine = start(&[], folder.path(), shards, stream);
        machine.wait_for("open http://");
        machine.kill();
    }
    // A folder with logs.
    for role in [&[][..], &["standby"]] {
        let said = refused(start(role, folders[0].path(), "2", "one"));
        assert!(said.contains("has the logs of 1 shards, not of 2"), "{said}");
    }
    let link = Link::connect(&ReachArgs::plain(replicas.clone())).unwrap();
    let context = link.context().clone();
    assert!(!link.wait(async move { context.get_stream("one-1").await.is_ok() }), "a stream of a shard too many");
    // A new one.
    let cases: [(&[&str], _, _, _); 4] = [
        (&["standby"], "1", "two", "is of shard 0 of 2, but shard 0 of 1 was asked for"),
        (&[], "1", "two", "is of shard 0 of 2, but shard 0 of 1 was asked for"),
        (&["standby"], "2", "one", "is of shard 0 of 1, but shard 0 of 2 was asked for"),
        (&[], "2", "one", "is of shard 0 of 1, but shard 0 of 2 was asked for"),
    ];
    for (role, shards, stream, words) in cases {
        let fresh = tempfile::tempdir().unwrap();
        let said = refused(start(role, fresh.path(), shards, stream));
        assert!(said.contains(words), "{role:?}, --shards {shards}: {said}");
        let left: Vec<_> = fs::read_dir(fresh.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".log")), "{left:?}");
    }
}

/// Two machines with new logs may both have seen an empty stream. Only one log gets into it.
#[test]
fn of_two_first_starts_the_second_leaves_the_stream_alone() {
    let Some((_kept, servers)) = servers() else { return };
    let link = Link::connect(&ReachArgs::plain(servers.addresses())).unwrap();
    let stream = Stream::open(&link, "first-0").unwrap();
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [one, other] = folders.each_ref().map(|folder| {
        let options = Options::new(folder.path());
        DataDir::open(&*options.disk, folder.path()).unwrap().first_start(&options, &[]).unwrap();
        let (own, chain) = OwnLog::open(&options, ShardOf::ONLY, stream.name()).unwrap();
        Follower::new(&link, stream.clone(), own, chain).unwrap()
    });
    assert_eq!(fence(&link, &one, "one").unwrap(), (1, 0));
    let refused = fence(&link, &other, "other");
    assert!(matches!(refused, Err(ReplicaError::OtherLog { .. })), "{refused:?}");
    assert_eq!(link.wait(async move { stream.last().await }), 1);
}

/// Why a primary has one message under way at a time: the server compares numbers, and not what stands at a place.
#[test]
fn a_frame_sent_too_early_may_land_after_another_machines_message() {
    let Some((_kept, servers)) = servers() else { return };
    let link = Link::connect(&ReachArgs::plain(servers.addresses())).unwrap();
    let stream = Stream::open(&link, "places-0").unwrap();
    let own = stream.clone();
    let landed = link.wait(async move {
        let [first, other, second] = [&b"first"[..], b"other", b"second"].map(Bytes::from_static);
        own.append(0, &other).await.unwrap();
        let refused = own.append(0, &first).await;
        assert_eq!(refused, Err(NotAppended::Other(other)));
        own.send(1, second).await.unwrap().await.map(|there| there.sequence)
    });
    assert_eq!(landed.unwrap(), 2, "the second message stands after the other machine's, without the first");
}

/// In `majority` nothing syncs the log for a frame, so a power cut may take frames before the last one: a mark that says that
/// they are there would be believed.
#[test]
fn in_majority_the_mark_moves_only_as_far_as_the_log_is_on_disk() {
    let Some((_kept, servers)) = servers() else { return };
    let link = Link::connect(&ReachArgs::plain(servers.addresses())).unwrap();
    let (disk, folder, shard) = (SimDisk::new(1, Faults::default()), Path::new("data"), ShardOf::ONLY);
    let header = LogHeader::new(shard, LogId(7));
    let path = folder.join(shard.file_name());
    let log = encode_log(&header, UnixMs(5), &[Command::Open { market: MarketId(1) }]);
    let mut file = disk.create(&path, &header.encode()).unwrap();
    let stream = Stream::open(&link, "marked-0").unwrap();
    let whose = Whose::of(header.id, stream.name());
    let marking = Marking::open(&disk, folder, shard, whose, Durable::Majority).unwrap();
    let joined = Joined { stream, chain: Chain::new(header), refused: 0 };
    let publisher = Publisher::start(&link, joined, Durable::Majority, marking, watch::channel(None).0);

    file.write_all_at(0, &log).unwrap();
    let mut copy = disk.open(&path).unwrap().unwrap();
    let mut reader = LogReader::new(&mut *copy, &path).unwrap();
    assert!(reader.advance().unwrap());
    let behind = reader.log_place();
    let frame = &log[behind.last.0 as usize..];
    let number = publisher.hand(frame, Sequence::FIRST, behind).unwrap().unwrap();
    publisher.wait(number).unwrap();
    wait_until("the mark does not move", || {
        let marked = mark::read(&disk, folder, shard, whose);
        let is_whole = disk.durable(&path).is_some_and(|platter| platter == log);
        assert!(marked.is_none() || is_whole, "{marked:?}, and the log is not on disk");
        marked.is_some_and(|mark| mark.log == behind)
    });
}

#[test]
fn flipped_bits_in_the_files_of_one_server_are_refused_or_do_no_harm() {
    let Some((_kept, mut servers)) = servers() else { return };
    let replicas = servers.addresses();
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let (_one, mut client) = primary(folders[0].path(), &replicas, 30);
    let mut random = Random::new(7);
    // One server after the other; a first look is at one of them.
    for (round, server) in (0..Rounds::asked().pick(1, 3)).zip([0, 1, 2]) {
        servers.kill(server);
        let mut blocks = Vec::new();
        find(&servers.store(server), &mut blocks);
        assert!(!blocks.is_empty(), "the server has no blocks");
        for block in &blocks {
            let mut bytes = fs::read(block).unwrap();
            for _ in 0..3 {
                let at = random.below(bytes.len().max(1) as u64) as usize;
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            fs::write(block, bytes).unwrap();
        }
        servers.start_one(server).unwrap();
        (1..=5).for_each(|number| place(&mut client, 100 + 10 * round + number));
        // A new machine copies everything, from whichever server leads now.
        let fresh = tempfile::tempdir().unwrap();
        let mut standby = Machine::start(&["standby"], fresh.path(), &replicas, &["--name", "fresh"]);
        let began = Instant::now();
        let refused = loop {
            if log(folders[0].path()) == log(fresh.path()) {
                break false;
            }
            if standby.has_ended() {
                break true;
            }
            assert!(began.elapsed() < Duration::from_secs(40), "neither copied nor refused\n{}", standby.said());
            std::thread::sleep(Duration::from_millis(10));
        };
        println!("round {round}: {}", if refused { "refused" } else { "copied, byte for byte" });
        let copied = log(fresh.path());
        assert!(log(folders[0].path()).starts_with(&copied), "what was copied is another log");
        if refused {
            assert!(
                standby.said().contains("is not believed") || standby.said().contains("lost"),
                "{}",
                standby.said()
            );
        }
    }
}

/// The blocks of messages below a folder.
fn find(folder: &Path, blocks: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, blocks);
        } else if path.extension().is_some_and(|extension| extension == "blk")
            && path.to_string_lossy().contains("cents-0")
        {
            blocks.push(path);
        }
    }
}
