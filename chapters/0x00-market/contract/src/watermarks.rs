//! What was once on disk is there, or its loss is noticed: a log that ends too early is refused, whatever it
//! ends with.
//!
//! Behind a whole frame nothing shows that there were more, and rot in the last frame looks like a crash. The
//! watermark shows it.

use std::sync::Arc;

use crate::faults::Faults;
use crate::fixture::Frame;
use crate::folder::Folder;
use crate::frames::frames_of;
use crate::harness::run;
use crate::oracle::Oracle;
use crate::sim_disk::SimDisk;
use crate::streams::Random;
use market::log::{LogHeader, RECORD_BYTES};
use market::watermark::{self, Mark};
use market::{Acknowledge, DataDir, Disk as _, Engine, EngineError, Event, LogError, LogId, Sequence, Stamp};

/// A log that an engine wrote: 50 commands in frames of five.
fn written<E: Engine>() -> (SimDisk, Folder, Oracle, Vec<Frame>) {
    let oracle = Oracle::of(&Random::new(21).stream(60));
    let disk = SimDisk::new(21, Faults::default());
    let folder = Folder::new(disk.clone());
    let commands: Vec<_> = oracle.steps(0)[..50].iter().map(|step| step.command).collect();
    run::<E>(&folder.options, &commands, 5).unwrap();
    let frames = frames_of(&disk, &folder.log()).unwrap();
    (disk, folder, oracle, frames)
}

/// The engine refuses, and reports where the log ends and what was on disk.
fn refuses<E: Engine>(folder: &Folder, disk: &SimDisk, found: usize) {
    let before = (disk.contents(), folder.files());
    let error = folder.refusal::<E>().unwrap_or_else(|error| panic!("{found} commands are left: {error}"));
    let words = error.to_string();
    let EngineError::Log(LogError::Short { path, found: Sequence(said), durable: Sequence(50) }) = error else {
        panic!("another error was expected than: {words}");
    };
    assert_eq!((path, said), (folder.log(), found as u64), "{words}");
    let named = [folder.log().display().to_string(), format!("--accept-loss {found}"), "command 50".into()];
    assert!(named.iter().all(|name| words.contains(name)), "the error does not name {named:?}: {words}");
    assert!((disk.contents(), folder.files()) == before, "the engine refused, but files changed: {words}");
}

/// Frames missing at the end, and bit rot in the last frame, are refused.
pub fn a_log_that_ends_too_early<E: Engine>() {
    let (disk, folder, _, frames) = written::<E>();
    let (log, whole) = (folder.log(), disk.read(&folder.log()).unwrap());
    for frame in &frames {
        disk.rot(&log, &whole[..frame.start]);
        refuses::<E>(&folder, &disk, frame.before);
        // Zeros in their place look like reserved space.
        let mut zeros = whole.clone();
        zeros[frame.start..].fill(0);
        disk.rot(&log, &zeros);
        refuses::<E>(&folder, &disk, frame.before);
    }
    let last = frames[frames.len() - 1];
    for at in [last.start + 5, last.start + 20, last.start + RECORD_BYTES + 9, last.end - 20] {
        let mut rotten = whole.clone();
        rotten[at] ^= 16;
        disk.rot(&log, &rotten);
        refuses::<E>(&folder, &disk, last.before);
    }
    disk.rot(&log, &whole);
    assert_eq!(run::<E>(&folder.options, &[], 1).unwrap().recovery.commands, 50);
}

/// A log that had commands is gone, and its watermark is there: the engine does not begin another in its place, and the
/// ledger stays. Without the watermark there is no history.
pub fn a_log_that_is_gone<E: Engine>() {
    let (disk, folder, oracle, _) = written::<E>();
    let whole = disk.read(&folder.log()).unwrap();
    disk.remove(&folder.log()).unwrap();
    let before = (disk.contents(), folder.files());
    let is_gone = |error: EngineError| {
        let words = error.to_string();
        let EngineError::Log(LogError::Gone { path, last: Sequence(50) }) = error else {
            panic!("another error was expected than: {words}");
        };
        assert_eq!(path, folder.log(), "{words}");
        let named = [watermark::path_of(&path).display().to_string(), "command 50".into()];
        assert!(named.iter().all(|name| words.contains(name)), "the error does not name {named:?}: {words}");
        assert!((disk.contents(), folder.files()) == before, "the engine refused, but files changed: {words}");
    };
    is_gone(folder.refusal::<E>().unwrap());
    is_gone(DataDir::open(&disk, folder.path()).unwrap().first_start(&folder.options, &[]).unwrap_err());
    disk.rot(&folder.log(), &whole);
    folder.recovers::<E>(&oracle, 50).unwrap();
    disk.remove(&watermark::path_of(&folder.log())).unwrap();
    disk.remove(&folder.log()).unwrap();
    assert_eq!(run::<E>(&folder.options, &[], 1).unwrap().recovery.commands, 0);
}

/// To restore a copy on purpose, one names the command that it ends with. The log that continues from there is a
/// new log, and what the first one had is no longer asked for.
pub fn a_loss_is_accepted<E: Engine>() {
    for machine_dies in [false, true] {
        let (disk, mut folder, oracle, frames) = written::<E>();
        let whole = disk.read(&folder.log()).unwrap();
        let cut = frames[frames.len() / 2];
        disk.rot(&folder.log(), &whole[..cut.start]);
        folder.options.accept_loss = [0, cut.before as u64 + 1, 50].map(Sequence).to_vec();
        refuses::<E>(&folder, &disk, cut.before);
        folder.options.accept_loss.push(Sequence(cut.before as u64));
        let found = folder.goes_on::<E>(&oracle, cut.before, 7).unwrap();
        assert!(found.remarks.iter().any(|remark| remark.contains("continued without")), "{found:?}");
        folder.options.accept_loss.clear();
        let after = if machine_dies { disk.crash() } else { disk.kill() };
        folder.options.disk = Arc::new(after.clone());
        folder.recovers::<E>(&oracle, cut.before + 7).unwrap();
        let id = |bytes: &[u8]| LogHeader::decode(&bytes[..48], &folder.log()).unwrap().id;
        assert_ne!(id(&whole), id(&after.read(&folder.log()).unwrap()), "two histories have one identity");
    }
}

/// A watermark that can't be read, or belongs to another log, counts as missing: the engine does
/// not refuse because of it.
pub fn an_unusable_watermark_is_ignored<E: Engine>() {
    let (disk, folder, oracle, frames) = written::<E>();
    let (path, last) = (watermark::path_of(&folder.log()), frames[frames.len() - 1]);
    let whole = disk.read(&folder.log()).unwrap();
    let mark = disk.read(&path).unwrap();
    let mut others = vec![vec![], vec![0; 32], mark[..31].to_vec()];
    for bit in 0..8 * mark.len() {
        let mut bytes = mark.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        others.push(bytes);
    }
    for bytes in others {
        disk.rot(&folder.log(), &whole[..last.start]);
        disk.rot(&path, &bytes);
        folder.recovers::<E>(&oracle, last.before).unwrap();
    }
    assert_eq!(watermark::read(&disk, &folder.log(), LogId(7)), None);
}

/// A watermark never covers bytes that were not synced, and at the moment of each acknowledgement it covers the
/// acknowledged command.
pub fn a_watermark_is_never_ahead<E: Engine>() {
    let commands = Random::new(22).stream(200);
    for (batch_max, flush_every, reserve_commands) in [(1, 200, 0), (7, 3, 500), (64, 200, 0)] {
        let disk = SimDisk::new(22, Faults::default());
        let mut folder = Folder::new(disk.clone());
        (folder.options.batch_max, folder.options.reserve_commands) = (batch_max, reserve_commands);
        let witness = Witness { disk: disk.clone(), log: folder.log() };
        let (mut engine, _) = E::open(&folder.options, &mut |_| Box::new(witness.clone())).unwrap();
        for (at, &command) in commands.iter().enumerate() {
            engine.submit(command).unwrap();
            if (at + 1) % flush_every == 0 {
                engine.flush().unwrap();
            }
        }
        engine.close().unwrap();
        assert_eq!(disk.counts().marks_ahead, 0, "batches of {batch_max}: a watermark was ahead of the sync");
        let frames = frames_of(&disk, &folder.log()).unwrap();
        let end = frames[frames.len() - 1].end as u64;
        assert_eq!(witness.mark(), Mark { end, last: Sequence(200) }, "batches of {batch_max}");
    }
}

/// A receiver that checks the watermark.
#[derive(Clone)]
struct Witness {
    disk: SimDisk,
    log: std::path::PathBuf,
}

impl Witness {
    fn mark(&self) -> Mark {
        let bytes = self.disk.durable(&self.log).unwrap();
        let id = LogHeader::decode(&bytes[..48], &self.log).unwrap().id;
        watermark::read(&self.disk, &self.log, id).expect("there is no watermark")
    }
}

impl Acknowledge for Witness {
    fn acknowledge(&mut self, stamp: Stamp, _events: &[Event]) {
        let mark = self.mark();
        assert!(mark.last >= stamp.sequence, "{stamp:?} was acknowledged, but the watermark has {mark:?}");
    }
}
