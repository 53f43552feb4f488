//! The mark: how far a machine's own log is known to be in the stream.
//!
//! ```text
//! whose u64 · place u64 · epoch u64 · start u64 · end u64 · frame's CRC u32 · zero u32
//! · next command u64 · time u64 · CRC-32C u32 · zero u32                                      72 bytes
//! ```
//!
//! `whose` is the log's identity with the checksum of the stream's name on top: a mark of another log or stream counts as absent.
//!
//! It lies beside the log, and is overwritten whenever the stream has confirmed a frame, or one was copied from it. Nothing
//! waits until it is on disk: like the log's own watermark, it is right if the program dies, and may be old or gone after a
//! power cut. An old one costs reading, and hides that a stream has become shorter; it never raises a false alarm. A stream is
//! trimmed only as far as marks have been synced.
//!
//! Invariant: the log is on disk up to the mark, but for its last frame, which is read again before the mark is believed. In
//! `majority` no frame waits for the disk, so the mark moves only after a sync of its own.

use std::io;
use std::path::Path;

use market::log::ShardOf;
use market::log_reader::Place;
use market::{Disk, LogFile, LogId, Sequence, Stamp, UnixMs};

use crate::durable::Durable;

/// How many bytes a mark has.
const BYTES: usize = 72;

/// A place in the stream, and the place in the log after the same frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    /// Of the last message that was confirmed or copied.
    pub place: u64,
    /// The epoch that it belongs to.
    pub epoch: u64,
    /// After the last frame up to there.
    pub log: Place,
}

impl Mark {
    fn encode(&self, whose: Whose) -> [u8; BYTES] {
        let (Place { last: (start, end), crc, next, .. }, mut bytes) = (self.log, [0; BYTES]);
        let words = [whose.0, self.place, self.epoch, start, end, u64::from(crc), next.sequence.0, next.time.0];
        bytes.chunks_exact_mut(8).zip(words).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
        let crc = crc32c::crc32c(&bytes[..BYTES - 8]);
        bytes[BYTES - 8..BYTES - 4].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8; BYTES], whose: Whose) -> Option<Mark> {
        let word = |at: usize| bytes[8 * at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        let is_sound = word(8) == u64::from(crc32c::crc32c(&bytes[..BYTES - 8])) && word(0) == whose.0;
        let next = Stamp { sequence: Sequence(word(6)), time: UnixMs(word(7)) };
        let log = Place { segment: Sequence::FIRST, last: (word(3), word(4)), crc: word(5) as u32, next };
        is_sound.then_some(Mark { place: word(1), epoch: word(2), log })
    }
}

/// Which log and stream a mark is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Whose(u64);

impl Whose {
    /// This log's, in this stream.
    pub fn of(log: LogId, stream: &str) -> Whose {
        Whose(log.0 ^ (u64::from(crc32c::crc32c(stream.as_bytes())) << 32))
    }
}

/// The mark of a shard's log, if there is one of this log and stream that can be read.
pub fn read(disk: &dyn Disk, folder: &Path, shard: ShardOf, whose: Whose) -> Option<Mark> {
    let mut file = disk.open(&path(folder, shard)).ok()??;
    let mut bytes = [0; BYTES];
    (file.read_at(0, &mut bytes).ok()? == BYTES).then(|| Mark::decode(&bytes, whose))?
}

/// The file of a mark, open to be overwritten.
pub struct MarkFile {
    file: Box<dyn LogFile>,
    whose: Whose,
}

impl MarkFile {
    /// Opens the file of this shard, or makes it.
    ///
    /// # Errors
    /// What the disk says.
    pub fn open(disk: &dyn Disk, folder: &Path, shard: ShardOf, whose: Whose) -> io::Result<MarkFile> {
        let path = path(folder, shard);
        let file = match disk.open(&path)? {
            Some(file) => file,
            None => disk.create(&path, &[])?,
        };
        Ok(MarkFile { file, whose })
    }

    /// Notes that the stream has the log up to here.
    pub fn set(&mut self, mark: &Mark) {
        // An old mark costs reading, and no more. So nothing fails because of it.
        let _ = self.file.write_all_at(0, &mark.encode(self.whose));
    }

    /// Returns when what was noted is on disk.
    ///
    /// # Errors
    /// What the disk says.
    pub fn sync(&mut self) -> io::Result<()> {
        self.file.sync()
    }
}

/// How a primary's mark moves.
pub enum Marking {
    /// With the stream: the frames before the last one were synced by the journal.
    WithStream(MarkFile),
    /// After a sync of its own, in `majority`: a power cut may take any frame of a log that the journal never synced.
    AfterSync(Settling),
}

impl Marking {
    /// The mark of this shard's log, where frames are `durable` in this sense.
    ///
    /// # Errors
    /// When there is no log, and what the disk says.
    pub fn open(disk: &dyn Disk, folder: &Path, shard: ShardOf, whose: Whose, durable: Durable) -> io::Result<Marking> {
        let mark = MarkFile::open(disk, folder, shard, whose)?;
        if durable != Durable::Majority {
            return Ok(Marking::WithStream(mark));
        }
        let log = disk.open(&folder.join(shard.file_name()))?.ok_or(io::ErrorKind::NotFound)?;
        Ok(Marking::AfterSync(Settling { log, mark }))
    }
}

/// A log, and the mark that waits for its disk.
pub struct Settling {
    log: Box<dyn LogFile>,
    mark: MarkFile,
}

impl Settling {
    /// Syncs the log, and then notes that the stream has it up to here. The last frame may not be written yet: it is read again
    /// before the mark is believed.
    ///
    /// # Errors
    /// What the disk says. No later sync can be trusted then: the system may have forgotten what it could not write.
    pub fn settle(&mut self, mark: &Mark) -> io::Result<()> {
        self.log.sync()?;
        self.mark.set(mark);
        Ok(())
    }
}

fn path(folder: &Path, shard: ShardOf) -> std::path::PathBuf {
    folder.join(shard.file_name()).with_extension("stream")
}

#[cfg(test)]
mod tests {
    use market::RealDisk;

    use super::*;

    #[test]
    fn a_mark_reads_back_and_a_damaged_one_counts_as_absent() {
        let folder = tempfile::tempdir().expect("a folder");
        let (folder, shard, log) = (folder.path(), ShardOf::ONLY, Whose::of(LogId(5), "one"));
        let next = Stamp { sequence: Sequence(9), time: UnixMs(10) };
        let place = Place { segment: Sequence::FIRST, last: (48, 120), crc: 77, next };
        let mark = Mark { place: 3, epoch: 1, log: place };
        assert_eq!(read(&RealDisk, folder, shard, log), None);
        MarkFile::open(&RealDisk, folder, shard, log).expect("a file").set(&mark);
        assert_eq!(read(&RealDisk, folder, shard, log), Some(mark));
        for other in [Whose::of(LogId(6), "one"), Whose::of(LogId(5), "two")] {
            assert_eq!(read(&RealDisk, folder, shard, other), None, "another's");
        }
        let whole = mark.encode(log);
        for bit in 0..8 * BYTES {
            let mut changed = whole;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Mark::decode(&changed, log), None, "bit {bit}");
        }
    }
}
