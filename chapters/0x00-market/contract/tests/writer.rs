//! The writer of a log: how much space it reserves and returns, what it notes when a sync has returned, and how it
//! continues in another segment.

// These are tests: an `unwrap` here is an assertion.
#![allow(clippy::unwrap_used)]

use std::io;
use std::path::Path;
use std::sync::Arc;

use contract::fixture::{Fixture, Framing, TIME};
use contract::streams::Random;
use contract::{Faults, SimDisk};
use market::log::{FILE_NAME, HEADER_BYTES, LogHeader, RECORD_BYTES, ShardOf, encode_command};
use market::log_next::NextSegment;
use market::watermark::{self, Mark};
use market::{Clock, Command, Disk, LogError, LogFile, LogId, LogWriter, MarketId, Options, Sequence, read_log};

/// How much the writer reserves at once, in bytes.
const ZEROS: u64 = 1 << 20;

fn options(disk: impl Disk + 'static) -> Options {
    Options { disk: Arc::new(disk), clock: Clock::new(|| TIME), ..Options::new("") }
}

/// A new log.
fn writer(options: &Options) -> LogWriter {
    read_log::<LogError>(options, ShardOf::ONLY, |_, _| Ok(())).unwrap().open().unwrap()
}

/// Appends a frame of one command.
fn append(log: &mut LogWriter) {
    append_frame(log, 1);
}

fn append_frame(log: &mut LogWriter, commands: usize) {
    let command = encode_command(&Command::Open { market: MarketId(0) });
    log.append(&mut [[0; RECORD_BYTES]].into_iter().chain(vec![command; commands]).flatten().collect::<Vec<_>>())
        .unwrap();
}

/// What the header of the log at `path` says.
fn header_of(disk: &SimDisk, path: &Path) -> LogHeader {
    LogHeader::decode(&disk.durable(path).unwrap(), path).unwrap()
}

#[test]
fn what_a_sync_made_durable_is_noted() {
    let (disk, path) = (SimDisk::new(1, Faults::default()), Path::new(FILE_NAME));
    let mut log = writer(&options(disk.clone()));
    let LogHeader { id, .. } = header_of(&disk, path);
    log.sync().unwrap();
    for (commands, end) in [(0, 48), (1, 96), (2, 144), (3, 192)] {
        let mark = (commands > 0).then_some(Mark { end, last: Sequence(commands) });
        assert_eq!(watermark::read(&disk, path, id), mark);
        append(&mut log);
        assert_eq!(watermark::read(&disk, path, id), mark, "before the sync");
        log.sync().unwrap();
    }
    append_frame(&mut log, 3);
    log.sync().unwrap();
    assert_eq!(watermark::read(&disk, path, id), Some(Mark { end: 336, last: Sequence(7) }));
}

#[test]
fn a_copy_has_a_watermark_of_its_own() {
    let (disk, path, mark) =
        (SimDisk::new(1, Faults::default()), Path::new("copy.log"), Mark { end: 96, last: Sequence(1) });
    watermark::write(&disk, path, LogId(7), mark).unwrap();
    assert_eq!(watermark::read(&disk, path, LogId(7)), Some(mark));
    assert_eq!(watermark::read(&disk, path, LogId(8)), None, "it is another log's");
    let watermark = watermark::path_of(path);
    let bytes = disk.durable(&watermark).unwrap();
    for bit in 0..8 * bytes.len() {
        let mut other = bytes.clone();
        other[bit / 8] ^= 1 << (bit % 8);
        disk.rot(&watermark, &other);
        assert_eq!(watermark::read(&disk, path, LogId(7)), None, "bit {bit}");
    }
    watermark::remove(&disk, path).unwrap();
    assert!(disk.paths().is_empty(), "{:?}", disk.paths());
}

#[test]
fn a_log_goes_on_in_another_segment() {
    let disk = SimDisk::new(1, Faults::default());
    let options = options(disk.clone());
    let mut log = writer(&options);
    log.lay_out(100).unwrap();
    (0..3).for_each(|_| append(&mut log));
    log.sync().unwrap();
    assert_eq!(log.in_segment(), 3);
    log.go_on_in(NextSegment::lay_out(&options, ShardOf::ONLY, 1_000).unwrap()).unwrap();
    let (before, first) = (Path::new(FILE_NAME), Sequence(4));
    let name = ShardOf::ONLY.segment_name(first);
    let path = Path::new(&name);
    assert_eq!((log.path(), log.end(), log.next(), log.in_segment()), (path, 48, first, 0));
    assert_eq!(disk.durable(before).unwrap().len(), 192, "the previous segment ends with its last frame");
    let header = LogHeader { first, last_time: TIME, ..header_of(&disk, before) };
    assert_eq!(header_of(&disk, path), header);
    append(&mut log);
    log.sync().unwrap();
    assert_eq!(log.in_segment(), 1);
    assert_eq!(watermark::read(&disk, path, header.id), Some(Mark { end: 96, last: first }));
}

/// A log in one piece may continue without commands that it once had, if that loss is accepted.
#[test]
fn a_log_in_segments_does_not_go_on_without_what_it_had() {
    let disk = SimDisk::new(1, Faults::default());
    let options = Options { accept_loss: vec![Sequence(1)], ..options(disk.clone()) };
    let mut log = writer(&options);
    append(&mut log);
    log.go_on_in(NextSegment::lay_out(&options, ShardOf::ONLY, 0).unwrap()).unwrap();
    append(&mut log);
    log.sync().unwrap();
    let whole = disk.durable(log.path()).unwrap();
    disk.rot(log.path(), &whole[..HEADER_BYTES]);
    let refused = read_log::<LogError>(&options, ShardOf::ONLY, |_, _| Ok(())).err();
    assert!(matches!(refused, Some(LogError::ShortSegments { .. })), "{refused:?}");
}

/// Space for the commands, and an eighth more, is zeroed and on disk. Space that is already reserved is not written
/// again.
#[test]
fn room_is_laid_out_and_given_back() {
    let path = Path::new(FILE_NAME);
    for (commands, room) in [(0, 0), (8, 216), (1_000, 27_000), (60_000, 1_620_000)] {
        let disk = SimDisk::new(1, Faults::default());
        let mut log = writer(&options(disk.clone()));
        append(&mut log);
        log.sync().unwrap();
        let before = disk.counts();
        log.lay_out(commands).unwrap();
        let durable = disk.durable(path).unwrap();
        assert_eq!(log.end(), 96);
        assert_eq!(durable.len(), 96 + room, "space for {commands} commands");
        assert!(durable[96..].iter().all(|&byte| byte == 0));
        let (writes, syncs) = (disk.counts().writes - before.writes, disk.counts().syncs - before.syncs);
        assert_eq!((writes, syncs), ((room as u64).div_ceil(ZEROS), u64::from(room > 0)), "for {commands} commands");
        log.lay_out(commands / 2).unwrap();
        assert_eq!(disk.durable(path).unwrap(), durable, "less space than there is");
        log.give_back().unwrap();
        log.sync().unwrap();
        assert_eq!(disk.durable(path).unwrap(), durable[..96]);
    }
}

/// Opening keeps the reserved space, but nothing of a torn frame.
#[test]
fn room_stays_and_a_torn_end_goes() {
    let path = Path::new(FILE_NAME);
    let log = Fixture::new(&Random::new(1).stream(20), Framing::Many(10), ShardOf::ONLY).reserved(500);
    let (room, torn) = (log.bytes.len(), log.end() - 30);
    for (length, left) in [(room, room), (torn, log.frames[1].start)] {
        let disk = SimDisk::new(1, Faults::default());
        disk.put(path, &log.bytes[..length]);
        drop(writer(&options(disk.clone())));
        assert_eq!(disk.durable(path).unwrap().len(), left, "bytes left of {length}");
    }
}

#[test]
fn the_next_segment_is_as_large_as_asked() {
    for room in [0, 1, 24_000, ZEROS, 3 * ZEROS + 5] {
        let disk = SimDisk::new(1, Faults::default());
        let next = NextSegment::lay_out(&options(disk.clone()), ShardOf::ONLY, room).unwrap();
        let [path] = &disk.paths()[..] else { panic!("{:?}", disk.paths()) };
        let durable = disk.durable(path).unwrap();
        assert_eq!(durable.len() as u64, HEADER_BYTES as u64 + room);
        assert!(durable.iter().all(|&byte| byte == 0));
        next.remove().unwrap();
        assert!(disk.paths().is_empty(), "{:?}", disk.paths());
    }
}

/// The disk is full before the next segment has its space: what was reserved until then is given back. So is what a
/// program that was killed left, when the log is opened.
#[test]
fn a_next_segment_that_is_not_used_takes_no_space() {
    let disk = SimDisk::new(1, Faults { capacity: Some(ZEROS), ..Faults::default() });
    let options = options(disk.clone());
    let full = NextSegment::lay_out(&options, ShardOf::ONLY, 3 * ZEROS).err().unwrap().to_string();
    assert!(full.contains("reserve the next segment") && full.contains("full disk"), "{full}");
    assert!(disk.paths().is_empty(), "{:?}", disk.paths());
    let next = Path::new(FILE_NAME).with_extension("next");
    let log = Fixture::new(&Random::new(1).stream(20), Framing::Many(10), ShardOf::ONLY).bytes;
    for bytes in [&[][..], &log] {
        if !bytes.is_empty() {
            disk.put(Path::new(FILE_NAME), bytes);
        }
        disk.rot(&next, &[0; 100]);
        drop(writer(&options));
        assert_eq!(disk.read(&next), None, "of a log of {} bytes", bytes.len());
        disk.remove(Path::new(FILE_NAME)).unwrap();
        watermark::remove(&disk, Path::new(FILE_NAME)).unwrap();
    }
}

/// More space than a 32-bit machine can count in its registers.
#[test]
fn room_may_be_more_than_memory() {
    let mut log = writer(&options(Roomy::default()));
    log.lay_out(200_000_000).unwrap();
    NextSegment::lay_out(&options(Roomy::default()), ShardOf::ONLY, 5 << 30).unwrap();
}

/// A disk that keeps only the length of a file, and nothing else.
#[derive(Clone, Default)]
struct Roomy(u64);

impl Disk for Roomy {
    fn open(&self, _: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        Ok(None)
    }

    fn list(&self, _: &Path) -> io::Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn create(&self, _: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        Ok(Box::new(Roomy(header.len() as u64)))
    }
}

impl LogFile for Roomy {
    fn read_at(&mut self, _: u64, _: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        assert!(!bytes.is_empty() && at == self.0, "{} bytes were written at byte {at} of {}", bytes.len(), self.0);
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn length(&mut self) -> io::Result<u64> {
        Ok(self.0)
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.0 = length;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
