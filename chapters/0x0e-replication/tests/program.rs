//! What the program says without servers, and with arguments that do not go together.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]

mod support;

use std::process::Command;

use support::machine::Machine;

/// Runs it to its end: its exit code, and what it said.
fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let (status, said) = Machine::of(Command::new(env!("CARGO_BIN_EXE_ch0e")).args(arguments)).end();
    (status.code(), said)
}

#[test]
fn mistakes_are_refused_with_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let nowhere = "nats://127.0.0.1:1";
    let (file, none) = (format!("{folder}/file"), format!("{folder}/none"));
    std::fs::write(&file, "no certificate").unwrap();
    let (file, none) = (file.as_str(), none.as_str());
    let far = "nats://cents:secret@10.0.0.1:4222";
    let cases: [(&[&str], i32, &str); 17] = [
        (&["standby", "--data-dir", folder], 2, "--replicas is missing"),
        (&["--replicas", nowhere], 2, "--data-dir is missing"),
        (&["--replicas", nowhere, "--data-dir", folder], 3, "none of the servers nats://127.0.0.1:1 can be used"),
        (&["--replicas", "nats://cents:secret@127.0.0.1:1", "--data-dir", folder], 3, "`-- cluster` starts three"),
        (&["--stream", "a.b"], 2, "letters, digits, - and _"),
        (&["takeover", "--replicas", nowhere], 3, "none of the servers"),
        (&["takeover"], 2, "--replicas is missing"),
        (&["trim", "--replicas", nowhere], 2, "--standby <NAME>"),
        (&["trim", "--standby", "b", "--replicas", nowhere], 3, "none of the servers"),
        (&["backup", none, "--data-dir", folder], 2, "no log to copy"),
        // Beyond this machine, TLS has to be asked for, or to be left out on purpose. A name may stand for any machine.
        (&["takeover", "--replicas", far], 2, "10.0.0.1:4222 is on another machine"),
        (&["takeover", "--replicas", "nats://127.0.0.1:1,nats://venue.invalid:1"], 2, "venue.invalid:1 is on another"),
        (&["takeover", "--replicas", "http://cents:secret@10.0.0.1"], 2, "--replicas: 10.0.0.1 can't be used"),
        (&["takeover", "--replicas", far, "--replicas-unencrypted", "--replicas-ca", file], 2, "cannot be used with"),
        (&["takeover", "--replicas", far, "--replicas-certificate", file], 2, "--replicas-key"),
        (&["takeover", "--replicas", far, "--replicas-ca", none], 2, "none: no certificate could be read"),
        (&["takeover", "--replicas", far, "--replicas-ca", file], 2, "file: it contains no certificate"),
    ];
    for (arguments, code, words) in cases {
        let (ended, said) = run(arguments);
        assert_eq!(ended, Some(code), "{arguments:?}: {said}");
        assert!(said.contains(words) && !said.contains("secret"), "{arguments:?}: {said}");
    }
}

#[test]
fn without_servers_it_is_the_venue_on_one_machine_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ch0e"));
    let mut machine = Machine::of(command.arg("--no-demo").arg("--data-dir").arg(folder.path()));
    machine.wait_for("one machine: what is acknowledged is on its disk alone");
    assert_eq!(machine.client().get("/v1/markets").unwrap().status, 200);
}
