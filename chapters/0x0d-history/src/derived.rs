//! What commands led to, as rows: those that are new, and those that change.
//!
//! An order, a market and a candle are rows that change. Each is kept here while it may change again, and goes to the store
//! with the batch. The store is read only for what is not kept here: after a start, and for orders that have rested for
//! long.

use std::sync::Arc;

use market::{AccountId, Command, Event, MarketId, OrderId, Price, Quantity, Stamp, UnixMs};
use rustc_hash::FxHashMap;

use crate::candle::Candle;
use crate::changes::Changes;
use crate::ends::{Cancelled, Resolved};
use crate::error::HistoryError;
use crate::key::{self, ALL_ACCOUNTS, PlacedKey, Table, number, placed};
use crate::mark;
use crate::numbered::Numbered;
use crate::part::Part;
use crate::place::Place;
use crate::profit::Profits;
use crate::rows::{MarketRow, MarketTrade, Money, Movement, Order, OrderState, OwnTrade, Row};
use crate::store::{Followed, Store};
use crate::width::Width;

/// How many orders are kept in memory. When there are more, they are read from the store when they are needed again.
pub const ORDERS_KEPT: usize = 200_000;

/// An order that may change.
struct Kept {
    key: PlacedKey,
    row: Order,
    /// Whether it differs from the store, and so is among those that have changed.
    is_new: bool,
}

/// Rows of one shard.
pub struct Derived {
    store: Arc<Store>,
    shard: u16,
    changes: Changes,
    orders: FxHashMap<(MarketId, OrderId), Kept>,
    /// Those that differ from the store.
    changed: Vec<(MarketId, OrderId)>,
    /// Each with whether it differs from the store.
    markets: FxHashMap<MarketId, (MarketRow, bool)>,
    /// The last candle of each width, when it began, and whether it differs from the store.
    candles: FxHashMap<(MarketId, Width), (UnixMs, Candle, bool)>,
    profits: Profits,
    /// How many rows of trades, orders and money have come since the last batch.
    counts: [u64; 3],
    /// How many trades there are of the shard.
    trades: u64,
    /// The part that they belong to, and its number.
    part: (u32, Part),
    /// The last command with a mark.
    mark: Option<Stamp>,
}

impl Derived {
    /// No rows yet; the next ones come after those that reach `at`.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn new(store: &Arc<Store>, shard: u16, at: &Followed) -> Result<Derived, HistoryError> {
        Ok(Derived {
            changes: Changes::default(),
            store: Arc::clone(store),
            shard,
            orders: FxHashMap::default(),
            changed: Vec::new(),
            markets: FxHashMap::default(),
            candles: FxHashMap::default(),
            profits: Profits::new(store),
            counts: [0; 3],
            trades: at.counts[0],
            part: Part::last(store, shard)?,
            mark: mark::last(store, shard, at.next)?,
        })
    }

    // ANCHOR: add
    /// Adds what a command led to.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn add(&mut self, stamp: Stamp, command: &Command, events: &[Event]) -> Result<(), HistoryError> {
        let Stamp { sequence, time } = stamp;
        for (index, event) in (0..).zip(events) {
            let place = Place { time, shard: self.shard, sequence, index };
            match *event {
                Event::Opened { market } => self.market(market)?.opened = time,
                Event::Accepted { order, .. } => self.placed(place, command, order, OrderState::Open),
                Event::Rejected { reason, .. } => {
                    self.placed(place, command, OrderId(0), OrderState::Rejected(reason));
                }
                Event::Traded { .. } => self.traded(place, event)?,
                Event::Cancelled { market, account, order, quantity, reason } => {
                    let row = Cancelled { market, order, quantity, reason };
                    self.put(&placed(Table::Cancelled, account.0, place), &row);
                    self.change(market, order, time, |row| row.state = OrderState::Cancelled(reason))?;
                }
                Event::Deposited { market, account, amount } => {
                    self.money(place, account, Money { market, movement: Movement::Deposit, amount });
                }
                Event::Withdrawn { market, account, amount } => {
                    self.money(place, account, Money { market, movement: Movement::Withdrawal, amount });
                }
                Event::Paid { market, account, amount } => {
                    self.money(place, account, Money { market, movement: Movement::Payout, amount });
                    self.profits.change(account, market, |row| row.payout.0 += amount.0)?;
                }
                Event::Resolved { market, outcome, paid } => {
                    self.put(&placed(Table::Resolved, ALL_ACCOUNTS, place), &Resolved { market, outcome, paid });
                    let row = self.market(market)?;
                    (row.resolved, row.paid) = (Some((time, outcome)), paid);
                }
            }
        }
        if mark::is_due(self.mark, stamp) {
            self.put(&key::mark(self.shard, sequence), &time);
            self.mark = Some(stamp);
        }
        if let Some(part) = self.part.1.cut(stamp, self.trades, self.store.part_trades()) {
            let number = self.part.0 + 1;
            self.put(&key::part(self.shard, number), &part);
            self.part = (number, part);
        }
        Ok(())
    }
    // ANCHOR_END: add

    /// Writes the rows that are new or have changed since the last time, in one batch with `at`, the place that they
    /// reach. The rows that were counted since the last time are added to its counts. Orders that have ended are not
    /// kept after that.
    ///
    /// # Errors
    /// When the store can't be written.
    pub fn commit(&mut self, at: &mut Followed) -> Result<(), HistoryError> {
        let mut changes = std::mem::take(&mut self.changes);
        for which in self.changed.drain(..) {
            let Some(kept) = self.orders.get_mut(&which) else { continue };
            kept.is_new = false;
            changes.put(&kept.key, &kept.row);
            if kept.row.state != OrderState::Open {
                self.orders.remove(&which);
            }
        }
        if self.orders.len() > ORDERS_KEPT {
            self.orders.clear();
        }
        for (market, (row, is_new)) in &mut self.markets {
            if std::mem::take(is_new) {
                changes.put(&key::market(*market), row);
            }
        }
        for ((market, width), (start, candle, is_new)) in &mut self.candles {
            if std::mem::take(is_new) {
                changes.put(&key::candle(*market, *width, *start), candle);
            }
        }
        self.profits.write(&mut changes);
        for (count, more) in at.counts.iter_mut().zip(&mut self.counts) {
            *count += std::mem::take(more);
        }
        changes.put(&key::follower(self.shard), at);
        self.store.commit(changes)
    }

    /// How many orders are kept in memory.
    pub fn kept(&self) -> usize {
        self.orders.len()
    }

    fn put(&mut self, key: &[u8], row: &impl Row) {
        self.changes.put(key, row);
    }

    fn placed(&mut self, place: Place, command: &Command, order: OrderId, state: OrderState) {
        // A rejected command may be something other than an order.
        let Command::Place(asked) = *command else { return };
        let (market, account) = (asked.market, asked.account);
        let row = Order {
            market,
            order,
            client_order_id: asked.client_order_id,
            intent: asked.intent,
            time_in_force: asked.time_in_force,
            price: asked.price,
            quantity: asked.quantity,
            filled: 0,
            state,
            changed: place.time,
        };
        let key = placed(Table::Orders, account.0, place);
        self.counts[1] += 1;
        if state != OrderState::Open {
            return self.put(&key, &row);
        }
        self.put(&number(market, order), &Numbered { account, place });
        self.orders.insert((market, order), Kept { key, row, is_new: true });
        self.changed.push((market, order));
    }

    fn traded(&mut self, place: Place, event: &Event) -> Result<(), HistoryError> {
        let Event::Traded {
            market,
            maker,
            maker_account,
            taker,
            taker_account,
            price,
            quantity,
            maker_intent,
            taker_intent,
        } = *event
        else {
            return Ok(());
        };
        let both =
            MarketTrade { price, quantity, maker, maker_account, maker_intent, taker, taker_account, taker_intent };
        self.put(&placed(Table::Public, market.0, place), &both);
        for (account, order, intent, is_maker) in
            [(maker_account, maker, maker_intent, true), (taker_account, taker, taker_intent, false)]
        {
            let own = OwnTrade { market, order, intent, price, quantity, is_maker };
            self.put(&placed(Table::Trades, account.0, place), &own);
            self.profits.change(account, market, |row| row.add(intent, price, quantity))?;
            self.change(market, order, place.time, |row| {
                row.filled = row.filled.saturating_add(quantity.0);
                if row.filled >= row.quantity {
                    row.state = OrderState::Filled;
                }
            })?;
        }
        self.counts[0] += 1;
        self.trades += 1;
        let row = self.market(market)?;
        (row.trades, row.shares) = (row.trades + 1, row.shares + u64::from(quantity.0));
        row.last = Some((place.time, price));
        Width::ALL.into_iter().try_for_each(|width| self.candle(market, width, place.time, price, quantity))
    }

    fn money(&mut self, place: Place, AccountId(account): AccountId, money: Money) {
        self.counts[2] += 1;
        self.put(&placed(Table::Money, account, place), &money);
    }

    /// Changes an order. An order whose beginning was trimmed has no row, so nothing changes.
    fn change(
        &mut self,
        market: MarketId,
        order: OrderId,
        time: UnixMs,
        change: impl FnOnce(&mut Order),
    ) -> Result<(), HistoryError> {
        let which = (market, order);
        if !self.orders.contains_key(&which) {
            let Some(numbered) = self.store.get::<Numbered>(&number(market, order))? else { return Ok(()) };
            let key = placed(Table::Orders, numbered.account.0, numbered.place);
            let Some(row) = self.store.get(&key)? else { return Ok(()) };
            self.orders.insert(which, Kept { key, row, is_new: false });
        }
        if let Some(kept) = self.orders.get_mut(&which) {
            change(&mut kept.row);
            kept.row.changed = time;
            if !std::mem::replace(&mut kept.is_new, true) {
                self.changed.push(which);
            }
        }
        Ok(())
    }

    fn market(&mut self, market: MarketId) -> Result<&mut MarketRow, HistoryError> {
        if !self.markets.contains_key(&market) {
            let row = self.store.get(&key::market(market))?.unwrap_or_default();
            self.markets.insert(market, (row, false));
        }
        let (row, is_new) = self.markets.entry(market).or_default();
        *is_new = true;
        Ok(row)
    }

    fn candle(
        &mut self,
        market: MarketId,
        width: Width,
        time: UnixMs,
        price: Price,
        quantity: Quantity,
    ) -> Result<(), HistoryError> {
        let start = width.start(time);
        match self.candles.get_mut(&(market, width)) {
            Some((of, candle, is_new)) if *of == start => {
                candle.add(price, quantity);
                *is_new = true;
                return Ok(());
            }
            // Time does not go back within a log, so this one is complete.
            Some((of, candle, true)) => {
                let (key, candle) = (key::candle(market, width, *of), *candle);
                self.put(&key, &candle);
            }
            _ => {}
        }
        let before: Option<Candle> = self.store.get(&key::candle(market, width, start))?;
        let candle = before.map_or_else(
            || Candle::first(price, quantity),
            |mut candle| {
                candle.add(price, quantity);
                candle
            },
        );
        self.candles.insert((market, width), (start, candle, true));
        Ok(())
    }
}
