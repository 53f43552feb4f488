//! A standby compares what commands led to on the primary with what they lead to in its own replay.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]
#![cfg(unix)]

mod support;

use std::process::Command;
use std::time::Duration;

use replication::beat::{Beat, Beats};
use replication::digest::{STRETCH, Stretch};
use replication::link::Link;
use replication::reach::ReachArgs;
use serde_json::json;
use support::machine::Machine;
use support::servers;

/// A primary and a standby of one log, with so many commands in it.
fn machines(folders: &[tempfile::TempDir; 2], replicas: &[String], commands: u64) -> [Machine; 2] {
    let mut one = Machine::start(&[], folders[0].path(), replicas, &["--name", "one"]);
    let operator = one.operator();
    let two = Machine::start(&["standby"], folders[1].path(), replicas, &["--name", "two"]);
    let mut client = one.client().with_key(&operator);
    let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
    assert_eq!(client.post("/v1/markets", &question).unwrap().status, 201);
    let account = client.post("/v1/accounts", &json!({ "name": "Ann" })).unwrap().json()["account"].clone();
    let deposit = json!({ "account": account, "amount": 1 });
    let mut deposit = || client.post("/v1/markets/1/deposits", &deposit).unwrap().json()["sequence"].as_u64().unwrap();
    while deposit() < commands {}
    [one, two]
}

/// The first beat of the primary that has a digest.
fn digest(link: &Link) -> (Beat, Stretch) {
    let mut beats = Beats::hear(link, "cents").unwrap();
    link.wait(async move {
        loop {
            let beat = beats.within(Duration::from_secs(10)).await.expect("a beat");
            if let Some(Some(stretch)) = beat.stretches.first() {
                let stretch = *stretch;
                return (beat, stretch);
            }
        }
    })
}

#[test]
fn a_standby_that_computes_the_same_says_so_when_it_takes_over() {
    let Some((_kept, servers)) = servers() else { return };
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let replicas = servers.addresses();
    let [_one, mut two] = machines(&folders, &replicas, STRETCH + 10);
    let link = Link::connect(&ReachArgs::plain(replicas.clone())).unwrap();
    assert_eq!(digest(&link).1.last, STRETCH);
    let mut takeover = Command::new(env!("CARGO_BIN_EXE_ch0e"));
    takeover.args(["takeover", "two", "--replicas", &replicas.join(",")]);
    let (status, said) = Machine::of(&mut takeover).end();
    assert!(status.success(), "{said}");
    let words = "cents-0: this machine computed the same as the primary told its clients, up to command ";
    assert_eq!(two.wait_for(words), STRETCH.to_string());
}

#[test]
fn a_standby_that_computes_something_else_does_not_take_over() {
    let Some((_kept, servers)) = servers() else { return };
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let replicas = servers.addresses();
    let [_one, two] = machines(&folders, &replicas, STRETCH + 10);
    let link = Link::connect(&ReachArgs::plain(replicas.clone())).unwrap();
    let (beat, stretch) = digest(&link);
    let wrong = Stretch { digest: stretch.digest ^ 1, ..stretch };
    let beat = serde_json::to_vec(&Beat { stretches: vec![Some(wrong)], ..beat }).unwrap();
    let client = link.client().clone();
    // A later beat of the primary may come before the standby has looked at this one.
    link.spawn(async move {
        loop {
            let _ = client.publish("cents.beat", beat.clone().into()).await;
            let _ = client.flush().await;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    let (status, said) = two.end();
    assert_eq!(status.code(), Some(3), "{said}");
    let words = format!(
        "commands 1 to {STRETCH} led to something else here than on the primary (digest {:08x} here, {:08x} there)",
        stretch.digest, wrong.digest
    );
    assert!(said.contains(&words), "{said}");
}
