//! One market, as the feed knows it: the shares at each price, and the resting orders behind them.
//!
//! It is the engine's book without the accounts. Invariant: between any two commands, the depth at each price is the
//! sum of the orders that rest there.

use std::sync::Arc;

use market::state::MarketState;
use market::{MarketId, OrderId, Price, Quantity, Sequence, Side, Stamp, TradeKind};

use crate::depth::Depth;
use crate::orders::Orders;
use crate::record::Seen;
use crate::shown::{Publisher, Shown, shown};
use crate::trade::{PublicTrade, TradeId};
use crate::update::{LastTrade, Status, Summary, Volume};

/// A market.
pub struct Watched {
    depth: Depth,
    orders: Orders,
    status: Status,
    open_interest: u64,
    last_trade: Option<LastTrade>,
    volume: Volume,
    /// The incoming order of the current command, and how many trades it has made.
    taker: Option<Taker>,
    trades: u32,
    publisher: Publisher,
}

/// An incoming order.
#[derive(Clone, Copy)]
struct Taker {
    order: OrderId,
    side: Side,
    price: Price,
    left: u32,
}

impl Watched {
    /// A market that opens with this command.
    pub fn new(market: MarketId, epoch: u64, trades_kept: usize, since: Sequence) -> (Watched, Arc<Shown>) {
        let (publisher, shown) = shown(market, epoch, trades_kept);
        let watched = Watched {
            depth: Depth::default(),
            orders: Orders::default(),
            status: Status::Open,
            open_interest: 0,
            last_trade: None,
            volume: Volume { shares: 0, since },
            taker: None,
            trades: 0,
            publisher,
        };
        (watched, shown)
    }

    /// Empties the book.
    pub fn clear(&mut self) {
        (self.depth, self.orders, self.status) = (Depth::default(), Orders::default(), Status::Open);
        (self.open_interest, self.taker, self.trades) = (0, None, 0);
    }

    /// Loads the state of an engine.
    pub fn load(&mut self, state: &MarketState) {
        self.clear();
        for order in state.bids.iter().chain(&state.asks) {
            self.rest(order.order, order.intent.side(), order.price, order.quantity.0);
        }
        if state.closed {
            self.status = Status::Resolved(None);
        }
        self.open_interest = state.pot.0 / market::money::PAYOUT;
    }

    /// Records that the trades from `from` up to command `to` are not known.
    pub fn lose_trades(&mut self, from: TradeId, to: Sequence) {
        (self.last_trade, self.volume) = (None, Volume { shares: 0, since: to });
        self.publisher.gap(from, to);
        self.publisher.tell();
    }

    // ANCHOR: apply
    /// Applies one record of a command. Readers already know the trades before `told`, which moves forward.
    pub fn apply(&mut self, stamp: Stamp, seen: &Seen, told: &mut TradeId) {
        match *seen {
            Seen::Opened => self.clear(),
            Seen::Accepted { order, side, price, quantity } => {
                self.taker = Some(Taker { order, side, price, left: quantity.0 });
            }
            Seen::Traded { maker, taker_side, price, quantity, kind } => {
                self.reduce(maker, quantity);
                if let Some(taker) = &mut self.taker {
                    taker.left = taker.left.saturating_sub(quantity.0);
                }
                let pairs = u64::from(quantity.0);
                match kind {
                    TradeKind::Mint => self.open_interest += pairs,
                    TradeKind::Merge => self.open_interest = self.open_interest.saturating_sub(pairs),
                    TradeKind::Transfer => {}
                }
                let id = TradeId { sequence: stamp.sequence, index: self.trades };
                self.trades += 1;
                if id >= *told {
                    *told = id.next();
                    let (market, time) = (self.publisher.market(), stamp.time);
                    self.tell(&PublicTrade { market, id, time, price, quantity, taker_side, kind });
                }
            }
            Seen::Cancelled { order, quantity } => match &mut self.taker {
                // It came in with this command and never rested in the book.
                Some(taker) if taker.order == order => taker.left = 0,
                _ => self.reduce(order, quantity),
            },
            Seen::Resolved { outcome } => {
                self.clear();
                self.status = Status::Resolved(Some(outcome));
            }
        }
    }

    /// Ends a command: what is left of the incoming order rests.
    pub fn end_command(&mut self) {
        self.trades = 0;
        if let Some(Taker { order, side, price, left: left @ 1.. }) = self.taker.take() {
            self.rest(order, side, price, left);
        }
    }
    // ANCHOR_END: apply

    fn rest(&mut self, order: OrderId, side: Side, price: Price, left: u32) {
        self.orders.insert(order, side, price, left);
        self.depth.add(side, price, i64::from(left));
    }

    fn reduce(&mut self, order: OrderId, quantity: Quantity) {
        let stood = self.orders.reduce(order, quantity.0);
        debug_assert!(stood.is_some(), "order {order} rests");
        if let Some((side, price)) = stood {
            self.depth.add(side, price, -i64::from(quantity.0));
        }
    }

    fn tell(&mut self, trade: &PublicTrade) {
        let PublicTrade { price, quantity, time, .. } = *trade;
        self.volume.shares = self.volume.shares.saturating_add(quantity.0.into());
        self.last_trade = Some(LastTrade { price, quantity, time });
        self.publisher.trade(trade);
    }

    /// Publishes the trades, and the book after this command.
    pub fn publish(&mut self, sequence: Sequence) {
        let (best_bid, best_ask) = self.depth.best();
        let Watched { status, open_interest, last_trade, volume, .. } = *self;
        let summary =
            Summary { sequence, best_bid, best_ask, last_trade, volume, open_interest, status, is_fresh: true };
        // Trades first: a reader that sees the book also finds the trades that led to it.
        self.publisher.tell();
        self.publisher.book(&self.depth, &summary);
    }

    /// Publishes the trades alone.
    pub fn tell_trades(&mut self) {
        self.publisher.tell();
    }

    /// Publishes the trades, and marks the book stale.
    pub fn stale(&mut self) {
        self.publisher.tell();
        self.publisher.stale();
    }

    /// How many bytes of memory its resting orders hold.
    pub fn order_bytes(&self) -> usize {
        self.orders.bytes()
    }
}
