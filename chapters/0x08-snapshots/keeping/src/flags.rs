//! The flags of a program that keeps its market.

use std::path::{Path, PathBuf};

use market::{Options, RealDisk};
use runner::{RUN_FLAGS, RunError};

use crate::backup::copy;
use crate::engine::Shadow;
use crate::once::snapshot;
use crate::reshard::reshard;
use crate::trim::refuse_archive_in_place;

/// What stays of the log while an engine runs, and what the program does instead of a run. A program that takes these
/// flags has a flag of its own in the group `snapshots`, which lets an engine make them.
#[derive(Clone, Debug, clap::Args)]
pub struct Flags {
    /// Rewrite --data-dir for another number of shards, and stop
    #[arg(long, value_name = "N", requires = "data_dir", conflicts_with_all = RUN_FLAGS, value_parser = clap::value_parser!(u16).range(1..=256))]
    reshard: Option<u16>,
    /// Which part of the log to keep: all of it, or what the kept snapshots need
    #[arg(long, value_name = "WHAT", default_value = "all", requires_if("since-snapshot", "snapshots"))]
    keep_log: KeepLog,
    /// Copy the segments that no kept snapshot needs into DIR, on any disk, before they are removed
    #[arg(long, value_name = "DIR", conflicts_with = "keep_log", requires = "snapshots")]
    archive: Option<PathBuf>,
    /// Write a snapshot of --data-dir and stop; an engine may run there meanwhile
    #[arg(long, requires = "data_dir", group = "snapshots", conflicts_with_all = RUN_FLAGS, conflicts_with = "reshard")]
    snapshot: bool,
    /// Copy --data-dir to DIR, check that the copy opens, and stop; an engine may run there meanwhile
    #[arg(long, value_name = "DIR", requires = "data_dir", conflicts_with_all = RUN_FLAGS, conflicts_with_all = OTHER_WORK)]
    backup: Option<PathBuf>,
    /// Copy the backup in DIR to a new --data-dir, check that the copy opens, and stop
    #[arg(long, value_name = "DIR", requires = "data_dir", conflicts_with_all = RUN_FLAGS, conflicts_with_all = OTHER_WORK, conflicts_with = "backup")]
    restore: Option<PathBuf>,
}

/// The flags that ask for other work than a copy does.
const OTHER_WORK: [&str; 2] = ["snapshots", "reshard"];

/// Which part of a log stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum KeepLog {
    /// Everything.
    All,
    /// The segments that one of the kept snapshots needs.
    SinceSnapshot,
}

impl Flags {
    /// Sets in the options what stays of the log.
    pub fn set(&self, options: &mut Options) {
        options.trim_log = self.archive.is_some() || self.keep_log == KeepLog::SinceSnapshot;
        options.archive = self.archive.clone();
    }

    /// Does the work that the flags ask for instead of a run, if any, and returns a report.
    ///
    /// # Errors
    /// Those of [`reshard`], [`copy`] and [`snapshot`], and also before a run when the archive is the data directory.
    pub fn instead_of_a_run<S: Shadow>(&self, data_dir: Option<&Path>) -> Result<Option<String>, RunError> {
        let Some(data_dir) = data_dir else { return Ok(None) };
        refuse_archive_in_place(self.archive.as_deref(), data_dir)?;
        let done = if let Some(shards) = self.reshard {
            reshard::<S>(&RealDisk, data_dir, shards)?
        } else if let Some(to) = &self.backup {
            copy::<S>(&Options::new(data_dir), to)?
        } else if let Some(from) = &self.restore {
            copy::<S>(&Options::new(from), data_dir)?
        } else if self.snapshot {
            let mut options = Options::new(data_dir);
            self.set(&mut options);
            snapshot::<S>(&options)?
        } else {
            return Ok(None);
        };
        Ok(Some(done))
    }
}
