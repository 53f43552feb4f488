//! The ledger: the output. Every movement of money or shares, in order.
//!
//! It is derived from the log, rebuilt by replay and never synced. Here every entry is a separate
//! system call.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use market::draft::Draft;
use market::{EngineError, Event};

/// The ledger's name in a data directory.
pub const FILE_NAME: &str = "ledger.bin";

/// A ledger being written.
pub struct Ledger {
    file: File,
    draft: Draft,
}

impl Ledger {
    /// Begins a ledger in `data_dir`, beside an existing one.
    ///
    /// # Errors
    /// When the disk does not allow it.
    pub fn create(data_dir: &Path) -> Result<Ledger, EngineError> {
        let path = data_dir.join(FILE_NAME);
        let io = |source| EngineError::Io { what: "create the ledger", path: path.clone(), source };
        fs::create_dir_all(data_dir).map_err(io)?;
        let (draft, file) = Draft::create(&path).map_err(io)?;
        Ok(Ledger { file, draft })
    }

    /// Replaces the existing ledger. That one stays until the whole log is trusted.
    ///
    /// # Errors
    /// When the disk does not allow it.
    pub fn take_place(&mut self) -> Result<(), EngineError> {
        self.draft.finish().map_err(|source| self.error(source))
    }

    /// Writes the events that moved money or shares, one entry each.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn write(&mut self, events: &[Event]) -> Result<(), EngineError> {
        for event in events.iter().filter(|event| event.moves_value()) {
            self.file.write_all(&event.encode()).map_err(|source| self.error(source))?;
        }
        Ok(())
    }

    fn error(&self, source: std::io::Error) -> EngineError {
        EngineError::Io { what: "write the ledger", path: self.draft.path().to_path_buf(), source }
    }
}
