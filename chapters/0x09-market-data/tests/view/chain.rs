//! A market and its feed at their simplest: every past state is kept, and every answer is looked up.

use contract::streams::Random;
use market::{MarketId, Price, Quantity, Sequence, Side, TradeKind, UnixMs};
use market_data::{
    BookUpdate, Depth, LastTrade, Message, Missed, Prices, PublicTrade, Status, Summary, TradeId, TradeUpdate, Version,
    Volume,
};

pub const MARKET: MarketId = MarketId(7);

/// The market: the book after every command, and every trade.
pub struct Truth {
    pub books: Vec<Depth>,
    pub trades: Vec<PublicTrade>,
    /// Bids stand up to here, asks above.
    middle: u8,
}

impl Truth {
    pub fn new() -> Truth {
        Truth { books: vec![Depth::default()], trades: Vec::new(), middle: 50 }
    }

    pub fn last(&self) -> Sequence {
        Sequence(self.books.len() as u64 - 1)
    }

    /// One more command: some prices change, and now and then there are trades.
    pub fn command(&mut self, random: &mut Random) {
        let mut book = self.books[self.books.len() - 1];
        self.middle = (self.middle + random.below(3) as u8).clamp(2, 98) - 1;
        for _ in 0..1 + random.below(3) {
            let near = i64::from(self.middle) + random.below(9) as i64 - 4;
            book.set(price(near.clamp(1, 99) as u8), random.pick(&[0, 1, 5, 4_294_967_295]));
        }
        // The book is never crossed.
        for at in Prices::ALL.iter() {
            let shares = book.at(at).abs();
            book.set(at, if at.cents() <= self.middle { shares } else { -shares });
        }
        self.books.push(book);
        for index in 0..random.pick(&[0, 0, 1, 3]) {
            self.trades.push(PublicTrade {
                market: MARKET,
                id: TradeId { sequence: self.last(), index },
                time: UnixMs(self.last().0),
                price: price(self.middle),
                quantity: Quantity(1 + index),
                taker_side: random.pick(&[Side::Bid, Side::Ask]),
                kind: random.pick(&[TradeKind::Mint, TradeKind::Merge, TradeKind::Transfer]),
            });
        }
    }
}

/// The feed: each version that it has published in this run, and the trades that are left.
pub struct Feed {
    pub epoch: u64,
    /// The version with the counter `n` is at `n - 1`.
    versions: Vec<(Sequence, bool)>,
    /// Up to which command it follows; less than the market's last if it has fallen behind.
    follows: Sequence,
    pub is_behind: bool,
    /// Trades before this position are no longer in its ring.
    trades_from: TradeId,
}

/// A reader's position, as the server keeps it.
#[derive(Clone, Copy, Default)]
pub struct Place {
    pub book: Version,
    pub trades: TradeId,
}

impl Feed {
    pub fn new(epoch: u64) -> Feed {
        let (follows, trades_from) = (Sequence(0), TradeId::default());
        let mut feed = Feed { epoch, versions: Vec::new(), follows, is_behind: false, trades_from };
        feed.publish();
        feed
    }

    /// The feed ends, and another starts with an older book, which it marks stale. Its trades are gone.
    pub fn restart(&mut self, truth: &Truth, random: &mut Random) {
        *self = Feed::new(self.epoch + 1 + random.below(5));
        self.versions.clear();
        self.follows = Sequence(random.below(truth.last().0 + 1));
        self.fall_behind(truth);
    }

    /// The ring has lapped it: it says so, and the trades of that time are lost to its readers.
    pub fn fall_behind(&mut self, truth: &Truth) {
        self.is_behind = true;
        self.trades_from = TradeId::first_of(truth.last().plus(1));
        self.publish();
    }

    /// It has caught up.
    pub fn catch_up(&mut self, truth: &Truth) {
        self.is_behind = false;
        self.trades_from = self.trades_from.max(TradeId::first_of(truth.last().plus(1)));
        self.follow(truth);
    }

    /// It applies what there is and publishes the result.
    pub fn follow(&mut self, truth: &Truth) {
        if !self.is_behind {
            self.follows = truth.last();
            self.publish();
        }
    }

    /// Old trades leave its ring.
    pub fn forget_trades(&mut self, truth: &Truth, random: &mut Random) {
        let oldest = Sequence(random.below(self.follows.0 + 2).min(truth.last().0));
        self.trades_from = self.trades_from.max(TradeId::first_of(oldest));
    }

    fn publish(&mut self) {
        self.versions.push((self.follows, !self.is_behind));
    }

    pub fn newest(&self) -> Version {
        Version { epoch: self.epoch, counter: self.versions.len() as u64 }
    }

    /// What a reader at `place` has missed of the book; afterwards it is at the newest version.
    pub fn book(&self, truth: &Truth, place: &mut Place) -> Option<Message> {
        let (to, from) = (self.newest(), place.book);
        if from == to {
            return None;
        }
        let is_known = from.epoch == to.epoch && (1..to.counter).contains(&from.counter);
        let (sequence, is_fresh) = self.versions[self.versions.len() - 1];
        let depth = truth.books[sequence.0 as usize];
        let prices = if is_known { self.changed(truth, from) } else { Prices::ALL };
        let mut told = Depth::default();
        prices.iter().for_each(|price| told.set(price, depth.at(price)));
        place.book = to;
        let from = if is_known { from } else { Version::NONE };
        let summary = summary(truth, sequence, &depth, is_fresh);
        Some(Message::Book(BookUpdate { market: MARKET, from, to, prices, depth: told, summary }))
    }

    /// The prices that have changed at any time since a version, even if they changed back.
    fn changed(&self, truth: &Truth, from: Version) -> Prices {
        let book = |&(sequence, _): &(Sequence, bool)| truth.books[sequence.0 as usize];
        let mut changed = Prices::NONE;
        for pair in self.versions[from.counter as usize - 1..].windows(2) {
            let (before, after) = (book(&pair[0]), book(&pair[1]));
            Prices::ALL.iter().filter(|&at| before.at(at) != after.at(at)).for_each(|at| changed.insert(at));
        }
        changed
    }

    /// The next trade for a reader at `place`, or the gap there.
    pub fn trade(&self, truth: &Truth, place: &mut Place) -> Option<Message> {
        let since = place.trades;
        if since < self.trades_from {
            place.trades = self.trades_from;
            return Some(Message::Missed(Missed { market: MARKET, from: since, to: self.trades_from }));
        }
        let next = truth.trades.iter().find(|trade| trade.id >= since && trade.id.sequence <= self.follows)?;
        place.trades = next.id.next();
        Some(Message::Trade(TradeUpdate { since, trade: *next }))
    }
}

fn summary(truth: &Truth, sequence: Sequence, depth: &Depth, is_fresh: bool) -> Summary {
    let known = || truth.trades.iter().filter(|trade| trade.id.sequence <= sequence);
    let last = |trade: &PublicTrade| LastTrade { price: trade.price, quantity: trade.quantity, time: trade.time };
    let (best_bid, best_ask) = depth.best();
    Summary {
        sequence,
        best_bid,
        best_ask,
        last_trade: known().next_back().map(last),
        volume: Volume { shares: known().map(|trade| u64::from(trade.quantity.0)).sum(), since: Sequence(1) },
        open_interest: sequence.0,
        status: Status::Open,
        is_fresh,
    }
}

fn price(cents: u8) -> Price {
    Price::new(cents).expect("the caller stays within 1 to 99")
}
