//! The reference model: the market's rules, written to be read.
//!
//! It is the specification and the oracle. It keeps a book as a plain list in order of arrival and
//! looks through all of it for every match: slow, and hard to get wrong. It shares only the types
//! with the engines, and after every command it checks the laws that no command may break.

mod settlement;

use std::collections::BTreeMap;
use std::mem;

use self::settlement::{lock, needs, settle, shares_of};
use crate::money::PAYOUT;
use crate::state::{ExchangeState, Holdings, MarketState, RestingOrder};
use crate::{
    AccountId, CancelReason, Cents, Command, Event, MarketId, OrderId, Outcome, Place, Price, Quantity, Reason, Side,
    TimeInForce, TradeKind,
};

/// All markets, by the book.
#[derive(Clone, Default)]
pub struct Model {
    markets: BTreeMap<MarketId, Market>,
}

#[derive(Clone, Default)]
struct Market {
    closed: bool,
    pot: u64,
    /// Deposits minus withdrawals. Everything in the market adds up to it.
    funded: u64,
    orders_placed: u64,
    /// In order of arrival, both sides together.
    resting: Vec<RestingOrder>,
    accounts: BTreeMap<AccountId, Holdings>,
}

impl Model {
    /// The events that `command` leads to.
    ///
    /// # Panics
    /// When a law of the market is broken: then the model is wrong, or the test that uses it.
    pub fn apply(&mut self, command: &Command) -> Vec<Event> {
        let id = command.market();
        let mut events = Vec::new();
        if let Err(reason) = self.try_apply(command, &mut events) {
            assert!(events.is_empty(), "a rejected command has other events");
            events.push(Event::Rejected { market: id, reason });
        }
        if let Some(market) = self.markets.get_mut(&id) {
            market.check_laws();
        }
        events
    }

    fn try_apply(&mut self, command: &Command, events: &mut Vec<Event>) -> Result<(), Reason> {
        let id = command.market();
        if let Command::Open { market } = *command {
            if self.markets.contains_key(&market) {
                return Err(Reason::MarketExists);
            }
            self.markets.insert(market, Market::default());
            events.push(Event::Opened { market });
            return Ok(());
        }
        let market = self.markets.get_mut(&id).ok_or(Reason::UnknownMarket)?;
        if let Command::Place(_) = command {
            market.orders_placed += 1;
        }
        // A closed market only pays money out.
        if market.closed && !matches!(command, Command::Withdraw { .. }) {
            return Err(Reason::MarketClosed);
        }
        match *command {
            Command::Open { .. } => unreachable!("opened above"),
            Command::Deposit { account, amount, .. } => market.deposit(id, account, amount, events),
            Command::Withdraw { account, amount, .. } => market.withdraw(id, account, amount, events),
            Command::Place(ref place) => market.place(place, events),
            Command::Cancel { account, order, .. } => market.cancel(id, account, order, events),
            Command::Resolve { outcome, .. } => market.resolve(id, outcome, events),
        }
    }

    /// Everything the model holds.
    pub fn state(&self) -> ExchangeState {
        ExchangeState { markets: self.markets.iter().map(|(&id, market)| (id, market.state())).collect() }
    }
}

impl Market {
    fn deposit(
        &mut self,
        market: MarketId,
        account: AccountId,
        amount: Cents,
        events: &mut Vec<Event>,
    ) -> Result<(), Reason> {
        let funded = self.funded.checked_add(amount.0).ok_or(Reason::AmountOutOfRange)?;
        if amount.is_zero() || funded > Cents::MARKET_MAX.0 {
            return Err(Reason::AmountOutOfRange);
        }
        self.funded = funded;
        self.holdings(account).cash.0 += amount.0;
        events.push(Event::Deposited { market, account, amount });
        Ok(())
    }

    fn withdraw(
        &mut self,
        market: MarketId,
        account: AccountId,
        amount: Cents,
        events: &mut Vec<Event>,
    ) -> Result<(), Reason> {
        if amount.is_zero() {
            return Err(Reason::AmountOutOfRange);
        }
        if self.accounts.get(&account).is_none_or(|holdings| holdings.cash < amount) {
            return Err(Reason::InsufficientCash);
        }
        self.funded -= amount.0;
        self.holdings(account).cash.0 -= amount.0;
        events.push(Event::Withdrawn { market, account, amount });
        Ok(())
    }

    fn place(&mut self, place: &Place, events: &mut Vec<Event>) -> Result<(), Reason> {
        let (market, account, intent) = (place.market, place.account, place.intent);
        let asked = Price::new(place.price).ok_or(Reason::BadPrice)?;
        let price = intent.in_yes_cents(asked);
        let quantity = Quantity(place.quantity);
        if quantity.is_zero() {
            return Err(Reason::ZeroQuantity);
        }
        let mut holdings = self.accounts.get(&account).copied().unwrap_or_default();
        lock(&mut holdings, intent, price, quantity)?;
        match place.time_in_force {
            TimeInForce::PostOnly if self.best_match(intent.side(), price).is_some() => return Err(Reason::WouldCross),
            TimeInForce::Fok if !self.fills_whole(account, intent.side(), price, quantity) => {
                return Err(Reason::CannotFill);
            }
            _ => {}
        }

        // Nothing can fail from here on.
        *self.holdings(account) = holdings;
        let order = OrderId(self.orders_placed);
        events.push(Event::Accepted { market, account, order, intent, price, quantity });
        let mut taker = RestingOrder { order, account, intent, price, quantity };
        while let Some(at) = self.best_match(intent.side(), price) {
            if taker.quantity.is_zero() {
                return Ok(());
            }
            if self.resting[at].account == account {
                self.release(&taker);
                events.push(cancelled(market, &taker, CancelReason::SelfTrade));
                return Ok(());
            }
            events.push(self.trade(market, at, &mut taker));
        }
        if taker.quantity.is_zero() {
            return Ok(());
        }
        match place.time_in_force {
            TimeInForce::Gtc | TimeInForce::PostOnly => self.resting.push(taker),
            TimeInForce::Ioc | TimeInForce::Fok => {
                self.release(&taker);
                events.push(cancelled(market, &taker, CancelReason::ImmediateOrCancel));
            }
        }
        Ok(())
    }

    /// Trades as much as both the taker and the resting order at place `at` of the list have.
    fn trade(&mut self, market: MarketId, at: usize, taker: &mut RestingOrder) -> Event {
        let maker = self.resting[at];
        let quantity = taker.quantity.min(maker.quantity);
        for party in [&maker, &*taker] {
            settle(self.holdings(party.account), party, maker.price, quantity);
        }
        match TradeKind::of(maker.intent, taker.intent) {
            TradeKind::Mint => self.pot += PAYOUT * u64::from(quantity.0),
            TradeKind::Merge => self.pot -= PAYOUT * u64::from(quantity.0),
            TradeKind::Transfer => {}
        }
        taker.quantity.0 -= quantity.0;
        self.resting[at].quantity.0 -= quantity.0;
        if self.resting[at].quantity.is_zero() {
            self.resting.remove(at);
        }
        Event::Traded {
            market,
            maker: maker.order,
            maker_account: maker.account,
            taker: taker.order,
            taker_account: taker.account,
            price: maker.price,
            quantity,
            maker_intent: maker.intent,
            taker_intent: taker.intent,
        }
    }

    /// The place in the list of the order that an incoming one of this side and limit meets first:
    /// the best price, and among equal prices the earliest.
    fn best_match(&self, side: Side, limit: Price) -> Option<usize> {
        let candidates = self.resting.iter().enumerate();
        let crossing = candidates.filter(|(_, order)| {
            order.intent.side() == side.opposite()
                && match side {
                    Side::Bid => order.price <= limit,
                    Side::Ask => order.price >= limit,
                }
        });
        match side {
            Side::Bid => crossing.min_by_key(|(_, order)| (order.price, order.order)).map(|(at, _)| at),
            Side::Ask => crossing.min_by_key(|(_, order)| (order.price.complement(), order.order)).map(|(at, _)| at),
        }
    }

    /// Whether an order could trade completely, without reaching one of its own account.
    fn fills_whole(&self, account: AccountId, side: Side, limit: Price, quantity: Quantity) -> bool {
        let ahead = self.side(side.opposite()).into_iter().take_while(|order| {
            order.account != account
                && match side {
                    Side::Bid => order.price <= limit,
                    Side::Ask => order.price >= limit,
                }
        });
        ahead.map(|order| u64::from(order.quantity.0)).sum::<u64>() >= u64::from(quantity.0)
    }

    fn cancel(
        &mut self,
        market: MarketId,
        account: AccountId,
        order: OrderId,
        events: &mut Vec<Event>,
    ) -> Result<(), Reason> {
        let at = self.resting.iter().position(|resting| resting.order == order).ok_or(Reason::UnknownOrder)?;
        if self.resting[at].account != account {
            return Err(Reason::NotTheOwner);
        }
        let resting = self.resting.remove(at);
        self.release(&resting);
        events.push(cancelled(market, &resting, CancelReason::Requested));
        Ok(())
    }

    fn resolve(&mut self, market: MarketId, outcome: Outcome, events: &mut Vec<Event>) -> Result<(), Reason> {
        // The bids from the best to the worst, then the asks.
        for resting in [self.side(Side::Bid), self.side(Side::Ask)].concat() {
            self.release(&resting);
            events.push(cancelled(market, &resting, CancelReason::Resolved));
        }
        self.resting.clear();
        let mut paid = Cents::ZERO;
        for (&account, holdings) in &mut self.accounts {
            let winning = match outcome {
                Outcome::Yes => holdings.yes,
                Outcome::No => holdings.no,
            };
            (holdings.yes, holdings.no) = (Quantity::ZERO, Quantity::ZERO);
            if !winning.is_zero() {
                let amount = Cents::payout(winning);
                holdings.cash.0 += amount.0;
                self.pot -= amount.0;
                paid.0 += amount.0;
                events.push(Event::Paid { market, account, amount });
            }
        }
        self.closed = true;
        events.push(Event::Resolved { market, outcome, paid });
        Ok(())
    }

    fn holdings(&mut self, account: AccountId) -> &mut Holdings {
        self.accounts.entry(account).or_default()
    }

    /// Frees what the rest of an order had locked.
    fn release(&mut self, order: &RestingOrder) {
        let holdings = self.holdings(order.account);
        let (cash, shares) = needs(order.intent, order.price, order.quantity);
        holdings.cash_locked.0 -= cash;
        holdings.cash.0 += cash;
        let (free, locked) = shares_of(holdings, order.intent.share());
        locked.0 -= shares;
        free.0 += shares;
    }

    /// The resting orders of a side, best price first, then by time.
    fn side(&self, side: Side) -> Vec<RestingOrder> {
        let mut orders: Vec<_> = self.resting.iter().copied().filter(|order| order.intent.side() == side).collect();
        match side {
            Side::Bid => orders.sort_by_key(|order| (order.price.complement(), order.order)),
            Side::Ask => orders.sort_by_key(|order| (order.price, order.order)),
        }
        orders
    }

    fn state(&self) -> MarketState {
        MarketState {
            closed: self.closed,
            pot: Cents(self.pot),
            orders_placed: self.orders_placed,
            bids: self.side(Side::Bid),
            asks: self.side(Side::Ask),
            accounts: self.accounts.clone(),
        }
    }

    /// Checks the laws: money is conserved, shares come in pairs, locks are what open orders need,
    /// the book is not crossed.
    fn check_laws(&mut self) {
        // Moved out and back: copying all accounts after every command would take longer than everything
        // else.
        let accounts = mem::take(&mut self.accounts);
        let state = MarketState { accounts, ..self.state() };
        state.check_laws().unwrap_or_else(|law| panic!("{law}: {state:?}"));
        assert_eq!(state.funds(), self.funded, "cash + pot = deposits - withdrawals");
        self.accounts = state.accounts;
    }
}

fn cancelled(market: MarketId, order: &RestingOrder, reason: CancelReason) -> Event {
    Event::Cancelled { market, account: order.account, order: order.order, quantity: order.quantity, reason }
}
