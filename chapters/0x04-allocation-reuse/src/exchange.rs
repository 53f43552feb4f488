//! All markets, and the lookup of each.
//!
//! Each market is its own state machine: nothing here passes from one to another.

use std::collections::HashMap;

use market::state::ExchangeState;
use market::{Command, Event, MarketId, Reason};

use crate::metrics::Metrics;
use crate::trading::Market;

/// Every market by its id. A lookup is one hash.
#[derive(Default)]
pub struct Exchange {
    markets: HashMap<MarketId, Market>,
}

impl Exchange {
    /// Applies a command and adds to `events` what it led to: at least one event.
    pub fn apply(&mut self, command: &Command, events: &mut Vec<Event>, metrics: &mut impl Metrics) {
        if let Err(reason) = self.try_apply(command, events, metrics) {
            events.push(Event::Rejected { market: command.market(), reason });
        }
    }

    // ANCHOR: try_apply
    fn try_apply(
        &mut self,
        command: &Command,
        events: &mut Vec<Event>,
        metrics: &mut impl Metrics,
    ) -> Result<(), Reason> {
        if let Command::Open { market } = *command {
            return self.open(market, events);
        }
        let market = self.markets.get_mut(&command.market()).ok_or(Reason::UnknownMarket)?;
        match *command {
            Command::Open { .. } => unreachable!("opened above"),
            Command::Deposit { account, amount, .. } => market.deposit(account, amount, events),
            Command::Withdraw { account, amount, .. } => market.withdraw(account, amount, events),
            Command::Place(ref place) => market.place(place, events, metrics),
            Command::Cancel { account, order, .. } => market.cancel(account, order, events, metrics),
            Command::Resolve { outcome, .. } => market.resolve(outcome, events),
        }
    }
    // ANCHOR_END: try_apply

    fn open(&mut self, market: MarketId, events: &mut Vec<Event>) -> Result<(), Reason> {
        if self.markets.contains_key(&market) {
            return Err(Reason::MarketExists);
        }
        self.markets.insert(market, Market::new(market));
        events.push(Event::Opened { market });
        Ok(())
    }

    /// Everything that the markets hold.
    pub fn state(&self) -> ExchangeState {
        ExchangeState { markets: self.markets.iter().map(|(&id, market)| (id, market.state())).collect() }
    }
}
