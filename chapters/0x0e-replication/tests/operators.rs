//! The steps of the book's page for operators, word for word: its files, on three machines that are network namespaces. And what
//! the servers and the program refuse there.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use support::machine::Machine;
use support::network::{Network, enter};

const STEPS: &str = include_str!("../operators/steps.sh");
const FILES: [(&str, &str); 2] =
    [("machine.sh", include_str!("../operators/machine.sh")), ("nats.conf", include_str!("../operators/nats.conf"))];
const PAGES: [&str; 2] = [include_str!("../../../book/en/operators.md"), include_str!("../../../book/zh/operators.md")];

/// The names of all parts of the steps.
fn names() -> impl Iterator<Item = &'static str> {
    STEPS.lines().filter_map(|line| line.strip_prefix("# ANCHOR: "))
}

/// The part of the steps with this name.
fn step(name: &str) -> &'static str {
    let (_, rest) = STEPS.split_once(&format!("# ANCHOR: {name}\n")).unwrap();
    rest.split_once(&format!("# ANCHOR_END: {name}\n")).unwrap().0
}

/// Three machines, what runs on them, and what the operator knows.
struct Site {
    network: Network,
    operator: String,
}

impl Site {
    /// The files of the operator's own computer, and a folder with its own of them for each machine.
    fn new(folder: &Path) -> Site {
        let site = Site { network: Network::new(folder), operator: String::new() };
        FILES.iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
        site.run("", "certificates");
        site
    }

    /// Runs a step to its end.
    fn run(&self, machine: &str, name: &str) -> String {
        let (is_well, said) = self.network.run(machine, step(name), &[("OPERATOR", &self.operator)]);
        assert!(is_well, "{name} on {machine:?}: {said}");
        said
    }

    /// Starts a step that goes on, and waits until it says these words.
    fn start(&self, machine: &str, name: &str, words: &str) -> Machine {
        let mut started = self.network.start(machine, step(name), &[]);
        started.wait_for(words);
        started
    }

    /// The servers of these machines, once all of them are well.
    fn servers<const N: usize>(&self, machines: [&str; N]) -> [Machine; N] {
        let servers = machines.map(|machine| self.start(machine, "server", "Server is ready"));
        for machine in machines {
            let said = self.run(machine, "healthy");
            assert!(said.contains("\"status\":\"ok\"") && said.contains("\"sync_always\": true"), "{said}");
        }
        servers
    }

    fn primary(&mut self) -> Machine {
        let mut primary = self.start("a", "primary", "primary of cents-0: epoch 1,");
        self.operator = primary.operator();
        primary.wait_for("open https://10.0.0.1:8099/");
        primary
    }

    fn standby(&self, machine: &str) -> Machine {
        self.start(machine, "standby", "standby of cents-0: after command")
    }

    fn log(&self, machine: &str) -> Vec<u8> {
        fs::read(self.network.folder(machine).join("venue/commands.log")).unwrap()
    }

    /// Waits until both machines' logs hold the same bytes.
    fn wait_until_equal(&self, one: &str, other: &str) {
        let began = Instant::now();
        while self.log(one) != self.log(other) {
            assert!(began.elapsed() < Duration::from_secs(30), "the logs of {one} and {other} stay different");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn the_page_has_each_step_and_no_other_command() {
    let test = include_str!("operators.rs");
    for page in PAGES {
        for name in names() {
            assert!(page.contains(&format!("operators/steps.sh:{name}}}}}\n```")), "{name} is on no page");
            assert!(test.contains(&format!("\"{name}\"")), "{name} is not tried");
        }
        let typed: Vec<_> = page.split("\n```sh\n").skip(1).filter(|fence| !fence.starts_with("{{#include ")).collect();
        assert!(typed.is_empty(), "commands that no test tries: {typed:?}");
        let blocks = page.matches("\n```sh\n{{#include ../../chapters/0x0e-replication/operators/").count();
        assert_eq!(page.matches("\n```\n").count(), blocks + page.matches("\n```text\n").count());
    }
}

#[test]
fn the_steps_of_the_page_work_word_for_word() {
    let Some(folder) = enter("the_steps_of_the_page_work_word_for_word") else { return };
    let mut site = Site::new(&folder);
    let [server_a, server_b, _server_c] = site.servers(["a", "b", "c"]);
    let primary = site.primary();
    let standby = site.standby("b");
    assert!(site.run("c", "market").contains("\"market\":1"));
    for (machine, figures) in
        [("a", ["epoch", "messages", "behind_frames"]), ("b", ["epoch", "messages", "silence_seconds"])]
    {
        let shown = site.run(machine, "look");
        for figure in figures {
            assert!(shown.contains(&format!("venue_replication_{figure}{{shard=\"0\"}} ")), "{shown}");
        }
    }
    site.wait_until_equal("a", "b");
    // A venue this young has no snapshots, so nothing goes.
    assert!(site.run("c", "trim").contains("cents-0: nothing to remove before message 1: "));

    println!("a's power is cut");
    site.network.cut("a", vec![server_a, primary]);
    let said = site.run("c", "takeover");
    assert!(said.contains("b is the primary: epoch ") && said.contains("Snow?"), "{said}");

    println!("a comes back");
    site.network.plug("a", true);
    let [server_a] = site.servers(["a"]);
    let other = site.standby("a");
    site.wait_until_equal("a", "b");
    assert!(site.run("c", "back").contains("a is the primary: epoch "));
    let (status, said) = standby.end();
    assert_eq!(status.code(), Some(3), "{said}");
    assert!(said.contains("has replaced this machine"), "{said}");

    println!("b's disk is lost, and another takes its place");
    let standby = site.standby("b");
    site.network.cut("b", vec![server_b, standby]);
    let folder = site.network.folder("b");
    ["streams", "venue"].iter().for_each(|lost| fs::remove_dir_all(folder.join(lost)).unwrap());
    ["a", "c"].iter().for_each(|machine| drop(site.run(machine, "healthy")));
    site.network.plug("b", true);
    let [_server_b] = site.servers(["b"]);
    let standby = site.standby("b");
    site.wait_until_equal("a", "b");

    println!("b begins with a backup");
    let group = format!("-{}", standby.id());
    assert!(Command::new("kill").args(["-KILL", "--", &group]).status().unwrap().success());
    standby.end();
    assert!(site.run("a", "backup").contains("it opens"));
    fs::remove_dir_all(folder.join("venue")).unwrap();
    fs::rename(site.network.folder("a").join("backup"), folder.join("venue")).unwrap();
    let _standby = site.standby("b");
    site.wait_until_equal("a", "b");
    site.network.cut("a", vec![server_a, other]);
    let said = site.run("c", "takeover");
    assert!(said.contains("b is the primary: epoch ") && said.contains("Snow?"), "{said}");
}

/// How a stranger on b goes to the server on a, and what the program says.
const STRANGERS: [(&str, &str); 7] = [
    ("nats://10.0.0.1:4222", "10.0.0.1:4222 is on another machine"),
    ("nats://10.0.0.1:4222 --replicas-unencrypted", "this machine does not accept them"),
    ("nats://10.0.0.1:4222 --replicas-ca ca.crt", "they do not accept this machine"),
    (
        "nats://10.0.0.1:4222 --replicas-ca ca.crt --replicas-certificate ../other/b/machine.crt --replicas-key \
         ../other/b/machine.key",
        "they do not accept this machine",
    ),
    (
        "nats://10.0.0.1:4222 --replicas-ca ../other/ca.crt --replicas-certificate machine.crt --replicas-key machine.key",
        "this machine does not accept them",
    ),
    (
        "nats://10.0.0.1:4222 --replicas-ca ca.crt --replicas-certificate machine.crt --replicas-key ../other/b/machine.key",
        "../other/b/machine.key: certificate and key do not match",
    ),
    // A server that offers no TLS is no way around it.
    ("nats://127.0.0.1:4300 --replicas-ca ca.crt", "this machine does not accept them"),
];

#[test]
fn strangers_are_refused_with_a_message() {
    let Some(folder) = enter("strangers_are_refused_with_a_message") else { return };
    let site = Site::new(&folder);
    // Another authority, with other certificates for the same machines; c has one of them.
    let other = folder.join("other");
    fs::create_dir(&other).unwrap();
    FILES.iter().for_each(|(name, text)| fs::write(other.join(name), text).unwrap());
    let (is_well, said) = site.network.run("", &format!("cd other\n{}", step("certificates")), &[]);
    assert!(is_well, "{said}");
    fs::remove_dir_all(folder.join("c")).unwrap();
    fs::rename(other.join("c"), folder.join("c")).unwrap();
    let [_server_a, _server_b, mut server_c] =
        ["a", "b", "c"].map(|machine| site.start(machine, "server", "Listening for client connections"));
    let mut plain = site.network.start("b", "nats-server -a 127.0.0.1 -p 4300", &[]);
    plain.wait_for("Server is ready");
    for (reach, words) in STRANGERS {
        let (is_well, said) = site.network.run("b", &format!("ch0e takeover b --replicas {reach}"), &[]);
        println!("{reach}\n{said}\n");
        assert!(!is_well && said.contains(words), "{reach}: {said}");
    }
    // The other servers refuse its certificate and say so, so it finds no majority.
    server_c.wait_for("TLS route handshake error: remote error: tls: bad certificate");
    let (is_well, _) = site.network.run("c", "curl -sf http://127.0.0.1:8222/healthz", &[]);
    assert!(!is_well, "{}", server_c.said());
}
