//! Two machines of the venue on one cluster, and what can happen to them.

use std::thread;
use std::time::Duration;

use contract::streams::Random;
use replication::cluster::{Cluster, SERVERS};
use tempfile::TempDir;

use crate::proxy::Proxy;
use crate::support::machine::{Machine, signal};
use crate::support::wire::Wires;

/// How long clients of a replaced primary still find it there, while others are at the new one.
const BOTH: Duration = Duration::from_millis(100);

/// What happens to the machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
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

pub const FAULTS: [Fault; 9] = [
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
pub struct Pair {
    pub folders: [TempDir; 2],
    pub machines: [Option<Machine>; 2],
    pub primary: usize,
    shards: u16,
    replicas: Vec<String>,
    /// Further flags of both machines.
    flags: Vec<String>,
    /// Between each machine and the servers.
    pub wires: [Wires; 2],
}

impl Pair {
    /// Two new machines, of which the first is the primary.
    pub fn start(servers: &Cluster, shards: u16, flags: &[&str]) -> Pair {
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let replicas = servers.addresses();
        let wires = [(); 2].map(|()| Wires::to(&replicas));
        let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let mut pair = Pair { folders, machines: [None, None], primary: 0, shards, replicas, flags, wires };
        pair.start_one(0, false);
        pair.machine(0).address();
        pair.start_one(1, true);
        pair
    }

    fn start_one(&mut self, which: usize, is_standby: bool) {
        let role: &[&str] = if is_standby { &["standby"] } else { &[] };
        let takeover: &[&str] = if is_standby { &["--takeover", "auto", "--missed", "5"] } else { &[] };
        let (name, shards) = (["one", "two"][which], self.shards.to_string());
        let flags = ["--name", name, "--shards", &shards, "--snapshot-every", "20"];
        let more = self.flags.iter().map(String::as_str);
        let flags: Vec<_> = flags.into_iter().chain(more).chain(takeover.iter().copied()).collect();
        let folder = self.folders[which].path();
        self.machines[which] = Some(Machine::start(role, folder, self.wires[which].addresses(), &flags));
        if is_standby {
            let shards = self.shards;
            for shard in 0..shards {
                self.machine(which).wait_for(&format!("standby of cents-{shard}: after command"));
            }
        }
    }

    pub fn machine(&mut self, which: usize) -> &mut Machine {
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
        self.start_one(old, true);
        self.primary = new;
    }

    /// What both have said.
    pub fn said(&self) -> String {
        self.machines.iter().flatten().map(Machine::said).collect::<Vec<_>>().join("\n---\n")
    }

    /// Turns to the standby if it has taken over by itself.
    pub fn look(&mut self, proxy: &Proxy) {
        let standby = 1 - self.primary;
        if self.machine(standby).has_opened() {
            self.turn(proxy);
        }
    }

    /// Lets this happen, and waits until it is over.
    pub fn suffer(&mut self, fault: Fault, servers: &mut Cluster, proxy: &Proxy, random: &mut Random) {
        // Where beats were lost, the standby may have taken over already.
        self.look(proxy);
        let (primary, server) = (self.primary, random.below(SERVERS as u64) as usize);
        match fault {
            Fault::KillPrimary => drop(self.machines[primary].take().map(Machine::kill)),
            Fault::StopPrimary => {
                self.machine(primary).signal("STOP");
                proxy.turn_to(self.machine(1 - primary).address());
                thread::sleep(BOTH);
                self.machine(primary).signal("CONT");
            }
            Fault::Cut(to_servers, to_machine) => {
                self.wires[primary].cut(to_servers, to_machine);
                proxy.turn_to(self.machine(1 - primary).address());
                thread::sleep(BOTH);
                self.wires[primary].mend();
            }
            Fault::Hand => {
                let mut takeover = std::process::Command::new(env!("CARGO_BIN_EXE_ch0e"));
                takeover.args(["takeover", ["one", "two"][1 - primary], "--replicas", &self.replicas.join(",")]);
                let (status, said) = Machine::of(&mut takeover).end();
                let standby = self.machine(1 - primary);
                // It may be taking over by itself already, and hears no request then.
                assert!(status.success() || standby.said().contains("taking over"), "{said}\n{}", standby.said());
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
