//! The follower of one shard's log: it replays what is on disk, and writes what that led to as rows.
//!
//! It reads behind the engine as the shadow of 0x08 does, and never past the watermark: what is not durable may still be
//! lost. Its place in the log is in the same batch as the rows that it led to, so that a crash leaves neither a row without
//! its place nor a place without its rows. Cost: the shard's state a second time in memory, and the work of matching a second
//! time on some core.

use std::sync::Arc;

use ch08::shadow::Shadow;
use keeping::fit;
use market::log::ShardOf;
use market::log_chain::segments;
use market::snapshot_file::SnapshotError;
use market::{Options, Sequence, snapshot};

use crate::changes::Changes;
use crate::derived::Derived;
use crate::error::HistoryError;
use crate::key;
use crate::missing::Missing;
use crate::past;
use crate::store::{Followed, Store};

/// How many commands are followed in one step, and lead to changes that happen together.
const STEP_COMMANDS: u64 = 1 << 13;

/// The same where the follower is further behind than this: what is written at once need not be sorted by the store.
const FAR_STEP_COMMANDS: u64 = 1 << 16;

/// The follower of one shard's log.
pub struct Follower {
    store: Arc<Store>,
    shard: ShardOf,
    shadow: Shadow,
    derived: Derived,
    at: Followed,
    behind: u64,
}

impl Follower {
    /// Continues where the rows end.
    ///
    /// # Errors
    /// When the log can't be followed, the store can't be read, or the rows are of another past than the log.
    pub fn begin(options: &Options, store: &Arc<Store>, shard: ShardOf) -> Result<Follower, HistoryError> {
        let options = Options { companions: None, ..options.clone() };
        let mut at = store.followed(shard.shard)?;
        let shadow = match Shadow::begin_before(&options, shard, at.next) {
            Ok(shadow) => {
                past::check(&options, store, shard, &at)?;
                shadow
            }
            Err(error) => {
                let (shadow, missing) = after_trimming(&options, shard, &at)?.ok_or(error)?;
                at = Followed { next: shadow.next(), time: missing.to, ..at };
                name_missing(store, shard, &at, &missing)?;
                shadow
            }
        };
        Ok(Follower {
            derived: Derived::new(store, shard.shard, &at)?,
            store: Arc::clone(store),
            shard,
            shadow,
            at,
            behind: 0,
        })
    }

    /// Replays some commands and writes their rows, with the place that they reach. Commands that have their rows
    /// already are only replayed. Returns whether there was something to do.
    ///
    /// # Errors
    /// When the log can't be read, or the store can't be written. This follower can't be used after that: a new one
    /// begins where the rows end.
    pub fn step(&mut self) -> Result<bool, HistoryError> {
        todo!("step 6: step")
    }

    /// How far it has come.
    pub fn at(&self) -> Followed {
        self.at
    }

    /// How many commands are on disk and not in the rows.
    pub fn behind(&self) -> u64 {
        self.behind
    }

    /// Which shard's.
    pub fn shard(&self) -> ShardOf {
        self.shard
    }

    /// Where the rows are.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }
}

/// A shadow that begins after a gap, and the gap.
type Gap = (Shadow, Missing);

/// After trimming: a shadow that begins with the oldest snapshot that can be used, and the commands that are
/// missing before it. None if the log has its beginning, or that snapshot is not after `at`: then something else
/// is wrong.
fn after_trimming(options: &Options, shard: ShardOf, at: &Followed) -> Result<Option<Gap>, HistoryError> {
    let (disk, folder) = (&*options.disk, &options.data_dir);
    let segments = segments(disk, folder, shard).map_err(HistoryError::io("look for the log", folder))?;
    if segments.first().is_none_or(|segment| segment.first == Sequence::FIRST) {
        return Ok(None);
    }
    let snapshots = snapshot::list(disk, folder, shard).map_err(HistoryError::io("look for snapshots", folder))?;
    for (next, path) in snapshots.iter().rev() {
        let header = match fit::check(disk, shard, &segments, path) {
            Ok(header) => header,
            Err(SnapshotError::Unusable { .. }) => continue,
            // Perhaps it can be used, so it is not known that anything is missing.
            Err(SnapshotError::Io { path, source }) => return Err(HistoryError::io("read", &path)(source)),
        };
        if *next <= at.next {
            break;
        }
        let shadow = Shadow::begin_before(options, shard, *next)?;
        let to = header.place.next.time;
        let missing = Missing { first: at.next, last: Sequence(shadow.next().0 - 1), from: at.time, to };
        return Ok(Some((shadow, missing)));
    }
    Ok(None)
}

/// Writes down which rows can't be had, with the place after them.
fn name_missing(store: &Store, shard: ShardOf, at: &Followed, missing: &Missing) -> Result<(), HistoryError> {
    let mut changes = Changes::default();
    changes.put(&key::missing(shard.shard, missing.first), missing);
    changes.put(&key::follower(shard.shard), at);
    store.commit(changes)
}
