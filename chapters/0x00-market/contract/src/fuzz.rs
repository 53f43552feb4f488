//! What must hold for any bytes at all: nothing panics, and what is read is what was written.
//!
//! Four doors take bytes from outside: the log reader, the CSV reader and the decoders of commands and
//! events. Each has a function here that takes bytes from anywhere and panics where a promise is broken.
//! `cargo fuzz` calls them (the folder `fuzz` says how), and so does the test `fuzz`, on stable Rust and
//! for a short time, with its own changes to the same seeds.

use std::path::Path;

use crate::counted::Counted;
use crate::faults::Faults;
use crate::sim_disk::SimDisk;
use market::csv::{self, CsvError, HEADER};
use market::log::{
    FRAME_COMMANDS_MAX, RECORD_BYTES, ShardOf, decode_command, encode_command, encode_header, frame_crc, seal_frame,
};
use market::log_reader::open_log;
use market::model::Model;
use market::{Command, Event, LogError, Sequence};

/// A function that takes any bytes.
pub type Target = fn(&[u8]);

/// All of them, by the name of their `cargo fuzz` target and of their folder of seeds.
pub const TARGETS: [(&str, Target); 4] = [("log", log), ("csv", csv), ("command", command), ("event", event)];

const PATH: &str = "commands.log";

/// Bytes as a log: as they are, and once more with every checksum put right, because no fuzzer guesses
/// one and most of the reader lies behind it.
///
/// # Panics
/// Where the reader breaks a promise.
pub fn log(bytes: &[u8]) {
    opened(bytes);
    opened(&with_checksums(bytes));
}

fn opened(bytes: &[u8]) {
    let disk = SimDisk::new(0, Faults::default());
    disk.put(Path::new(PATH), bytes);
    let Ok((commands, end)) = read(&disk) else {
        assert_eq!(disk.read(Path::new(PATH)).as_deref(), Some(bytes), "a file that was refused has changed");
        return;
    };
    let kept = disk.durable(Path::new(PATH)).unwrap();
    assert_eq!(kept[..end], bytes[..end], "opening changed what it read");
    check_frames(&commands, &bytes[RECORD_BYTES..end]);

    // What was recovered is the beginning of what comes next.
    let added = Command::Open { market: market::MarketId(7) };
    let mut frame = [&[0; RECORD_BYTES], &encode_command(&added)[..]].concat();
    seal_frame(&mut frame, Sequence::FIRST.plus(commands.len() as u64));
    let mut opened = open_log::<LogError>(&disk, Path::new(PATH), ShardOf::ONLY, |_, _| Ok(())).unwrap();
    assert_eq!(opened.recovery.torn_bytes, 0, "what was torn was not cut off");
    opened.file.write_all_at(opened.end, &frame).unwrap();
    opened.file.sync().unwrap();
    let (later, _) = read(&disk.crash()).unwrap();
    assert_eq!(later, [commands, vec![added]].concat());
}

/// The frames that were read are what a writer of these commands would have written.
fn check_frames(commands: &[Command], mut frames: &[u8]) {
    let (mut rest, mut next) = (commands, Sequence::FIRST);
    while let Some(length) = frames.first_chunk() {
        let (own, later) = rest.split_at(u32::from_le_bytes(*length) as usize / RECORD_BYTES);
        let mut frame = vec![0; RECORD_BYTES];
        frame.extend(own.iter().flat_map(encode_command));
        seal_frame(&mut frame, next);
        assert_eq!(frames[..frame.len()], frame, "the frame of command {next}");
        (frames, rest, next) = (&frames[frame.len()..], later, next.plus(own.len() as u64));
    }
    assert!(rest.is_empty() && frames.is_empty(), "commands from nowhere: {rest:?}");
}

/// The commands of the log, and where they end. Reading it costs memory for a frame, and time for its length.
fn read(disk: &SimDisk) -> Result<(Vec<Command>, usize), LogError> {
    let length = disk.read(Path::new(PATH)).unwrap().len() as u64;
    let disk = Counted::new(disk.clone());
    let mut commands = Vec::new();
    let opened = open_log::<LogError>(&disk, Path::new(PATH), ShardOf::ONLY, |sequence, command| {
        commands.push(command);
        assert_eq!(sequence.0, commands.len() as u64, "a command was passed over or came twice");
        Ok(())
    });
    let reads = disk.reads();
    assert!(reads.bytes <= 3 * length, "of {length} bytes it made {reads:?}");
    assert!(reads.most_at_once <= (1 + FRAME_COMMANDS_MAX) * RECORD_BYTES, "of {length} bytes it made {reads:?}");
    Ok((commands, opened?.end as usize))
}

/// The same bytes with a header, and with the right checksum wherever something as long as a frame is.
/// What else a frame says of itself stays as it is, right or wrong.
pub fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut log = bytes.to_vec();
    if log.len() < RECORD_BYTES {
        return log;
    }
    log[..RECORD_BYTES].copy_from_slice(&encode_header(ShardOf::ONLY));
    let mut rest = &mut log[RECORD_BYTES..];
    while let Some(length) = rest.first_chunk() {
        let end = (u32::from_le_bytes(*length) as usize).saturating_add(RECORD_BYTES);
        let Some((frame, later)) = rest.split_at_mut_checked(end) else { break };
        let crc = frame_crc(frame);
        frame[4..8].copy_from_slice(&crc.to_le_bytes());
        rest = later;
    }
    log
}

/// Bytes as CSV: as they are, and behind the header that a file has to have.
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

/// Bytes as records of commands: what decodes is encoded as it was, and whatever it asks for, the model
/// answers it and keeps the laws.
///
/// # Panics
/// Where that is not so.
pub fn command(bytes: &[u8]) {
    // More would only be slow.
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

/// Bytes as encoded events: what decodes is encoded as it was.
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
