//! The write-ahead log: the input and the truth.
//!
//! Each command is a frame of its own, and each frame is synced before its command is applied.
//! After a crash the state is whatever the log replays to.

use std::path::{Path, PathBuf};

use market::log::{FILE_NAME, RECORD_BYTES, ShardOf, encode_command, seal_frame};
use market::log_reader::open_log;
use market::{Command, EngineError, LogError, LogFile, Options, Recovery, Sequence};

/// An open log, ready to be appended to.
pub struct Log {
    file: Box<dyn LogFile>,
    path: PathBuf,
    /// Where the next frame goes, in bytes from the start.
    end: u64,
    next: Sequence,
}

impl Log {
    /// Opens or makes the log of a data directory and hands every command in it to `replay`.
    ///
    /// # Errors
    /// When the log can't be trusted or read, or `replay` fails.
    pub fn open(
        options: &Options,
        mut replay: impl FnMut(Command) -> Result<(), EngineError>,
    ) -> Result<(Log, Recovery), EngineError> {
        let path = options.data_dir.join(FILE_NAME);
        let opened = open_log(&*options.disk, &path, ShardOf::ONLY, |_, command| replay(command))?;
        Ok((Log { file: opened.file, path, end: opened.end, next: opened.next }, opened.recovery))
    }

    // ANCHOR: append
    /// Writes one command as a frame of its own. It is not durable yet.
    ///
    /// # Errors
    /// When the disk does not take it; the log must not be used after that.
    pub fn append(&mut self, command: &Command) -> Result<Sequence, LogError> {
        let sequence = self.next;
        let mut frame = vec![0; RECORD_BYTES];
        frame.extend(encode_command(command));
        seal_frame(&mut frame, sequence);
        self.file.write_all_at(self.end, &frame).map_err(|source| self.error("write", source))?;
        self.end += frame.len() as u64;
        self.next = sequence.plus(1);
        Ok(sequence)
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

    /// Where the log is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn error(&self, what: &'static str, source: std::io::Error) -> LogError {
        LogError::Io { what, path: self.path.clone(), source }
    }
}
