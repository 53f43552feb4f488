//! Logs that were cut off or damaged, byte by byte and bit by bit.
//!
//! A log that ends early is a crash: the whole frames count and the rest is cut off. A log that is damaged in
//! its middle is a disaster: the engine says where, and loads nothing. An engine must tell the two apart at
//! every byte, and in the framing of every chapter.

use crate::faults::Faults;
use crate::fixture::{Fixture, Framing, unsynced_disk};
use crate::folder::Folder;
use crate::oracle::Oracle;
use crate::sim_disk::SimDisk;
use crate::streams::Random;
use market::log::{HEADER_BYTES, RECORD_BYTES, ShardOf};
use market::{Engine, EngineError, LogError, RealDisk, Sequence};
use program::rounds::Rounds;

pub(crate) fn oracle(length: usize) -> Oracle {
    Oracle::of(&Random::new(99).stream(length))
}

pub(crate) fn fixture(oracle: &Oracle, framing: Framing) -> Fixture {
    let commands: Vec<_> = oracle.steps(0).iter().map(|step| step.command).collect();
    Fixture::new(&commands, framing, ShardOf::ONLY)
}

/// A log cut at every byte (every seventh where rounds are few), in real files, is recovered up to its last whole
/// frame, and the engine continues from there.
pub fn cut_at_every_byte<E: Engine>() {
    let oracle = oracle(200);
    let folder = Folder::new(unsynced_disk());
    let log = fixture(&oracle, Framing::Mixed(24));
    let put = |bytes: &[u8]| folder.put_log(bytes);
    cut::<E>(&folder, &oracle, &log, &put, step(), Vec::truncate);
}

/// The same for frames of one command, in memory.
pub fn cut_at_every_byte_of_single_frames<E: Engine>() {
    let oracle = oracle(60);
    let disk = SimDisk::new(1, Faults::default());
    let folder = Folder::new(disk.clone());
    let log = fixture(&oracle, Framing::One);
    let put = |bytes: &[u8]| disk.put(&folder.log(), bytes);
    cut::<E>(&folder, &oracle, &log, &put, step(), Vec::truncate);
}

/// The same with reserved space: zeros stand in place of the bytes that did not reach the disk.
pub fn cut_in_reserved_space<E: Engine>() {
    let oracle = oracle(60);
    let disk = SimDisk::new(2, Faults::default());
    let folder = Folder::new(disk.clone());
    let log = fixture(&oracle, Framing::Mixed(24)).reserved(2_000);
    let put = |bytes: &[u8]| disk.put(&folder.log(), bytes);
    cut::<E>(&folder, &oracle, &log, &put, step(), |bytes, length| bytes[length..].fill(0));
    // A sector of a frame that reached the disk without the sectors before it.
    let last = log.frames[log.frames.len() - 1];
    cut::<E>(&folder, &oracle, &log, &put, step(), |bytes, length| {
        bytes[last.start..length.clamp(last.start, last.end)].fill(0);
    });
}

/// The distance from one cut to the next. No record is a multiple of seven bytes long, so every place in a
/// record is hit in turn.
fn step() -> usize {
    Rounds::asked().pick(7, 1)
}

/// A few cuts with the real disk and its syncs.
pub fn cut_on_the_real_disk<E: Engine>() {
    let oracle = oracle(60);
    let folder = Folder::on_disk(RealDisk);
    let log = fixture(&oracle, Framing::Mixed(8));
    let put = |bytes: &[u8]| folder.put_log(bytes);
    cut::<E>(&folder, &oracle, &log, &put, 101, Vec::truncate);
}

fn cut<E: Engine>(
    folder: &Folder,
    oracle: &Oracle,
    log: &Fixture,
    put: &dyn Fn(&[u8]),
    step: usize,
    end_at: impl Fn(&mut Vec<u8>, usize),
) {
    for length in (HEADER_BYTES..=log.end()).step_by(step) {
        let mut bytes = log.bytes.clone();
        end_at(&mut bytes, length);
        put(&bytes);
        let whole = log.commands_in(&bytes);
        let end = log.frames.iter().rfind(|frame| frame.after == whole).map_or(HEADER_BYTES, |frame| frame.end);
        let torn = bytes[end..].iter().rposition(|&byte| byte != 0).map_or(0, |last| last as u64 + 1);
        let then = || {
            // Continuing shows what was recovered, because every answer follows from it. Now and then the
            // engine is closed right after recovery.
            if length % 16 == 0 {
                folder.recovers::<E>(oracle, whole)?;
                put(&bytes);
            }
            match folder.goes_on::<E>(oracle, whole, 2)?.torn_bytes {
                found if found == torn => Ok(()),
                found => Err(format!("{found} bytes were cut off, but {torn} are torn")),
            }
        };
        then().unwrap_or_else(|error| panic!("cut at byte {length} of {}: {error}", log.bytes.len()));
    }
}

/// Any one bit flipped, or one of each byte where rounds are few. The engine reports an error that says where, or, in
/// the last frame, a torn tail.
pub fn flip_every_bit<E: Engine>() {
    let oracle = oracle(40);
    let folder = Folder::new(unsynced_disk());
    let log = fixture(&oracle, Framing::Mixed(12)).reserved(100);
    for byte in 0..log.bytes.len() {
        for bit in Rounds::asked().pick(byte % 8..byte % 8 + 1, 0..8) {
            let mut bytes = log.bytes.clone();
            bytes[byte] ^= 1 << bit;
            folder.put_log(&bytes);
            flipped::<E>(&folder, &oracle, &log, &bytes, byte)
                .unwrap_or_else(|error| panic!("bit {bit} of byte {byte} flipped: {error}"));
        }
    }
}

fn flipped<E: Engine>(
    folder: &Folder,
    oracle: &Oracle,
    log: &Fixture,
    bytes: &[u8],
    byte: usize,
) -> Result<(), String> {
    match log.frame_at(byte) {
        None if byte < HEADER_BYTES => match folder.refusal::<E>()? {
            EngineError::Log(LogError::Foreign { .. } | LogError::UnknownVersion { .. }) => unchanged(folder, bytes),
            error => Err(format!("another error was expected than: {error}")),
        },
        // Where a header should be, bytes that no crash leaves behind are refused.
        None if byte < log.end() + RECORD_BYTES => {
            let end = (log.end() as u64, oracle.len() as u64);
            torn::<E>(folder, oracle, oracle.len()).or_else(|_| damaged::<E>(folder, end.0, end.1, bytes))
        }
        Some(frame) if frame.after == oracle.len() && byte < frame.start + RECORD_BYTES => {
            let start = (frame.start as u64, frame.before as u64);
            torn::<E>(folder, oracle, frame.before).or_else(|_| damaged::<E>(folder, start.0, start.1, bytes))
        }
        None => folder.recovers::<E>(oracle, oracle.len()).map(|_| ()),
        Some(frame) if frame.after == oracle.len() => torn::<E>(folder, oracle, frame.before),
        Some(frame) => damaged::<E>(folder, frame.start as u64, frame.before as u64, bytes),
    }
}

/// The engine recovers the first `count` commands and reports a torn end after them.
fn torn<E: Engine>(folder: &Folder, oracle: &Oracle, count: usize) -> Result<(), String> {
    match folder.recovers::<E>(oracle, count)?.torn_bytes {
        0 => Err("the torn frame was not reported".into()),
        _ => Ok(()),
    }
}

/// The engine must refuse, name the file, the offset and the command, and leave the file as it is.
pub(crate) fn damaged<E: Engine>(folder: &Folder, start: u64, before: u64, bytes: &[u8]) -> Result<(), String> {
    let error = folder.refusal::<E>()?;
    let words = error.to_string();
    let EngineError::Log(LogError::Corrupt { path, offset, sequence, .. }) = error else {
        return Err(format!("another error was expected than: {words}"));
    };
    let first = Sequence::FIRST.plus(before);
    if (path, offset, sequence) != (folder.log(), start, first) {
        return Err(format!("the damage is at byte {start}, command {first}, and the error is: {words}"));
    }
    let named = [folder.log().display().to_string(), start.to_string(), first.to_string()];
    if !named.iter().all(|name| words.contains(name)) {
        return Err(format!("the error does not name {named:?}: {words}"));
    }
    unchanged(folder, bytes)
}

fn unchanged(folder: &Folder, bytes: &[u8]) -> Result<(), String> {
    let after = std::fs::read(folder.log()).map_err(|error| error.to_string())?;
    if after == bytes { Ok(()) } else { Err("the engine changed a log that it does not trust".into()) }
}

/// Whole frames that are missing, doubled or in another order: the engine never accepts a history with a hole
/// in it.
pub fn frames_out_of_place<E: Engine>() {
    let oracle = oracle(60);
    let log = fixture(&oracle, Framing::Mixed(8));
    let folder = Folder::new(unsynced_disk());
    let last = log.frames.len() - 1;
    let header = &log.bytes[..HEADER_BYTES];
    let put = |order: &[usize]| {
        let frames = order.iter().flat_map(|&at| &log.bytes[log.frames[at].start..log.frames[at].end]);
        let bytes: Vec<u8> = header.iter().chain(frames).copied().collect();
        folder.put_log(&bytes);
        bytes
    };
    let all: Vec<usize> = (0..=last).collect();
    for at in 0..last {
        let frame = log.frames[at];
        let mut missing = all.clone();
        missing.remove(at);
        let mut swapped = all.clone();
        swapped.swap(at, at + 1);
        for order in [missing, swapped] {
            let bytes = put(&order);
            damaged::<E>(&folder, frame.start as u64, frame.before as u64, &bytes)
                .unwrap_or_else(|error| panic!("frames {order:?}: {error}"));
        }
        let mut doubled = all.clone();
        doubled.insert(at, at);
        let bytes = put(&doubled);
        damaged::<E>(&folder, frame.end as u64, frame.after as u64, &bytes)
            .unwrap_or_else(|error| panic!("frames {doubled:?}: {error}"));
    }
    // No crash writes the last frame twice.
    let bytes = put(&[all, vec![last]].concat());
    damaged::<E>(&folder, log.end() as u64, oracle.len() as u64, &bytes)
        .unwrap_or_else(|error| panic!("the last frame twice: {error}"));
}
