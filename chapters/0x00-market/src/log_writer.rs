//! Appending to a log: frames are sealed, written, and then made durable.

use std::io;
use std::path::{Path, PathBuf};

use crate::log::{HEADER_BYTES, LogHeader, RECORD_BYTES, ShardOf, seal_frame};
use crate::log_next::NextSegment;
use crate::watermark::{Mark, Watermark};
use crate::{Clock, LogError, LogFile, LogId, Options, Sequence, Stamp, UnixMs};

/// A log that is ready for appending. It must not be used after an error.
pub struct LogWriter {
    file: Box<dyn LogFile>,
    path: PathBuf,
    id: LogId,
    /// The first command of the current segment.
    segment: Sequence,
    /// Where the last whole frame ends and the next will begin, in bytes from the start.
    end: u64,
    next: Sequence,
    /// The time of the last frame.
    time: UnixMs,
    clock: Clock,
    watermark: Watermark,
}

impl LogWriter {
    /// Continues the log in `file`, at `path`: its last frame ends at byte `end`, and all of it is on disk. `next` is
    /// the number of the next command and the time of the last frame.
    ///
    /// # Errors
    /// When the watermark can't be created.
    pub fn new(
        options: &Options,
        path: PathBuf,
        file: Box<dyn LogFile>,
        id: LogId,
        end: u64,
        next: Stamp,
    ) -> Result<LogWriter, LogError> {
        let watermark = Watermark::open(&*options.disk, &path, id);
        let io = |source| LogError::Io { what: "create the watermark of", path: path.clone(), source };
        let (watermark, clock) = (watermark.map_err(io)?, options.clock.clone());
        let name = path.file_name().and_then(|name| name.to_str());
        let segment = name.and_then(ShardOf::of_segment_name).map_or(Sequence::FIRST, |(_, first)| first);
        let Stamp { sequence: next, time } = next;
        let mut log = LogWriter { file, path, id, segment, end, next, time, clock, watermark };
        log.note();
        Ok(log)
    }

    // ANCHOR: append
    /// Seals a frame and writes it after the last one. `frame` has space for the header, and then its commands.
    /// Returns the number of its first command, and the frame's time. The frame is not durable yet.
    ///
    /// # Errors
    /// Errors of the disk.
    ///
    /// # Panics
    /// As [`seal_frame`].
    pub fn append(&mut self, frame: &mut [u8]) -> Result<Stamp, LogError> {
        // A clock may be set back. The log's times stay in order.
        self.time = self.time.max(self.clock.now());
        let first = Stamp { sequence: self.next, time: self.time };
        seal_frame(frame, self.id, first);
        self.file.write_all_at(self.end, frame).map_err(|source| self.error("write", source))?;
        self.end += frame.len() as u64;
        self.next = first.sequence.plus(commands_in(frame));
        Ok(first)
    }

    /// Returns when everything appended is on disk, and notes how far that is.
    ///
    /// # Errors
    /// Errors of the disk. A second sync may succeed without having written what the first one lost.
    pub fn sync(&mut self) -> Result<(), LogError> {
        self.file.sync().map_err(|source| self.error("sync", source))?;
        self.note();
        Ok(())
    }
    // ANCHOR_END: append

    /// Writes a frame that was sealed for this log elsewhere, byte for byte, behind the last one. The caller has read it with a
    /// [`LogReader`](crate::log_reader::LogReader) and knows that it is whole and follows; `behind` is what that says comes
    /// behind it. Nothing of it is durable yet.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn append_sealed(&mut self, frame: &[u8], behind: Stamp) -> Result<(), LogError> {
        debug_assert_eq!(behind.sequence, self.next.plus(commands_in(frame)), "the frame follows");
        self.file.write_all_at(self.end, frame).map_err(|source| self.error("write", source))?;
        self.end += frame.len() as u64;
        (self.next, self.time) = (behind.sequence, behind.time);
        Ok(())
    }

    /// Notes that everything so far is on disk. Of a log without commands there is nothing to note.
    fn note(&mut self) {
        if self.next > Sequence::FIRST {
            self.watermark.set(Mark { end: self.end, last: Sequence(self.next.0 - 1) });
        }
    }

    // ANCHOR: go_on_in
    /// Continues in another segment. The current one ends here; all of it is on disk before the new one has its name.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn go_on_in(&mut self, next: NextSegment) -> Result<(), LogError> {
        self.give_back()?;
        self.file.sync().map_err(|source| self.error("sync", source))?;
        let header = LogHeader { shard: next.shard(), id: self.id, first: self.next, last_time: self.time };
        let path = self.path.with_file_name(next.shard().segment_name(self.next));
        self.file = next.begin(&header, &path).map_err(|source| self.error("begin another segment of", source))?;
        (self.path, self.segment, self.end) = (path, self.next, HEADER_BYTES as u64);
        Ok(())
    }
    // ANCHOR_END: go_on_in

    /// How many commands are in the current segment.
    pub fn in_segment(&self) -> u64 {
        self.next.0 - self.segment.0
    }

    // ANCHOR: lay_out
    /// Reserves space for this many commands, zeroed and on disk. Beyond it the file grows with every
    /// frame.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn lay_out(&mut self, commands: usize) -> Result<(), LogError> {
        let bytes = commands as u64 * RECORD_BYTES as u64;
        // An eighth more for the frames' headers.
        self.write_zeros(bytes + bytes / 8).map_err(|source| self.error("lay out", source))
    }

    fn write_zeros(&mut self, bytes: u64) -> io::Result<()> {
        let zeros = vec![0; 1 << 20];
        let mut laid_out = self.file.length()?;
        while laid_out < self.end + bytes {
            let length = (zeros.len() as u64).min(self.end + bytes - laid_out) as usize;
            self.file.write_all_at(laid_out, &zeros[..length])?;
            laid_out += length as u64;
        }
        if bytes > 0 { self.file.sync() } else { Ok(()) }
    }
    // ANCHOR_END: lay_out

    /// Returns the space that no frame used.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn give_back(&mut self) -> Result<(), LogError> {
        self.file.set_length(self.end).map_err(|source| self.error("end", source))
    }

    /// The sequence of the next command.
    pub fn next(&self) -> Sequence {
        self.next
    }

    /// Where the last frame ends, in bytes from the start of the file.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The path of the log.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn error(&self, what: &'static str, source: io::Error) -> LogError {
        LogError::Io { what, path: self.path.clone(), source }
    }
}

fn commands_in(frame: &[u8]) -> u64 {
    (frame.len() / RECORD_BYTES - 1) as u64
}
