//! The write-ahead log: the input and the truth.
//!
//! Each batch of commands is a frame, and each frame is synced before its commands are applied.
//! After a crash the state is whatever the log replays to.
//!
//! The file is laid out with zeros before the first command: a sync that only overwrites has less to
//! do than one that also makes the file longer.

use std::path::{Path, PathBuf};

use market::log::{RECORD_BYTES, ShardOf, encode_command, seal_frame};
use market::log_reader::open_log;
use market::{Command, EngineError, LogError, LogFile, Options, Recovery, Sequence};

/// An open log, ready to be appended to.
pub struct Log {
    file: Box<dyn LogFile>,
    path: PathBuf,
    /// Where the next frame goes, in bytes from the start.
    end: u64,
    next: Sequence,
    /// The frame at hand; kept, so that it is allocated once.
    frame: Vec<u8>,
}

impl Log {
    /// Opens or makes the log of a shard and hands every command in it to `replay`.
    ///
    /// # Errors
    /// When the log can't be trusted or read, or `replay` fails.
    pub fn open(
        options: &Options,
        shard: ShardOf,
        mut replay: impl FnMut(Command) -> Result<(), EngineError>,
    ) -> Result<(Log, Recovery), EngineError> {
        let path = options.data_dir.join(shard.file_name());
        let opened = open_log(&*options.disk, &path, shard, |_, command| replay(command))?;
        let frame = Vec::with_capacity((1 + options.batch_max) * RECORD_BYTES);
        let mut log = Log { file: opened.file, path, end: opened.end, next: opened.next, frame };
        let bytes = (options.reserve_commands * RECORD_BYTES) as u64;
        // An eighth more for the frames' headers. Past that the file grows with every frame.
        log.reserve(bytes + bytes / 8).map_err(|source| log.error("lay out", source))?;
        Ok((log, opened.recovery))
    }

    // ANCHOR: reserve
    /// Makes room for `bytes` of frames, zeroed and on disk.
    fn reserve(&mut self, bytes: u64) -> std::io::Result<()> {
        let zeros = vec![0; 1 << 20];
        let mut laid_out = self.file.length()?;
        while laid_out < self.end + bytes {
            let length = zeros.len().min((self.end + bytes - laid_out) as usize);
            self.file.write_all_at(laid_out, &zeros[..length])?;
            laid_out += length as u64;
        }
        if bytes > 0 {
            self.file.sync()?;
        }
        Ok(())
    }
    // ANCHOR_END: reserve

    // ANCHOR: append
    /// Writes a batch as one frame, and returns the sequence of its first command. It is not durable yet.
    ///
    /// # Errors
    /// When the disk does not take it; the log must not be used after that.
    pub fn append(&mut self, batch: &[Command]) -> Result<Sequence, LogError> {
        let first = self.next;
        self.frame.clear();
        self.frame.extend([0; RECORD_BYTES]);
        for command in batch {
            self.frame.extend(encode_command(command));
        }
        seal_frame(&mut self.frame, first);
        self.file.write_all_at(self.end, &self.frame).map_err(|source| self.error("write", source))?;
        self.end += self.frame.len() as u64;
        self.next = first.plus(batch.len() as u64);
        Ok(first)
    }

    /// Returns when everything appended is on disk.
    ///
    /// # Errors
    /// When the disk says no; the log must not be used after that, for a second sync may succeed
    /// without having written what the first one lost.
    pub fn sync(&mut self) -> Result<(), LogError> {
        self.file.sync().map_err(|source| self.error("sync", source))
    }
    // ANCHOR_END: append

    /// The sequence of the next command.
    pub fn next(&self) -> Sequence {
        self.next
    }

    /// Ends the log: gives back the room that no frame used.
    ///
    /// # Errors
    /// When the disk says no.
    pub fn close(mut self) -> Result<(), LogError> {
        self.file.set_length(self.end).map_err(|source| self.error("end", source))
    }

    /// Where the log is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn error(&self, what: &'static str, source: std::io::Error) -> LogError {
        LogError::Io { what, path: self.path.clone(), source }
    }
}
