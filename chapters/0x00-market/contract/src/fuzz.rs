//! What must hold for any bytes at all: nothing panics, and what is read is what was written.
//!
//! Five places take bytes from outside: the readers of logs, of snapshots and of CSV, and the decoders of commands
//! and events. Each has a function here that takes any bytes and panics where a promise is broken. `cargo fuzz` calls
//! them (see the folder `fuzz`), and so does the test `fuzz`, on stable Rust and for a short time, with its own
//! mutations of the same seeds.

use std::path::Path;
use std::sync::Arc;

use crate::counted::Counted;
use crate::faults::Faults;
use crate::fixture::{HEADER_1, TIME, header};
pub use crate::fuzz_snapshot::snapshot;
use crate::sim_disk::SimDisk;
use crate::through::Through;
use market::csv::{self, CsvError, HEADER};
use market::log::{
    FRAME_COMMANDS_MAX, LogHeader, RECORD_BYTES, ShardOf, decode_command, encode_command, frame_crc, seal_frame,
};
use market::model::Model;
use market::{Clock, Command, Disk, Event, JudgedLog, LogError, LogId, Options, Stamp, read_log};

/// A function that takes any bytes.
pub type Target = fn(&[u8]);

/// All of them, by the name of their `cargo fuzz` target and of their folder of seeds.
pub const TARGETS: [(&str, Target); 5] =
    [("log", log), ("snapshot", snapshot), ("csv", csv), ("command", command), ("event", event)];

const PATH: &str = "commands.log";

/// Bytes as a log: as they are, and again with every checksum corrected, because no fuzzer guesses a checksum
/// and most of the reader lies behind it.
///
/// # Panics
/// Where the reader breaks a promise.
pub fn log(bytes: &[u8]) {
    opened(bytes);
    opened(&with_checksums(bytes));
}

fn opened(bytes: &[u8]) {
    let path = Path::new(PATH);
    let disk = SimDisk::new(0, Faults::default());
    disk.put(path, bytes);
    let Ok((commands, end)) = read(&disk) else {
        assert_eq!(disk.read(path).as_deref(), Some(bytes), "a file that was refused has changed");
        return;
    };
    let kept = disk.durable(path).unwrap();
    assert!(is_version_1(bytes) || kept[..end] == bytes[..end], "opening changed what it read");
    let header = LogHeader::decode(&kept, path).unwrap();
    check_frames(&commands, &header, &kept[header.length()..end]);

    // What was recovered is the beginning of what comes next.
    let added = Command::Open { market: market::MarketId(7) };
    let mut frame = [&[0; RECORD_BYTES], &encode_command(&added)[..]].concat();
    let judged = read_log::<LogError>(&options(disk.clone()), ShardOf::ONLY, |_, _| Ok(())).unwrap();
    assert_eq!(judged.recovery().torn_bytes, 0, "what was torn was not cut off");
    let mut log = judged.open().unwrap();
    let stamp = log.append(&mut frame).unwrap();
    log.sync().unwrap();
    let (later, _) = read(&disk.crash()).unwrap();
    assert_eq!(later, [commands, vec![(stamp, added)]].concat());
}

fn options(disk: impl Disk + 'static) -> Options {
    Options { disk: Arc::new(disk), clock: Clock::new(|| TIME), ..Options::new("") }
}

fn is_version_1(bytes: &[u8]) -> bool {
    bytes.get(8) == Some(&1)
}

/// The frames that were read are what a writer of these commands would have written.
fn check_frames(commands: &[(Stamp, Command)], header: &LogHeader, mut frames: &[u8]) {
    let (mut rest, mut next) = (commands, header.first);
    while let Some(length) = frames.first_chunk() {
        let (own, later) = rest.split_at((u32::from_le_bytes(*length) >> 8) as usize / RECORD_BYTES);
        let mut frame = vec![0; RECORD_BYTES];
        frame.extend(own.iter().flat_map(|(_, command)| encode_command(command)));
        let first = own[0].0;
        assert_eq!(first.sequence, next);
        seal_frame(&mut frame, header.id, first);
        assert_eq!(frames[..frame.len()], frame, "the frame of command {next}");
        (frames, rest, next) = (&frames[frame.len()..], later, next.plus(own.len() as u64));
    }
    assert!(rest.is_empty() && frames.is_empty(), "commands that no frame holds: {rest:?}");
}

/// The commands of the log, and where they end. Reading needs memory for one frame, and time in proportion to the
/// length. A log of version 1 is read three times, and the log that it is converted to once.
fn read(disk: &SimDisk) -> Result<(Vec<(Stamp, Command)>, usize), LogError> {
    let before = disk.read(Path::new(PATH)).unwrap();
    let counted = Counted::default();
    let disk = Through::new(Arc::new(disk.clone()), counted.clone());
    let mut commands: Vec<(Stamp, Command)> = Vec::new();
    let judged = read_log::<LogError>(&options(disk), ShardOf::ONLY, |stamp, command| {
        assert!(commands.last().is_none_or(|(last, _)| last.time <= stamp.time), "time runs back at {stamp:?}");
        commands.push((stamp, command));
        assert_eq!(stamp.sequence.0, commands.len() as u64, "a command was skipped or read twice");
        Ok(())
    });
    let opened = judged.and_then(JudgedLog::open);
    let reads = counted.reads();
    // The watermark's 32 bytes are read as well.
    let most = if is_version_1(&before) { 10 } else { 3 } * before.len() as u64 + 32;
    assert!(reads.bytes <= most, "{} bytes led to {reads:?}", before.len());
    assert!(reads.most_at_once <= (1 + FRAME_COMMANDS_MAX) * RECORD_BYTES, "{} bytes led to {reads:?}", before.len());
    Ok((commands, opened?.end() as usize))
}

/// The same bytes with a header, and with the right checksum at each frame whose length fits. The frame's
/// other fields stay as they are, right or wrong.
pub fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    let (header, id, shift) = match is_version_1(bytes) {
        true => (HEADER_1.to_vec(), LogId::NONE, 0),
        false => (header(ShardOf::ONLY).encode().to_vec(), header(ShardOf::ONLY).id, 8),
    };
    let mut log = bytes.to_vec();
    if log.len() < header.len() {
        return log;
    }
    log[..header.len()].copy_from_slice(&header);
    let mut rest = &mut log[header.len()..];
    while let Some(start) = rest.first_chunk() {
        let end = ((u32::from_le_bytes(*start) >> shift) as usize).saturating_add(RECORD_BYTES);
        let Some((frame, later)) = rest.split_at_mut_checked(end) else { break };
        let crc = frame_crc(frame, id);
        frame[4..8].copy_from_slice(&crc.to_le_bytes());
        rest = later;
    }
    log
}

/// Bytes as CSV: as they are, and behind the header that a file needs.
///
/// # Panics
/// Where the reader breaks a promise.
pub fn csv(bytes: &[u8]) {
    rows(bytes);
    rows(&[HEADER.as_bytes(), b"\n", bytes].concat());
}

fn rows(bytes: &[u8]) {
    match csv::read_from(bytes, "fuzz.csv") {
        Ok(commands) => {
            let mut written = Vec::new();
            csv::write(&mut written, commands.iter().copied()).unwrap();
            assert_eq!(csv::read_from(&written[..], "written.csv").unwrap(), commands);
        }
        Err(error @ CsvError::Line { line, .. }) => {
            let ends = bytes.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() as u64;
            assert!((1..=ends + 1).contains(&line), "{error}, but there are {ends} ends of lines");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Bytes as records of commands: what decodes is encoded back to the same bytes, and the model answers every
/// command and keeps its laws.
///
/// # Panics
/// Where one of these fails.
pub fn command(bytes: &[u8]) {
    // More would only be slower.
    const RECORDS_MAX: usize = 200;
    let mut model = Model::default();
    for record in bytes.as_chunks::<RECORD_BYTES>().0.iter().take(RECORDS_MAX) {
        let Some(command) = decode_command(record) else { continue };
        assert_eq!(encode_command(&command), *record, "{command:?}");
        let events = model.apply(&command);
        assert!(!events.is_empty(), "no answer to {command:?}");
        for event in events {
            assert_eq!(Event::decode(&event.encode()), Some(event));
        }
    }
    for (id, market) in &model.state().markets {
        market.check_laws().unwrap_or_else(|law| panic!("market {id}: {law}"));
    }
}

/// Bytes as encoded events: what decodes is encoded back to the same bytes.
///
/// # Panics
/// Where it is not.
pub fn event(bytes: &[u8]) {
    for row in bytes.as_chunks::<{ Event::BYTES }>().0 {
        if let Some(event) = Event::decode(row) {
            assert_eq!(event.encode(), *row, "{event:?}");
        }
    }
}
