//! A snapshot by itself: how long it takes to load and to write the state.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ch08::start::{Origin, Start};
use keeping::Exchange as _;
use market::log::ShardOf;
use market::snapshot::SnapshotHeader;
use market::snapshot_file::SnapshotWriter;
use market::{Disk, EngineError, LogId};
use runner::RunError;

use crate::figures::{Figures, error, options};

/// The arguments of `state`.
#[derive(clap::Args)]
pub struct StateArgs {
    /// The folder with the log and the snapshot
    #[arg(long, value_name = "DIR")]
    data_dir: PathBuf,
    /// The folder to write it to again
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
}

/// Loads the newest snapshot, and writes it again.
///
/// # Errors
/// When there is none, and errors of the disk.
pub fn run(args: &StateArgs) -> Result<Figures, RunError> {
    let StateArgs { data_dir, folder } = args;
    fs::create_dir_all(folder).map_err(|source| error("make the folder", folder, source))?;
    let options = options(data_dir);
    let began = Instant::now();
    let start = Start::find(&options, ShardOf::ONLY)?;
    let mut figures = Figures::default();
    figures.time("load_ns", began.elapsed());
    let began = Instant::now();
    let bytes = write(&*options.disk, folder, &start.exchange, &start.origin)?;
    figures.time("write_ns", began.elapsed());
    figures.count("bytes", bytes);
    let state = start.exchange.state();
    let markets = || state.markets.values();
    figures.count("markets", markets().count() as u64);
    figures.count("accounts", markets().map(|market| market.accounts.len() as u64).sum::<u64>());
    figures.count("resting", markets().map(|market| (market.bids.len() + market.asks.len()) as u64).sum::<u64>());
    Ok(figures)
}

/// Writes a state into a folder as a snapshot, as the shadow does, and returns its size in bytes.
///
/// # Errors
/// Errors of the disk, and when the snapshot's place is unknown.
pub fn write(
    disk: &dyn Disk,
    folder: &Path,
    exchange: &ch08::exchange::Exchange,
    origin: &Origin,
) -> Result<u64, EngineError> {
    let Some(place) = origin.place else {
        let words = format!("{}: there is no snapshot to begin with; lay out the log again", folder.display());
        return Err(EngineError::Refused(words));
    };
    let (shard, log, ledger_entries) = (ShardOf::ONLY, origin.log.unwrap_or(LogId::NONE), origin.ledger_entries);
    let header = SnapshotHeader { shard, log, place, ledger_entries, ledger_on_disk: 0, sections: Vec::new() };
    let mut snapshot = SnapshotWriter::create(disk, folder, header)?;
    exchange.save(&mut snapshot)?;
    snapshot.finish()
}
