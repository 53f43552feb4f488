//! The model with a memory: what each command should lead to, and the state after any number of
//! them.
//!
//! After a crash an engine may have kept more than it acknowledged, but never less, and never
//! something else. So the oracle keeps a model for every step, finds the step that the engine came
//! back at, and forgets what came after it. Markets share nothing, so each has a model of its own,
//! and an engine with shards may come back at a different step in each.

use std::collections::BTreeMap;

use crate::harness::Expected;
use market::model::Model;
use market::state::{ExchangeState, MarketState};
use market::{Command, Event, MarketId};

/// Everything submitted since the beginning, less what crashes took.
#[derive(Default)]
pub struct Oracle {
    steps: Vec<Expected>,
    /// For each step, its market's model after it.
    models: Vec<Model>,
    /// The place of each market's last step.
    latest: BTreeMap<MarketId, usize>,
}

impl Oracle {
    /// Everything that these commands should lead to.
    pub fn of(commands: &[Command]) -> Oracle {
        let mut oracle = Oracle::default();
        commands.iter().for_each(|&command| oracle.push(command));
        oracle
    }

    /// Takes one more command.
    pub fn push(&mut self, command: Command) {
        let market = command.market();
        let mut model = self.latest.get(&market).map(|&at| self.models[at].clone()).unwrap_or_default();
        let events = model.apply(&command);
        self.latest.insert(market, self.steps.len());
        self.steps.push(Expected { command, events });
        self.models.push(model);
    }

    /// How many commands there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The commands from place `from` on, with what they should lead to.
    pub fn steps(&self, from: usize) -> &[Expected] {
        &self.steps[from..]
    }

    /// The events of the first `count` commands.
    pub fn events(&self, count: usize) -> impl Iterator<Item = &Event> {
        self.steps[..count].iter().flat_map(|step| &step.events)
    }

    /// The state after the first `count` commands.
    pub fn state(&self, count: usize) -> ExchangeState {
        let mut last = BTreeMap::new();
        for (at, step) in self.steps[..count].iter().enumerate() {
            last.insert(step.command.market(), at);
        }
        let states = last.values().flat_map(|&at| self.models[at].state().markets);
        ExchangeState { markets: states.collect() }
    }

    /// Forgets all but the first `count` commands.
    pub fn truncate(&mut self, count: usize) {
        self.keep(|at| at < count);
    }

    /// Finds how many commands of each market `found` is the state of, at least `at_least` of them,
    /// and forgets the rest.
    ///
    /// # Errors
    /// A market whose state is that of no such number.
    pub fn truncate_to(&mut self, found: &ExchangeState, at_least: &BTreeMap<MarketId, usize>) -> Result<(), String> {
        let mut kept = vec![false; self.steps.len()];
        for market in self.latest.keys() {
            let steps: Vec<usize> =
                (0..self.steps.len()).filter(|&at| self.steps[at].command.market() == *market).collect();
            let state_after = |count: usize| -> Option<MarketState> {
                let last = steps[..count].last()?;
                self.models[*last].state().markets.remove(market)
            };
            let least = at_least.get(market).copied().unwrap_or(0);
            let state = found.markets.get(market);
            let Some(count) = (least..=steps.len()).rev().find(|&count| state_after(count).as_ref() == state) else {
                return Err(format!(
                    "market {market} came back as the state of no number of commands from {least} to {}: {state:?}",
                    steps.len()
                ));
            };
            steps[..count].iter().for_each(|&at| kept[at] = true);
        }
        self.keep(|at| kept[at]);
        Ok(())
    }

    /// How many of the first `count` commands each market has.
    pub fn counts_of(&self, count: usize) -> BTreeMap<MarketId, usize> {
        let mut counts = BTreeMap::new();
        self.steps[..count].iter().for_each(|step| *counts.entry(step.command.market()).or_default() += 1);
        counts
    }

    fn keep(&mut self, kept: impl Fn(usize) -> bool) {
        let mut places = 0..self.steps.len();
        self.steps.retain(|_| places.next().is_some_and(&kept));
        let mut places = 0..self.models.len();
        self.models.retain(|_| places.next().is_some_and(&kept));
        self.latest = self.steps.iter().enumerate().map(|(at, step)| (step.command.market(), at)).collect();
    }
}
