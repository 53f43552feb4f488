//! Judges what a crash left: an engine is opened on it, as after a kill.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::choices::Rules;
use super::recording::lay_out;
use super::steps::Step;
use super::weak_disk::Tree;
use crate::aftermath::compare_log;
use crate::folder::Folder;
use crate::harness::{check_ledger, check_state, run};
use crate::oracle::Oracle;
use market::data_dir::{DataDir, shard_counts};
use market::log::ShardOf;
use market::state::ExchangeState;
use market::{Acknowledge, Command, Disk, Engine, EngineError, Event, Options, RealDisk, Sequence, Stamp};
use runner::Chapter;

/// Rewrites a data directory for another number of shards.
pub type Reshard = fn(&dyn Disk, &Path, u16) -> Result<String, EngineError>;

/// What was submitted, and the expected answers of each shard.
pub struct History<C> {
    commands: Vec<Command>,
    /// How many shards there are.
    pub shards: u16,
    oracles: Vec<Oracle>,
    /// Where the data directory is on the disk.
    data_dir: PathBuf,
    chapter: PhantomData<fn() -> C>,
}

/// Notes how many commands of its shard an engine recovered.
struct Told {
    shard: u16,
    counts: Arc<Mutex<Vec<usize>>>,
}

impl Acknowledge for Told {
    fn acknowledge(&mut self, _: Stamp, _: &[Event]) {}

    fn recovered(&mut self, next: Sequence, _: &dyn Fn() -> ExchangeState) {
        self.counts.lock().unwrap()[usize::from(self.shard)] = (next.0 - Sequence::FIRST.0) as usize;
    }
}

impl<C: Chapter> History<C> {
    /// The expected answers to these commands in a data directory of `shards` shards.
    pub fn new(commands: &[Command], shards: u16, data_dir: &Path) -> History<C> {
        let oracles = (0..shards).map(|shard| {
            let own = commands.iter().filter(|command| ShardOf::market(command.market(), shards).shard == shard);
            Oracle::of(&own.copied().collect::<Vec<_>>())
        });
        let (commands, data_dir) = (commands.to_vec(), data_dir.to_path_buf());
        History { oracles: oracles.collect(), commands, shards, data_dir, chapter: PhantomData }
    }

    /// How many of the first `count` commands each shard has.
    pub fn counts(&self, count: usize) -> Vec<usize> {
        let mut counts = vec![0; usize::from(self.shards)];
        for command in &self.commands[..count] {
            counts[usize::from(ShardOf::market(command.market(), self.shards).shard)] += 1;
        }
        counts
    }

    /// Checks that the acknowledgements match the model, in order, starting after the first `before`
    /// commands.
    ///
    /// # Errors
    /// The first acknowledgement that does not match.
    pub fn check_acks(&self, before: &[usize], steps: &[Step]) -> Result<(), String> {
        let mut next = before.to_vec();
        for step in steps {
            let Step::Acknowledge { shard, promised, events } = step else { continue };
            let expected = self.oracles[*shard].steps(0).get(next[*shard]);
            next[*shard] += 1;
            if *promised != next[*shard] || expected.is_none_or(|expected| expected.events != *events) {
                return Err(format!("{step} with {events:?}, but the model says {expected:?}"));
            }
        }
        let whole = self.counts(self.commands.len());
        if next == whole { Ok(()) } else { Err(format!("{next:?} were acknowledged, but {whole:?} submitted")) }
    }

    /// The engine recovers everything that was promised, nothing twice, and nothing else. Where the disk was harsh it
    /// may refuse.
    ///
    /// # Errors
    /// What is wrong.
    pub fn comes_back(&self, left: &Tree, promised: &[usize], rules: Rules) -> Result<(), String> {
        let (_folder, options) = self.lay_out(left);
        let (engine, recovery) = match C::Engine::open(&options, &mut crate::harness::Acks::default().receivers()) {
            Ok(opened) => opened,
            Err(EngineError::Log(_)) if rules == Rules::Harsh => return Ok(()),
            Err(error) => return Err(format!("it does not open: {error}")),
        };
        let state = engine.close().map_err(|error| format!("it does not close: {error}"))?.state;
        let mut counts = Vec::new();
        for (shard, &promised) in promised.iter().enumerate() {
            let of = ShardOf { shard: shard as u16, shards: self.shards };
            let (count, _) = compare_log(&self.commands, of, &options.data_dir)?;
            if count < promised {
                return Err(format!("shard {shard} acknowledged {promised} commands, but {count} are there"));
            }
            counts.push(count);
        }
        if recovery.commands != counts.iter().sum::<usize>() as u64 {
            return Err(format!("the engine found {recovery:?}, but {counts:?} commands are in the logs"));
        }
        check_state(&self.state(&counts), &state)?;
        check_ledger(self.events(&counts), &options.data_dir, self.shards)?;
        self.goes_on(&options, &counts)
    }

    /// The engine accepts one more command in each shard, and then all of them are in the logs.
    fn goes_on(&self, options: &Options, counts: &[usize]) -> Result<(), String> {
        let next = self.next(counts);
        let went = run::<C::Engine>(options, &next, next.len() + 1).map_err(|error| format!("going on: {error}"))?;
        let (before, mut after) = (counts.iter().sum::<usize>(), 0);
        for shard in (0..self.shards).map(|shard| ShardOf { shard, shards: self.shards }) {
            after += compare_log(&self.commands, shard, &options.data_dir)?.0;
        }
        match went.recovery.commands == before as u64 && after == before + next.len() {
            true => Ok(()),
            false => Err(format!("{before} commands and {} more became {after}", next.len())),
        }
    }

    /// The same where only a part of the log may be left: the engine itself says how many commands it has, and its
    /// state must be what they lead to.
    ///
    /// # Errors
    /// What is wrong.
    pub fn comes_back_without_all(&self, left: &Tree, promised: &[usize], rules: Rules) -> Result<(), String> {
        let (_folder, options) = self.lay_out(left);
        let counts = match self.opens(&options, rules)? {
            Ok(counts) => counts,
            Err(EngineError::Log(_)) if rules == Rules::Harsh => return Ok(()),
            Err(error) => return Err(format!("it does not open: {error}")),
        };
        if let Some(shard) = (0..counts.len()).find(|&shard| counts[shard] < promised[shard]) {
            return Err(format!(
                "{promised:?} commands were promised, also of shard {shard}, but {counts:?} are there"
            ));
        }
        let next = self.next(&counts);
        run::<C::Engine>(&options, &next, next.len() + 1).map_err(|error| format!("going on: {error}"))?;
        let after = self.opens(&options, rules)?.map_err(|error| format!("going on, then opened again: {error}"))?;
        match after.iter().sum::<usize>() == counts.iter().sum::<usize>() + next.len() {
            true => Ok(()),
            false => Err(format!("{counts:?} commands and {} more became {after:?}", next.len())),
        }
    }

    /// How many commands of each shard the engine has; its state and the ledger must follow from them. Harsh rules
    /// may leave anything in bytes that were not synced, and a ledger has no checksums: then the ledger is not
    /// checked.
    fn opens(&self, options: &Options, rules: Rules) -> Result<Result<Vec<usize>, EngineError>, String> {
        let told = Arc::new(Mutex::new(vec![0; usize::from(self.shards)]));
        let mut receivers = |shard: u16| -> Box<dyn Acknowledge> { Box::new(Told { shard, counts: told.clone() }) };
        let engine = match C::Engine::open(options, &mut receivers) {
            Ok((engine, _)) => engine,
            Err(error) => return Ok(Err(error)),
        };
        let state = engine.close().map_err(|error| format!("it does not close: {error}"))?.state;
        let counts = told.lock().unwrap().clone();
        check_state(&self.state(&counts), &state)?;
        if rules != Rules::Harsh {
            check_ledger(self.events(&counts), &options.data_dir, self.shards)?;
        }
        Ok(Ok(counts))
    }

    /// The log can't be trusted: the engine refuses it, and no file has changed.
    ///
    /// # Errors
    /// What is wrong.
    pub fn is_refused(&self, before: &Tree, left: &Tree) -> Result<(), String> {
        let is_lock = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("LOCK"));
        let changed = before.iter().find(|(path, bytes)| !is_lock(path) && left.get(*path) != Some(bytes));
        if let Some((path, _)) = changed {
            return Err(format!("{} was changed before the log was judged", path.display()));
        }
        let (_folder, options) = self.lay_out(left);
        match C::Engine::open(&options, &mut crate::harness::Acks::default().receivers()) {
            Err(EngineError::Log(_)) => Ok(()),
            Err(error) => Err(format!("the engine refused for another reason than the log: {error}")),
            Ok((_, recovery)) => Err(format!("a damaged log was opened with {recovery:?}")),
        }
    }

    /// After an interrupted resharding to `after` shards, the directory opens with the old number or the new one, or
    /// the error says what to do; and a second resharding completes it.
    ///
    /// # Errors
    /// What is wrong.
    pub fn is_resharded(&self, left: &Tree, after: u16, reshard: Reshard) -> Result<(), String> {
        let (_folder, mut options) = self.lay_out(left);
        let whole = self.state(&self.counts(self.commands.len()));
        let words = |error: &dyn std::fmt::Display| error.to_string();
        let found = || shard_counts(&RealDisk, &options.data_dir).map_err(|error| words(&error));
        // The first program that opens the directory completes a switch that had begun. If it can't, that is
        // reported below.
        drop(DataDir::open(&RealDisk, &options.data_dir));
        let complete = found()?;
        for shards in [self.shards, after] {
            options.shards = shards;
            match run::<C::Engine>(&options, &[], 1) {
                Ok(opened) if complete == [shards] => check_state(&whole, &opened.closed.state)?,
                Ok(_) => return Err(format!("it opened with {shards} shards, but there are {complete:?}")),
                Err(error) if complete != [shards] && error.contains("--reshard") => {}
                Err(error) => return Err(format!("there are {complete:?} shards, but {shards} do not open: {error}")),
            }
        }
        reshard(&RealDisk, &options.data_dir, after).map_err(|error| format!("the second time: {error}"))?;
        let complete = shard_counts(&RealDisk, &options.data_dir).map_err(|error| words(&error))?;
        let opened = run::<C::Engine>(&Options { shards: after, ..options }, &[], 1)?;
        check_state(&whole, &opened.closed.state)?;
        if complete == [after] { Ok(()) } else { Err(format!("afterwards there are {complete:?} shards")) }
    }

    /// Puts what is left where an engine can open it.
    fn lay_out(&self, left: &Tree) -> (Folder, Options) {
        let folder = Folder::new(RealDisk);
        lay_out(left, folder.path());
        let data_dir = folder.path().join(&self.data_dir);
        let options = Options { data_dir, shards: self.shards, batch_max: 16, ..folder.options.clone() };
        (folder, options)
    }

    /// The next command of each shard after its count.
    fn next(&self, counts: &[usize]) -> Vec<Command> {
        let next = |(oracle, &count): (&Oracle, &usize)| oracle.steps(count).first().map(|step| step.command);
        self.oracles.iter().zip(counts).filter_map(next).collect()
    }

    /// The events of the first commands of each shard.
    fn events(&self, counts: &[usize]) -> impl Iterator<Item = &Event> {
        self.oracles.iter().zip(counts).flat_map(|(oracle, &count)| oracle.events(count))
    }

    /// The state after the first commands of each shard.
    fn state(&self, counts: &[usize]) -> ExchangeState {
        let states = self.oracles.iter().zip(counts).flat_map(|(oracle, &count)| oracle.state(count).markets);
        ExchangeState { markets: states.collect() }
    }
}
