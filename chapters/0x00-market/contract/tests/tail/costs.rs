//! What it costs to judge the end of a log, for any bytes: little memory, and each byte is read a few times at
//! most.

use std::io;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use contract::counted::{Counted, Reads};
use contract::fixture::header;
use contract::through::Through;
use market::log::{HEADER_BYTES, RECORD_BYTES, ShardOf, encode_command, seal_frame};
use market::{Command, Disk, LogError, LogFile, MarketId, Recovery};

use crate::{FRAME_MAX, PATH, forged_header, open_on, stamp};

/// The bytes at this place of a log, counted in records.
type Record = fn(u64) -> [u8; RECORD_BYTES];

/// The beginning of every log here.
static HEADER: LazyLock<[u8; HEADER_BYTES]> = LazyLock::new(|| header(ShardOf::ONLY).encode());

/// A log that is generated while it is read, so that it can have any length.
#[derive(Clone)]
struct Endless {
    length: u64,
    record: Record,
}

impl Disk for Endless {
    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        // It has no watermark.
        Ok((path == Path::new(PATH)).then(|| Box::new(self.clone()) as Box<dyn LogFile>))
    }

    fn list(&self, _: &Path) -> io::Result<Vec<String>> {
        Ok(vec![PATH.to_string()])
    }

    fn create(&self, _: &Path, _: &[u8]) -> io::Result<Box<dyn LogFile>> {
        Ok(Box::new(Endless { length: 0, record: |_| [0; RECORD_BYTES] }))
    }
}

impl LogFile for Endless {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let length = (self.length - at.min(self.length)).min(buffer.len() as u64) as usize;
        let (mut done, mut at) = (0, at);
        while done < length {
            let (slot, within) = (at / RECORD_BYTES as u64, (at % RECORD_BYTES as u64) as usize);
            let (header, _) = HEADER.as_chunks::<RECORD_BYTES>();
            let record = header.get(slot as usize).copied().unwrap_or_else(|| (self.record)(slot - 1));
            let piece = (RECORD_BYTES - within).min(length - done);
            buffer[done..done + piece].copy_from_slice(&record[within..within + piece]);
            (done, at) = (done + piece, at + piece as u64);
        }
        Ok(length)
    }

    fn write_at(&mut self, _: u64, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn length(&mut self) -> io::Result<u64> {
        Ok(self.length)
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.length = length;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn reads_of(length: u64, record: Record) -> (Result<Recovery, LogError>, Reads) {
    let counted = Counted::default();
    let disk = Through::new(Arc::new(Endless { length, record }), counted.clone());
    (open_on(disk), counted.reads())
}

/// Frames of one command: the header at every odd place, the command behind it.
fn sound(slot: u64) -> [u8; RECORD_BYTES] {
    let mut frame = [0; 2 * RECORD_BYTES];
    frame[RECORD_BYTES..]
        .copy_from_slice(&encode_command(&Command::Open { market: MarketId(slot.div_ceil(2) as u32) }));
    seal_frame(&mut frame, header(ShardOf::ONLY).id, stamp(slot.div_ceil(2)));
    let (records, _) = frame.as_chunks::<RECORD_BYTES>();
    records[usize::from(slot.is_multiple_of(2))]
}

#[test]
fn what_a_forged_log_costs() {
    let hostile: [(&str, Record); 6] = [
        ("one bad bit at the front", |slot| {
            let mut record = sound(slot);
            record[5] ^= u8::from(slot == 1);
            record
        }),
        ("headers, each of a frame of the maximum size", |slot| forged_header(slot + 1, 65_536)),
        ("headers of later frames", |slot| forged_header(1 << 40 | slot, 65_536)),
        ("headers of earlier frames", |_| forged_header(0, 65_536)),
        ("commands behind no header", |slot| if slot == 1 { [0; 24] } else { sound(2 * slot) }),
        ("garbage", |slot| slot.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes().repeat(3).try_into().unwrap()),
    ];
    for (name, record) in hostile {
        let (opened, reads) = reads_of(1 << 30, record);
        assert!(matches!(opened, Err(LogError::Corrupt { offset: 48, .. })), "{name}: {opened:?}");
        // It tried to read one frame, and looked as far as one frame can reach.
        assert!(reads.bytes < 3 * FRAME_MAX, "{name}: {reads:?}");
        assert!(reads.most_at_once as u64 <= 2 * FRAME_MAX, "{name}: {reads:?}");
    }
}

#[test]
fn what_a_long_log_costs() {
    const LENGTH: u64 = 48 + 48 * 200_000;
    let (opened, reads) = reads_of(LENGTH, sound);
    assert_eq!(opened.unwrap(), Recovery { commands: 200_000, replayed: 200_000, ..Recovery::default() });
    assert!(reads.bytes < LENGTH + LENGTH / 10 && reads.most_at_once < 1 << 20, "{reads:?}");
    // Reserved space, with a flipped bit far from any frame.
    let (opened, reads) = reads_of(LENGTH, |slot| [u8::from(slot == 390_000); RECORD_BYTES]);
    assert!(matches!(opened, Err(LogError::Corrupt { offset: 48, .. })), "{opened:?}");
    assert!(reads.bytes < LENGTH + LENGTH / 10 && reads.most_at_once < 1 << 20, "{reads:?}");
    let (opened, reads) = reads_of(LENGTH, |_| [0; RECORD_BYTES]);
    assert_eq!(opened.unwrap(), Recovery::default());
    assert!(reads.bytes < LENGTH + LENGTH / 10 && reads.most_at_once < 1 << 20, "{reads:?}");
}
