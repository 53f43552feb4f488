//! The stream of names, with real servers: it is applied again at each start and never at a takeover, and either leads to the names
//! that the last primary had.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]
#![cfg(unix)]

mod support;

use std::path::Path;
use std::process::Command;

use gateway::names::Names;
use gateway::names::change::Change;
use market::AccountId;
use serde_json::json;
use support::machine::Machine;
use support::{servers, wait_until};

fn take_over(replicas: &[String], standby: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ch0e"));
    command.args(["takeover", standby, "--replicas", &replicas.join(",")]);
    let (status, said) = Machine::of(&mut command).end();
    assert!(status.success(), "{said}");
}

/// Makes an account with this key, or another, and returns its number and its key.
fn account(machine: &mut Machine, key: Option<&str>) -> (u64, String) {
    let made = machine.client().post("/v1/accounts", &json!({ "name": "Ann", "key": key })).unwrap().json();
    (made["account"].as_u64().unwrap(), made["key"].as_str().unwrap().to_owned())
}

/// Starts a standby, and waits until it has so many accounts.
fn standby(folder: &Path, replicas: &[String], name: &str, accounts: usize) -> Machine {
    let mut machine = Machine::start(&["standby"], folder, replicas, &["--name", name]);
    machine.wait_for("standby of cents-0: after command");
    wait_until("names do not come over", || Names::open(folder).is_ok_and(|names| names.accounts().len() == accounts));
    machine
}

#[test]
fn a_replaced_key_that_is_used_again_stops_neither_a_restart_nor_a_takeover() {
    let Some((_kept, servers)) = servers() else { return };
    let replicas = servers.addresses();
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let mut one = Machine::start(&[], folders[0].path(), &replicas, &["--name", "one"]);
    let mut operator = one.client().with_key(&one.operator());
    let (first, key) = account(&mut one, None);
    let answer = operator.post(&format!("/v1/accounts/{first}/key"), &json!({})).unwrap().json();
    let new_key = answer["key"].as_str().unwrap().to_owned();
    // The client that has the old key brings it along again.
    let (second, _) = account(&mut one, Some(&key));
    assert_ne!(first, second);
    let check = |machine: &mut Machine| {
        for (key, account) in [(&key, second), (&new_key, first)] {
            let answer = machine.client().with_key(key).get("/v1/account").unwrap().json();
            assert_eq!(answer["account"].as_u64(), Some(account), "{answer}");
        }
    };

    let two = standby(folders[1].path(), &replicas, "two", 2);
    one.kill();
    let mut one = Machine::start(&[], folders[0].path(), &replicas, &["--name", "one"]);
    check(&mut one);
    drop(two);
    let mut two = standby(folders[1].path(), &replicas, "two", 2);
    take_over(&replicas, "two");
    check(&mut two);
}

#[test]
fn a_takeover_does_not_apply_again_what_the_standby_has_applied() {
    let Some((_kept, servers)) = servers() else { return };
    let replicas = servers.addresses();
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let mut one = Machine::start(&[], folders[0].path(), &replicas, &["--name", "one"]);
    let (account, key) = account(&mut one, None);
    let mut two = standby(folders[1].path(), &replicas, "two", 1);
    // A mark in the standby's file: the first message of the stream would remove it.
    {
        let names = Names::open(folders[1].path()).unwrap();
        let account = AccountId(u32::try_from(account).unwrap());
        let key_hash = names.key_hash(account).unwrap().0;
        names.apply(&[Change::Account { account: account.0, name: "marked".into(), key_hash }]).unwrap();
    }
    take_over(&replicas, "two");
    let answer = two.client().with_key(&key).get("/v1/account").unwrap().json();
    assert_eq!(answer["name"], "marked", "{answer}");
}
