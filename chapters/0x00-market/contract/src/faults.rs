//! The faults that the simulated disk can be given, and what it counts.
//!
//! Each line here is a fault of a kernel or a disk that has cost real data.

use std::time::Duration;

/// The faults to simulate. By default there are none. Operations are counted from 1.
#[derive(Clone, Default, Debug)]
pub struct Faults {
    /// The power fails during this operation (a write, sync, cut, creation, removal or sync of names): any
    /// part of it may have happened, and nothing works after it.
    pub power_fails_at: Option<u64>,
    /// This sync reports an I/O error; some of what it should have written is on disk and some may
    /// be lost for good.
    pub sync_fails_at: Option<u64>,
    /// This sync of names (each creation and each removal has one) reports an I/O error. The change of names
    /// is visible, but a crash may undo it.
    pub names_sync_fails_at: Option<u64>,
    /// This write reports an I/O error.
    pub write_fails_at: Option<u64>,
    /// This read of a log reports an I/O error.
    pub read_fails_at: Option<u64>,
    /// Now and then a write takes only part of its bytes, and says so.
    pub short_writes: bool,
    /// No file grows beyond this many bytes: the disk is full.
    pub capacity: Option<u64>,
    /// How long a sync and a cut take.
    pub sync_delay: Duration,
}

/// How often each operation was done since the faults were set.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Writes, syncs, cuts, creations, removals and syncs of names.
    pub operations: u64,
    /// Writes.
    pub writes: u64,
    /// Reads of logs; they do not count as operations.
    pub reads: u64,
    /// Syncs.
    pub syncs: u64,
    /// Syncs of names.
    pub name_syncs: u64,
    /// How many of the operations reported an error.
    pub failures: u64,
    /// How many came after the first that reported an error.
    pub after_failure: u64,
    /// How many watermarks covered bytes that were not synced.
    pub marks_ahead: u64,
}
