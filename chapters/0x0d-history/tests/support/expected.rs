//! The rows that a log leads to, worked out from the reference model's events with plain maps, and the rows that a store holds.

use std::collections::BTreeMap;
use std::path::Path;

use history::candle::Candle;
use history::ends::{Cancelled, Resolved};
use history::key::{self, Table, place_of};
use history::place::Place;
use history::profit::Profit;
use history::rows::{MarketRow, MarketTrade, Money, Movement, Order, OrderState, OwnTrade, Row};
use history::store::Store;
use history::width::Width;
use market::log::ShardOf;
use market::log_chain::{read_chain, segments};
use market::model::Model;
use market::{Command, Event, Intent, LogError, MarketId, OrderId, Price, RealDisk, Sequence, Stamp, UnixMs};

/// All rows of some logs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Rows {
    pub trades: BTreeMap<(u32, Place), OwnTrade>,
    pub orders: BTreeMap<(u32, Place), Order>,
    pub money: BTreeMap<(u32, Place), Money>,
    pub public: BTreeMap<(u32, Place), MarketTrade>,
    pub markets: BTreeMap<u32, MarketRow>,
    pub candles: BTreeMap<(u32, u8, u64), Candle>,
    pub profits: BTreeMap<(u32, u32), Profit>,
    pub cancelled: BTreeMap<(u32, Place), Cancelled>,
    pub resolved: BTreeMap<Place, Resolved>,
    pub marks: BTreeMap<(u16, Sequence), UnixMs>,
}

impl Rows {
    /// The rows of the logs in a folder, each log up to the command before its `next`.
    pub fn of_logs(folder: &Path, shards: u16, next: &[Sequence]) -> Rows {
        let mut rows = Rows::default();
        for (shard, next) in (0..shards).zip(next) {
            let logged = logged(folder, ShardOf { shard, shards });
            rows.add_all(shard, logged.iter().take_while(|(stamp, _)| stamp.sequence < *next));
        }
        rows
    }

    /// The rows of one shard's commands, from its first on.
    pub fn of_commands(shard: u16, logged: &[(Stamp, Command)]) -> Rows {
        let mut rows = Rows::default();
        rows.add_all(shard, logged.iter());
        rows
    }

    fn add_all<'l>(&mut self, shard: u16, logged: impl Iterator<Item = &'l (Stamp, Command)>) {
        let (mut model, mut placed, mut mark) = (Model::default(), BTreeMap::new(), None::<Stamp>);
        for (stamp, command) in logged {
            let is_due =
                |last: Stamp| stamp.sequence.0 >= last.sequence.0 + 4_096 || stamp.time.0 >= last.time.0 + 60_000;
            if mark.is_none_or(is_due) {
                mark = Some(*stamp);
                self.marks.insert((shard, stamp.sequence), stamp.time);
            }
            for (index, event) in (0..).zip(model.apply(command)) {
                let place = Place { time: stamp.time, shard, sequence: stamp.sequence, index };
                self.add(place, command, &event, &mut placed);
            }
        }
    }

    fn add(
        &mut self,
        place: Place,
        command: &Command,
        event: &Event,
        placed: &mut BTreeMap<(MarketId, OrderId), (u32, Place)>,
    ) {
        let time = place.time;
        let mut order = |order, state| {
            if let Command::Place(asked) = *command {
                let row = Order {
                    market: asked.market,
                    order,
                    client_order_id: asked.client_order_id,
                    intent: asked.intent,
                    time_in_force: asked.time_in_force,
                    price: asked.price,
                    quantity: asked.quantity,
                    filled: 0,
                    state,
                    changed: time,
                };
                self.orders.insert((asked.account.0, place), row);
                placed.insert((asked.market, order), (asked.account.0, place));
            }
        };
        match *event {
            Event::Opened { market } => self.markets.entry(market.0).or_default().opened = time,
            Event::Accepted { order: number, .. } => order(number, OrderState::Open),
            Event::Rejected { reason, .. } => order(OrderId(0), OrderState::Rejected(reason)),
            Event::Cancelled { market, account, order, quantity, reason } => {
                let row = Cancelled { market, order, quantity, reason };
                self.cancelled.insert((account.0, place), row);
                let row = self.orders.get_mut(&placed[&(market, order)]).unwrap();
                (row.state, row.changed) = (OrderState::Cancelled(reason), time);
            }
            Event::Deposited { market, account, amount } => {
                self.money.insert((account.0, place), Money { market, movement: Movement::Deposit, amount });
            }
            Event::Withdrawn { market, account, amount } => {
                self.money.insert((account.0, place), Money { market, movement: Movement::Withdrawal, amount });
            }
            Event::Paid { market, account, amount } => {
                self.money.insert((account.0, place), Money { market, movement: Movement::Payout, amount });
                self.profits.entry((account.0, market.0)).or_default().payout.0 += amount.0;
            }
            Event::Resolved { market, outcome, paid } => {
                self.resolved.insert(place, Resolved { market, outcome, paid });
                let row = self.markets.entry(market.0).or_default();
                (row.resolved, row.paid) = (Some((time, outcome)), paid);
            }
            Event::Traded { .. } => self.traded(place, event, placed),
        }
    }

    fn traded(&mut self, place: Place, event: &Event, placed: &BTreeMap<(MarketId, OrderId), (u32, Place)>) {
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
            return;
        };
        let both =
            MarketTrade { price, quantity, maker, maker_account, maker_intent, taker, taker_account, taker_intent };
        self.public.insert((market.0, place), both);
        let own = |order, intent, is_maker| OwnTrade { market, order, intent, price, quantity, is_maker };
        self.trades.insert((maker_account.0, place), own(maker, maker_intent, true));
        self.trades.insert((taker_account.0, place), own(taker, taker_intent, false));
        for (account, intent) in [(maker_account, maker_intent), (taker_account, taker_intent)] {
            let row = self.profits.entry((account.0, market.0)).or_default();
            let (shares, yes) = (i64::from(quantity.0), u64::from(price.cents()) * u64::from(quantity.0));
            let no = 100 * u64::from(quantity.0) - yes;
            match intent {
                Intent::BuyYes => (row.paid.0, row.yes) = (row.paid.0 + yes, row.yes + shares),
                Intent::BuyNo => (row.paid.0, row.no) = (row.paid.0 + no, row.no + shares),
                Intent::SellYes => (row.received.0, row.yes) = (row.received.0 + yes, row.yes - shares),
                Intent::SellNo => (row.received.0, row.no) = (row.received.0 + no, row.no - shares),
            }
        }
        for order in [maker, taker] {
            let row = self.orders.get_mut(&placed[&(market, order)]).unwrap();
            (row.filled, row.changed) = (row.filled + quantity.0, place.time);
            if row.filled == row.quantity {
                row.state = OrderState::Filled;
            }
        }
        let row = self.markets.entry(market.0).or_default();
        row.trades += 1;
        row.shares += u64::from(quantity.0);
        row.last = Some((place.time, price));
        for width in Width::ALL {
            self.drawn(market, width, place.time, price, quantity.0.into());
        }
    }

    fn drawn(&mut self, market: MarketId, width: Width, time: UnixMs, price: Price, shares: u64) {
        let start = time.0 / width.ms() * width.ms();
        let first = Candle { open: price, high: price, low: price, close: price, shares: 0, trades: 0 };
        let candle = self.candles.entry((market.0, width as u8, start)).or_insert(first);
        candle.high = candle.high.max(price);
        candle.low = candle.low.min(price);
        candle.close = price;
        candle.shares += shares;
        candle.trades += 1;
    }

    /// Everything that a store holds.
    pub fn of_store(store: &Store) -> Rows {
        let owned = |key: &[u8]| (u32::from_be_bytes(key[1..5].try_into().unwrap()), place_of(key).unwrap());
        let owner = |key: &[u8]| u32::from_be_bytes(key[1..5].try_into().unwrap());
        let start = |key: &[u8]| (owner(key), key[5], key::start_of(key).unwrap().0);
        Rows {
            trades: table(store, Table::Trades, owned),
            orders: table(store, Table::Orders, owned),
            money: table(store, Table::Money, owned),
            public: table(store, Table::Public, owned),
            markets: table(store, Table::Markets, owner),
            candles: table(store, Table::Candles, start),
            profits: table(store, Table::Profits, |key| (owner(key), key::market_of_profit(key).unwrap().0)),
            cancelled: table(store, Table::Cancelled, owned),
            resolved: table(store, Table::Resolved, |key| place_of(key).unwrap()),
            marks: table(store, Table::Marks, |key| {
                (u16::from_be_bytes([key[1], key[2]]), key::sequence_of(key).unwrap())
            }),
        }
    }

    /// Fails, with the first row that differs.
    pub fn assert_is(&self, expected: &Rows, when: &str) {
        same(&self.trades, &expected.trades, when, "trades");
        same(&self.orders, &expected.orders, when, "orders");
        same(&self.money, &expected.money, when, "money");
        same(&self.public, &expected.public, when, "public trades");
        same(&self.markets, &expected.markets, when, "markets");
        same(&self.candles, &expected.candles, when, "candles");
        same(&self.profits, &expected.profits, when, "profit and loss");
        same(&self.cancelled, &expected.cancelled, when, "cancelled orders");
        same(&self.resolved, &expected.resolved, when, "resolved markets");
        same(&self.marks, &expected.marks, when, "marks");
    }
}

fn table<K: Ord, R: Row>(store: &Store, table: Table, key: impl Fn(&[u8]) -> K) -> BTreeMap<K, R> {
    let rows = store.range::<R>(&[table as u8], &[table as u8 + 1]);
    let mut found = BTreeMap::new();
    for row in rows {
        let (bytes, row) = row.unwrap();
        assert!(found.insert(key(&bytes), row).is_none(), "a key is there twice: {bytes:?}");
    }
    found
}

fn same<K: Ord + std::fmt::Debug, R: PartialEq + std::fmt::Debug>(
    found: &BTreeMap<K, R>,
    expected: &BTreeMap<K, R>,
    when: &str,
    what: &str,
) {
    for (key, row) in expected {
        match found.get(key) {
            None => panic!("{when}: of {what}, {key:?} is missing: {row:?}"),
            Some(found) => assert_eq!(found, row, "{when}: of {what}, {key:?}"),
        }
    }
    let more = found.keys().find(|key| !expected.contains_key(key));
    assert!(more.is_none(), "{when}: of {what}, nothing led to {more:?}");
}

/// All commands of a shard's log, which has its beginning.
pub fn logged(folder: &Path, shard: ShardOf) -> Vec<(Stamp, Command)> {
    let segments = segments(&RealDisk, folder, shard).unwrap();
    let mut logged = Vec::new();
    read_chain::<LogError>(&RealDisk, shard, &segments, None, None, |stamp, command| {
        logged.push((stamp, command));
        Ok(())
    })
    .unwrap();
    logged
}

/// The places of all shards in a store.
pub fn next(store: &Store, shards: u16) -> Vec<Sequence> {
    (0..shards).map(|shard| store.followed(shard).unwrap().next).collect()
}
