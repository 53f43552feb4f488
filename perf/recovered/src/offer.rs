//! Orders at a fixed rate, while snapshots are made by a shadow, by stopping the world, or not at all.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use market::data_dir::{LOCK_NAME, SNAPSHOT_LOCK_NAME};
use market::log::ShardOf;
use market::{Acknowledge, Command, Engine as _, Options, snapshot};
use runner::{Latency, RunError, Timers, processor_time};

use crate::figures::{Figures, error, options};
use crate::lay::Engine;
use crate::stopped::{States, Stopping, Stops};
use crate::system::{memory_bytes, thread_time};
use crate::year::{Size, Year};

/// How snapshots are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Snapshots {
    /// Not at all.
    None,
    /// On the matching thread, which does nothing else meanwhile.
    Stopped,
    /// By the shadow.
    Shadow,
}

/// The arguments of `offer`.
#[derive(clap::Args)]
pub struct OfferArgs {
    /// The folder with a log that `lay` has made of just the state; the run continues a copy of it
    #[arg(long, value_name = "DIR")]
    data_dir: PathBuf,
    /// The folder to copy it to
    #[arg(long, value_name = "DIR")]
    copy: PathBuf,
    /// How many commands a second
    #[arg(long, value_name = "PER_SECOND", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    rate: u64,
    /// For how long
    #[arg(long, value_name = "SECONDS")]
    seconds: f64,
    /// How snapshots are made
    #[arg(long, value_enum)]
    snapshots: Snapshots,
    /// How many commands lie between two
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    #[command(flatten)]
    size: Size,
}

/// Offers the orders.
///
/// # Errors
/// When the log can't be copied or opened, or a snapshot not be written.
pub fn run(args: &OfferArgs) -> Result<Figures, RunError> {
    copy(&args.data_dir, &args.copy).map_err(|source| error("copy the log to", &args.copy, source))?;
    let count = (args.rate as f64 * args.seconds).ceil().max(1.0) as usize;
    let body: Vec<Command> = Year::behind(args.size, args.size.commands()).take(count).collect();
    let mut options = Options { reserve_commands: count, ..options(&args.copy) };
    let mut states = None;
    match args.snapshots {
        Snapshots::None => {}
        Snapshots::Stopped => states = Some(States::behind(&options, &body, args.every as usize)?),
        Snapshots::Shadow => options.snapshot_every = Some(args.every),
    }

    let (timers, stops) = (Timers::new(), Stops::default());
    let folder = args.copy.join("stopped");
    fs::create_dir_all(&folder).map_err(|source| error("make the folder", &folder, source))?;
    let (engine, _) = Engine::open(&options, &mut |shard| -> Box<dyn Acknowledge> {
        let timer = timers.receiver(shard, count);
        match states.take() {
            None => Box::new(timer),
            Some(states) => Box::new(Stopping { timer, states, folder: folder.clone(), stops: Arc::clone(&stops) }),
        }
    })?;
    let limit = Duration::from_secs_f64(10.0 * args.seconds.max(1.0));
    let spent = Spent::new(count);
    let offered = runner::offer(engine, &timers, &body, args.rate, limit, |offered| spent.look(offered));
    let (latency, _) = offered?;

    let mut figures = Figures::default();
    latency_figures(&latency, &mut figures);
    figures.time("processor_ns", spent.processor.get());
    let written = std::mem::take(&mut *stops.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
    let stopped: Vec<Duration> = written.into_iter().collect::<Result<_, _>>()?;
    match args.snapshots {
        Snapshots::None => figures.count("memory_bytes", spent.memory.get()),
        // The prepared states count too, so its memory figure means nothing.
        Snapshots::Stopped => {
            figures.count("snapshots", stopped.len() as u64);
            figures.time("snapshot_ns", stopped.iter().sum::<Duration>());
        }
        Snapshots::Shadow => {
            figures.count("memory_bytes", spent.memory.get());
            figures.time("snapshot_ns", spent.shadow.get());
            shadow_figures(args, count as u64, &mut figures)?;
        }
    }
    fs::remove_dir_all(&args.copy).map_err(|source| error("remove", &args.copy, source))?;
    Ok(figures)
}

/// The time spent up to the last orders, before the engine is closed.
struct Spent {
    last_look: u64,
    began: Option<Duration>,
    processor: Cell<Option<Duration>>,
    memory: Cell<Option<u64>>,
    shadow: Cell<Option<Duration>>,
}

impl Spent {
    fn new(count: usize) -> Spent {
        let (processor, memory, shadow) = (Cell::new(None), Cell::new(None), Cell::new(None));
        Spent {
            last_look: count as u64 - (count as u64 - 1) % 64 - 1,
            began: processor_time(),
            processor,
            memory,
            shadow,
        }
    }

    /// Reads it when the last orders are offered, and not before, because reading takes time.
    fn look(&self, offered: u64) {
        if offered == self.last_look {
            self.processor.set(processor_time().zip(self.began).map(|(now, then)| now.saturating_sub(then)));
            self.memory.set(memory_bytes());
            self.shadow.set(thread_time("shadow"));
        }
    }
}

fn latency_figures(latency: &Latency, figures: &mut Figures) {
    figures.number("achieved_per_s", latency.achieved_per_s);
    let of = &latency.histogram;
    for (key, quantile) in [("p50_ns", 0.5), ("p99_ns", 0.99), ("p999_ns", 0.999)] {
        figures.count(key, of.value_at_quantile(quantile));
    }
    figures.count("max_ns", of.max());
}

/// How far the shadow got, according to the newest snapshot.
fn shadow_figures(args: &OfferArgs, count: u64, figures: &mut Figures) -> Result<(), RunError> {
    let io = |source| error("look for snapshots in", &args.copy, source);
    let newest = snapshot::list(&market::RealDisk, &args.copy, ShardOf::ONLY).map_err(io)?.into_iter().next();
    let came = newest.map_or(0, |(next, _)| (next.0 - 1).saturating_sub(args.size.commands()));
    figures.count("snapshots", came / args.every);
    figures.count("behind_last_snapshot", count.saturating_sub(came));
    Ok(())
}

/// Copies the files of a data directory that is not in use, except for its locks.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_lock = name.to_str().is_some_and(|name| name.starts_with(LOCK_NAME) || name == SNAPSHOT_LOCK_NAME);
        if entry.file_type()?.is_file() && !is_lock {
            fs::copy(entry.path(), to.join(name))?;
        }
    }
    Ok(())
}
