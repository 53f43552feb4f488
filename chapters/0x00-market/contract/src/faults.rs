//! What the simulated disk can be told to do wrong, and what it counts.
//!
//! Each fault of a kernel or a disk that cost somebody's data has its line here.

use std::time::Duration;

/// What goes wrong. Nothing does by default. Operations are counted from 1.
#[derive(Clone, Default, Debug)]
pub struct Faults {
    /// The power goes during this operation (a write, sync, cut, creation, removal or
    /// sync of names): how much of it took
    /// place is open, and nothing works after it.
    pub power_fails_at: Option<u64>,
    /// This sync reports an I/O error; some of what it should have written is on disk and some may
    /// be lost for good.
    pub sync_fails_at: Option<u64>,
    /// This sync of names (a creation and a removal have one each) reports an I/O error; the names that were
    /// given or taken are seen, and a crash may undo that.
    pub names_sync_fails_at: Option<u64>,
    /// This write reports an I/O error.
    pub write_fails_at: Option<u64>,
    /// This read of a log reports an I/O error.
    pub read_fails_at: Option<u64>,
    /// Writes take only a part of what they are given and say so, now and then.
    pub short_writes: bool,
    /// No file grows beyond this many bytes: the disk is full.
    pub capacity: Option<u64>,
    /// How long a sync takes, and a cut.
    pub sync_delay: Duration,
}

/// How often what was done, since the faults were set.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Writes, syncs, cuts, creations, removals and syncs of names.
    pub operations: u64,
    /// Writes.
    pub writes: u64,
    /// Reads of logs; they are no operations.
    pub reads: u64,
    /// Syncs.
    pub syncs: u64,
    /// Syncs of names.
    pub name_syncs: u64,
    /// How many of the operations reported an error.
    pub failures: u64,
    /// How many came after the first that reported an error.
    pub after_failure: u64,
    /// How many watermarks spoke of bytes that were not synced.
    pub marks_ahead: u64,
}
