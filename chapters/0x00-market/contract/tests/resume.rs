//! Resuming the reading of a log at a place: any place between frames works, and a place that does not
//! exist is refused.

// These are tests: an `unwrap` here is an assertion.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use contract::fixture::{Fixture, Framing};
use contract::streams::Random;
use contract::{Faults, SimDisk};
use market::log::{RECORD_BYTES, ShardOf};
use market::log_chain::{Segment, read_chain};
use market::log_reader::{LogReader, Place};
use market::{Command, Disk, LogError, LogFile, Sequence, Stamp, UnixMs};

const PATH: &str = "commands.log";
const RECORD: u64 = RECORD_BYTES as u64;

/// A file with the bytes of a log.
fn file(bytes: &[u8]) -> Box<dyn LogFile> {
    let disk = SimDisk::new(0, Faults::default());
    disk.put(Path::new(PATH), bytes);
    disk.open(Path::new(PATH)).unwrap().unwrap()
}

/// The places of a log, each with the commands behind it.
fn places(log: &Fixture) -> Vec<(Place, Vec<(Stamp, Command)>)> {
    let mut file = file(&log.bytes);
    let mut reader = LogReader::new(&mut *file, Path::new(PATH)).unwrap();
    let mut places = vec![(Place::behind(&reader.header), Vec::new())];
    while reader.advance().unwrap() {
        places.iter_mut().for_each(|(_, behind)| behind.extend(reader.frame()));
        places.push((reader.log_place(), Vec::new()));
    }
    places
}

fn refused(bytes: &[u8], place: &Place) -> String {
    match LogReader::resume(&mut *file(bytes), Path::new(PATH), place) {
        Err(LogError::NoPlace { sequence, offset, reason, .. }) => {
            assert_eq!((sequence.0, offset), (place.next.sequence.0.saturating_sub(1), place.last.1));
            reason
        }
        Err(other) => panic!("{place:?}: {other}"),
        Ok(_) => panic!("{place:?} does not exist"),
    }
}

#[test]
fn a_log_is_read_on_from_any_place() {
    let log = Fixture::new(&Random::new(5).stream(60), Framing::Mixed(5), ShardOf::ONLY);
    let places = places(&log);
    assert_eq!(places.len(), 1 + log.frames.len());
    for (place, behind) in places {
        let mut file = file(&log.bytes);
        let mut reader = LogReader::resume(&mut *file, Path::new(PATH), &place).unwrap();
        assert_eq!(reader.log_place(), place);
        let mut read = Vec::new();
        while let Some(frame) = reader.next_frame().unwrap() {
            read.extend(frame);
        }
        assert_eq!(read, behind, "{place:?}");
    }
}

#[test]
fn a_place_that_is_not_there_is_refused() {
    let log = Fixture::new(&Random::new(6).stream(30), Framing::Many(10), ShardOf::ONLY);
    for (place, _) in places(&log) {
        let changes: [fn(&mut Place); 10] = [
            |place| place.segment = Sequence(2),
            |place| place.last.0 -= RECORD,
            |place| place.last.0 += RECORD,
            |place| place.last.1 -= RECORD,
            |place| place.last.1 += RECORD,
            |place| place.last.1 += 1,
            |place| place.crc ^= 1,
            |place| place.next.sequence.0 += 1,
            |place| place.next.sequence.0 = 0,
            |place| place.next.time.0 += 1,
        ];
        for change in changes {
            let mut other = place;
            change(&mut other);
            refused(&log.bytes, &other);
        }
    }
}

/// The log is shorter than before, or its frame is damaged, or the disk can't be read.
#[test]
fn the_frame_before_a_place_has_to_be_there() {
    let log = Fixture::new(&Random::new(6).stream(30), Framing::Many(10), ShardOf::ONLY);
    let (place, _) = places(&log).remove(2);
    let last = log.frames[1];
    for end in [last.start, last.start + 1, last.end - 1] {
        assert_eq!(refused(&log.bytes[..end], &place), "it ends before that", "the file ends at byte {end}");
    }
    let mut bytes = log.bytes.clone();
    bytes[last.start + 50] ^= 1;
    let reason = refused(&bytes, &place);
    assert!(reason.contains("damaged") && reason.contains("command 21"), "{reason}");
    let far = Place { last: (1 << 40, (1 << 40) + 2 * RECORD), ..place };
    assert_eq!(refused(&log.bytes, &far), "it ends before that");
    let unknown = Place { next: Stamp { sequence: Sequence(0), time: UnixMs::UNKNOWN }, ..place };
    refused(&log.bytes, &unknown);
}

/// A reader that stops at a command does not look at anything behind it: that may be half written.
#[test]
fn what_comes_after_the_last_command_is_not_read() {
    let log = Fixture::new(&Random::new(7).stream(30), Framing::Many(10), ShardOf::ONLY);
    let disk = SimDisk::new(0, Faults::default());
    let mut bytes = log.bytes.clone();
    bytes[log.frames[2].start + 30] ^= 1;
    disk.put(Path::new(PATH), &bytes);
    let (segments, mut count) = ([Segment { first: Sequence::FIRST, path: PATH.into() }], 0);
    let read = read_chain::<LogError>(&disk, ShardOf::ONLY, &segments, None, Some(Sequence(20)), |_, _| {
        count += 1;
        Ok(())
    });
    let read = read.unwrap();
    assert_eq!((count, read.place.next.sequence, read.torn_bytes), (20, Sequence(21), 0));
}

/// A place in a missing segment is refused for that reason, and no other segment is read for it.
#[test]
fn a_place_needs_its_segment() {
    let log = Fixture::new(&Random::new(7).stream(30), Framing::Many(10), ShardOf::ONLY);
    let disk = SimDisk::new(0, Faults::default());
    disk.put(Path::new(PATH), &log.bytes);
    let segments = [1, 21].map(|first| Segment { first: Sequence(first), path: PATH.into() });
    let place = Place { segment: Sequence(11), ..places(&log).remove(2).0 };
    let read = read_chain::<LogError>(&disk, ShardOf::ONLY, &segments, Some(&place), None, |_, _| Ok(()));
    let Err(LogError::NoPlace { reason, .. }) = read else { panic!("there is no such segment") };
    assert!(reason.contains("no segment that begins with command 11"), "{reason}");
}
