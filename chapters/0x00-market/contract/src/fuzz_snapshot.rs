//! What must hold for any bytes as a snapshot: nothing panics, what is read is what a writer would have written, and
//! whatever is written is read.

use std::path::{Path, PathBuf};

use crate::faults::Faults;
use crate::sim_disk::SimDisk;
use market::log::ShardOf;
use market::log_reader::Place;
use market::snapshot::{
    AccountRecord, MARKETS, MarketRecord, OrderRecord, SNAPSHOT_HEADER_BYTES, SnapshotHeader, file_name,
};
use market::snapshot_file::{SnapshotError, SnapshotReader, SnapshotWriter};
use market::{Disk as _, LogId, Sequence, Stamp, UnixMs};

const FOLDER: &str = "snapshots";

/// Bytes as a snapshot, and as what a snapshot is made from, because no fuzzer guesses a checksum.
///
/// # Panics
/// Where the reader or the writer breaks a promise.
pub fn snapshot(bytes: &[u8]) {
    let disk = SimDisk::new(0, Faults::default());
    disk.make_folder(Path::new(FOLDER)).unwrap();
    if let Some(start) = bytes.first_chunk::<SNAPSHOT_HEADER_BYTES>() {
        // Under the name that its header implies, or else nothing behind the header is read.
        let header = SnapshotHeader::decode(start).ok();
        let path = header.as_ref().map_or_else(|| PathBuf::from(FOLDER).join("none"), path_of);
        disk.put(&path, bytes);
        if let (Ok(body), Some(header)) = (read(&disk, &path), &header) {
            let bare = SnapshotHeader { sections: Vec::new(), ..header.clone() };
            assert!(
                written(&disk, &bare, &header.sections, &body) == bytes,
                "what is read differs from what is written: {header:?}"
            );
        }
        let (header, body) = (any_header(start), &bytes[SNAPSHOT_HEADER_BYTES..]);
        let half = body.len() as u64 / 2;
        let sections = [(MARKETS, half), (*b"ANOTHER\0", body.len() as u64 - half)];
        let whole = written(&disk, &header, &sections, body);
        disk.put(&path_of(&header), &whole);
        let read =
            read(&disk, &path_of(&header)).unwrap_or_else(|error| panic!("what was written can't be read: {error}"));
        assert!(read == body, "what was written differs from what is read");
    }
    records(bytes);
}

fn path_of(header: &SnapshotHeader) -> PathBuf {
    Path::new(FOLDER).join(file_name(header.shard, header.place.next.sequence))
}

/// A header with any value in each number.
fn any_header(bytes: &[u8; SNAPSHOT_HEADER_BYTES]) -> SnapshotHeader {
    let numbers: Vec<u64> = bytes[16..].as_chunks().0.iter().map(|eight| u64::from_le_bytes(*eight)).collect();
    let number = |at: usize| numbers[at];
    let next = Stamp { sequence: Sequence(number(1)), time: UnixMs(number(2)) };
    let place = Place { segment: Sequence(number(3)), last: (number(4), number(5)), crc: number(6) as u32, next };
    let shard = ShardOf { shard: u16::from(bytes[12]), shards: u16::from(bytes[14]) };
    let (ledger_entries, ledger_on_disk) = (number(7), number(24));
    SnapshotHeader { shard, log: LogId(number(0)), place, ledger_entries, ledger_on_disk, sections: Vec::new() }
}

/// The whole body, read byte by byte.
fn read(disk: &SimDisk, path: &Path) -> Result<Vec<u8>, SnapshotError> {
    let mut snapshot = SnapshotReader::open(disk, path)?;
    (0..snapshot.header.body_bytes()).map(|_| snapshot.record::<1>().map(|[byte]| byte)).collect()
}

/// What a writer makes of it.
fn written(disk: &SimDisk, header: &SnapshotHeader, sections: &[([u8; 8], u64)], mut body: &[u8]) -> Vec<u8> {
    let mut writer = SnapshotWriter::create(disk, Path::new(FOLDER), header.clone()).unwrap();
    for &(name, length) in sections {
        let (now, later) = body.split_at(length as usize);
        writer.section(name).unwrap();
        writer.write(now).unwrap();
        body = later;
    }
    writer.finish().unwrap();
    disk.read(&path_of(header)).unwrap()
}

/// What decodes is encoded back to the same bytes.
fn records(bytes: &[u8]) {
    for record in bytes.as_chunks::<{ MarketRecord::BYTES }>().0 {
        MarketRecord::decode(record).into_iter().for_each(|market| assert_eq!(market.encode(), *record, "{market:?}"));
    }
    for record in bytes.as_chunks::<{ AccountRecord::BYTES }>().0 {
        AccountRecord::decode(record).into_iter().for_each(|account| assert_eq!(account.encode(), *record));
    }
    for record in bytes.as_chunks::<{ OrderRecord::BYTES }>().0 {
        OrderRecord::decode(record).into_iter().for_each(|order| assert_eq!(order.encode(), *record, "{order:?}"));
    }
}
