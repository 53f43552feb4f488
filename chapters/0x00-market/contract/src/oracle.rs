//! The model with a memory: the expected answer to each command, and the state after any number of commands.
//!
//! After a crash an engine may have kept more than it acknowledged, but never less, and never anything else.
//! So the oracle keeps a model for every step, finds the step that the engine recovered to, and forgets the
//! steps after it. Markets share nothing, so each market has its own model, and an engine with shards may
//! recover to a different step in each.

use std::collections::BTreeMap;

use crate::harness::Expected;
use market::model::Model;
use market::state::{ExchangeState, MarketState};
use market::{Command, Event, MarketId};

/// Everything submitted since the beginning, except what crashes lost.
#[derive(Default)]
pub struct Oracle {
    steps: Vec<Expected>,
    /// For each step, its market's model after it.
    models: Vec<Model>,
    /// The place of each market's last step.
    latest: BTreeMap<MarketId, usize>,
}

impl Oracle {
    /// The expected answers to these commands.
    pub fn of(commands: &[Command]) -> Oracle {
        let mut oracle = Oracle::default();
        commands.iter().for_each(|&command| oracle.push(command));
        oracle
    }

    /// Adds one command.
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

    /// The commands from place `from` on, with their expected answers.
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

    /// Forgets all commands after the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.keep(|at| at < count);
    }

    /// Finds the number of commands of each market that leads to the state `found`, at least `at_least` of
    /// them, and forgets the rest.
    ///
    /// # Errors
    /// A market whose state matches no such number.
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
                    "market {market} was recovered to a state that no number of commands from {least} to {} leads to: {state:?}",
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
