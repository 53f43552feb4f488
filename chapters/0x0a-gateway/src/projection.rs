//! The accounts' data, built from acknowledged events: holdings, open orders, own trades.
//!
//! Reads never touch the matching thread. The projection starts from the state that the engine recovered, and follows
//! event by event. It reports up to which command of each shard it has come, and since which one it knows trades,
//! because earlier ones are in the log and not here. Cost: a few lookups per event, on the replies thread.

mod account;

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

use market::state::{Holdings, RestingOrder};
use market::{
    AccountId, Cents, Event, Intent, MarketId, OrderId, Outcome, Price, Quantity, Sequence, Stamp, Ticket, TradeKind,
};
use market_data::tap::Opened;
use rustc_hash::FxHashMap;

pub use account::{Account, FILLS_MAX, Fill, OpenOrder, Role};

/// A market's state, and its holders.
#[derive(Default)]
pub struct MarketNow {
    /// Whether it was resolved, and how, if the projection has seen that.
    pub status: MarketStatus,
    /// The cash behind the shares in existence.
    pub pot: Cents,
    holdings: FxHashMap<AccountId, Holdings>,
}

impl MarketNow {
    /// An account's holdings in it; none if it never had any.
    pub fn held(&self, account: AccountId) -> Option<Holdings> {
        self.holdings.get(&account).copied()
    }
}

/// Whether a market trades.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MarketStatus {
    /// It does.
    #[default]
    Open,
    /// It was resolved; the projection does not know the outcome if it started later.
    Resolved(Option<Outcome>),
}

/// The whole state.
pub struct Projection {
    progress: Vec<Sequence>,
    since: Vec<Sequence>,
    markets: BTreeMap<MarketId, MarketNow>,
    accounts: FxHashMap<AccountId, Account>,
    highest_account: AccountId,
}

impl Projection {
    /// The projection of an engine with this many shards.
    pub fn new(shards: u16) -> Projection {
        let none = vec![Sequence(0); usize::from(shards)];
        Projection {
            progress: none.clone(),
            since: none,
            markets: BTreeMap::new(),
            accounts: FxHashMap::default(),
            highest_account: AccountId(0),
        }
    }

    /// The last command of each shard that it includes.
    pub fn progress(&self) -> &[Sequence] {
        &self.progress
    }

    /// The first command of each shard whose trades it knows.
    pub fn since(&self) -> &[Sequence] {
        &self.since
    }

    /// Whether it has received the recovered state of every shard.
    pub fn is_open(&self) -> bool {
        self.since.iter().all(|since| since.0 > 0)
    }

    /// All markets.
    pub fn markets(&self) -> impl Iterator<Item = (MarketId, &MarketNow)> {
        self.markets.iter().map(|(&id, market)| (id, market))
    }

    /// One market.
    pub fn market(&self, market: MarketId) -> Option<&MarketNow> {
        self.markets.get(&market)
    }

    /// An account's orders and trades, if the account is known.
    pub fn account(&self, account: AccountId) -> Option<&Account> {
        self.accounts.get(&account)
    }

    /// Its resting orders after this one, in order: those of one market, or of all.
    pub fn open_orders(
        &self,
        account: AccountId,
        market: Option<MarketId>,
        after: Option<(MarketId, OrderId)>,
    ) -> impl Iterator<Item = ((MarketId, OrderId), &OpenOrder)> {
        // No order has the number 0.
        let start = market.map(|market| (market, OrderId(0)));
        let from = after.max(start).unwrap_or((MarketId(0), OrderId(0)));
        let open = self.accounts.get(&account).into_iter();
        let open = open.flat_map(move |account| account.open.range((Excluded(from), Unbounded)));
        open.map(|(&place, order)| (place, order))
            .take_while(move |((of, _), _)| market.is_none_or(|market| market == *of))
    }

    /// One of its resting orders.
    pub fn open_order(&self, account: AccountId, market: MarketId, order: OrderId) -> Option<&OpenOrder> {
        self.accounts.get(&account)?.open.get(&(market, order))
    }

    /// An account's holdings in each market where it has deposited.
    pub fn holdings(&self, account: AccountId) -> impl Iterator<Item = (MarketId, Holdings)> {
        self.markets.iter().filter_map(move |(&id, market)| Some((id, *market.holdings.get(&account)?)))
    }

    /// The highest account that holds anything anywhere.
    pub fn highest_account(&self) -> AccountId {
        self.highest_account
    }

    /// Starts with the state that a shard recovered.
    pub fn open(&mut self, shard: u16, opened: &Opened) {
        self.progress[usize::from(shard)] = Sequence(opened.next.0.saturating_sub(1));
        self.since[usize::from(shard)] = opened.next;
        for (&id, state) in &opened.state.markets {
            let status = if state.closed { MarketStatus::Resolved(None) } else { MarketStatus::Open };
            let holdings = state.accounts.iter().map(|(&account, &holdings)| (account, holdings)).collect();
            self.markets.insert(id, MarketNow { status, pot: state.pot, holdings });
            for &account in state.accounts.keys() {
                self.highest_account = self.highest_account.max(account);
            }
            for resting in state.bids.iter().chain(&state.asks) {
                let RestingOrder { order, account, intent, price, quantity } = *resting;
                let limit = intent.in_yes_cents(price);
                self.accounts
                    .entry(account)
                    .or_default()
                    .open
                    .insert((id, order), OpenOrder::recovered(intent, limit, quantity));
            }
        }
    }

    /// The last event of a command was applied.
    pub fn end(&mut self, Ticket { shard, sequence }: Ticket) {
        self.progress[usize::from(shard)] = sequence;
    }

    // ANCHOR: apply
    /// Applies the next event of the command with this stamp. The client's own number of the order, 0 for none, is in
    /// the command and not in its events.
    pub fn apply(&mut self, stamp: Stamp, client_order_id: u64, event: &Event) {
        match *event {
            Event::Opened { market } => {
                self.markets.entry(market).or_default();
            }
            Event::Deposited { market, account, amount } | Event::Paid { market, account, amount } => {
                self.highest_account = self.highest_account.max(account);
                self.held(market, account).cash.0 += amount.0;
            }
            Event::Withdrawn { market, account, amount } => self.held(market, account).cash.0 -= amount.0,
            Event::Accepted { market, account, order, intent, price, quantity } => {
                let limit = intent.in_yes_cents(price);
                lock(self.held(market, account), intent, limit, quantity);
                let (left, client_order_id) = (quantity, Some(client_order_id));
                let open = OpenOrder { intent, limit, quantity, left, time: stamp.time, client_order_id };
                self.accounts.entry(account).or_default().open.insert((market, order), open);
            }
            Event::Traded {
                market,
                maker,
                maker_account,
                taker,
                taker_account,
                price,
                quantity,
                maker_intent,
                taker_intent,
            } => {
                let pairs = Cents::payout(quantity).0;
                let pot = &mut self.markets.entry(market).or_default().pot.0;
                match TradeKind::of(maker_intent, taker_intent) {
                    TradeKind::Mint => *pot += pairs,
                    TradeKind::Merge => *pot -= pairs,
                    TradeKind::Transfer => {}
                }
                self.trade(stamp, (market, maker), maker_account, Role::Maker, price, quantity);
                self.trade(stamp, (market, taker), taker_account, Role::Taker, price, quantity);
            }
            Event::Cancelled { market, account, order, quantity, .. } => {
                let gone = self.accounts.entry(account).or_default().open.remove(&(market, order));
                if let Some(OpenOrder { intent, limit, .. }) = gone {
                    unlock(self.held(market, account), intent, limit, quantity);
                }
            }
            Event::Resolved { market, outcome, .. } => {
                let now = self.markets.entry(market).or_default();
                (now.status, now.pot) = (MarketStatus::Resolved(Some(outcome)), Cents::ZERO);
                for holdings in now.holdings.values_mut() {
                    (holdings.yes, holdings.no) = (Quantity::ZERO, Quantity::ZERO);
                }
            }
            Event::Rejected { .. } => {}
        }
    }
    // ANCHOR_END: apply

    /// One side of a trade.
    fn trade(
        &mut self,
        stamp: Stamp,
        place: (MarketId, OrderId),
        account: AccountId,
        role: Role,
        price: Price,
        quantity: Quantity,
    ) {
        let person = self.accounts.entry(account).or_default();
        let Some(order) = person.open.get_mut(&place) else { return };
        let OpenOrder { intent, limit, client_order_id, .. } = *order;
        order.left.0 -= quantity.0;
        if order.left.is_zero() {
            person.open.remove(&place);
        }
        let price = intent.in_yes_cents(price);
        let (market, order) = place;
        person.remember(Fill { market, order, role, intent, price, quantity, stamp, client_order_id });
        let holdings = self.held(market, account);
        if intent.buys() {
            holdings.cash_locked.0 -= limit.times(quantity).0;
            // The difference between the limit and the price is free again.
            holdings.cash.0 += limit.times(quantity).0 - price.times(quantity).0;
            shares(holdings, intent).0.0 += quantity.0;
        } else {
            shares(holdings, intent).1.0 -= quantity.0;
            holdings.cash.0 += price.times(quantity).0;
        }
    }

    fn held(&mut self, market: MarketId, account: AccountId) -> &mut Holdings {
        self.markets.entry(market).or_default().holdings.entry(account).or_default()
    }
}

/// The free and the locked shares that an intent refers to.
fn shares(holdings: &mut Holdings, intent: Intent) -> (&mut Quantity, &mut Quantity) {
    match intent.share() {
        Outcome::Yes => (&mut holdings.yes, &mut holdings.yes_locked),
        Outcome::No => (&mut holdings.no, &mut holdings.no_locked),
    }
}

fn lock(holdings: &mut Holdings, intent: Intent, limit: Price, quantity: Quantity) {
    if intent.buys() {
        holdings.cash.0 -= limit.times(quantity).0;
        holdings.cash_locked.0 += limit.times(quantity).0;
    } else {
        let (free, locked) = shares(holdings, intent);
        free.0 -= quantity.0;
        locked.0 += quantity.0;
    }
}

fn unlock(holdings: &mut Holdings, intent: Intent, limit: Price, quantity: Quantity) {
    if intent.buys() {
        holdings.cash_locked.0 -= limit.times(quantity).0;
        holdings.cash.0 += limit.times(quantity).0;
    } else {
        let (free, locked) = shares(holdings, intent);
        locked.0 -= quantity.0;
        free.0 += quantity.0;
    }
}
