//! The passes of a run. Each opens an engine on a fresh log, adds the flow's set-up, and only then
//! starts the clock.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use market::{Closed, Command, DataDir, Engine, Options, Receivers, Recovery, StageTimes};

use crate::args::{Args, Input};
use crate::chapter::Chapter;
use crate::error::RunError;
use crate::flags::Flags;
use crate::offer::{CHUNK, Latency, Timers, offer};
use crate::output::OutputFolder;
use crate::processor::{processor_time, times_of_threads};
use crate::receivers::{Counter, Counts, Recorder};
use crate::slow_disk::SlowDisk;

/// The result of a pass without a fixed rate.
#[derive(Clone, Debug)]
pub struct Throughput {
    /// How many commands of the body were durable and acknowledged when the clock stopped.
    pub orders: u64,
    /// How many the body has; more than `orders` when the time limit came first.
    pub orders_asked: u64,
    /// Trades.
    pub trades: u64,
    /// Rejected commands.
    pub rejected: u64,
    /// From the first submit to the last acknowledgement.
    pub time: Duration,
    /// Processor time of all threads meanwhile; `None` where the system does not report it.
    pub processor_time: Option<Duration>,
    /// Processor time of each thread, by its name; empty where the system does not report it.
    pub threads: BTreeMap<String, Duration>,
    /// Syncs of the log meanwhile, of all shards.
    pub syncs: u64,
    /// Where the time went, in a measured engine.
    pub stages: Option<StageTimes>,
    /// What the log held, when there was one before this run.
    pub recovery: Option<Recovery>,
    /// How long opening took.
    pub open_time: Duration,
    /// What the engine remarked.
    pub remarks: Vec<String>,
}

impl Throughput {
    /// Commands a second.
    pub fn orders_per_s(&self) -> f64 {
        self.orders as f64 / self.time.as_secs_f64()
    }

    /// Processor time for each order, in nanoseconds: of the caller and of every thread of the
    /// engine.
    pub fn processor_ns_per_order(&self) -> Option<f64> {
        Some(self.per_order(self.processor_time?))
    }

    /// Processor time for each order, by thread, in nanoseconds; empty where there is only one thread.
    pub fn threads_ns_per_order(&self) -> Vec<(&str, f64)> {
        let took = self.threads.iter().map(|(name, &time)| (name.as_str(), self.per_order(time)));
        let took: Vec<_> = took.filter(|&(_, ns)| ns >= 0.05).collect();
        if took.len() > 1 { took } else { Vec::new() }
    }

    fn per_order(&self, time: Duration) -> f64 {
        time.as_nanos() as f64 / self.orders.max(1) as f64
    }
}

/// Opens an engine on a log that holds the flow's set-up, or on the log that is already there.
///
/// The set-up is written directly as a log and replayed: any engine reads any log, so a slow engine
/// need not sync ten thousand deposits one by one before the clock starts.
fn start<E: Engine>(
    args: &Args<impl Flags>,
    flow: &Input,
    data_dir: PathBuf,
    receivers: &mut Receivers<'_>,
) -> Result<Started<E>, RunError> {
    let disk = args.disk();
    let options = args.options(data_dir, flow.setup.len() + flow.body.len());
    let options = Options { disk: Arc::new(disk.clone()), ..options };
    let fresh = write_setup(&options, &flow.setup)?;
    let began = Instant::now();
    let (engine, recovery) = E::open(&options, receivers)?;
    Ok(Started { engine, disk, recovery: (!fresh).then_some(recovery), open_time: began.elapsed() })
}

struct Started<E> {
    engine: E,
    disk: SlowDisk,
    /// What the log held, unless it held only the set-up of this run.
    recovery: Option<Recovery>,
    open_time: Duration,
}

/// Writes the logs of a data directory that has none, and returns whether it did.
fn write_setup(options: &Options, setup: &[Command]) -> Result<bool, RunError> {
    let data_dir = DataDir::open(&*options.disk, &options.data_dir)?;
    Ok(data_dir.first_start(options, setup)?)
}

/// Runs the flow as fast as the engine takes it.
pub fn throughput<C: Chapter, E: Engine>(
    args: &Args<C::Flags>,
    flow: &Input,
    output: &OutputFolder,
) -> Result<Throughput, RunError> {
    let data_dir = output.data_dir(args.data_dir.as_deref())?;
    let total = Arc::new(Mutex::new(Counts::default()));
    let Started { mut engine, disk, recovery, open_time } =
        start::<E>(args, flow, data_dir.path().to_path_buf(), &mut |_| Box::new(Counter::new(&total)))?;
    let bar = progress_bar(args, "orders", flow.body.len() as u64);
    let limit = Duration::from_secs_f64(args.max_seconds);

    let mut orders = 0;
    let syncs_before = disk.syncs();
    let threads_began = times_of_threads();
    let processor_began = processor_time();
    let began = Instant::now();
    for chunk in flow.body.chunks(CHUNK) {
        for &command in chunk {
            engine.submit(command)?;
        }
        orders += chunk.len() as u64;
        bar.set_position(orders);
        if began.elapsed() > limit {
            break;
        }
    }
    engine.flush()?;
    let time = began.elapsed();
    let processor_time = processor_time().zip(processor_began).map(|(now, then)| now.saturating_sub(then));

    let syncs = disk.syncs() - syncs_before;
    let mut threads = times_of_threads();
    for (name, time) in &mut threads {
        *time = time.saturating_sub(threads_began.get(name).copied().unwrap_or_default());
    }

    bar.finish_and_clear();
    let Closed { stages, remarks, .. } = engine.close()?;
    let counts = *total.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    debug_assert_eq!(counts.commands, orders);
    Ok(Throughput {
        orders: counts.commands,
        orders_asked: flow.body.len() as u64,
        trades: counts.trades,
        rejected: counts.rejected,
        time,
        processor_time,
        threads,
        syncs,
        stages,
        recovery,
        open_time,
        remarks,
    })
}

/// Runs the flow through the engine that measures its stages.
pub fn breakdown<C: Chapter>(
    args: &Args<C::Flags>,
    flow: &Input,
    output: &OutputFolder,
) -> Result<Option<Throughput>, RunError> {
    // A data directory of the reader's gets the flow once; the breakdown runs on a fresh log.
    let fresh = Args { data_dir: None, ..args.clone() };
    let pass = throughput::<C, C::Measured>(&fresh, flow, output)?;
    Ok(pass.stages.is_some().then_some(pass))
}

/// Offers the flow at `rate` commands a second, whether the engine keeps up or not.
pub fn latency<C: Chapter>(
    args: &Args<C::Flags>,
    flow: &Input,
    output: &OutputFolder,
    rate: u64,
) -> Result<Latency, RunError> {
    let data_dir = output.data_dir(None)?;
    let seconds = args.latency_seconds();
    let wanted = (rate as f64 * seconds).ceil().max(1.0) as usize;
    let body = &flow.body[..flow.body.len().min(wanted)];
    let timers = Timers::new();
    let Started { engine, .. } = start::<C::Engine>(args, flow, data_dir.path().to_path_buf(), &mut |shard| {
        Box::new(timers.receiver(shard, body.len()))
    })?;
    let bar = progress_bar(args, "orders offered", body.len() as u64);
    // An engine that can't keep up would run for a very long time: ten times the planned time is enough
    // to show it.
    let limit = Duration::from_secs_f64(args.max_seconds.max(10.0 * seconds));
    let (latency, _) = offer(engine, &timers, body, rate, limit, |offered| bar.set_position(offered))?;
    bar.finish_and_clear();
    Ok(latency)
}

/// Runs the whole flow and writes every acknowledgement to `path`.
pub fn record_events<C: Chapter>(
    args: &Args<C::Flags>,
    flow: &Input,
    output: &OutputFolder,
    path: &Path,
) -> Result<(), RunError> {
    let data_dir = output.data_dir(args.data_dir.as_deref())?;
    let failed = Arc::new(Mutex::new(None));
    let Started { mut engine, .. } = start::<C::Engine>(args, flow, data_dir.path().to_path_buf(), &mut |shard| {
        Box::new(Recorder::new(shard, path, &failed))
    })?;
    let bar = progress_bar(args, "orders", flow.body.len() as u64);
    for chunk in flow.body.chunks(CHUNK) {
        for &command in chunk {
            engine.submit(command)?;
        }
        bar.inc(chunk.len() as u64);
    }
    engine.close()?;
    bar.finish_and_clear();
    let error = failed.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
    match error {
        Some(source) => Err(RunError::Output { what: "write the events", path: path.to_path_buf(), source }),
        None => Ok(()),
    }
}

/// A progress bar on a terminal, nothing elsewhere. It appears only when a run takes a while.
fn progress_bar(args: &Args<impl Flags>, what: &'static str, length: u64) -> ProgressBar {
    if args.quiet {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {human_pos} of {human_len} {msg}, {eta} left");
    let bar = ProgressBar::new(length).with_message(what);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
