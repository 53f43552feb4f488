//! The write-ahead log: the input and the truth.
//!
//! Each batch of commands is a frame, and each frame is synced before its commands are applied.
//! After a crash the state is whatever replaying the log gives.
//!
//! The file is filled with zeros before the first command: a sync that only overwrites has less to
//! do than one that also makes the file longer.

use std::path::Path;

use market::log::{RECORD_BYTES, ShardOf, encode_commands};
use market::{Command, EngineError, JudgedLog, LogError, LogWriter, Options, Recovery, Sequence, Stamp};

use crate::segments::Segments;
use crate::start::Origin;

/// An open log, ready for appending.
pub struct Log {
    file: LogWriter,
    /// The current frame; kept, so that it is allocated once.
    frame: Vec<u8>,
    segments: Segments,
}

impl Log {
    /// Prepares the log of a shard, which was judged from `origin` on, for appending, and lays it out.
    ///
    /// # Errors
    /// When the disk can't be read or written.
    pub fn open(
        options: &Options,
        shard: ShardOf,
        origin: &Origin,
        judged: JudgedLog,
    ) -> Result<(Log, Recovery), EngineError> {
        let mut recovery = judged.recovery();
        origin.tell(&mut recovery);
        let segments = Segments::new(options, shard);
        let mut log = Log { file: judged.open()?, frame: Vec::new(), segments };
        log.file.lay_out(options.reserve_commands.min(log.segments.commands()))?;
        Ok((log, recovery))
    }

    // ANCHOR: append
    /// Writes a batch as one frame, and returns the number of its first command. It is not durable yet.
    ///
    /// # Errors
    /// Errors of the disk; after one, the log must not be used.
    pub fn append(&mut self, batch: &[Command]) -> Result<Stamp, LogError> {
        self.frame.clear();
        self.frame.extend([0; RECORD_BYTES]);
        encode_commands(batch, &mut self.frame);
        self.segments.go_on(&mut self.file)?;
        self.file.append(&mut self.frame)
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

    /// Ends the log: returns the space that no frame used.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn close(mut self) -> Result<(), LogError> {
        self.segments.end(&self.file)?;
        self.file.give_back()
    }

    /// The path of the log.
    pub fn path(&self) -> &Path {
        self.file.path()
    }
}
