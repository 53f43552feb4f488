//! The lives of an engine: it is opened, given commands, and dies, on a disk with given faults. Then what it
//! acknowledged and what it left behind are judged.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::decay::Decay;
use crate::faults::Faults;
use crate::fixture::TIME;
use crate::folder::Folder;
use crate::harness::{Acknowledged, Acks, check_events, check_ledger, check_sequences, check_state, run};
use crate::oracle::Oracle;
use crate::sim_disk::SimDisk;
use crate::streams::{Random, prologue};
use crate::trace::Trace;
use crate::turns::Turns;
use market::{Clock, Engine, EngineError, MarketId, Options, Schedule, UnixMs};

/// What runs the roles of an engine that has several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Crew {
    /// A schedule that the seed determines.
    Seeded,
    /// The system's threads.
    Threads,
}

/// Marks each command in a trace. Where the ring was full, the roles' steps stand between its two lines.
pub(crate) const SUBMITS: &str = "submits";
pub(crate) const SUBMITTED: &str = "submitted";

/// Runs all lives of a seed, and notes in `trace` what happens.
///
/// # Errors
/// The promise that the engine broke.
pub(crate) fn live<E: Engine>(seed: u64, shards: u16, crew: Crew, trace: &Trace) -> Result<(), String> {
    let mut random = Random::new(seed);
    let schedule: Option<Arc<dyn Schedule>> = match crew {
        Crew::Seeded => Some(Arc::new(Turns::new(seed, trace.clone()))),
        Crew::Threads => None,
    };
    let options = Options {
        batch_max: random.pick(&[1, 2, 3, 8, 64]),
        // Batches end by number and by flush only, so that a seed can be replayed.
        batch_interval: Duration::from_secs(3_600),
        reserve_commands: random.pick(&[0, 0, 50]),
        shards,
        schedule,
        clock: restless_clock(seed),
        ..Options::new("")
    };
    let disk = SimDisk::new(seed, Faults::default()).told(trace);
    let mut folder = Folder::new(disk.clone());
    folder.options = Options { data_dir: folder.path().to_path_buf(), ..options };
    let (oracle, promised) = (Oracle::default(), BTreeMap::new());
    let mut world = World { random, folder, disk, trace: trace.clone(), oracle, promised };
    let lives = 1 + world.random.below(4);
    for life in 0..=lives {
        let faults = if life < lives { world.random_faults() } else { Faults::default() };
        let told = format!("life {} of {}, {faults:?}", life + 1, lives + 1);
        trace.note(|| told.clone());
        let death = world.live::<E>(faults).map_err(|complaint| format!("{told}: {complaint}"))?;
        world.judge::<E>(&death, life == lives).map_err(|complaint| format!("after {told}: {complaint}"))?;
    }
    Ok(())
}

/// A clock that the seed determines: it advances with each reading, and is set back now and then.
fn restless_clock(seed: u64) -> Clock {
    let state = Mutex::new((Random::new(seed), TIME.0));
    Clock::new(move || {
        let (random, now) = &mut *state.lock().unwrap();
        *now = if random.one_in(20) { *now - random.below(1_000) } else { *now + random.below(3) };
        UnixMs(*now)
    })
}

struct World {
    random: Random,
    folder: Folder,
    disk: SimDisk,
    trace: Trace,
    /// Every command that may be on the disk.
    oracle: Oracle,
    /// How many commands of each market must be there: they were acknowledged, or replayed by an engine that
    /// then opened.
    promised: BTreeMap<MarketId, usize>,
}

/// What is known about a life when it is over.
struct Death {
    /// How many commands there were when it began.
    before: usize,
    acks: Vec<Acknowledged>,
    /// Whether the engine was closed normally, so that nothing may be missing.
    closed: bool,
}

impl World {
    fn random_faults(&mut self) -> Faults {
        let random = &mut self.random;
        let mut faults = Faults { short_writes: random.one_in(3), ..Faults::default() };
        // Early faults hit recovery, later ones hit normal work. Many lives end without a fault.
        let latest = random.pick(&[4, 20, 100]);
        for _ in 0..random.pick(&[0, 1, 1, 1, 1, 2, 3]) {
            let soon = 1 + random.below(latest);
            match random.below(9) {
                0..=2 => faults.power_fails_at = Some(soon),
                3 | 4 => faults.sync_fails_at = Some(soon.div_ceil(2)),
                5 => faults.write_fails_at = Some(soon.div_ceil(2)),
                6 => faults.capacity = Some(random.below(4_000)),
                7 => faults.read_fails_at = Some(soon.div_ceil(2)),
                _ => faults.names_sync_fails_at = Some(1 + random.below(4)),
            }
        }
        faults
    }

    /// Opens the engine, gives it commands, and ends it in one way or another.
    fn live<E: Engine>(&mut self, faults: Faults) -> Result<Death, String> {
        let acks = Acks::told(&self.trace);
        self.disk.set_faults(faults);
        let options = Options { disk: Arc::new(self.disk.clone()), ..self.folder.options.clone() };
        match E::open(&options, &mut acks.receivers()) {
            Ok(_) if self.disk.counts().failures > 0 => {
                Err(format!("the engine opened although the disk had failed: {:?}", self.disk.counts()))
            }
            Ok((engine, recovery)) => {
                self.came_back(recovery.commands as usize)?;
                // What an engine replayed before it opened must stay.
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

    /// Checks how many commands an opened engine has, and forgets the commands that were lost.
    fn came_back(&mut self, count: usize) -> Result<(), String> {
        // With shards this was checked on the state; there, rejected commands at the end may be lost without
        // a trace.
        let shards = self.folder.options.shards;
        let least = if shards == 1 { self.promised.values().sum() } else { 0 };
        let most = self.oracle.len();
        if count < least || count > most {
            return Err(format!("the engine recovered {count} commands: {least} were promised, {most} submitted"));
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
        let mut commands = self.random.pick(&[60, 60, 60, 200]);
        commands = self.random.below(commands);
        // A caller that seldom waits fills the ring.
        let waits = self.random.pick(&[12, 12, 400]);
        let first = if before == 0 { prologue() } else { Vec::new() };
        let mut first = first.into_iter();
        let mut went = Ok(());
        while went.is_ok() && commands > 0 {
            commands -= 1;
            let command = first.next().unwrap_or_else(|| self.random.command());
            self.oracle.push(command);
            self.trace.note(|| format!("{SUBMITS} {command:?}"));
            went = engine.submit(command).map(drop);
            self.trace.note(|| format!("{SUBMITTED}: {}", went.is_ok()));
            if let Some(schedule) = self.folder.options.schedule.as_ref().filter(|_| self.random.one_in(2)) {
                schedule.turn();
            }
            if went.is_ok() && self.random.one_in(waits) {
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
        // The disk that the next life sees may lack what is acknowledged from here on.
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

    /// An error is the engine's fault only if the disk has not failed.
    fn excuse(&self, what: &str, error: &EngineError) -> Result<(), String> {
        if self.disk.counts().failures > 0 {
            return Ok(());
        }
        Err(format!("it did not {what}, and the disk had not failed: {error}"))
    }

    /// Checks what the dead engine acknowledged, and, on a copy of the disk, what it left behind.
    fn judge<E: Engine>(&mut self, death: &Death, last: bool) -> Result<(), String> {
        let shards = self.folder.options.shards;
        check_sequences(&death.acks, (shards == 1).then_some(death.before as u64))?;
        let acknowledged = check_events(self.oracle.steps(death.before), &death.acks, shards)?;
        acknowledged.iter().for_each(|(market, more)| *self.promised.entry(*market).or_default() += more);
        if death.closed && death.acks.len() != self.oracle.len() - death.before {
            return Err(format!("closed with only {} acknowledgements", death.acks.len()));
        }
        if shards == 1 && self.random.one_in(4) {
            self.decay().flip_a_bit::<E>()?;
        }
        match shards {
            _ if !self.random.one_in(4) => {}
            1 => self.decay().damage::<E>()?,
            _ => self.decay().damage_a_sibling::<E>()?,
        }
        // The next life uses the same disk, if there is one.
        if shards == 1 && !last && self.random.one_in(2) {
            return Ok(());
        }
        self.recovers_in_pieces::<E>()?;
        let options = Options { disk: Arc::new(self.disk.copy()), ..self.folder.options.clone() };
        let back = run::<E>(&options, &[], 1).map_err(|error| format!("it did not recover: {error}"))?;
        if shards > 1 {
            self.oracle.truncate_to(&back.closed.state, &self.promised)?;
        }
        self.came_back(back.recovery.commands as usize)?;
        check_state(&self.oracle.state(self.oracle.len()), &back.closed.state)?;
        check_ledger(self.oracle.events(self.oracle.len()), self.folder.path(), shards)
    }

    /// A copy of the disk, to be damaged.
    fn decay(&mut self) -> Decay<'_> {
        let (disk, options) = (self.disk.copy(), &self.folder.options);
        Decay { disk, options, oracle: &self.oracle, random: &mut self.random }
    }

    /// A recovery may be cut short, and so may the recovery after it.
    fn recovers_in_pieces<E: Engine>(&mut self) -> Result<(), String> {
        while self.random.one_in(4) {
            self.disk.set_faults(Faults { power_fails_at: Some(1 + self.random.below(8)), ..Faults::default() });
            let options = Options { disk: Arc::new(self.disk.clone()), ..self.folder.options.clone() };
            match E::open(&options, &mut Acks::default().receivers()) {
                Err(error) if self.disk.counts().failures == 0 => return Err(format!("it did not recover: {error}")),
                opened => drop(opened),
            }
            self.end();
        }
        Ok(())
    }
}
