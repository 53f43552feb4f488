//! A start, from the first instruction of this program to the acknowledgement of one command.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use market::{Command, Disk, Engine as _, LogFile, MarketId, Outcome, RealDisk, snapshot};
use runner::{RunError, processor_time};

use crate::figures::{Figures, error, options};
use crate::lay::{Deaf, Engine};
use crate::system::{cool, memory_bytes, warm};

/// The arguments of `start`.
#[derive(clap::Args)]
pub struct StartArgs {
    /// The folder with the log
    #[arg(long, value_name = "DIR")]
    data_dir: PathBuf,
    /// Ignore snapshots, and replay the whole log
    #[arg(long)]
    replay_alone: bool,
    /// Make the system drop the files from its cache first; without this, they are read once before
    #[arg(long)]
    cold: bool,
}

/// Starts an engine, and sends a command that changes nothing.
///
/// # Errors
/// When the log can't be opened, or the system's cache can't be emptied.
pub fn run(args: &StartArgs) -> Result<Figures, RunError> {
    let StartArgs { data_dir, replay_alone, cold } = args;
    let io = |source| error("read the files in", data_dir, source);
    match cold {
        false => warm(data_dir).map_err(io)?,
        true if cool(data_dir).map_err(io)? => {}
        true => return Err(RunError::Usage("this system can't be asked to forget files: leave out --cold".into())),
    }
    let mut options = options(data_dir);
    if *replay_alone {
        options.disk = Arc::new(WithoutSnapshots);
    }
    let processor_began = processor_time();
    let began = Instant::now();
    let (mut engine, recovery) = Engine::open(&options, &mut |_| Box::new(Deaf))?;
    // No market has this number, so it is logged and rejected.
    engine.submit(Command::Resolve { market: MarketId(0), outcome: Outcome::Yes })?;
    engine.flush()?;
    let mut figures = Figures::default();
    figures.time("start_ns", began.elapsed());
    figures.time("processor_ns", processor_time().zip(processor_began).map(|(now, then)| now.saturating_sub(then)));
    figures.count("memory_bytes", memory_bytes());
    figures.count("commands", recovery.commands);
    figures.count("replayed", recovery.replayed);
    engine.close()?;
    Ok(figures)
}

/// The system's disk, with snapshots hidden.
struct WithoutSnapshots;

impl Disk for WithoutSnapshots {
    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        RealDisk.open(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let mut names = RealDisk.list(folder)?;
        names.retain(|name| snapshot::of_file_name(name).is_none());
        Ok(names)
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        RealDisk.create(path, header)
    }
}
