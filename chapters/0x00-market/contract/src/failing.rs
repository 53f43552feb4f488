//! A disk that reports errors: the engine stops, acknowledges nothing that is not on disk, retries nothing,
//! and a restart has everything that was acknowledged.

use std::sync::Arc;

use crate::faults::Faults;
use crate::fixture::{Fixture, Framing};
use crate::folder::Folder;
use crate::harness::{Acks, check_events, run};
use crate::oracle::Oracle;
use crate::sim_disk::SimDisk;
use crate::streams::Random;
use market::log::{HEADER_BYTES, RECORD_BYTES, ShardOf, decode_command};
use market::{Acknowledge, Engine, EngineError, Event, Options, Stamp};

/// How many commands are flushed together, so that each group causes at least one write and one sync.
const GROUP: usize = 5;
const GROUPS: usize = 8;

/// Each of the first syncs fails once, with batches of one command and of many.
pub fn a_sync_fails<E: Engine>() {
    for at in 1..=GROUPS as u64 {
        stops::<E>(Faults { sync_fails_at: Some(at), ..Faults::default() });
    }
}

/// Each of the first writes fails once.
pub fn a_write_fails<E: Engine>() {
    for at in 1..=GROUPS as u64 {
        stops::<E>(Faults { write_fails_at: Some(at), ..Faults::default() });
    }
}

/// The disk is full after any number of bytes, so mostly in the middle of a frame.
pub fn the_disk_fills_up<E: Engine>() {
    // Even a single frame with all the commands needs more than this.
    for capacity in (RECORD_BYTES..GROUPS * GROUP * RECORD_BYTES).step_by(13) {
        stops::<E>(Faults { capacity: Some(capacity as u64), ..Faults::default() });
    }
}

/// A write that takes only part of its bytes is not a failure.
pub fn short_writes_are_completed<E: Engine>() {
    let oracle = Oracle::of(&Random::new(8).stream(300));
    for batch_max in [1, 64] {
        let disk = SimDisk::new(9, Faults { short_writes: true, ..Faults::default() });
        let mut folder = Folder::new(disk);
        folder.options.batch_max = batch_max;
        folder.goes_on::<E>(&oracle, 0, 300).unwrap_or_else(|error| panic!("batches of {batch_max}: {error}"));
    }
}

fn stops<E: Engine>(faults: Faults) {
    for (batch_max, dies) in [(1, true), (GROUP, true), (1_024, false)] {
        let then = || stops_once::<E>(&faults, batch_max, dies);
        then().unwrap_or_else(|error| panic!("batches of {batch_max}, {faults:?}: {error}"));
    }
}

fn stops_once<E: Engine>(faults: &Faults, batch_max: usize, machine_dies: bool) -> Result<(), String> {
    let disk = SimDisk::new(batch_max as u64, faults.clone());
    let mut folder = Folder::new(disk.clone());
    folder.options.batch_max = batch_max;
    let oracle = Oracle::of(&Random::new(7).stream(GROUPS * GROUP));
    let acks = Acks::default();
    let (mut submitted, mut acknowledged) = (0, 0);
    match E::open(&folder.options, &mut acks.receivers()) {
        Err(error) => names_the_log(&folder, &error)?,
        Ok((mut engine, _)) => {
            let mut went = Ok(());
            while went.is_ok() && submitted < oracle.len() {
                went = engine.submit(oracle.steps(submitted)[0].command).map(drop);
                submitted += 1;
                if went.is_ok() && submitted.is_multiple_of(GROUP) {
                    went = engine.flush();
                }
            }
            names_the_log(&folder, &went.err().ok_or("the disk failed, but the engine went on")?)?;
            if engine.submit(oracle.steps(0)[0].command).is_ok() {
                return Err("it took a command after it had stopped".into());
            }
            acknowledged = acks.seen().len();
            drop(engine);
        }
    }
    let counts = disk.counts();
    if counts.failures != 1 || counts.after_failure != 0 {
        return Err(format!("it used the log after a failure: {counts:?}"));
    }
    check_events(oracle.steps(0), &acks.seen(), 1)?;

    let after = if machine_dies { disk.crash() } else { disk.kill() };
    folder.options.disk = Arc::new(after);
    let back = run::<E>(&folder.options, &[], 1)?.recovery.commands as usize;
    if back < acknowledged || back > submitted {
        return Err(format!("it recovered {back} commands of {submitted}, but {acknowledged} were acknowledged"));
    }
    folder.recovers::<E>(&oracle, back)?;
    folder.goes_on::<E>(&oracle, back, GROUP).map(|_| ())
}

/// The error must say where; an engine whose thread stopped may report it later.
fn names_the_log(folder: &Folder, error: &EngineError) -> Result<(), String> {
    let words = error.to_string();
    let folder = folder.path().display().to_string();
    if words.contains(&folder) { Ok(()) } else { Err(format!("the error does not name the file: {words}")) }
}

/// When cutting off a torn frame fails, the engine does not open; the next time it does.
pub fn recovery_fails_and_is_repeated<E: Engine>() {
    let oracle = Oracle::of(&Random::new(10).stream(50));
    let commands: Vec<_> = oracle.steps(0).iter().map(|step| step.command).collect();
    let log = Fixture::new(&commands, Framing::Many(10), ShardOf::ONLY);
    for power in [false, true] {
        for at in 1..=3 {
            let disk = SimDisk::new(at, Faults::default());
            let mut folder = Folder::new(disk.clone());
            disk.put(&folder.log(), &log.bytes[..log.bytes.len() - 30]);
            disk.set_faults(match power {
                true => Faults { power_fails_at: Some(at), ..Faults::default() },
                false => Faults { sync_fails_at: Some(at), ..Faults::default() },
            });
            let opened = E::open(&folder.options, &mut Acks::default().receivers());
            let failed = disk.counts().failures > 0;
            assert_eq!(opened.is_err(), failed, "opening must fail when the disk does ({at}, power {power})");
            drop(opened);
            folder.options.disk = Arc::new(disk.crash());
            let went = folder.recovers::<E>(&oracle, 40).and_then(|_| folder.goes_on::<E>(&oracle, 40, 10));
            went.unwrap_or_else(|error| panic!("after a recovery that failed ({at}, power {power}): {error}"));
        }
    }
}

/// At the moment of each acknowledgement its command is on the disk, and the disk has confirmed that.
pub fn acknowledged_means_durable<E: Engine>() {
    let commands = Random::new(11).stream(300);
    for (batch_max, flush_every) in [(1, 300), (7, 3), (64, 300), (1_024, 20)] {
        let disk = SimDisk::new(12, Faults::default());
        let folder = Folder::new(disk.clone());
        let witness = Witness { disk, log: folder.log(), offset: HEADER_BYTES, durable: 0 };
        let options = Options { batch_max, ..folder.options.clone() };
        let (mut engine, _) = E::open(&options, &mut |_| Box::new(witness.clone())).unwrap();
        for (at, &command) in commands.iter().enumerate() {
            engine.submit(command).unwrap();
            if (at + 1) % flush_every == 0 {
                engine.flush().unwrap();
            }
        }
        engine.flush().unwrap();
        engine.close().unwrap();
    }
}

/// A receiver that checks the disk.
#[derive(Clone)]
struct Witness {
    disk: SimDisk,
    log: std::path::PathBuf,
    /// Where in the log the next frame starts.
    offset: usize,
    /// How many commands are in the frames before.
    durable: u64,
}

impl Acknowledge for Witness {
    fn acknowledge(&mut self, Stamp { sequence, .. }: Stamp, _events: &[Event]) {
        let bytes = self.disk.durable(&self.log).unwrap();
        while self.durable < sequence.0 {
            let header = bytes.get(self.offset..self.offset + RECORD_BYTES);
            let header = header.unwrap_or_else(|| panic!("command {sequence} was acknowledged but is not on disk"));
            let length = u32::from_le_bytes([header[1], header[2], header[3], 0]) as usize;
            let start = self.offset + RECORD_BYTES;
            self.offset = start + length;
            let (records, _) = bytes[start..self.offset].as_chunks::<RECORD_BYTES>();
            assert!(
                length > 0 && records.iter().all(|record| decode_command(record).is_some()),
                "a frame on disk is incomplete"
            );
            self.durable += records.len() as u64;
        }
    }
}
