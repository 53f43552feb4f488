//! What keeping needs from an engine: markets that a snapshot holds, and the shadow that replays a log for
//! them.

use std::path::Path;

use market::log::ShardOf;
use market::snapshot_file::{SnapshotError, SnapshotReader, SnapshotWriter};
use market::{Command, Disk, EngineError, Event, Options, Sequence};

// ANCHOR: exchange
/// All markets of a shard.
pub trait Exchange: Default {
    /// Applies a command and adds its events to `events`.
    fn apply(&mut self, command: &Command, events: &mut Vec<Event>);

    /// Writes the state of all markets into a snapshot.
    ///
    /// # Errors
    /// When the disk can't be written.
    fn save(&self, snapshot: &mut SnapshotWriter<'_>) -> Result<(), EngineError>;

    /// Reads the markets back from a snapshot, and skips the sections of companions.
    ///
    /// # Errors
    /// Why the snapshot is not used.
    fn load(snapshot: &mut SnapshotReader) -> Result<Self, SnapshotError>;

    /// Hands each market to the exchange of its shard.
    fn deal(self, shards: &mut [Self]);

    /// The digest of the state of all markets.
    fn digest(&self) -> u64;
}
// ANCHOR_END: exchange

/// The state of one shard at the command up to which its log was read.
pub trait Shadow: Sized {
    /// The markets that it replays the log for.
    type Exchange: Exchange;

    /// Begins with the newest snapshot of the shard that can be used, or with nothing.
    ///
    /// # Errors
    /// When there is no log to follow, or it can't be read.
    fn begin(options: &Options, shard: ShardOf) -> Result<Self, EngineError>;

    /// Replays the next commands that are on disk, as far as command `until` or a little further, and returns how
    /// many are left up to the watermark.
    ///
    /// # Errors
    /// When the log can't be read, or is not what it was.
    fn follow(&mut self, until: Sequence) -> Result<u64, EngineError>;

    /// Writes a snapshot of what was replayed, unless the last one holds the same, and returns its size in bytes.
    /// Then older ones are removed, except those that are [`kept`](crate::trim::Kept).
    ///
    /// # Errors
    /// When the disk can't be read or written.
    fn write(&mut self) -> Result<Option<u64>, EngineError>;

    /// The digest of the state of its markets.
    fn digest(&self) -> u64;

    /// The next command that it will replay.
    fn next(&self) -> Sequence;

    /// Which snapshots could not be used, and why.
    fn passed_over(&self) -> &[String];

    /// Rewrites logs that have their beginnings for another number of shards, and returns a report.
    ///
    /// # Errors
    /// When there is no log, when a log can't be trusted, or the disk can't be written.
    fn reshard(disk: &dyn Disk, data_dir: &Path, shards: u16) -> Result<String, EngineError>;
}
