//! All markets, and the lookup of each.
//!
//! Each market is its own state machine: nothing here passes from one to another.

use market::log::ShardOf;
use market::snapshot::MARKETS;
use market::snapshot_file::{SnapshotError, SnapshotReader, SnapshotWriter};
use market::state::ExchangeState;
use market::{Command, EngineError, Event, MarketId, Reason};

use crate::id_table::{Entries, IdTable};
use crate::metrics::{Metrics, Unmeasured};
use crate::slab::Slot;
use crate::trading::Market;

/// A market, and the next one in the same place of the table.
struct Listed {
    market: Market,
    link: Slot,
}

/// Every market, in the order in which they were opened, and a table from ids to them.
#[derive(Default)]
pub struct Exchange {
    markets: Vec<Listed>,
    table: IdTable,
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
        let slot = self.find(command.market()).ok_or(Reason::UnknownMarket)?;
        let market = &mut self.markets[slot as usize].market;
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
        if self.find(market).is_some() {
            return Err(Reason::MarketExists);
        }
        self.add(Market::new(market));
        events.push(Event::Opened { market });
        Ok(())
    }

    fn add(&mut self, market: Market) {
        let slot = self.markets.len() as Slot;
        let link = self.table.insert(u64::from(market.id().0), slot, &mut self.markets);
        self.markets.push(Listed { market, link });
    }

    fn find(&self, market: MarketId) -> Option<Slot> {
        self.table.find(u64::from(market.0), &self.markets)
    }

    /// How many bytes of memory all resting orders and all accounts hold.
    pub fn bytes(&self) -> (usize, usize) {
        self.markets
            .iter()
            .map(|listed| listed.market.bytes())
            .fold((0, 0), |sum, market| (sum.0 + market.0, sum.1 + market.1))
    }

    /// Everything that the markets hold.
    pub fn state(&self) -> ExchangeState {
        ExchangeState {
            markets: self.markets.iter().map(|Listed { market, .. }| (market.id(), market.state())).collect(),
        }
    }
}

impl keeping::Exchange for Exchange {
    fn apply(&mut self, command: &Command, events: &mut Vec<Event>) {
        self.apply(command, events, &mut Unmeasured);
    }

    fn save(&self, snapshot: &mut SnapshotWriter<'_>) -> Result<(), EngineError> {
        snapshot.section(MARKETS)?;
        self.markets.iter().try_for_each(|listed| listed.market.save(snapshot))
    }

    // ANCHOR: load
    fn load(snapshot: &mut SnapshotReader) -> Result<Exchange, SnapshotError> {
        let mut exchange = Exchange::default();
        for (name, length) in snapshot.header.sections.clone() {
            if name != MARKETS {
                snapshot.skip(length)?;
                continue;
            }
            let mut read = 0;
            while read < length {
                let (market, bytes) = Market::load(snapshot)?;
                if exchange.find(market.id()).is_some() {
                    return Err(snapshot.unusable(&format!("market {} is there twice", market.id())));
                }
                exchange.add(market);
                read += bytes;
            }
            if read > length {
                return Err(snapshot.unusable("its last market is longer than its section"));
            }
        }
        Ok(exchange)
    }
    // ANCHOR_END: load

    fn deal(self, shards: &mut [Exchange]) {
        let count = shards.len() as u16;
        for Listed { market, .. } in self.markets {
            shards[usize::from(ShardOf::market(market.id(), count).shard)].add(market);
        }
    }

    fn digest(&self) -> u64 {
        // The states of the markets are computed one at a time.
        let digests = self.markets.iter().map(|Listed { market, .. }| market.state().digest(market.id()));
        digests.fold(0, u64::wrapping_add)
    }
}

impl Entries for Vec<Listed> {
    fn entry(&self, slot: Slot) -> Option<(u64, Slot)> {
        self.get(slot as usize).map(|listed| (u64::from(listed.market.id().0), listed.link))
    }

    fn link(&mut self, slot: Slot) -> &mut Slot {
        &mut self[slot as usize].link
    }
}
