//! One market: what each command does to it.
//!
//! An order passes three stages: the balance check locks what it needs, matching finds what it
//! trades with, settlement moves money and shares. Only the first two can reject it.

use market::state::MarketState;
use market::{
    AccountId, CancelReason, Cents, Event, MarketId, OrderId, Outcome, Place, Price, Quantity, Reason, Stage, TradeKind,
};

use crate::accounts::Accounts;
use crate::book::{Book, Fate, Fill, Order};
use crate::metrics::Metrics;

/// A market with its book, its accounts and its pot.
pub struct Market {
    id: MarketId,
    closed: bool,
    /// The cash behind the shares in existence: 100 cents a pair.
    pot: Cents,
    /// Deposits minus withdrawals.
    funded: Cents,
    orders_placed: u64,
    book: Book,
    accounts: Accounts,
}

impl Market {
    /// An open market without accounts or orders.
    pub fn new(id: MarketId) -> Market {
        Market {
            id,
            closed: false,
            pot: Cents::ZERO,
            funded: Cents::ZERO,
            orders_placed: 0,
            book: Book::default(),
            accounts: Accounts::default(),
        }
    }

    /// Brings cash in.
    ///
    /// # Errors
    /// The reason why it is rejected.
    pub fn deposit(&mut self, account: AccountId, amount: Cents, events: &mut Vec<Event>) -> Result<(), Reason> {
        self.check_open()?;
        let funded = self.funded.checked_add(amount).ok_or(Reason::AmountOutOfRange)?;
        if amount.is_zero() || funded > Cents::MARKET_MAX {
            return Err(Reason::AmountOutOfRange);
        }
        self.funded = funded;
        self.accounts.deposit(account, amount);
        events.push(Event::Deposited { market: self.id, account, amount });
        Ok(())
    }

    /// Takes free cash out, also after the market was resolved.
    ///
    /// # Errors
    /// The reason why it is rejected.
    pub fn withdraw(&mut self, account: AccountId, amount: Cents, events: &mut Vec<Event>) -> Result<(), Reason> {
        if amount.is_zero() {
            return Err(Reason::AmountOutOfRange);
        }
        self.accounts.withdraw(account, amount)?;
        self.funded.0 -= amount.0;
        events.push(Event::Withdrawn { market: self.id, account, amount });
        Ok(())
    }

    // ANCHOR: place
    /// Places a limit order: balance check, matching, settlement.
    ///
    /// # Errors
    /// The reason why it is rejected; then nothing has changed.
    pub fn place(&mut self, place: &Place, events: &mut Vec<Event>, metrics: &mut impl Metrics) -> Result<(), Reason> {
        self.orders_placed += 1;
        self.check_open()?;
        let order = self.checked_order(place)?;
        self.accounts.lock(order.account, order.intent, order.price, order.quantity)?;
        metrics.lap(Stage::BalanceCheck);

        let matched = self.book.place(&order, place.time_in_force);
        metrics.lap(Stage::Matching);
        let (fills, fate) = match matched {
            Ok(matched) => matched,
            Err(reason) => {
                self.accounts.unlock(order.account, order.intent, order.price, order.quantity);
                return Err(reason);
            }
        };

        let Order { id, account, intent, price, quantity } = order;
        events.push(Event::Accepted { market: self.id, account, order: id, intent, price, quantity });
        for fill in &fills {
            self.settle(&order, fill);
            events.push(self.traded(&order, fill));
        }
        if let Fate::Cancelled { quantity, reason } = fate {
            self.accounts.unlock(account, intent, price, quantity);
            events.push(Event::Cancelled { market: self.id, account, order: id, quantity, reason });
        }
        Ok(())
    }
    // ANCHOR_END: place

    /// Turns the client's request into an order that can't be malformed.
    fn checked_order(&self, place: &Place) -> Result<Order, Reason> {
        let asked = Price::new(place.price).ok_or(Reason::BadPrice)?;
        if place.quantity == 0 {
            return Err(Reason::ZeroQuantity);
        }
        Ok(Order {
            id: OrderId(self.orders_placed),
            account: place.account,
            intent: place.intent,
            price: place.intent.in_yes_cents(asked),
            quantity: Quantity(place.quantity),
        })
    }

    // ANCHOR: settle
    /// Moves the money and the shares of one fill.
    fn settle(&mut self, taker: &Order, fill: &Fill) {
        self.accounts.settle(fill.maker_account, fill.maker_intent, fill.price, fill.price, fill.quantity);
        self.accounts.settle(taker.account, taker.intent, taker.price, fill.price, fill.quantity);
        let pairs = Cents::payout(fill.quantity);
        match TradeKind::of(fill.maker_intent, taker.intent) {
            TradeKind::Mint => self.pot.0 += pairs.0,
            TradeKind::Merge => self.pot.0 -= pairs.0,
            TradeKind::Transfer => {}
        }
    }
    // ANCHOR_END: settle

    fn traded(&self, taker: &Order, fill: &Fill) -> Event {
        Event::Traded {
            market: self.id,
            maker: fill.maker,
            maker_account: fill.maker_account,
            taker: taker.id,
            taker_account: taker.account,
            price: fill.price,
            quantity: fill.quantity,
            maker_intent: fill.maker_intent,
            taker_intent: taker.intent,
        }
    }

    /// Takes a resting order out of the book.
    ///
    /// # Errors
    /// The reason why it is rejected.
    pub fn cancel(
        &mut self,
        account: AccountId,
        order: OrderId,
        events: &mut Vec<Event>,
        metrics: &mut impl Metrics,
    ) -> Result<(), Reason> {
        self.check_open()?;
        let resting = self.book.cancel(account, order)?;
        metrics.lap(Stage::Matching);
        self.release(&resting, CancelReason::Requested, events);
        Ok(())
    }

    /// Cancels what rests, pays the winners in the order of their ids, and closes the market.
    ///
    /// # Errors
    /// The reason why it is rejected.
    pub fn resolve(&mut self, outcome: Outcome, events: &mut Vec<Event>) -> Result<(), Reason> {
        self.check_open()?;
        while let Some(resting) = self.book.take_best() {
            self.release(&resting, CancelReason::Resolved, events);
        }
        let mut paid = Cents::ZERO;
        for (account, amount) in self.accounts.pay_out(outcome) {
            paid.0 += amount.0;
            events.push(Event::Paid { market: self.id, account, amount });
        }
        self.pot.0 -= paid.0;
        self.closed = true;
        events.push(Event::Resolved { market: self.id, outcome, paid });
        Ok(())
    }

    /// Frees what an order that left the book had locked.
    fn release(&mut self, order: &Order, reason: CancelReason, events: &mut Vec<Event>) {
        let Order { id, account, intent, price, quantity } = *order;
        self.accounts.unlock(account, intent, price, quantity);
        events.push(Event::Cancelled { market: self.id, account, order: id, quantity, reason });
    }

    fn check_open(&self) -> Result<(), Reason> {
        if self.closed { Err(Reason::MarketClosed) } else { Ok(()) }
    }

    /// Everything that the market holds.
    pub fn state(&self) -> MarketState {
        let (bids, asks) = self.book.state();
        MarketState {
            closed: self.closed,
            pot: self.pot,
            orders_placed: self.orders_placed,
            bids,
            asks,
            accounts: self.accounts.state(),
        }
    }
}
