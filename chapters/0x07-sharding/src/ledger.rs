//! The ledger: the output. Every movement of money or shares, in order.
//!
//! It is derived from the log, rebuilt by replay and never synced. Entries gather in a buffer, and a full buffer goes
//! to a thread that encodes and writes it: the matching thread never makes a system call for it. Empty buffers are
//! returned and filled again; when the disk is behind, the matching thread waits for one.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use core_affinity::CoreId;
use market::draft::Draft;
use market::log::ShardOf;
use market::{EngineError, Event};

/// The name of a shard's ledger in a data directory.
pub fn file_name(shard: ShardOf) -> String {
    match shard {
        ShardOf::ONLY => "ledger.bin".to_string(),
        ShardOf { shard, shards } => format!("ledger-{shard}-of-{shards}.bin"),
    }
}

/// Removes a shard's ledger from a data directory, if it is there. An engine makes it again from the log.
///
/// # Errors
/// When the disk does not allow it.
pub fn remove(data_dir: &Path, shard: ShardOf) -> Result<(), EngineError> {
    let path = data_dir.join(file_name(shard));
    if path.exists() {
        fs::remove_file(&path).map_err(|source| EngineError::Io { what: "remove the ledger", path, source })?;
    }
    Ok(())
}

/// How many entries gather before they are written: 256 KiB. A thread is woken for each buffer, and the system
/// allocates pages for the whole buffer at once.
const BUFFER_ENTRIES: usize = 256 * 1024 / Event::BYTES;

/// How many buffers circulate: one is filled while the others are written.
const BUFFERS: usize = 4;

/// A ledger being written.
pub struct Ledger {
    buffer: Vec<Event>,
    full: Option<SyncSender<Vec<Event>>>,
    empty: Receiver<Vec<Event>>,
    writer: Option<JoinHandle<std::io::Result<()>>>,
    draft: Draft,
}

impl Ledger {
    /// Begins a ledger in `data_dir`, beside an existing one. Its thread runs on this core, if one is given.
    ///
    /// # Errors
    /// When the disk does not allow it.
    pub fn create(data_dir: &Path, shard: ShardOf, core: Option<CoreId>) -> Result<Ledger, EngineError> {
        let path = data_dir.join(file_name(shard));
        let io = |source| EngineError::Io { what: "create the ledger", path: path.clone(), source };
        fs::create_dir_all(data_dir).map_err(io)?;
        let (draft, file) = Draft::create(&path).map_err(io)?;
        // Each channel has space for all buffers, so no send ever waits, and none allocates.
        let (full, to_write) = sync_channel(BUFFERS);
        let (written, empty) = sync_channel(BUFFERS);
        for _ in 1..BUFFERS {
            // The receiver exists here, so this can't fail.
            let _ = written.send(Vec::with_capacity(BUFFER_ENTRIES));
        }
        let writer = thread::Builder::new().name("ledger".into()).spawn(move || {
            core.map(core_affinity::set_for_current);
            write_all(file, &to_write, &written)
        });
        let buffer = Vec::with_capacity(BUFFER_ENTRIES);
        Ok(Ledger { buffer, full: Some(full), empty, writer: Some(writer.map_err(io)?), draft })
    }

    /// Replaces the existing ledger. That one stays until the whole log is trusted.
    ///
    /// # Errors
    /// When the disk does not allow it.
    pub fn take_place(&mut self) -> Result<(), EngineError> {
        self.draft.finish().map_err(|source| self.error(source))
    }

    // ANCHOR: write
    /// Writes the events that moved money or shares, one entry each.
    ///
    /// # Errors
    /// When an earlier buffer could not be written.
    pub fn write(&mut self, events: &[Event]) -> Result<(), EngineError> {
        for event in events.iter().filter(|event| event.moves_value()) {
            self.buffer.push(*event);
            if self.buffer.len() == BUFFER_ENTRIES {
                self.hand_over()?;
            }
        }
        Ok(())
    }

    /// Passes the buffer to the writing thread and continues with an empty one.
    fn hand_over(&mut self) -> Result<(), EngineError> {
        let Some(full) = &self.full else { return Err(self.failure()) };
        let (Ok(()), Ok(mut empty)) = (full.send(std::mem::take(&mut self.buffer)), self.empty.recv()) else {
            return Err(self.failure());
        };
        empty.clear();
        self.buffer = empty;
        Ok(())
    }
    // ANCHOR_END: write

    /// Passes on the gathered entries, ends the writing thread and waits for it.
    ///
    /// # Errors
    /// When something could not be written.
    pub fn close(mut self) -> Result<(), EngineError> {
        self.hand_over()?;
        self.full = None;
        match self.writer.take().map(JoinHandle::join) {
            Some(Ok(Ok(()))) => Ok(()),
            Some(Ok(Err(source))) => Err(self.error(source)),
            _ => Err(self.failure()),
        }
    }

    /// Why the writing thread is gone.
    fn failure(&mut self) -> EngineError {
        match self.writer.take().map(JoinHandle::join) {
            Some(Ok(Err(source))) => self.error(source),
            _ => EngineError::ThreadStopped { role: "ledger", reason: "it ended early".into() },
        }
    }

    fn error(&self, source: std::io::Error) -> EngineError {
        EngineError::Io { what: "write the ledger", path: self.draft.path().to_path_buf(), source }
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        // The thread must have stopped writing before another engine opens the same ledger.
        self.full = None;
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

/// The writing thread: encodes and writes each buffer and sends it back.
fn write_all(mut file: File, to_write: &Receiver<Vec<Event>>, written: &SyncSender<Vec<Event>>) -> std::io::Result<()> {
    let mut bytes = Vec::with_capacity(BUFFER_ENTRIES * Event::BYTES);
    for buffer in to_write {
        bytes.clear();
        buffer.iter().for_each(|entry| bytes.extend_from_slice(&entry.encode()));
        file.write_all(&bytes)?;
        // While the ledger is being closed, returned buffers are not received.
        let _ = written.send(buffer);
    }
    Ok(())
}
