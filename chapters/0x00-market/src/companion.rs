//! A companion: a small state machine that the shadow of 0x08 carries along, for a layer around an engine.
//!
//! The engine keeps balances and books. A layer around it may have to remember something else that follows from the
//! log, for example which request numbers were used. It gives the shadow a companion, which keeps these rules:
//!
//! 1. The shadow shows it every command with its events, in the order of the shard's log, and nothing else. What it
//!    holds depends only on that: no clock, no randomness, no configuration.
//! 2. The shadow saves it as one section of each snapshot, under the companion's own name.
//! 3. Saving and loading give back an equal state. After any start it holds what it held before.
//! 4. Loading adds to what the companion holds. Loading the sections of several shards merges them.
//! 5. A section that can't be read is an error. It is never read as an empty one.
//!
//! If a snapshot has no section of this name, the folder comes from a program without this companion. The shadow then
//! replays the whole log for it; if the log's beginning was trimmed, the companion starts with nothing at that
//! snapshot.

use std::io;
use std::sync::Arc;

use crate::shard::ShardOf;
use crate::{Command, Event, Stamp};

/// A state machine beside the markets, which follows from the log.
pub trait Companion: Send {
    /// The name of its section; no two companions of a program have the same.
    fn section(&self) -> [u8; 8];

    /// The command with this stamp led to these events.
    fn observe(&mut self, stamp: Stamp, command: &Command, events: &[Event]);

    /// Writes what it holds.
    ///
    /// # Errors
    /// Those of `section`.
    fn save(&self, section: &mut dyn io::Write) -> io::Result<()>;

    /// Adds what a section holds to what it holds already. It reads the section to its end.
    ///
    /// # Errors
    /// Those of `section`, and [`io::ErrorKind::InvalidData`] when the section is not one of this companion.
    fn load(&mut self, section: &mut dyn io::Read) -> io::Result<()>;
}

/// Makes the companions of a shard. They hold nothing yet.
pub type Companions = Arc<dyn Fn(ShardOf) -> Vec<Box<dyn Companion>> + Send + Sync>;
