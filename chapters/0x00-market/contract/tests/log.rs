//! The log's format: its sizes, its round trips, and how a reader treats bytes that are not a whole log.

// These are tests: an `unwrap` here is an assertion.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use contract::fixture::{Fixture, Framing, HEADER_1, TIME, header};
use contract::fuzz;
use contract::streams::{Random, streams};
use contract::through::{Forger, Through};
use contract::{Faults, SimDisk};
use market::log::{
    FRAME_COMMANDS_MAX, HEADER_BYTES, LogHeader, RECORD_BYTES, ShardOf, decode_command, encode_command,
    encode_commands, encode_log, seal_frame,
};
use market::log_reader::LogReader;
use market::{
    Clock, Command, Disk, Event, LogError, LogId, Options, Place, Recovery, Sequence, Stamp, UnixMs, read_log,
};
use proptest::prelude::{any, proptest};
use proptest::{prop_assert, prop_assert_eq};

const PATH: &str = "commands.log";

/// A log that was opened: what was found, and the writer that appends to it.
struct Opened {
    recovery: Recovery,
    end: u64,
    next: Sequence,
}

/// Opens the log on this disk, with the clock of [`TIME`].
fn open_on(disk: &SimDisk, shard: ShardOf) -> Result<(Opened, Vec<(Stamp, Command)>), LogError> {
    let options = Options { disk: Arc::new(disk.clone()), clock: Clock::new(|| TIME), ..Options::new("") };
    let mut commands = Vec::new();
    let judged = read_log::<LogError>(&options, shard, |stamp, command| {
        commands.push((stamp, command));
        Ok(())
    })?;
    let recovery = judged.recovery();
    let log = judged.open()?;
    Ok((Opened { recovery, end: log.end(), next: log.next() }, commands))
}

/// Opens these bytes as a log.
fn open(bytes: &[u8]) -> Result<(Opened, Vec<(Stamp, Command)>), LogError> {
    let disk = SimDisk::new(0, Faults::default());
    disk.put(Path::new(PATH), bytes);
    open_on(&disk, ShardOf::ONLY)
}

#[test]
fn sizes_are_part_of_the_format() {
    assert_eq!((RECORD_BYTES, Event::BYTES, FRAME_COMMANDS_MAX), (24, 40, 65_536));
    assert_eq!(header(ShardOf::ONLY).encode().len(), HEADER_BYTES);
    assert_eq!((size_of::<Command>(), size_of::<Place>()), (RECORD_BYTES, RECORD_BYTES - 1));
}

/// The bytes themselves, so that a change of format can't go unnoticed.
#[test]
fn the_bytes_are_these() {
    let stream = Random::new(1).stream(12);
    let log = Fixture::new(&[stream[0], stream[1], stream[11]], Framing::Many(2), ShardOf { shard: 1, shards: 3 });
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let rows: Vec<String> = log.bytes.chunks(RECORD_BYTES).map(hex).collect();
    insta::with_settings!({ snapshot_path => "../snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("log-bytes", format!("{:?}\n{}", [stream[0], stream[1], stream[11]], rows.join("\n")));
    });
}

#[test]
fn a_new_log_is_a_header() {
    let disk = SimDisk::new(0, Faults::default());
    let shard = ShardOf { shard: 2, shards: 5 };
    let (opened, _) = open_on(&disk, shard).unwrap();
    assert_eq!((opened.end, opened.next, opened.recovery.commands), (48, Sequence::FIRST, 0));
    let path = Path::new("commands-2-of-5.log");
    let bytes = disk.durable(path).unwrap();
    let LogHeader { id, .. } = LogHeader::decode(&bytes, path).unwrap();
    assert_eq!(bytes, LogHeader::new(shard, id).encode());
    assert_ne!(id, LogId::NONE);
}

#[test]
fn every_bit_of_the_header_counts() {
    let shard = ShardOf { shard: 2, shards: 5 };
    let header = LogHeader { shard, id: LogId(77), first: Sequence(12), last_time: UnixMs(13) };
    let whole = header.encode();
    assert_eq!(LogHeader::decode(&whole, Path::new(PATH)).unwrap(), header);
    for bit in 0..HEADER_BYTES * 8 {
        let mut bytes = whole;
        bytes[bit / 8] ^= 1 << (bit % 8);
        let error = LogHeader::decode(&bytes, Path::new(PATH)).unwrap_err();
        let version = (64..96).contains(&bit);
        assert_eq!(matches!(error, LogError::UnknownVersion { .. }), version, "bit {bit}: {error}");
        assert_eq!(matches!(error, LogError::Foreign { .. }), !version, "bit {bit}: {error}");
    }
}

#[test]
fn a_frame_is_as_large_as_it_may_be_and_no_larger() {
    let commands = Random::new(2).stream(1);
    let many = vec![commands[0]; FRAME_COMMANDS_MAX];
    let log = Fixture::new(&many, Framing::Many(FRAME_COMMANDS_MAX), ShardOf::ONLY);
    assert_eq!(log.frames.len(), 1);
    assert_eq!(open(&log.bytes).unwrap().1.len(), FRAME_COMMANDS_MAX);
    // A torn frame of this size is still one torn frame.
    let (opened, commands) = open(&log.bytes[..log.bytes.len() - 1]).unwrap();
    assert!(commands.is_empty() && opened.recovery.torn_bytes > 1_572_000, "{:?}", opened.recovery);
    // More unreadable bytes than a frame can hold were never one torn frame.
    let garbage = [&log.bytes[..HEADER_BYTES], &[0; 24], &vec![7; 24 * (FRAME_COMMANDS_MAX + 2)]].concat();
    assert!(matches!(open(&garbage), Err(LogError::Corrupt { offset: 48, .. })));
}

#[test]
#[should_panic(expected = "assertion")]
fn an_empty_frame_is_not_sealed() {
    seal_frame(&mut [0; RECORD_BYTES], LogId(1), Stamp { sequence: Sequence::FIRST, time: TIME });
}

#[test]
fn damage_before_a_whole_frame_is_an_error_and_after_the_last_one_a_torn_tail() {
    let commands = Random::new(3).stream(40);
    let log = Fixture::new(&commands, Framing::Many(10), ShardOf::ONLY);
    let [first, .., last] = log.frames[..] else { panic!("there are four frames") };
    let mut bytes = log.bytes.clone();
    bytes[first.start + 30] ^= 1;
    let Err(LogError::Corrupt { offset, sequence, reason, .. }) = open(&bytes) else { panic!("it must be refused") };
    assert_eq!((offset, sequence), (48, Sequence::FIRST));
    assert!(reason.contains("checksum") && reason.contains("command 11"), "{reason}");

    let mut bytes = log.bytes.clone();
    bytes[last.start + 30] ^= 1;
    let (opened, commands) = open(&bytes).unwrap();
    assert_eq!((commands.len(), opened.end, opened.next), (30, last.start as u64, Sequence(31)));
    // The whole frame except the zeros at its end, which could as well be reserved space.
    assert!((241..=264).contains(&opened.recovery.torn_bytes), "{:?}", opened.recovery);
}

#[test]
fn a_record_that_is_no_command_is_an_error_although_its_checksum_is_right() {
    let mut log = Fixture::new(&Random::new(3).stream(10), Framing::Many(5), ShardOf::ONLY);
    let last = log.frames[1];
    log.bytes[last.start + 2 * RECORD_BYTES] = 77;
    seal_frame(&mut log.bytes[last.start..], log.id, Stamp { sequence: Sequence(6), time: TIME });
    let Err(LogError::Corrupt { sequence, reason, .. }) = open(&log.bytes) else { panic!("it must be refused") };
    assert_eq!(sequence, Sequence(6));
    assert!(reason.contains("command 2 of the frame"), "{reason}");
}

/// A disk that writes whole frames, but other ones than it was given: the old log stays unchanged.
#[test]
fn a_rewriting_that_does_not_read_back_is_refused() {
    let (disk, path) = (SimDisk::new(0, Faults::default()), Path::new(PATH));
    let plain: Vec<Command> = Random::new(3).stream(30).iter().map(|command| command.with_request(0)).collect();
    let log = Fixture::version_1(&plain, Framing::Many(10));
    disk.put(path, &log.bytes);
    let options = Options { disk: Arc::new(Through::new(Arc::new(disk.clone()), Forger)), ..Options::new("") };
    let judged = read_log::<LogError>(&options, ShardOf::ONLY, |_, _| Ok(())).unwrap();
    assert!(matches!(judged.open(), Err(LogError::Corrupt { offset: 48, .. })));
    assert_eq!(disk.read(path).unwrap(), log.bytes);
}

/// Bytes that version 1 does not use must be zero. With a correct checksum, a program wrote them.
#[test]
fn version_1_has_no_numbers() {
    let commands = Random::new(3).stream(30);
    for number in [1, 1 << 40] {
        let mut plain: Vec<Command> = commands.iter().map(|command| command.with_request(0)).collect();
        let log = Fixture::version_1(&plain, Framing::Many(10));
        assert_eq!(open(&log.bytes).unwrap().1.iter().map(|(_, command)| *command).collect::<Vec<_>>(), plain);
        let numbered = (10..30).find(|&at| plain[at].with_request(number).request() != 0).unwrap();
        plain[numbered] = plain[numbered].with_request(number);
        let log = Fixture::version_1(&plain, Framing::Many(10));
        let Err(LogError::Corrupt { reason, .. }) = open(&log.bytes) else { panic!("it must be refused") };
        assert!(reason.contains("version 1, where unused bytes are zero"), "{reason}");
    }
}

#[test]
fn a_time_that_runs_back_is_refused() {
    let mut log = Fixture::new(&Random::new(3).stream(20), Framing::Many(10), ShardOf::ONLY);
    let last = log.frames[1];
    for (time, is_refused) in [(TIME.0, false), (TIME.0 + 5, false), (TIME.0 - 1, true), (0, true)] {
        seal_frame(&mut log.bytes[last.start..], log.id, Stamp { sequence: Sequence(11), time: UnixMs(time) });
        assert_eq!(open(&log.bytes).is_err(), is_refused, "{time}");
    }
}

/// A frame of another log is refused, even with the right number in the right place.
#[test]
fn a_frame_of_another_log_is_refused() {
    let stream = Random::new(3).stream(30);
    let mut log = Fixture::new(&stream, Framing::Many(10), ShardOf::ONLY);
    let frame = log.frames[1];
    seal_frame(
        &mut log.bytes[frame.start..frame.end],
        LogId(log.id.0 + 1),
        Stamp { sequence: Sequence(11), time: TIME },
    );
    let Err(LogError::Corrupt { offset, reason, .. }) = open(&log.bytes) else { panic!("it must be refused") };
    assert_eq!(offset, frame.start as u64);
    assert!(reason.contains("checksum is wrong") && reason.contains("command 21 follows"), "{reason}");
}

/// A file that begins later is only a part of a log; its reader knows where it begins, and no engine takes it for a
/// whole log.
#[test]
fn a_part_of_a_log_is_not_a_log() {
    let stream = Random::new(3).stream(20);
    let header = LogHeader { first: Sequence(501), last_time: UnixMs(7), ..header(ShardOf::ONLY) };
    let bytes = encode_log(&header, TIME, &stream);
    let disk = SimDisk::new(0, Faults::default());
    disk.put(Path::new(PATH), &bytes);
    let mut file = disk.open(Path::new(PATH)).unwrap().unwrap();
    let mut reader = LogReader::new(&mut *file, Path::new(PATH)).unwrap();
    assert_eq!(reader.next(), Stamp { sequence: Sequence(501), time: UnixMs(7) });
    assert_eq!(reader.next_frame().unwrap().unwrap().map(|(_, command)| command).collect::<Vec<_>>(), stream);
    assert_eq!(reader.next(), Stamp { sequence: Sequence(521), time: TIME });
    assert!(matches!(open(&bytes), Err(LogError::Beginning { first: Sequence(501), .. })));
}

#[test]
fn reserved_zeros_are_not_torn() {
    let commands = Random::new(4).stream(25);
    for zeros in [1, 23, 24, 1_000, 300_000, 2_000_000] {
        let log = Fixture::new(&commands, Framing::Mixed(8), ShardOf::ONLY).reserved(zeros);
        let (opened, read) = open(&log.bytes).unwrap();
        assert_eq!((read.len(), opened.recovery.torn_bytes, opened.end), (25, 0, log.end() as u64));
    }
    let (opened, _) = open(&[&header(ShardOf::ONLY).encode()[..], &[0; 5_000]].concat()).unwrap();
    assert_eq!((opened.end, opened.next), (48, Sequence::FIRST));
}

#[test]
fn a_whole_frame_after_zeros_is_damage() {
    let log = Fixture::new(&Random::new(5).stream(20), Framing::Many(10), ShardOf::ONLY);
    let mut bytes = log.bytes.clone();
    bytes[log.frames[0].start..log.frames[0].end].fill(0);
    assert!(matches!(open(&bytes), Err(LogError::Corrupt { offset: 48, .. })));
}

#[test]
fn what_is_replayed_is_on_disk() {
    let path = Path::new(PATH);
    let log = Fixture::new(&Random::new(6).stream(30), Framing::Many(10), ShardOf::ONLY);
    for seed in 0..50 {
        // The last frame is only in the system's cache, and the system believes that it is on disk.
        let disk = SimDisk::new(seed, Faults::default());
        disk.put(path, &log.bytes[..log.frames[2].start]);
        disk.set_faults(Faults { sync_fails_at: Some(1), ..Faults::default() });
        let mut file = disk.open(path).unwrap().unwrap();
        let start = log.frames[2].start;
        file.write_all_at(start as u64, &log.bytes[start..]).unwrap();
        assert!(file.sync().is_err());
        disk.set_faults(Faults::default());
        let (opened, _) = open_on(&disk, ShardOf::ONLY).unwrap();
        assert_eq!(opened.recovery.commands, 30);
        assert_eq!(disk.crash().read(path).unwrap(), log.bytes, "seed {seed}");
    }
}

proptest! {
    #[test]
    fn every_command_survives_its_encoding(stream in streams(100)) {
        let mut batch = Vec::new();
        encode_commands(&stream.0, &mut batch);
        for (&command, bytes) in stream.0.iter().zip(batch.as_chunks().0) {
            prop_assert_eq!((&encode_command(&command), batch.len()), (bytes, stream.0.len() * RECORD_BYTES));
            prop_assert_eq!(decode_command(bytes), Some(command));
            prop_assert!((1..=6).contains(&bytes[0]), "a record that could be a frame's header, or nothing");
        }
    }

    #[test]
    fn bytes_that_decode_are_the_encoding(mut bytes in any::<[u8; RECORD_BYTES]>(), kind in 0..8_u8) {
        bytes[0] = kind;
        fuzz::command(&bytes);
        bytes[1] %= 5;
        bytes[2] %= 5;
        fuzz::command(&bytes);
    }

    #[test]
    fn a_log_reads_back_as_it_was_written(stream in streams(200), most in 1..64_usize, zeros in 0..100_usize) {
        let log = Fixture::new(&stream.0, Framing::Mixed(most), ShardOf::ONLY).reserved(zeros);
        let (opened, read) = open(&log.bytes).unwrap();
        prop_assert!(read.iter().map(|(_, command)| command).eq(&stream.0));
        prop_assert!(read.iter().map(|(stamp, _)| stamp.sequence.0).eq(1..=stream.0.len() as u64));
        prop_assert_eq!(opened.end, log.end() as u64);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        fuzz::log(&bytes);
        fuzz::log(&[&header(ShardOf::ONLY).encode()[..], &bytes].concat());
        fuzz::log(&[&HEADER_1[..], &bytes].concat());
    }

    #[test]
    fn no_damage_makes_the_reader_invent_commands(
        stream in streams(60), most in 1..16_usize, at in any::<u32>(), bytes in proptest::collection::vec(any::<u8>(), 1..60),
    ) {
        let log = Fixture::new(&stream.0, Framing::Mixed(most), ShardOf::ONLY);
        let mut damaged = log.bytes.clone();
        let at = at as usize % damaged.len();
        let length = bytes.len().min(damaged.len() - at);
        damaged[at..at + length].copy_from_slice(&bytes[..length]);
        if let Ok((_, read)) = open(&damaged) {
            prop_assert!(read.len() <= stream.0.len());
            prop_assert!(read.iter().map(|(_, command)| command).eq(&stream.0[..read.len()]));
        }
    }

    #[test]
    fn a_reader_that_stops_early_has_seen_a_prefix(stream in streams(60), stop in 0..10_usize) {
        let log = Fixture::new(&stream.0, Framing::Mixed(8), ShardOf::ONLY);
        let disk = SimDisk::new(0, Faults::default());
        disk.put(Path::new(PATH), &log.bytes);
        let mut file = disk.open(Path::new(PATH)).unwrap().unwrap();
        let mut reader = LogReader::new(&mut *file, Path::new(PATH)).unwrap();
        for frame in log.frames.iter().take(stop) {
            let read: Vec<Command> = reader.next_frame().unwrap().unwrap().map(|(_, command)| command).collect();
            prop_assert_eq!(&read[..], &stream.0[frame.before..frame.after]);
        }
    }
}
