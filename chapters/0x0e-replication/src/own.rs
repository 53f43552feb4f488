//! A machine's own log of one shard, while no engine has it: it is compared with the stream, and completed from it.
//!
//! Frames are compared byte for byte. Where the log here differs, the stream is right: no stream has confirmed what follows
//! here. It is cut off, but kept in a file beside the log, and never merged.

use std::io;
use std::path::{Path, PathBuf};

use history::past;
use market::log::ShardOf;
use market::log_reader::{LogReader, Place};
use market::snapshot;
use market::watermark;
use market::{Disk, EngineError, LogError, LogFile, LogId, LogWriter, Options, Sequence, Stamp, read_log_from};
use program::tell;

use crate::chain::Chain;
use crate::cut::{Cut, keep, read_exact};
use crate::error::ReplicaError;
use crate::mark::{self, Mark, MarkFile, Whose};

/// A shard's own log.
pub struct OwnLog {
    options: Options,
    shard: ShardOf,
    path: PathBuf,
    file: Box<dyn LogFile>,
    /// How far it was compared with the stream, or written.
    place: Place,
    mark: MarkFile,
    /// Frames were written again where they stood, and are not synced yet.
    is_rewritten: bool,
    /// There is one once the log's end was reached and a frame came after it.
    writer: Option<LogWriter>,
}

/// A frame as it is in the log, and the place after it.
pub struct OwnFrame {
    /// The frame.
    pub bytes: Vec<u8>,
    /// The place after it.
    pub behind: Place,
}

impl OwnLog {
    /// Opens the log of a shard, and says how far it is known to be in the stream of this name.
    ///
    /// # Errors
    /// When there is no log, or the disk can't be read or written.
    pub fn open(options: &Options, shard: ShardOf, stream: &str) -> Result<(OwnLog, Chain), ReplicaError> {
        let path = options.data_dir.join(shard.file_name());
        let mut file = open(&*options.disk, &path)?;
        let header = LogReader::new(&mut *file, &path)?.header;
        if header.id == LogId::NONE {
            let reason =
                "the log is of version 1: start this program once without --replicas, which rewrites it".into();
            return Err(EngineError::Unsound { path, reason }.into());
        }
        let whose = Whose::of(header.id, stream);
        let marked = mark::read(&*options.disk, &options.data_dir, shard, whose);
        // A log that lost its end with the power is read from the beginning, beside the stream.
        let marked = marked.filter(|mark| LogReader::resume(&mut *file, &path, &mark.log).is_ok());
        let mark = MarkFile::open(&*options.disk, &options.data_dir, shard, whose).map_err(io("mark", &path))?;
        let (place, chain) = match marked {
            Some(Mark { place, epoch, log }) => (log, Chain { header, place, epoch, next: log.next }),
            None => (Place::behind(&header), Chain::new(header)),
        };
        let mut own =
            OwnLog { options: options.clone(), shard, path, file, place, mark, is_rewritten: false, writer: None };
        // A mark that moves with the stream may be ahead of the disk by one frame.
        let (start, end) = place.last;
        let mut last = vec![0; end.saturating_sub(start) as usize];
        read_exact(&mut *own.file, start, &mut last).map_err(io("read", &own.path))?;
        own.write_again(start, &last)?;
        Ok((own, chain))
    }

    /// The place after the last frame that was compared, or written.
    pub fn place(&self) -> Place {
        self.place
    }

    /// The frame after that place; none at the log's end.
    ///
    /// # Errors
    /// When it can't be read or trusted.
    pub fn next_frame(&mut self) -> Result<Option<OwnFrame>, ReplicaError> {
        if self.writer.is_some() {
            return Ok(None);
        }
        let mut reader = LogReader::resume(&mut *self.file, &self.path, &self.place)?;
        if !reader.advance()? {
            return Ok(None);
        }
        let behind = reader.log_place();
        let (start, end) = behind.last;
        let mut bytes = vec![0; (end - start) as usize];
        read_exact(&mut *self.file, start, &mut bytes).map_err(io("read", &self.path))?;
        Ok(Some(OwnFrame { bytes, behind }))
    }

    // ANCHOR: take
    /// Takes the next frame of the stream, after which comes `next`. If the log here has it, moves on; otherwise writes
    /// it. If the log here has something else, that is cut off, kept, and returned.
    ///
    /// # Errors
    /// When the disk can't be read or written.
    pub fn take(&mut self, frame: &[u8], next: Stamp, epoch: u64) -> Result<Option<Cut>, ReplicaError> {
        let mut cut = None;
        match self.next_frame()? {
            Some(own) if own.bytes == frame => {
                self.write_again(own.behind.last.0, frame)?;
                self.place = own.behind;
                return Ok(None);
            }
            Some(_) => cut = self.cut(epoch)?,
            None => {}
        }
        let start = self.place.last.1;
        self.writer()?.append_sealed(frame, next)?;
        let crc = frame.get(4..).and_then(|crc| crc.first_chunk()).map_or(0, |crc| u32::from_le_bytes(*crc));
        self.place = Place { last: (start, start + frame.len() as u64), crc, next, ..self.place };
        Ok(cut)
    }
    // ANCHOR_END: take

    /// Writes a frame where it stands already. It may be in the system's memory alone: after a failed sync the system forgets
    /// what it could not write, and the next sync succeeds without it.
    fn write_again(&mut self, at: u64, frame: &[u8]) -> Result<(), ReplicaError> {
        self.file.write_all_at(at, frame).map_err(io("write", &self.path))?;
        self.is_rewritten = true;
        Ok(())
    }

    /// Skips a frame of this log.
    pub fn pass(&mut self, own: &OwnFrame) {
        self.place = own.behind;
    }

    /// Goes back to an earlier place.
    pub fn back(&mut self, place: Place) {
        self.place = place;
    }

    /// The last command up to the place.
    pub fn last(&self) -> Sequence {
        Sequence(self.place.next.sequence.0 - 1)
    }

    /// The folder that it is in.
    pub fn folder(&self) -> &Path {
        &self.options.data_dir
    }

    /// Returns when everything that was written is on disk, and notes how far the stream was read.
    ///
    /// # Errors
    /// When the disk can't be read or written.
    pub fn sync(&mut self, chain: &Chain) -> Result<(), ReplicaError> {
        if self.is_rewritten {
            self.file.sync().map_err(io("sync", &self.path))?;
            self.is_rewritten = false;
        }
        if let Some(writer) = &mut self.writer {
            writer.sync()?;
        }
        self.mark.set(&Mark { place: chain.place, epoch: chain.epoch, log: self.place });
        Ok(())
    }

    /// Cuts off what comes after the place, and keeps it beside the log. None if there is nothing.
    ///
    /// # Errors
    /// When the disk can't be read or written.
    pub fn cut(&mut self, epoch: u64) -> Result<Option<Cut>, ReplicaError> {
        let (at, next, disk) = (self.place.last.1, self.place.next.sequence, &*self.options.disk);
        let mut commands = 0;
        let mut place = self.place;
        while let Some(behind) = next_place(&mut *self.file, &self.path, &place)? {
            (commands, place) = (behind.next.sequence.0 - next.0, behind);
        }
        if commands == 0 {
            return Ok(None);
        }
        let kept = self.path.with_extension(format!("cut-from-{next}-in-epoch-{epoch}"));
        let path = &self.path;
        keep(disk, &mut *self.file, at, place.last.1, &kept).map_err(io("keep the end of", path))?;
        self.remove_snapshots_beyond(next)?;
        // What is derived from the log would go on showing what was cut off.
        if past::forget(&self.options, self.shard.shard, next).map_err(EngineError::from)? {
            tell(format_args!(
                "the history's rows knew commands that are cut off: they are made again from what stays"
            ));
        }
        // First the watermark: without that, the shorter log would look like a loss.
        self.set_watermark()?;
        self.file.set_length(at).and_then(|()| self.file.sync()).map_err(io("cut", &self.path))?;
        Ok(Some(Cut { first: next, commands, kept }))
    }

    /// Removes the snapshots of what this log does not have.
    fn remove_snapshots_beyond(&self, next: Sequence) -> Result<(), ReplicaError> {
        let (disk, path) = (&*self.options.disk, &self.path);
        for (of, snapshot) in snapshot::list(disk, &self.options.data_dir, self.shard).map_err(io("look at", path))? {
            if of > next {
                disk.remove(&snapshot).map_err(io("remove a snapshot beyond the end of", path))?;
            }
        }
        Ok(())
    }

    /// Makes the watermark say that the log ends here, because the stream has what follows, or because it never had it.
    fn set_watermark(&self) -> Result<(), ReplicaError> {
        let last = Sequence(self.place.next.sequence.0.saturating_sub(1));
        let header = identity_of(&*self.options.disk, &self.path)?;
        let mark = watermark::Mark { end: self.place.last.1, last };
        let set = match last {
            Sequence(0) => watermark::remove(&*self.options.disk, &self.path),
            _ => watermark::write(&*self.options.disk, &self.path, header, mark),
        };
        Ok(set.map_err(io("note the end of", &self.path))?)
    }

    fn writer(&mut self) -> Result<&mut LogWriter, ReplicaError> {
        if self.writer.is_none() {
            let known = watermark::read(&*self.options.disk, &self.path, identity_of(&*self.options.disk, &self.path)?);
            if known.is_some_and(|known| known.last >= self.place.next.sequence) {
                // The log lacks commands that were on disk. The stream has them, and they are written next.
                self.set_watermark()?;
            }
            // In `majority` a snapshot may reach the disk before the log that it was made of.
            self.remove_snapshots_beyond(self.place.next.sequence)?;
            let judged = read_log_from::<LogError>(&self.options, self.shard, Some(&self.place), |_, _| Ok(()))?;
            self.writer = Some(judged.open()?);
        }
        Ok(self.writer.as_mut().unwrap_or_else(|| unreachable!("it was just opened")))
    }
}

/// The log at a path.
///
/// # Errors
/// When there is none, or it can't be opened.
pub fn open(disk: &dyn Disk, path: &Path) -> Result<Box<dyn LogFile>, ReplicaError> {
    let file = disk.open(path).map_err(io("open", path))?;
    Ok(file.ok_or_else(|| LogError::Missing { path: path.to_path_buf() })?)
}

/// The identity of the log at a path.
///
/// # Errors
/// As [`open`], and when its header can't be read.
pub fn identity_of(disk: &dyn Disk, path: &Path) -> Result<LogId, ReplicaError> {
    Ok(LogReader::new(&mut *open(disk, path)?, path)?.header.id)
}

fn next_place(file: &mut dyn LogFile, path: &Path, place: &Place) -> Result<Option<Place>, LogError> {
    let mut reader = LogReader::resume(file, path, place)?;
    Ok(reader.advance()?.then(|| reader.log_place()))
}

fn io(what: &'static str, path: &Path) -> impl Fn(io::Error) -> LogError {
    let path = path.to_path_buf();
    move |source| LogError::Io { what, path: path.clone(), source }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use history::following::{Progress, follow};
    use history::store::Store;
    use market::log::{LogHeader, RECORD_BYTES, encode_log};
    use market::snapshot::SnapshotHeader;
    use market::snapshot_file::SnapshotWriter;
    use market::{Command, MarketId, UnixMs};

    use super::*;

    /// In `majority` a snapshot may be on disk where the log that it was made of is not. The stream has that.
    #[test]
    fn a_snapshot_beyond_the_log_does_not_keep_the_stream_from_completing_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let (options, shard) = (Options::new(folder.path()), ShardOf::ONLY);
        let header = LogHeader::new(shard, LogId(7));
        let log = encode_log(&header, UnixMs(5), &[Command::Open { market: MarketId(1) }]);
        let path = folder.path().join(shard.file_name());
        std::fs::write(&path, &log).expect("a log");
        let place = next_place(&mut *open(&*options.disk, &path).expect("a log"), &path, &Place::behind(&header));
        let place = place.expect("it can be read").expect("a frame");
        let of =
            SnapshotHeader { shard, log: header.id, place, ledger_entries: 0, ledger_on_disk: 0, sections: vec![] };
        let snapshot = SnapshotWriter::create(&*options.disk, folder.path(), of).expect("a snapshot");
        snapshot.finish().expect("it is on disk");
        std::fs::write(&path, header.encode()).expect("the power fails");

        let (mut own, chain) = OwnLog::open(&options, shard, "cents-0").expect("the log");
        let frame = &log[log.len() - 2 * RECORD_BYTES..];
        assert_eq!(own.take(frame, place.next, 1).expect("it is written"), None);
        own.sync(&chain).expect("it is on disk");
        assert_eq!(std::fs::read(&path).expect("a log"), log);
    }

    #[test]
    fn rows_of_what_is_cut_off_are_made_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let (options, shard) = (Options::new(folder.path()), ShardOf::ONLY);
        let commands = [1, 2].map(|market| Command::Open { market: MarketId(market) });
        let log = encode_log(&LogHeader::new(shard, LogId(7)), UnixMs(5), &commands);
        let path = folder.path().join(shard.file_name());
        std::fs::write(&path, &log).expect("a log");
        let (header, end) = (identity_of(&*options.disk, &path).expect("a header"), log.len() as u64);
        let durable = watermark::Mark { end, last: Sequence(2) };
        watermark::write(&*options.disk, &path, header, durable).expect("all of it is durable");
        let next = || {
            let store = Arc::new(Store::open(&options, false).expect("rows"));
            let progress = Progress::new(&store, 1).expect("a look");
            follow(&options, &store, &progress, &|| progress.is_caught_up()).expect("they follow");
            store.followed(0).expect("a place").next
        };
        assert_eq!(next(), Sequence(3));
        let (mut own, _) = OwnLog::open(&options, shard, "cents-0").expect("the log");
        assert_eq!(own.cut(9).expect("it is cut").map(|cut| cut.commands), Some(2));
        assert_eq!(next(), Sequence::FIRST, "no row of what is gone");
    }
}
