//! Lives of an engine on a disk that fails: commands, faults, crashes, restarts, again and again.
//!
//! After every death the engine must come back as the model after some number of commands: at least
//! those it acknowledged, at most those it was given, none twice. A bit that rots on the disk must
//! be noticed. Everything follows from one seed, so a failing one is replayed by its number.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::faults::Faults;
use crate::fixture::Frame;
use crate::folder::Folder;
use crate::harness::{Acknowledged, Acks, check_events, check_ledger, check_sequences, check_state, run};
use crate::oracle::Oracle;
use crate::sim_disk::SimDisk;
use crate::streams::{Random, prologue};
use market::log::{HEADER_BYTES, RECORD_BYTES};
use market::log_reader::LogReader;
use market::{Disk, Engine, EngineError, LogError, MarketId, Options};

/// How many seeds a test runs, unless `SIM_SEEDS` says otherwise.
const SEEDS: u64 = 10_000;

/// Seeds 0 to 9,999, or as many as `SIM_SEEDS` says, or the one that `SIM_SEED` names.
///
/// # Panics
/// At the first seed that fails, with the command that replays it.
pub fn many_seeds<E: Engine>() {
    seeds::<E>("simulation", SEEDS, |_| 1);
}

/// The same with 2 to 4 shards, for engines that have them; a fifth as many seeds.
pub fn many_seeds_in_shards<E: Engine>() {
    seeds::<E>("simulation_in_shards", SEEDS / 5, |seed| 2 + (seed % 3) as u16);
}

fn seeds<E: Engine>(test: &str, count: u64, shards: impl Fn(u64) -> u16) {
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("SIM_SEED(S) is a number"));
    let range = match (number("SIM_SEED"), number("SIM_SEEDS")) {
        (Some(seed), _) => seed..seed + 1,
        (None, Some(seeds)) => 0..seeds * count / SEEDS,
        (None, None) => 0..count,
    };
    for seed in range {
        let lived = catch_unwind(AssertUnwindSafe(|| live::<E>(seed, shards(seed))));
        let complaint = match lived {
            Ok(Ok(())) => continue,
            Ok(Err(complaint)) => complaint,
            Err(panic) => format!("it panicked: {}", words_of(&*panic)),
        };
        let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
        panic!(
            "seed {seed}: {complaint}\nreplay it with: SIM_SEED={seed} cargo test -p {package} --test contract {test} -- --exact"
        );
    }
}

fn words_of(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no words)")
}

/// One simulation with one shard.
///
/// # Errors
/// The promise that the engine broke, in words.
pub fn simulate<E: Engine>(seed: u64) -> Result<(), String> {
    live::<E>(seed, 1)
}

fn live<E: Engine>(seed: u64, shards: u16) -> Result<(), String> {
    let mut random = Random::new(seed);
    let options = Options {
        batch_max: random.pick(&[1, 2, 3, 8, 64]),
        // Batches end by number and by flush only, so that a seed replays.
        batch_interval: Duration::from_secs(3_600),
        reserve_commands: random.pick(&[0, 0, 50]),
        shards,
        ..Options::new("")
    };
    let mut folder = Folder::new(SimDisk::new(seed, Faults::default()));
    folder.options = Options { data_dir: folder.path().to_path_buf(), disk: folder.options.disk.clone(), ..options };
    let disk = SimDisk::new(seed, Faults::default());
    let mut world = World { random, folder, disk, oracle: Oracle::default(), promised: BTreeMap::new() };
    let lives = 1 + world.random.below(4);
    for life in 0..=lives {
        let faults = if life < lives { world.random_faults() } else { Faults::default() };
        let told = format!("life {} of {}, {faults:?}", life + 1, lives + 1);
        let death = world.live::<E>(faults).map_err(|complaint| format!("{told}: {complaint}"))?;
        world.judge::<E>(&death, life == lives).map_err(|complaint| format!("after {told}: {complaint}"))?;
    }
    Ok(())
}

struct World {
    random: Random,
    folder: Folder,
    disk: SimDisk,
    /// Every command that may be on the disk.
    oracle: Oracle,
    /// How many of each market's commands must be there: they were acknowledged, or replayed by an
    /// engine that then opened.
    promised: BTreeMap<MarketId, usize>,
}

/// What is known about a life when it is over.
struct Death {
    /// How many commands there were when it began.
    before: usize,
    acks: Vec<Acknowledged>,
    /// Whether the engine was closed in peace, so that nothing may be missing.
    closed: bool,
}

impl World {
    fn random_faults(&mut self) -> Faults {
        let random = &mut self.random;
        let mut faults = Faults { short_writes: random.one_in(3), ..Faults::default() };
        // Early faults hit recovery, later ones the work. Many lives end without a fault.
        let latest = random.pick(&[4, 20, 100]);
        let soon = 1 + random.below(latest);
        match random.below(8) {
            0..=2 => faults.power_fails_at = Some(soon),
            3 | 4 => faults.sync_fails_at = Some(soon.div_ceil(2)),
            5 => faults.write_fails_at = Some(soon.div_ceil(2)),
            6 => faults.capacity = Some(random.below(4_000)),
            _ => {}
        }
        faults
    }

    /// Opens the engine, gives it commands, and ends it in one way or another.
    fn live<E: Engine>(&mut self, faults: Faults) -> Result<Death, String> {
        let acks = Acks::default();
        self.disk.set_faults(faults);
        let options = Options { disk: Arc::new(self.disk.clone()), ..self.folder.options.clone() };
        match E::open(&options, &mut acks.receivers()) {
            Ok((engine, recovery)) => {
                self.came_back(recovery.commands as usize)?;
                // What an engine that opened has replayed must stay.
                self.promised = self.oracle.counts_of(self.oracle.len());
                self.work(engine, &acks)
            }
            Err(error) => {
                self.excuse("open", &error)?;
                self.end();
                Ok(Death { before: self.oracle.len(), acks: acks.seen(), closed: false })
            }
        }
    }

    /// An engine opened with so many commands: it may not be fewer or more, and others are lost.
    fn came_back(&mut self, count: usize) -> Result<(), String> {
        // With shards the state told it before; there, rejected commands at the end may be lost
        // without a trace.
        let shards = self.folder.options.shards;
        let least = if shards == 1 { self.promised.values().sum() } else { 0 };
        let most = self.oracle.len();
        if count < least || count > most {
            return Err(format!("it came back with {count} commands: {least} were promised, {most} submitted"));
        }
        if shards == 1 {
            self.oracle.truncate(count);
        }
        Ok(())
    }

    /// The machine crashes, or only the process ends.
    fn end(&mut self) {
        self.disk = if self.random.one_in(2) { self.disk.crash() } else { self.disk.kill() };
    }

    fn work<E: Engine>(&mut self, mut engine: E, acks: &Acks) -> Result<Death, String> {
        let before = self.oracle.len();
        let mut commands = self.random.below(60);
        let first = if before == 0 { prologue() } else { Vec::new() };
        let mut first = first.into_iter();
        let mut went = Ok(());
        while went.is_ok() && commands > 0 {
            commands -= 1;
            let command = first.next().unwrap_or_else(|| self.random.command());
            self.oracle.push(command);
            went = engine.submit(command).map(drop);
            if went.is_ok() && self.random.one_in(12) {
                went = if self.random.one_in(2) { engine.poll() } else { engine.flush() };
            }
        }
        if let Err(error) = &went {
            self.excuse("go on", error)?;
            if engine.submit(prologue()[0]).is_ok() {
                return Err(format!("it took a command after it had stopped with: {error}"));
            }
            let counts = self.disk.counts();
            if self.folder.options.shards == 1 && counts.after_failure > 0 {
                return Err(format!("it used the log after a failure: {counts:?}, {error}"));
            }
        }
        // What is acknowledged from here on may not be on the disk that the next life sees.
        let seen = acks.seen();
        if went.is_err() || self.random.one_in(2) {
            self.end();
            drop(engine);
            return Ok(Death { before, acks: seen, closed: false });
        }
        let closed = match engine.close() {
            Ok(closed) => {
                check_state(&self.oracle.state(self.oracle.len()), &closed.state)?;
                true
            }
            Err(error) => {
                self.excuse("close", &error)?;
                false
            }
        };
        self.end();
        Ok(Death { before, acks: acks.seen(), closed })
    }

    /// An error is no fault of the engine when the disk has failed.
    fn excuse(&self, what: &str, error: &EngineError) -> Result<(), String> {
        if self.disk.counts().failures > 0 {
            return Ok(());
        }
        Err(format!("it did not {what}, and the disk had not failed: {error}"))
    }

    /// Looks at what the dead engine acknowledged, and, on a copy of the disk, at what it left behind.
    fn judge<E: Engine>(&mut self, death: &Death, last: bool) -> Result<(), String> {
        let shards = self.folder.options.shards;
        check_sequences(&death.acks, (shards == 1).then_some(death.before as u64))?;
        let acknowledged = check_events(self.oracle.steps(death.before), &death.acks, shards)?;
        acknowledged.iter().for_each(|(market, more)| *self.promised.entry(*market).or_default() += more);
        if death.closed && death.acks.len() != self.oracle.len() - death.before {
            return Err(format!("closed with only {} acknowledgements", death.acks.len()));
        }
        if shards == 1 && self.random.one_in(4) {
            self.rot::<E>()?;
        }
        // The next life looks at the same disk, if it gets so far.
        if shards == 1 && !last && self.random.one_in(2) {
            return Ok(());
        }
        let options = Options { disk: Arc::new(self.disk.copy()), ..self.folder.options.clone() };
        let back = run::<E>(&options, &[], 1).map_err(|error| format!("it did not come back: {error}"))?;
        if shards > 1 {
            self.oracle.truncate_to(&back.closed.state, &self.promised)?;
        }
        self.came_back(back.recovery.commands as usize)?;
        check_state(&self.oracle.state(self.oracle.len()), &back.closed.state)?;
        check_ledger(self.oracle.events(self.oracle.len()), self.folder.path(), shards)
    }

    /// Flips one bit on a copy of the disk. The engine may refuse; or it may take the last frame for torn, where
    /// there is nothing behind it: anything there was written when the last frame had been acknowledged. In and
    /// behind a torn frame the bit takes nothing away; but no crash leaves just any header, and behind the end that one
    /// names, nothing may be.
    fn rot<E: Engine>(&mut self) -> Result<(), String> {
        let disk = self.disk.copy();
        let path = self.folder.log();
        let Some(mut bytes) = disk.read(&path) else { return Ok(()) };
        let frames = frames_of(&disk, &path)?;
        let Some(last) = frames.last() else { return Ok(()) };
        let is_last = bytes[last.end..].iter().all(|&byte| byte == 0);
        let torn_end = end_of_torn(&bytes, last.end);
        let byte = self.random.below(bytes.len() as u64) as usize;
        bytes[byte] ^= 1 << self.random.below(8);
        disk.put(&path, &bytes);
        let options = Options { disk: Arc::new(disk), ..self.folder.options.clone() };
        let (engine, recovery) = match E::open(&options, &mut Acks::default().receivers()) {
            Err(EngineError::Log(_)) if byte < last.end + RECORD_BYTES => return Ok(()),
            Err(EngineError::Log(_)) if torn_end.is_some_and(|end| byte >= end) => return Ok(()),
            Err(error) => return Err(format!("a bit of byte {byte} flipped: {error}")),
            Ok(opened) => opened,
        };
        let allowed =
            if byte >= last.end { Some(last.after) } else { (byte >= last.start && is_last).then_some(last.before) };
        if allowed != Some(recovery.commands as usize) {
            return Err(format!(
                "a bit of byte {byte} flipped, the last frame is {last:?}: it opened with {recovery:?}"
            ));
        }
        let closed = engine.close().map_err(|error| error.to_string())?;
        check_state(&self.oracle.state(recovery.commands as usize), &closed.state)
            .map_err(|error| format!("a bit of byte {byte} flipped: {error}"))
    }
}

/// Where the torn frame that begins at `start` would have ended, if its header came.
fn end_of_torn(bytes: &[u8], start: usize) -> Option<usize> {
    let named = u32::from_le_bytes(bytes.get(start..start + 4)?.try_into().ok()?) as usize >> 8;
    (named > 0).then_some(start + RECORD_BYTES + named)
}

/// The whole frames of a log.
pub(crate) fn frames_of(disk: &SimDisk, path: &Path) -> Result<Vec<Frame>, String> {
    let words = |error: LogError| error.to_string();
    let Some(mut file) = disk.open(path).map_err(|error| error.to_string())? else { return Ok(Vec::new()) };
    let mut reader = LogReader::new(&mut *file, path).map_err(words)?;
    let mut frames = Vec::new();
    let (mut start, mut before) = (HEADER_BYTES, 0);
    while let Some(frame) = reader.next_frame().map_err(words)? {
        let count = frame.count();
        let (end, after) = (start + RECORD_BYTES * (1 + count), before + count);
        frames.push(Frame { start, end, before, after });
        (start, before) = (end, after);
    }
    Ok(frames)
}
