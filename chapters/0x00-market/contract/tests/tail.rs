//! The end of a log: whatever part of its last frame a crash leaves is cut off; everything else is refused; and the
//! decision is cheap, for any bytes.

// These are tests: an `unwrap` here is an assertion.
#![allow(clippy::unwrap_used)]

#[path = "tail/costs.rs"]
mod costs;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use contract::fixture::{Fixture, Framing, HEADER_1, TIME, header};
use contract::streams::{Random, streams};
use contract::{Faults, SimDisk};
use market::log::{FRAME_COMMANDS_MAX, LogHeader, RECORD_BYTES, ShardOf, encode_command, seal_frame};
use market::log_reader::LogReader;
use market::{Clock, Command, Disk, LogError, LogId, MarketId, Options, Recovery, Sequence, Stamp, read_log};
use proptest::prelude::{any, proptest};
use proptest::prop_assert_eq;

const PATH: &str = "commands.log";
const FRAME_MAX: u64 = ((1 + FRAME_COMMANDS_MAX) * RECORD_BYTES) as u64;

fn open_on(disk: impl Disk + 'static) -> Result<Recovery, LogError> {
    let options = Options { disk: Arc::new(disk), clock: Clock::new(|| TIME), ..Options::new("") };
    let judged = read_log::<LogError>(&options, ShardOf::ONLY, |_, _| Ok(()))?;
    let recovery = judged.recovery();
    judged.open().map(|_| recovery)
}

fn open(bytes: &[u8]) -> Result<Recovery, LogError> {
    let disk = SimDisk::new(0, Faults::default());
    disk.put(Path::new(PATH), bytes);
    open_on(disk)
}

fn stamp(sequence: u64) -> Stamp {
    Stamp { sequence: Sequence(sequence), time: TIME }
}

fn refused(bytes: &[u8]) -> String {
    match open(bytes) {
        Err(LogError::Corrupt { reason, .. }) => reason,
        other => panic!("it must be refused: {other:?}"),
    }
}

/// A log of three frames of ten commands.
fn log() -> Fixture {
    Fixture::new(&Random::new(3).stream(30), Framing::Many(10), ShardOf::ONLY)
}

/// A consistent header of a frame that does not exist.
fn forged_header(first: u64, count: u32) -> [u8; RECORD_BYTES] {
    let mut header = [0; RECORD_BYTES];
    header[0..4].copy_from_slice(&((count * RECORD_BYTES as u32) << 8 | u32::from(b'F')).to_le_bytes());
    header[4..8].copy_from_slice(&77_u32.to_le_bytes());
    header[8..16].copy_from_slice(&first.to_le_bytes());
    header
}

#[test]
fn a_header_after_a_damaged_frame_shows_that_it_was_acknowledged() {
    let log = log();
    let [_, before, last] = log.frames[..] else { panic!("there are three frames") };
    let mut bytes = log.bytes[..last.start + RECORD_BYTES].to_vec();
    bytes[before.start + 50] ^= 1;
    assert!(refused(&bytes).contains("command 21"), "{}", refused(&bytes));
    // The frame may be shorter than its header says, and the file may end there.
    let short = [&log.bytes[..before.start + 3 * RECORD_BYTES], &forged_header(12, 3)].concat();
    assert_eq!(refused(&short), "the file ends within the frame, and a frame with command 12 follows");
    // Its checksum and its number may be anything, as long as that number is possible there.
    for (first, is_there) in [(10, false), (11, true), (12, true), (22, true), (23, false), (u64::MAX, false)] {
        bytes[last.start..].copy_from_slice(&forged_header(first, 3));
        // Otherwise the frame would end where its header says, so the header is erased too.
        bytes[before.start..before.start + RECORD_BYTES].fill(0);
        assert_eq!(open(&bytes).is_err(), is_there, "a frame that says it starts with {first}");
    }
}

#[test]
fn bytes_after_the_end_of_the_last_frame_are_damage() {
    let log = log();
    let last = log.frames[2];
    for behind in [0, 1, 23, 24, 30_000, 200_000] {
        let mut bytes = [&log.bytes[..], &vec![0; behind], &[9]].concat();
        bytes[last.start + 50] ^= 1;
        assert!(refused(&bytes).contains("beyond where the frame can end"), "{behind}: {}", refused(&bytes));
        bytes.truncate(log.end() + behind);
        assert_eq!(open(&bytes).unwrap().commands, 20, "zeros may be room for more");
    }
}

#[test]
fn a_flipped_bit_of_the_last_acknowledged_header_is_refused_before_a_torn_frame() {
    let log = log();
    let [_, before, last] = log.frames[..] else { panic!("there are three frames") };
    for bit in 0..8 * RECORD_BYTES {
        let mut bytes = log.bytes.clone();
        bytes[before.start + bit / 8] ^= 1 << (bit % 8);
        for header_came in [0..0, 0..1, 0..9, 9..24, 23..24, 0..24] {
            let mut bytes = bytes.clone();
            (0..RECORD_BYTES).filter(|at| !header_came.contains(at)).for_each(|at| bytes[last.start + at] = 0);
            refused(&bytes);
        }
    }
}

#[test]
fn a_frame_that_belongs_elsewhere_is_damage_wherever_it_is_whole() {
    let log = log();
    // Frames in front of which bytes went missing: their numbers are too high for their place.
    let far = |count: usize, first: u64| {
        let mut frame = vec![0; RECORD_BYTES];
        log.frames.iter().take(count).for_each(|_| frame.extend(encode_command(&Random::new(1).command())));
        seal_frame(&mut frame, log.id, stamp(first));
        frame
    };
    let beginning = &log.bytes[..log.frames[1].start];
    for between in [&[][..], &[0; 24], &[0; 2_400]] {
        for first in [12, 500, u64::MAX - 7] {
            let whole = [beginning, between, &far(3, first)].concat();
            assert!(refused(&whole).contains(&first.to_string()), "{}", refused(&whole));
        }
    }
    // A whole frame of another log can't be told from garbage either: its checksum says nothing here.
    let mut foreign = far(3, 500);
    seal_frame(&mut foreign, LogId(1), stamp(500));
    assert_eq!(open(&[beginning, &[0; 24], &foreign].concat()).unwrap().commands, 10);
    // Forged headers can't hide it, and it can't be forged without its checksum.
    let forged: Vec<u8> = (0..50).flat_map(|at| forged_header(9_000 + at, 65_536)).collect();
    assert!(refused(&[beginning, &[0; 24], &forged, &far(3, 500)].concat()).contains("command 500"));
    assert_eq!(open(&[beginning, &[0; 24], &forged].concat()).unwrap().commands, 10);
}

#[test]
fn garbage_in_place_of_what_did_not_come_is_cut_off() {
    let log = log();
    let last = log.frames[2];
    let mut random = Random::new(4);
    for header_came in [true, false] {
        let mut bytes = log.bytes.clone();
        bytes[last.start + RECORD_BYTES..].iter_mut().for_each(|byte| *byte = random.below(256) as u8);
        if !header_came {
            bytes[last.start..last.start + RECORD_BYTES].fill(0);
        }
        assert_eq!(open(&bytes).unwrap().commands, 20, "{header_came}");
    }
}

#[test]
fn garbage_where_the_header_should_be_may_be_an_acknowledged_frame() {
    let log = log();
    let last = log.frames[2];
    let mut bytes = log.bytes.clone();
    // A byte of the mark, of the length between two bytes that were written, of the number: no crash
    // changes these.
    for at in [0, 1, 2, 3, 8, 15] {
        bytes[last.start + at] ^= 0x41;
        assert!(refused(&bytes).contains("no crash leaves"), "byte {at}: {}", refused(&bytes));
        bytes[last.start + at] ^= 0x41;
    }
    // For a byte of the checksum or the time this is not certain, nor for one that is gone.
    for at in [4, 7, 16, 23] {
        bytes[last.start + at] ^= 0x41;
        assert_eq!(open(&bytes).unwrap().commands, 20, "byte {at}");
        bytes[last.start + at] ^= 0x41;
    }
    bytes[last.start] = 0;
    assert_eq!(open(&bytes).unwrap().commands, 20);
}

#[test]
fn a_header_names_a_possible_shard() {
    for (shard, shards) in [(0, 0), (1, 0), (1, 1), (5, 2), (u16::MAX, u16::MAX)] {
        let bytes = header(ShardOf { shard, shards }).encode();
        assert!(matches!(open(&bytes), Err(LogError::Foreign { .. })), "shard {shard} of {shards}");
    }
}

#[test]
fn a_header_names_a_possible_log_and_command() {
    let header = header(ShardOf::ONLY);
    for header in [LogHeader { id: LogId::NONE, ..header }, LogHeader { first: Sequence(0), ..header }] {
        assert!(matches!(open(&header.encode()), Err(LogError::Foreign { .. })), "{header:?}");
    }
}

#[test]
fn every_bit_of_a_header_of_version_1_counts() {
    open(&HEADER_1).unwrap();
    for bit in 0..8 * HEADER_1.len() {
        let mut header = HEADER_1;
        header[bit / 8] ^= 1 << (bit % 8);
        assert!(open(&header).is_err(), "bit {bit}");
    }
}

#[test]
fn a_half_written_length_is_not_trusted() {
    // 33 commands are 0x318 bytes, and 0x18 would be one command.
    let log = Fixture::new(&Random::new(3).stream(66), Framing::Many(33), ShardOf::ONLY);
    let last = log.frames[1];
    let mut bytes = log.bytes.clone();
    bytes[last.start + 2..last.start + RECORD_BYTES].fill(0);
    assert_eq!(open(&bytes).unwrap().commands, 33);
}

#[test]
fn a_command_of_another_shard_is_refused() {
    let of = ShardOf { shard: 1, shards: 3 };
    for (market, belongs) in [(1, true), (4, true), (0, false), (2, false), (3, false)] {
        let commands = [Command::Open { market: MarketId(7) }, Command::Open { market: MarketId(market) }];
        let disk = SimDisk::new(0, Faults::default());
        disk.put(Path::new(PATH), &Fixture::new(&commands, Framing::Many(2), of).bytes);
        let mut file = disk.open(Path::new(PATH)).unwrap().unwrap();
        let mut reader = LogReader::new(&mut *file, Path::new(PATH)).unwrap();
        match reader.next_frame() {
            Ok(frame) => assert!(belongs && frame.unwrap().count() == 2),
            Err(error) => {
                let words = error.to_string();
                let named = ["command 2 of the frame", &format!("market {market}"), &format!("shard {}", market % 3)];
                assert!(!belongs && named.iter().all(|name| words.contains(name)), "market {market}: {words}");
            }
        }
    }
}

proptest! {
    /// Of each sector of an unsynced frame, the disk may have nothing, everything, its beginning or its
    /// end.
    #[test]
    fn a_torn_frame_is_cut_off_whatever_part_of_it_came(
        stream in streams(120),
        before in 0..20_usize,
        sector_bytes in proptest::sample::select(vec![8_usize, 24, 40, 512]),
        sectors in proptest::collection::vec((0..4_u8, any::<usize>()), 1..400),
        grown in any::<bool>(),
    ) {
        let before = before.min(stream.0.len() - 1);
        let synced = Fixture::new(&stream.0[..before], Framing::Mixed(5), ShardOf::ONLY);
        let mut frame = vec![0; RECORD_BYTES];
        frame.extend(stream.0[before..].iter().flat_map(encode_command));
        seal_frame(&mut frame, synced.id, stamp(1 + before as u64));
        let mut bytes = synced.bytes.clone();
        let mut part = Vec::new();
        let mut from = 0;
        for (fate, cut) in sectors.into_iter().cycle() {
            let to = frame.len().min(from + sector_bytes - (synced.end() + from) % sector_bytes);
            let cut = from + cut % (to - from + 1);
            let kept: Range<usize> = [from..from, from..to, from..cut, cut..to][usize::from(fate)].clone();
            part.extend((from..to).map(|at| if kept.contains(&at) { frame[at] } else { 0 }));
            from = to;
            if from == frame.len() {
                break;
            }
        }
        let whole = part == frame;
        bytes.extend(part);
        if !grown {
            let used = bytes.iter().rposition(|&byte| byte != 0).unwrap() + 1;
            bytes.truncate(used.max(synced.end()));
        }
        let commands = open(&bytes).map(|recovery| recovery.commands).map_err(|error| error.to_string());
        let cut_zeros = bytes.len() < synced.end() + frame.len();
        let expected = if whole && !cut_zeros { stream.0.len() } else { before };
        prop_assert_eq!(commands, Ok(expected as u64));
    }
}
