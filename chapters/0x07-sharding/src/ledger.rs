//! The ledger: the output. Every movement of money or shares, in order.
//!
//! It is derived from the log, rebuilt by replay and never synced. Entries gather in a buffer, for
//! a system call costs more than an entry.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use market::log::ShardOf;
use market::{EngineError, Event};

/// The name of a shard's ledger in a data directory.
pub fn file_name(shard: ShardOf) -> String {
    match shard {
        ShardOf::ONLY => "ledger.bin".to_string(),
        ShardOf { shard, shards } => format!("ledger-{shard}-of-{shards}.bin"),
    }
}

/// How many bytes gather before they are written: some 1,600 entries.
const BUFFER_BYTES: usize = 64 * 1024;

/// A ledger being written.
pub struct Ledger {
    file: BufWriter<File>,
    path: PathBuf,
}

impl Ledger {
    /// Makes an empty ledger in `data_dir`, and the folder if need be.
    ///
    /// # Errors
    /// When the disk does not allow it.
    pub fn create(data_dir: &Path, shard: ShardOf) -> Result<Ledger, EngineError> {
        let path = data_dir.join(file_name(shard));
        let io = |source| EngineError::Io { what: "create the ledger", path: path.clone(), source };
        fs::create_dir_all(data_dir).map_err(io)?;
        let file = File::create(&path).map_err(io)?;
        Ok(Ledger { file: BufWriter::with_capacity(BUFFER_BYTES, file), path })
    }

    /// Writes the events that moved money or shares, one entry each.
    ///
    /// # Errors
    /// When the disk does not take them.
    pub fn write(&mut self, events: &[Event]) -> Result<(), EngineError> {
        for event in events.iter().filter(|event| event.moves_value()) {
            let written = self.file.write_all(&event.encode());
            written.map_err(|source| EngineError::Io { what: "write the ledger", path: self.path.clone(), source })?;
        }
        Ok(())
    }

    /// Hands what has gathered to the operating system.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn flush(&mut self) -> Result<(), EngineError> {
        let flushed = self.file.flush();
        flushed.map_err(|source| EngineError::Io { what: "write the ledger", path: self.path.clone(), source })
    }
}
