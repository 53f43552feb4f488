//! All markets of a shard, as the feed knows them after a given command of the shard's log.
//!
//! Records come from a ring or from a replayed log: that makes no difference here. Only whole commands are published,
//! and each market that they changed is published once.

use std::collections::HashMap;
use std::sync::Arc;

use market::{Event, MarketId, Sequence, Stamp};

use crate::board::Board;
use crate::record::{Record, encode};
use crate::tap::Opened;
use crate::trade::TradeId;
use crate::watched::Watched;

/// The markets of a shard.
pub struct Shard {
    board: Arc<Board>,
    epoch: u64,
    trades_kept: usize,
    markets: Vec<Watched>,
    slots: HashMap<MarketId, usize>,
    /// The markets that have changed since they were published.
    dirty: Vec<usize>,
    is_dirty: Vec<bool>,
    /// The current command and its market.
    doing: Option<(Sequence, usize)>,
    /// The last applied command.
    last: Sequence,
    /// Readers know all trades before this position.
    told: TradeId,
}

impl Shard {
    /// An empty shard.
    pub fn new(board: Arc<Board>, epoch: u64, trades_kept: usize) -> Shard {
        Shard {
            board,
            epoch,
            trades_kept,
            markets: Vec::new(),
            slots: HashMap::new(),
            dirty: Vec::new(),
            is_dirty: Vec::new(),
            doing: None,
            last: Sequence(0),
            told: TradeId::default(),
        }
    }

    /// The last applied command.
    pub fn last(&self) -> Sequence {
        self.last
    }

    /// Replaces everything with the state of an engine. Publishes nothing.
    pub fn reset(&mut self, opened: &Opened) {
        let Opened { next, state } = opened;
        (self.doing, self.last) = (None, Sequence(next.0.saturating_sub(1)));
        self.markets.iter_mut().for_each(Watched::clear);
        for (&market, state) in &state.markets {
            let slot = self.slot(market, *next);
            self.markets[slot].load(state);
        }
        if *next > Sequence::FIRST && TradeId::first_of(*next) > self.told {
            self.markets.iter_mut().for_each(|market| market.lose_trades(self.told, *next));
            self.told = TradeId::first_of(*next);
        }
        (0..self.markets.len()).for_each(|slot| self.mark(slot));
    }

    // ANCHOR: apply
    /// Applies one record of a command.
    pub fn apply(&mut self, record: &Record) {
        let Record { stamp, market, seen } = record;
        if self.doing.is_some_and(|(sequence, _)| sequence != stamp.sequence) {
            self.end_command();
        }
        let slot = self.slot(*market, stamp.sequence);
        self.markets[slot].apply(*stamp, seen, &mut self.told);
        self.doing = Some((stamp.sequence, slot));
        self.mark(slot);
    }

    /// Ends the current command.
    pub fn end_command(&mut self) {
        if let Some((sequence, slot)) = self.doing.take() {
            self.markets[slot].end_command();
            self.last = sequence;
        }
    }

    /// Publishes every market that has changed. There is no current command.
    pub fn publish(&mut self) {
        for slot in self.dirty.drain(..) {
            self.is_dirty[slot] = false;
            self.markets[slot].publish(self.last);
        }
    }
    // ANCHOR_END: apply

    /// Applies a replayed command.
    pub fn replay(&mut self, stamp: Stamp, events: &[Event]) {
        let records = events.iter().filter_map(|event| Record::decode(encode(stamp, event)?));
        records.for_each(|record| self.apply(&record));
        // A replay publishes its books only at the end. Untold trades would fill the ring long before that, and readers
        // would find nothing there.
        if let Some((_, slot)) = self.doing {
            self.markets[slot].tell_trades();
        }
        self.end_command();
        self.last = stamp.sequence;
    }

    /// Marks all books stale.
    pub fn stale(&mut self) {
        self.markets.iter_mut().for_each(Watched::stale);
    }

    /// Whether this record is after the last applied command.
    pub fn is_news(&self, record: &Record) -> bool {
        record.stamp.sequence > self.last
    }

    /// How many bytes of memory all resting orders hold.
    pub fn order_bytes(&self) -> usize {
        self.markets.iter().map(Watched::order_bytes).sum()
    }

    fn slot(&mut self, market: MarketId, since: Sequence) -> usize {
        *self.slots.entry(market).or_insert_with(|| {
            let (watched, shown) = Watched::new(market, self.epoch, self.trades_kept, since);
            self.markets.push(watched);
            self.is_dirty.push(false);
            self.board.add(shown);
            self.markets.len() - 1
        })
    }

    fn mark(&mut self, slot: usize) {
        if !self.is_dirty[slot] {
            self.is_dirty[slot] = true;
            self.dirty.push(slot);
        }
    }
}
