//! The write-ahead log: the input and the truth.
//!
//! Each batch of commands is a frame, and each frame is synced before its commands are applied.
//! After a crash the state is whatever the log replays to.
//!
//! The file is laid out with zeros before the first command: a sync that only overwrites has less to
//! do than one that also makes the file longer.

use std::path::Path;

use market::log::{RECORD_BYTES, encode_commands};
use market::{Command, EngineError, JudgedLog, LogError, LogWriter, Options, Recovery, Sequence, Stamp};

/// An open log, ready to be appended to.
pub struct Log {
    file: LogWriter,
    /// The frame at hand; kept, so that it is allocated once.
    frame: Vec<u8>,
}

impl Log {
    /// Makes a log that was judged ready to be appended to, and lays it out.
    ///
    /// # Errors
    /// When the disk says no.
    pub fn open(options: &Options, judged: JudgedLog) -> Result<(Log, Recovery), EngineError> {
        let recovery = judged.recovery();
        let mut log = Log { file: judged.open()?, frame: Vec::new() };
        log.file.lay_out(options.reserve_commands)?;
        Ok((log, recovery))
    }

    // ANCHOR: append
    /// Writes a batch as one frame, and returns the number of its first command. It is not durable yet.
    ///
    /// # Errors
    /// When the disk does not take it; the log must not be used after that.
    pub fn append(&mut self, batch: &[Command]) -> Result<Stamp, LogError> {
        self.frame.clear();
        self.frame.extend([0; RECORD_BYTES]);
        encode_commands(batch, &mut self.frame);
        self.file.append(&mut self.frame)
    }

    /// Returns when everything appended is on disk.
    ///
    /// # Errors
    /// When the disk says no; the log must not be used after that, for a second sync may succeed
    /// without having written what the first one lost.
    pub fn sync(&mut self) -> Result<(), LogError> {
        self.file.sync()
    }
    // ANCHOR_END: append

    /// The sequence of the next command.
    pub fn next(&self) -> Sequence {
        self.file.next()
    }

    /// Ends the log: gives back the room that no frame used.
    ///
    /// # Errors
    /// When the disk says no.
    pub fn close(mut self) -> Result<(), LogError> {
        self.file.give_back()
    }

    /// Where the log is.
    pub fn path(&self) -> &Path {
        self.file.path()
    }
}
