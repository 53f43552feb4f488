//! A log of what happened, one line for each command, and each line is synced before the next.
//!
//! It is written on the thread that hands out all answers, so each answer waits for a second sync, and for those of the answers
//! before it.

use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, OnceLock, PoisonError};

use gateway::front::Front;
use gateway::layer::Layer;
use gateway::projection::Projection;
use market::{EngineError, Event, Options, Sequence, Stamp, Ticket};

/// The log, once the data directory is known.
#[derive(Default)]
pub struct Lines(OnceLock<Mutex<File>>);

impl Layer for Lines {
    fn opened(&self, options: &Options, _: &[Sequence]) -> Result<(), EngineError> {
        let path = options.data_dir.join("happened.txt");
        let file = File::options().create(true).append(true).open(&path);
        let file = file.map_err(|source| EngineError::Io { what: "open", path, source })?;
        self.0.get_or_init(|| Mutex::new(file));
        Ok(())
    }

    fn observe(&self, ticket: Ticket, _: Stamp, events: &[Event], _: &Projection) {
        let Some(file) = self.0.get() else { return };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        // A line that is lost is no reason to keep an answer back.
        let _ = writeln!(file, "{}: {} events", ticket.sequence.0, events.len()).and_then(|()| file.sync_data());
    }
}

impl Front for Lines {}
