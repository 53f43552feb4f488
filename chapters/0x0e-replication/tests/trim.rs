//! Streams that lose their beginning, with real servers: nothing goes that a machine needs, a new machine begins with a backup,
//! and a machine that lacks what is gone is refused.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]
#![cfg(unix)]

mod support;

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use async_nats::jetstream::stream::{Config, DiscardPolicy};
use axum::body::Bytes;
use market::log::ShardOf;
use market::{Options, snapshot};
use replication::error::ReplicaError;
use replication::follower::Follower;
use replication::link::Link;
use replication::own::OwnLog;
use replication::reach::ReachArgs;
use replication::stream::{COPIES, NotAppended, Stream};
use serde_json::json;
use support::client::Client;
use support::machine::Machine;
use support::{make_stream, servers, wait_until, wait_until_equal};
use tempfile::TempDir;

/// Machines on one stream, each with a folder of its own.
struct Site {
    replicas: Vec<String>,
    stream: &'static str,
    /// The key of an account.
    key: String,
}

impl Site {
    /// A primary with the name one, a market and an account.
    fn start(replicas: &[String], stream: &'static str, folder: &Path) -> (Site, Machine) {
        let mut site = Site { replicas: replicas.to_vec(), stream, key: String::new() };
        let mut one = site.machine(&[], folder, "one");
        let mut operator = one.client().with_key(&one.operator());
        let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
        assert_eq!(operator.post("/v1/markets", &question).unwrap().status, 201);
        site.key = operator.post("/v1/accounts", &json!({})).unwrap().json()["key"].as_str().unwrap().to_owned();
        (site, one)
    }

    fn machine(&self, role: &[&str], folder: &Path, name: &str) -> Machine {
        let flags = ["--name", name, "--stream", self.stream, "--snapshot-every", "20"];
        Machine::start(role, folder, &self.replicas, &flags)
    }

    fn standby(&self, folder: &Path, name: &str) -> Machine {
        let mut machine = self.machine(&["standby"], folder, name);
        machine.wait_for("after command");
        machine
    }

    fn client(&self, machine: &mut Machine) -> Client {
        machine.client().with_key(&self.key)
    }

    /// Why a machine ends by itself with code 3.
    fn refused(&self, role: &[&str], folder: &Path) -> String {
        let (status, said) = self.machine(role, folder, "refused").end();
        assert_eq!(status.code(), Some(3), "{said}");
        said
    }

    /// Runs a command that ends: its exit code, and what it said.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ch0e"));
        command.args(arguments).args(["--stream", self.stream]);
        if arguments[0] != "backup" {
            command.args(["--replicas", &self.replicas.join(",")]);
        }
        let (status, said) = Machine::of(&mut command).end();
        println!("{arguments:?}: {said}");
        (status.code(), said)
    }

    /// Runs one that has to end well.
    fn well(&self, arguments: &[&str]) -> String {
        let (code, said) = self.run(arguments);
        assert_eq!(code, Some(0), "{said}");
        said
    }

    fn backup(&self, from: &Path) -> TempDir {
        let to = tempfile::tempdir().unwrap();
        self.well(&["backup", to.path().to_str().unwrap(), "--data-dir", from.to_str().unwrap()]);
        to
    }

    /// Where the first and the last message of the stream stand.
    fn ends(&self) -> (u64, u64) {
        let link = Link::connect(&ReachArgs::plain(self.replicas.clone())).unwrap();
        let stream = Stream::open(&link, &format!("{}-0", self.stream)).unwrap();
        link.wait(async move { stream.ends().await })
    }
}

/// Places an order, and returns its sequence; none when it gets no answer.
fn place(client: &mut Client, number: u64) -> Option<u64> {
    let order = json!({ "market": 1, "intent": "buy-yes", "price": 1, "quantity": 1, "lane": 0, "number": number });
    let answer = client.post("/v1/orders", &order).ok().filter(|answer| answer.status == 200)?;
    answer.json()["sequence"].as_u64()
}

/// Waits until the older of a machine's last two snapshots has this command.
fn wait_for_snapshots(folder: &Path, command: u64) {
    let disk = Options::new(folder).disk;
    wait_until("two snapshots", || {
        let snapshots = snapshot::list(&*disk, folder, ShardOf::ONLY).unwrap_or_default();
        snapshots.get(1).is_some_and(|(next, _)| next.0 > command)
    });
}

#[test]
fn nothing_is_lost_when_the_primary_is_killed_right_after_a_trim() {
    let Some((_kept, servers)) = servers() else { return };
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [first, second] = [0, 1].map(|number: usize| folders[number].path());
    let (site, mut one) = Site::start(&servers.addresses(), "cents", first);
    let mut two = site.standby(second, "two");
    let mut client = site.client(&mut one);
    let sequences: Vec<u64> = (1..=100).map(|number| place(&mut client, number).unwrap()).collect();
    [first, second].iter().for_each(|folder| wait_for_snapshots(folder, sequences[40]));

    // Orders come all the while, until the primary is dead.
    let placing = thread::spawn(move || (101..).map_while(|number| place(&mut client, number)).collect::<Vec<_>>());
    let said = site.well(&["trim", "--standby", "two"]);
    assert!(said.contains("cents-0: removed "), "{said}");
    let (begins, _) = site.ends();
    assert!(begins > 20, "it begins with {begins}");
    one.kill();
    let sequences = [sequences, placing.join().unwrap()].concat();
    println!("{} orders were acknowledged", sequences.len());
    assert!(site.well(&["takeover", "two"]).contains("two is the primary"));

    // An order that is sent again gets the answer that it got, so its first one was carried out.
    let mut client = site.client(&mut two);
    for (number, sequence) in (1..).zip(&sequences) {
        assert_eq!(place(&mut client, number), Some(*sequence), "order {number}");
    }
    let mut one = site.standby(first, "one");
    wait_until_equal(first, second);
    let (begins_now, _) = site.ends();
    assert_eq!(begins, begins_now);
    let (metrics, shown) = (one.metrics(), format!("\nvenue_replication_first_message{{shard=\"0\"}} {begins}.0\n"));
    assert!(metrics.contains(&shown), "{metrics}");
}

#[test]
fn a_new_machine_begins_with_a_backup_and_one_that_lacks_what_is_gone_is_refused() {
    let Some((_kept, servers)) = servers() else { return };
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [first, second, empty] = [0, 1, 2].map(|number: usize| folders[number].path());
    let (site, mut one) = Site::start(&servers.addresses(), "cents", first);
    let two = site.standby(second, "two");
    let mut client = site.client(&mut one);
    (1..=10).for_each(|number| assert!(place(&mut client, number).is_some()));
    let old = site.backup(first);
    // One machine looks at the beginning of the stream before it is trimmed, and reads on when it has been.
    let link = Link::connect(&ReachArgs::plain(site.replicas.clone())).unwrap();
    let (own, chain) = OwnLog::open(&Options::new(old.path()), ShardOf::ONLY, "cents-0").unwrap();
    let mut late = Follower::new(&link, Stream::open(&link, "cents-0").unwrap(), own, chain).unwrap();
    (11..=65).for_each(|number| assert!(place(&mut client, number).is_some()));
    [first, second].iter().for_each(|folder| wait_for_snapshots(folder, 40));
    let backups = [first, second].map(|folder| site.backup(folder));
    // There is no other snapshot before command 81.
    (66..=75).for_each(|number| assert!(place(&mut client, number).is_some()));
    site.well(&["trim", "--standby", "two"]);
    let said = site.well(&["trim", "--standby", "two"]);
    assert!(said.contains("nothing to remove before message "), "{said}");
    let refused = late.step(&link, Duration::from_secs(30)).err();
    assert!(matches!(refused, Some(ReplicaError::Trimmed { first: 2.., .. })), "{refused:?}");
    drop(late);

    // Backups of a primary and of a standby, made before the last orders and the trim: the stream has what comes after them.
    for backup in &backups {
        let three = site.standby(backup.path(), "three");
        wait_until_equal(first, backup.path());
        drop(three);
    }
    let said = site.refused(&["standby"], old.path());
    assert!(said.contains("it was trimmed and begins with message "), "{said}");
    assert!(said.contains("is known to have those up to message ") && said.contains("`-- backup`"), "{said}");
    let said = site.refused(&["standby"], empty);
    assert!(said.contains("is not known to have any of those before") && said.contains("`-- backup`"), "{said}");

    // Without a primary, a machine that has nothing does not become one, and leaves the stream as it is.
    drop((one, two));
    let before = site.ends();
    for folder in [empty, old.path()] {
        let said = site.refused(&[], folder);
        assert!(said.contains("it was trimmed and begins with message "), "{said}");
    }
    assert_eq!(site.ends(), before);
    let mut one = site.machine(&[], first, "one");
    assert!(place(&mut site.client(&mut one), 76).is_some());
}

#[test]
fn a_silent_standby_and_a_stream_that_denies_it_are_not_trimmed() {
    let Some((_kept, servers)) = servers() else { return };
    let replicas = servers.addresses();
    let link = Link::connect(&ReachArgs::plain(replicas.clone())).unwrap();
    // As all streams were made before.
    let config = Config {
        name: "old-0".into(),
        subjects: vec!["old-0".into()],
        num_replicas: COPIES,
        discard: DiscardPolicy::New,
        deny_delete: true,
        deny_purge: true,
        ..Config::default()
    };
    make_stream(&link, config);
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let (site, mut one) = Site::start(&replicas, "old", folders[0].path());
    let _two = site.standby(folders[1].path(), "two");
    let mut client = site.client(&mut one);
    (1..=100).for_each(|number| assert!(place(&mut client, number).is_some()));
    folders.iter().for_each(|folder| wait_for_snapshots(folder.path(), 40));
    let (code, said) = site.run(&["trim", "--standby", "two", "--standby", "three"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("nothing was removed: three did not say how far it is"), "{said}");
    let (code, said) = site.run(&["trim", "--standby", "two"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("old-0: it was made with deny_purge"), "{said}");
    drop(one);
    let (code, said) = site.run(&["trim", "--standby", "two"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("no primary of old is heard"), "{said}");
    assert_eq!(site.ends().0, 1);
}

#[test]
fn a_primary_that_stood_still_while_its_place_was_trimmed_away_acknowledges_nothing_and_ends() {
    let Some((_kept, servers)) = servers() else { return };
    for (stream, is_busy) in [("idle", false), ("busy", true)] {
        let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let [first, second, third] = [0, 1, 2].map(|number: usize| folders[number].path());
        let (site, mut one) = Site::start(&servers.addresses(), stream, first);
        let mut two = site.standby(second, "two");
        let three = site.standby(third, "three");
        let mut client = site.client(&mut one);
        (1..=10).for_each(|number| assert!(place(&mut client, number).is_some()));
        one.signal("STOP");
        let (_, stopped_at) = site.ends();
        let waiting = is_busy.then(|| thread::spawn(move || place(&mut client, 1_000)));
        site.well(&["takeover", "two"]);
        let mut client = site.client(&mut two);
        (11..=100).for_each(|number| assert!(place(&mut client, number).is_some()));
        [second, third].iter().for_each(|folder| wait_for_snapshots(folder, 60));
        site.well(&["trim", "--standby", "three"]);
        assert!(site.ends().0 > stopped_at + 1);
        one.signal("CONT");
        let (status, said) = one.end();
        assert_eq!(status.code(), Some(3), "{said}");
        assert!(said.contains("another primary has replaced this machine"), "{said}");
        let answered = waiting.and_then(|waiting| waiting.join().unwrap());
        assert_eq!(answered, None);
        // What it lacks is gone, so it can't come back without a backup.
        let said = site.refused(&["standby"], first);
        assert!(said.contains("it was trimmed and begins with message "), "{said}");
        drop(three);
    }
}

#[test]
fn an_append_for_a_place_that_was_trimmed_away_is_refused() {
    let Some((_kept, servers)) = servers() else { return };
    let link = Link::connect(&ReachArgs::plain(servers.addresses())).unwrap();
    let stream = Stream::open(&link, "gone-0").unwrap();
    let context = link.context().clone();
    let appended = link.wait(async move {
        let [one, two, three] = [&b"one"[..], b"two", b"three"].map(Bytes::from_static);
        stream.append(0, &one).await.unwrap();
        stream.append(1, &two).await.unwrap();
        context.get_stream("gone-0").await.unwrap().purge().sequence(2).await.unwrap();
        assert_eq!(stream.ends().await, (2, 2));
        let late = tokio::time::timeout(Duration::from_secs(30), stream.append(0, &three)).await;
        (late.expect("it ends"), stream.append(1, &three).await, stream.append(2, &three).await)
    });
    let other = |message: &'static [u8]| Err(NotAppended::Other(Bytes::from_static(message)));
    assert_eq!(appended, (other(b""), other(b"two"), Ok(())), "trimmed away; another message; right after the last");
}
