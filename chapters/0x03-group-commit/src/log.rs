//! The write-ahead log: the input and the truth.
//!
//! Each batch of commands is a frame, and each frame is synced before its commands are applied.
//! After a crash the state is whatever replaying the log gives.

use std::path::Path;

use market::log::{RECORD_BYTES, ShardOf, encode_commands};
use market::{Command, EngineError, LogError, LogWriter, Options, Recovery, Sequence, Stamp, read_log};

/// An open log, ready for appending.
pub struct Log {
    file: LogWriter,
}

impl Log {
    /// Opens or creates the log of a data directory and passes every command in it to `replay`.
    ///
    /// # Errors
    /// When the log can't be trusted or read, or `replay` fails.
    pub fn open(
        options: &Options,
        replay: impl FnMut(Stamp, Command) -> Result<(), EngineError>,
    ) -> Result<(Log, Recovery), EngineError> {
        let judged = read_log(options, ShardOf::ONLY, replay)?;
        let recovery = judged.recovery();
        Ok((Log { file: judged.open()? }, recovery))
    }

    // ANCHOR: append
    /// Writes a batch as one frame, and returns the number of its first command. It is not durable yet.
    ///
    /// # Errors
    /// Errors of the disk; after one, the log must not be used.
    pub fn append(&mut self, batch: &[Command]) -> Result<Stamp, LogError> {
        let mut frame = vec![0; RECORD_BYTES];
        encode_commands(batch, &mut frame);
        self.file.append(&mut frame)
    }

    /// Returns when everything appended is on disk.
    ///
    /// # Errors
    /// Errors of the disk; after one, the log must not be used, because a second sync may succeed
    /// without having written what the first one lost.
    pub fn sync(&mut self) -> Result<(), LogError> {
        self.file.sync()
    }
    // ANCHOR_END: append

    /// The sequence of the next command.
    pub fn next(&self) -> Sequence {
        self.file.next()
    }

    /// The path of the log.
    pub fn path(&self) -> &Path {
        self.file.path()
    }
}
