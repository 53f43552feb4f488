//! Logs of version 1: read, rewritten before anything is appended, and never lost on the way.

use std::sync::Arc;

use crate::faults::Faults;
use crate::fixture::{Fixture, Framing};
use crate::folder::Folder;
use crate::harness::Acks;
use crate::oracle::Oracle;
use crate::sim_disk::SimDisk;
use crate::streams::Random;
use market::log::LogHeader;
use market::{Command, Engine, LogId};

/// A stream whose first 100 commands have no request numbers.
fn oracle() -> Oracle {
    let mut commands = Random::new(23).stream(120);
    commands[..100].iter_mut().for_each(|command| *command = command.with_request(0));
    Oracle::of(&commands)
}

fn old(oracle: &Oracle, framing: Framing) -> Fixture {
    let commands: Vec<Command> = oracle.steps(0)[..100].iter().map(|step| step.command).collect();
    Fixture::version_1(&commands, framing)
}

/// A log of version 1, whole or torn, is converted to the current version, with the same commands in the
/// same frames.
pub fn a_log_of_version_1<E: Engine>() {
    let oracle = oracle();
    for framing in [Framing::One, Framing::Many(7), Framing::Mixed(40)] {
        for reserved in [0, 500] {
            let log = old(&oracle, framing).reserved(reserved);
            for from_end in [0, 30] {
                let disk = SimDisk::new(23, Faults::default());
                let folder = Folder::new(disk.clone());
                let mut bytes = log.bytes.clone();
                bytes[log.end() - from_end..].fill(0);
                let whole = log.commands_in(&bytes);
                disk.put(&folder.log(), &bytes);
                let found = folder.goes_on::<E>(&oracle, whole, 15).unwrap();
                assert_eq!(found.torn_bytes > 0, from_end > 0, "{found:?}");
                assert!(found.remarks.iter().any(|remark| remark.contains("version 1")), "{found:?}");
                let header = LogHeader::decode(&disk.read(&folder.log()).unwrap()[..48], &folder.log()).unwrap();
                assert_ne!(header.id, LogId::NONE, "it was not rewritten");
            }
        }
    }
}

/// The conversion is cut short in each of its operations: either the old log is there, or the new one is
/// complete.
pub fn a_rewriting_cut_short<E: Engine>() {
    let oracle = oracle();
    let log = old(&oracle, Framing::Many(30));
    // Torn as well, so that it includes everything that recovery does.
    let torn = &log.bytes[..log.end() - 30];
    for machine_dies in [true, false] {
        for operation in 1.. {
            let disk = SimDisk::new(operation, Faults::default());
            let mut folder = Folder::new(disk.clone());
            disk.put(&folder.log(), torn);
            disk.set_faults(Faults { power_fails_at: Some(operation), ..Faults::default() });
            let done = E::open(&folder.options, &mut Acks::default().receivers()).is_ok();
            let after = if machine_dies { disk.crash() } else { disk.kill() };
            folder.options.disk = Arc::new(after);
            let went = folder.goes_on::<E>(&oracle, 90, 5);
            went.unwrap_or_else(|error| panic!("cut short in operation {operation}: {error}"));
            if done {
                assert!(operation > 5, "nothing was cut short");
                break;
            }
        }
    }
}
