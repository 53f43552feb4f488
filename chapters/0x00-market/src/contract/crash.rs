//! Logs that were cut off or damaged, byte by byte and bit by bit, on real files.
//!
//! A log that ends early is a crash: the whole frames count and the rest is cut off. A log that is
//! damaged in its middle is a disaster: the engine says where, and loads nothing. The difference
//! must be seen at every byte, in logs of every chapter's framing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::fixture::{Fixture, Framing, UnsyncedDisk};
use super::harness::{Acks, check_events, check_ledger, check_state, run};
use super::oracle::Oracle;
use super::sim_disk::{Faults, SimDisk};
use super::streams::Random;
use crate::log::{FILE_NAME, RECORD_BYTES, ShardOf};
use crate::log_reader::open_log;
use crate::{Command, Disk, Engine, EngineError, LogError, Options, RealDisk, Recovery};

/// A data directory whose log a test puts there.
struct Place {
    directory: TempDir,
    options: Options,
}

impl Place {
    fn new(disk: impl Disk + 'static) -> Place {
        let directory = tempfile::tempdir().unwrap();
        let options = Options { disk: Arc::new(disk), ..Options::new(directory.path()) };
        Place { directory, options }
    }

    fn log(&self) -> PathBuf {
        self.directory.path().join(FILE_NAME)
    }

    /// Opens and closes the engine: what it recovered must be the state of as many commands as it
    /// says, and of `expected` if that is given.
    fn recovers<E: Engine>(&self, oracle: &Oracle, expected: usize) -> Result<Recovery, String> {
        let opened = run::<E>(&self.options, &[], 1)?;
        if opened.recovery.commands != expected as u64 {
            return Err(format!("{:?}, but {expected} commands are in whole frames", opened.recovery));
        }
        check_state(&oracle.state(expected), &opened.closed.state)?;
        check_ledger(oracle.events(expected), self.directory.path(), 1)?;
        Ok(opened.recovery)
    }

    /// Opens the engine where `count` commands are, submits the ones of `oracle` that follow, closes,
    /// and opens it again.
    fn goes_on<E: Engine>(&self, oracle: &Oracle, count: usize) -> Result<(), String> {
        let commands: Vec<Command> = oracle.steps(count).iter().map(|step| step.command).collect();
        let went = run::<E>(&self.options, &commands, commands.len() + 1)?;
        check_events(oracle.steps(count), &went.acks, 1)?;
        check_state(&oracle.state(oracle.len()), &went.closed.state)?;
        self.recovers::<E>(oracle, oracle.len()).map(|_| ())
    }
}

fn commands(length: usize) -> Vec<Command> {
    Random::new(99).stream(length)
}

/// A log cut at every byte comes back as its whole frames, and the engine goes on from there.
pub fn cut_at_every_byte<E: Engine>() {
    let commands = commands(240);
    let oracle = Oracle::of(&commands);
    // Real files for frames of all sizes; the commonest framing also in memory.
    cut_everywhere::<E>(&commands, &oracle, Framing::Mixed(24), 1, |place, bytes| {
        std::fs::write(place.log(), bytes).unwrap();
    });
}

fn cut_everywhere<E: Engine>(
    commands: &[Command],
    oracle: &Oracle,
    framing: Framing,
    step: usize,
    put: impl Fn(&Place, &[u8]),
) {
    let place = Place::new(UnsyncedDisk);
    let fixture = Fixture::new(commands, framing, ShardOf::ONLY);
    for length in (RECORD_BYTES..=fixture.bytes.len()).step_by(step) {
        put(&place, &fixture.bytes[..length]);
        let whole = fixture.commands_within(length);
        let then = || -> Result<(), String> {
            let recovery = place.recovers::<E>(oracle, whole)?;
            let end = fixture.frames.iter().rfind(|frame| frame.end <= length).map_or(RECORD_BYTES, |frame| frame.end);
            if recovery.torn_bytes > (length - end) as u64 {
                return Err(format!("{recovery:?}, but only {} bytes are behind the whole frames", length - end));
            }
            Ok(())
        };
        then().unwrap_or_else(|error| panic!("{framing:?}, cut at byte {length}: {error}"));
    }
}
