//! Damage that no crash causes, done to a copy of the disk: sectors are spoiled, garbage is found where a file has
//! grown, a frame lands in the wrong place, a log's name is lost. Either the engine refuses and has changed nothing,
//! or it recovers everything. It may lose only the last frame, when that frame alone is damaged and no watermark
//! covers it.

use std::path::Path;
use std::sync::Arc;

use crate::faults::Faults;
use crate::fixture::Frame;
use crate::folder::Folder;
use crate::frames::frames_of;
use crate::harness::{Acks, check_state, run};
use crate::oracle::Oracle;
use crate::sim_disk::SimDisk;
use crate::streams::{Random, prologue};
use market::log::{FILE_NAME, RECORD_BYTES, ShardOf};
use market::{Disk, Engine, EngineError, LogReader, Options, Sequence, watermark};

const SECTOR_BYTES: usize = 512;

/// How many logs of each kind of damage each chapter is tested with. Its simulations meet many more.
const LOGS: u64 = 200;

/// What happens to a log.
#[derive(Clone, Copy)]
enum Damage {
    SpoiledSector,
    Garbage,
    MisdirectedFrame,
}

/// Any sector of the log holds other bytes.
pub fn a_sector_rots<E: Engine>() {
    damaged_logs::<E>(Damage::SpoiledSector);
}

/// The file has grown, and the new space holds garbage.
pub fn garbage_at_the_end<E: Engine>() {
    damaged_logs::<E>(Damage::Garbage);
}

/// The last frame was written to the wrong place in the log.
pub fn a_misdirected_frame<E: Engine>() {
    damaged_logs::<E>(Damage::MisdirectedFrame);
}

/// Logs that an engine wrote and closed normally, damaged in one way.
fn damaged_logs<E: Engine>(damage: Damage) {
    for seed in 0..LOGS {
        let mut random = Random::new(seed);
        let disk = SimDisk::new(seed, Faults::default());
        let folder = Folder::new(disk.clone());
        let options = Options { batch_max: random.pick(&[1, 2, 8, 64]), ..folder.options.clone() };
        let mut commands = prologue();
        commands.extend((0..random.below(60)).map(|_| random.command()));
        run::<E>(&options, &commands, 10).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let oracle = Oracle::of(&commands);
        Decay { disk, options: &options, oracle: &oracle, random: &mut random }
            .damage_by::<E>(damage)
            .unwrap_or_else(|complaint| panic!("seed {seed}: {complaint}"));
    }
}

/// What an engine may do with a damaged log.
#[derive(Clone, Copy, Debug)]
enum May {
    /// Only refuse.
    Refuse,
    /// Also recover at least this many commands.
    ComeBackWith(usize),
}

/// A copy of the disk that is damaged and opened.
pub(crate) struct Decay<'a> {
    pub(crate) disk: SimDisk,
    /// How the engine is opened, except for its disk.
    pub(crate) options: &'a Options,
    /// Every command that may be on the disk.
    pub(crate) oracle: &'a Oracle,
    pub(crate) random: &'a mut Random,
}

impl Decay<'_> {
    /// Flips one bit on a copy of the disk. The engine may refuse; or it may treat the last frame as torn, if nothing
    /// follows it: anything that follows was written after the last frame had been acknowledged. A bit in or behind a
    /// torn frame loses nothing. But a crash leaves only certain headers, and nothing may follow the end that a
    /// header names.
    pub(crate) fn flip_a_bit<E: Engine>(self) -> Result<(), String> {
        let (disk, path) = (&self.disk, self.options.data_dir.join(FILE_NAME));
        let Some(mut bytes) = disk.read(&path) else { return Ok(()) };
        let frames = frames_of(disk, &path)?;
        let Some(last) = frames.last() else { return Ok(()) };
        let is_last = bytes[last.end..].iter().all(|&byte| byte == 0);
        let torn_end = end_of_torn(&bytes, last.end);
        let byte = self.random.below(bytes.len() as u64) as usize;
        bytes[byte] ^= 1 << self.random.below(8);
        disk.put(&path, &bytes);
        let options = Options { disk: Arc::new(disk.clone()), ..self.options.clone() };
        let (engine, recovery) = match E::open(&options, &mut Acks::default().receivers()) {
            Err(EngineError::Log(_)) if byte < last.end + RECORD_BYTES => return Ok(()),
            Err(EngineError::Log(_)) if torn_end.is_some_and(|end| byte >= end) => return Ok(()),
            Err(error) => return Err(format!("a bit of byte {byte} flipped: {error}")),
            Ok(opened) => opened,
        };
        let allowed =
            if byte >= last.end { Some(last.after) } else { (byte >= last.start && is_last).then_some(last.before) };
        if allowed != Some(recovery.commands as usize) {
            return Err(format!(
                "a bit of byte {byte} flipped, the last frame is {last:?}: it opened with {recovery:?}"
            ));
        }
        let closed = engine.close().map_err(|error| error.to_string())?;
        check_state(&self.oracle.state(recovery.commands as usize), &closed.state)
            .map_err(|error| format!("a bit of byte {byte} flipped: {error}"))
    }

    /// Damages the only log in one way or another.
    pub(crate) fn damage<E: Engine>(self) -> Result<(), String> {
        let damage = self.random.pick(&[Damage::SpoiledSector, Damage::Garbage, Damage::MisdirectedFrame]);
        self.damage_by::<E>(damage)
    }

    fn damage_by<E: Engine>(mut self, damage: Damage) -> Result<(), String> {
        let (disk, path) = (self.disk.clone(), self.options.data_dir.join(FILE_NAME));
        let frames = frames_of(&disk, &path)?;
        let (Some(bytes), Some(&last)) = (disk.read(&path), frames.last()) else { return Ok(()) };
        let (what, damaged, may) = match damage {
            Damage::SpoiledSector => self.spoil_a_sector(bytes, last),
            Damage::Garbage => self.grow_garbage(bytes, last),
            Damage::MisdirectedFrame => self.misdirect(bytes, &frames, last),
        };
        // Without its watermark the engine knows less about a log.
        let may = if self.random.one_in(2) {
            disk.put(&path, &damaged);
            may
        } else {
            let durable = mark_of(&disk, &path)?.map_or(0, |last| last.0 as usize);
            disk.rot(&path, &damaged);
            match may {
                May::ComeBackWith(least) => May::ComeBackWith(least.max(durable)),
                May::Refuse => May::Refuse,
            }
        };
        self.opens_or_refuses::<E>(may).map_err(|complaint| format!("{what}, the last frame is {last:?}: {complaint}"))
    }

    /// A whole sector of the file is overwritten.
    fn spoil_a_sector(&mut self, mut bytes: Vec<u8>, last: Frame) -> (String, Vec<u8>, May) {
        let start = self.random.below(bytes.len().div_ceil(SECTOR_BYTES) as u64) as usize * SECTOR_BYTES;
        let end = bytes.len().min(start + SECTOR_BYTES);
        bytes[start..end].iter_mut().for_each(|byte| *byte = self.random.below(256) as u8);
        let least = if start >= last.end { last.after } else { last.before };
        let may = if end <= last.start { May::Refuse } else { May::ComeBackWith(least) };
        (format!("bytes {start} to {end} were spoiled"), bytes, may)
    }

    /// The file has grown, and the new space holds bytes that were not written there: random ones, or those of an
    /// earlier file.
    fn grow_garbage(&mut self, mut bytes: Vec<u8>, last: Frame) -> (String, Vec<u8>, May) {
        let (before, more) = (bytes.len(), 1 + self.random.below(3 * SECTOR_BYTES as u64) as usize);
        let what = if self.random.one_in(2) {
            bytes.extend((0..more).map(|_| self.random.below(256) as u8));
            "garbage"
        } else {
            let from = RECORD_BYTES * self.random.below((last.end / RECORD_BYTES) as u64) as usize;
            bytes.extend_from_within(from..last.end.min(from + more));
            "an older log"
        };
        let more = bytes.len() - before;
        (format!("{more} bytes of {what} are at the end"), bytes, May::ComeBackWith(last.after))
    }

    /// The last frame is not in its place, but in the place of another frame or further behind.
    fn misdirect(&mut self, mut bytes: Vec<u8>, frames: &[Frame], last: Frame) -> (String, Vec<u8>, May) {
        let frame = bytes[last.start..last.end].to_vec();
        bytes[last.start..].fill(0);
        let earlier = self.random.below(frames.len() as u64) as usize;
        let (at, may) = match frames[earlier] {
            other if other != last => (other.start, May::Refuse),
            // Behind its own place it is detected wherever a frame can begin. Elsewhere it looks like a torn
            // frame.
            _ if self.random.one_in(2) => {
                (last.start + RECORD_BYTES * (1 + self.random.below(30) as usize), May::Refuse)
            }
            _ => (last.start + SECTOR_BYTES, May::ComeBackWith(last.before)),
        };
        bytes.resize(bytes.len().max(at + frame.len()), 0);
        bytes[at..at + frame.len()].copy_from_slice(&frame);
        (format!("the last frame went to byte {at}"), bytes, may)
    }

    fn opens_or_refuses<E: Engine>(self, may: May) -> Result<(), String> {
        let (disk, before) = (&self.disk, self.disk.contents());
        let options = Options { disk: Arc::new(disk.clone()), ..self.options.clone() };
        let (engine, recovery) = match E::open(&options, &mut Acks::default().receivers()) {
            Err(EngineError::Log(_)) if disk.contents() == before => return Ok(()),
            Err(EngineError::Log(error)) => return Err(format!("the engine refused, but files changed: {error}")),
            Err(error) => return Err(format!("the engine refused for another reason than the log: {error}")),
            Ok(opened) => opened,
        };
        let count = recovery.commands as usize;
        if !matches!(may, May::ComeBackWith(least) if (least..=self.oracle.len()).contains(&count)) {
            return Err(format!("it may {may:?}, and it opened with {recovery:?}"));
        }
        let closed = engine.close().map_err(|error| error.to_string())?;
        check_state(&self.oracle.state(count), &closed.state)?;
        // Commands that were not recovered do not reappear later.
        for (more, found) in [(&prologue()[..1], count), (&[], count + 1)] {
            let recovery = run::<E>(&options, more, 1)?.recovery;
            if recovery.commands as usize != found {
                return Err(format!("it opened with {count} commands, and later with {recovery:?}, not {found}"));
            }
        }
        Ok(())
    }

    /// With several shards: one log is gone, or its last frame was written to another shard's log.
    pub(crate) fn damage_a_sibling<E: Engine>(self) -> Result<(), String> {
        let (shards, disk) = (self.options.shards, &self.disk);
        let log = |shard: u16| self.options.data_dir.join(ShardOf { shard, shards }.file_name());
        if (0..shards).any(|shard| disk.read(&log(shard)).is_none()) {
            return Ok(());
        }
        let one = self.random.below(u64::from(shards)) as u16;
        let other = (one + 1) % shards;
        let what = if one > 0 && self.random.one_in(2) {
            let removed = disk.remove(&log(one));
            removed.map_err(|error| error.to_string())?;
            format!("the log of shard {one} is gone")
        } else {
            let Some(at) = swap_last_frame(disk, &log(one), &log(other), self.random)? else { return Ok(()) };
            format!("the last frame of shard {one} went to byte {at} of shard {other}")
        };
        self.opens_or_refuses::<E>(May::Refuse).map_err(|complaint| format!("{what}: {complaint}"))
    }
}

/// Where the torn frame that begins at `start` would have ended, if its header was written.
fn end_of_torn(bytes: &[u8], start: usize) -> Option<usize> {
    let named = u32::from_le_bytes(bytes.get(start..start + 4)?.try_into().ok()?) as usize >> 8;
    (named > 0).then_some(start + RECORD_BYTES + named)
}

/// Moves the last frame of a log to another log, to a place where a frame may begin, and returns that place. Does
/// nothing if the watermark does not cover the frame, because then nothing shows that it is missing.
fn swap_last_frame(disk: &SimDisk, from: &Path, to: &Path, random: &mut Random) -> Result<Option<usize>, String> {
    let (frames, others) = (frames_of(disk, from)?, frames_of(disk, to)?);
    let (Some(mut bytes), Some(mut other)) = (disk.read(from), disk.read(to)) else { return Ok(None) };
    let Some(last) = frames.last() else { return Ok(None) };
    if mark_of(disk, from)? != Some(Sequence(last.after as u64)) {
        return Ok(None);
    }
    let frame = bytes[last.start..last.end].to_vec();
    bytes[last.start..].fill(0);
    let Some(place) = others.get(random.below(1 + others.len() as u64) as usize).or(others.last()) else {
        return Ok(None);
    };
    let at = place.start;
    other.resize(other.len().max(at + frame.len()), 0);
    other[at..at + frame.len()].copy_from_slice(&frame);
    disk.rot(from, &bytes);
    disk.rot(to, &other);
    Ok(Some(at))
}

/// The last command that a log's watermark covers.
fn mark_of(disk: &SimDisk, path: &Path) -> Result<Option<Sequence>, String> {
    let words = |error: &dyn std::fmt::Display| error.to_string();
    let Some(mut file) = disk.open(path).map_err(|error| words(&error))? else { return Ok(None) };
    let id = LogReader::new(&mut *file, path).map_err(|error| words(&error))?.header.id;
    Ok(watermark::read(disk, path, id).map(|mark| mark.last))
}
