//! Makes a log as long as a year's: the engine itself writes it, and a snapshot is made some commands before its end.

use std::fs;
use std::path::{Path, PathBuf};

use ch08::metrics::Unmeasured;
use ch08::shadow::Shadow;
use keeping::once::snapshot;
use market::log::{RECORD_BYTES, ShardOf};
use market::{Acknowledge, Command, Engine as _, Event, Options, Stamp, snapshot};
use program::room::room_bytes;
use runner::RunError;

use crate::figures::{Figures, error, options};
use crate::year::{Size, Year};

/// The engine of the chapter with snapshots.
pub type Engine = ch08::Engine<Unmeasured>;

/// The arguments of `lay`.
#[derive(clap::Args)]
pub struct LayArgs {
    /// The folder to create it in, which must not hold a log
    #[arg(long, value_name = "DIR")]
    data_dir: PathBuf,
    /// How many commands in all [default: as many as create all markets, accounts and resting
    /// orders]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=10_000_000_000))]
    commands: Option<u64>,
    /// How many of them come after the snapshot
    #[arg(long, value_name = "N", default_value_t = 0)]
    tail: u64,
    #[command(flatten)]
    size: Size,
}

/// Makes the log.
///
/// # Errors
/// When there is not enough space, or there is a log already.
pub fn run(args: &LayArgs) -> Result<Figures, RunError> {
    let LayArgs { data_dir, commands, tail, size } = args;
    let commands = commands.unwrap_or_else(|| size.commands());
    fs::create_dir_all(data_dir).map_err(|source| error("make the folder", data_dir, source))?;
    if fs::read_dir(data_dir).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(RunError::Usage(format!("{}: it is not empty; name a folder for a new log", data_dir.display())));
    }
    check_room(data_dir, commands)?;
    let options = options(data_dir);
    let behind = commands.saturating_sub(*tail).max(1);
    let mut year = Year::behind(*size, 0);
    send(&options, year.by_ref().take(behind as usize))?;
    snapshot::<Shadow>(&options)?;
    send(&options, year.take((commands - behind) as usize))?;

    let mut figures = Figures::default();
    let io = |source| error("look at the log in", data_dir, source);
    let newest = snapshot::list(&*options.disk, data_dir, ShardOf::ONLY).map_err(io)?.into_iter().next();
    let bytes = newest.and_then(|(_, path)| fs::metadata(path).ok()).map(|file| file.len());
    figures.count("snapshot_bytes", bytes);
    figures.count("log_bytes", log_bytes(data_dir).map_err(io)?);
    Ok(figures)
}

/// A log takes 24 bytes a command and the headers of its frames, the next segment as much as one more, and the ledger
/// 40 bytes for every fourth: in all at most two records for each command, plus a segment.
fn check_room(folder: &Path, commands: u64) -> Result<(), RunError> {
    let needed = 2 * RECORD_BYTES as u64 * commands + (512 << 20);
    match room_bytes(folder) {
        Some(room) if room < needed => {
            let words =
                format!("a log of {commands} commands takes up to {needed} bytes, but there is space for only {room}");
            Err(error("make the log", folder, std::io::Error::new(std::io::ErrorKind::StorageFull, words)))
        }
        _ => Ok(()),
    }
}

/// Ignores everything.
pub struct Deaf;

impl Acknowledge for Deaf {
    fn acknowledge(&mut self, _stamp: Stamp, _events: &[Event]) {}
}

fn send(options: &Options, commands: impl Iterator<Item = Command>) -> Result<(), RunError> {
    let (mut engine, _) = Engine::open(options, &mut |_| Box::new(Deaf))?;
    for command in commands {
        engine.submit(command)?;
    }
    engine.close()?;
    Ok(())
}

/// How many bytes all segments of the log have.
fn log_bytes(folder: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.path().extension().is_some_and(|extension| extension == "log") {
            bytes += entry.metadata()?.len();
        }
    }
    Ok(bytes)
}
