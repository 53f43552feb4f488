//! One market: what each command does to it.
//!
//! An order passes three stages: the balance check locks what it needs, matching finds what it
//! trades with, settlement moves money and shares. Only the first two can reject it.

use std::hint::select_unpredictable;
use std::mem;

use market::snapshot::{AccountRecord, MarketRecord, OrderRecord};
use market::snapshot_file::{SnapshotError, SnapshotReader, SnapshotWriter};
use market::state::MarketState;
use market::{
    AccountId, CancelReason, Cents, EngineError, Event, MarketId, OrderId, Outcome, Place, Price, Quantity, Reason,
    Side, Stage, TimeInForce,
};

use crate::accounts::{Accounts, missing};
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
    /// The fills of the current order; kept, so that the list is allocated once.
    fills: Vec<Fill>,
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
            fills: Vec::new(),
        }
    }

    /// Its id.
    pub fn id(&self) -> MarketId {
        self.id
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
        let order = self.locked_order(place)?;
        metrics.lap(Stage::BalanceCheck);

        let matched = self.book.place(&order, place.time_in_force, &mut self.fills);
        metrics.lap(Stage::Matching);
        let fate = match matched {
            Ok(fate) => fate,
            Err(reason) => {
                self.accounts.unlock(order.holder, order.intent, order.price, order.quantity);
                return Err(reason);
            }
        };

        let Order { id, holder, intent, price, quantity } = order;
        let account = place.account;
        events.push(Event::Accepted { market: self.id, account, order: id, intent, price, quantity });
        // Moved out during the loop: the empty list left in its place allocates nothing.
        let fills = mem::take(&mut self.fills);
        for fill in &fills {
            self.settle(&order, fill);
            events.push(self.traded(&order, fill));
        }
        self.fills = fills;
        if let Fate::Cancelled { quantity, reason } = fate {
            self.accounts.unlock(holder, intent, price, quantity);
            events.push(Event::Cancelled { market: self.id, account, order: id, quantity, reason });
        }
        Ok(())
    }
    // ANCHOR_END: place

    /// Turns the client's request into an order that can't be malformed, and locks what it needs.
    #[inline(always)] // with `settle`, so that an order's path is one function: between calls it would be in memory
    fn locked_order(&mut self, place: &Place) -> Result<Order, Reason> {
        let asked = Price::new(place.price).ok_or(Reason::BadPrice)?;
        if place.quantity == 0 {
            return Err(Reason::ZeroQuantity);
        }
        let Place { account, intent, .. } = *place;
        let (price, quantity) = (intent.in_yes_cents(asked), Quantity(place.quantity));
        let holder = self.accounts.find(account).ok_or_else(|| missing(intent))?;
        self.accounts.lock(holder, intent, price, quantity)?;
        Ok(Order { id: OrderId(self.orders_placed), holder, intent, price, quantity })
    }

    // ANCHOR: settle
    /// Moves the money and the shares of one fill.
    #[inline(always)] // as `locked_order`
    fn settle(&mut self, taker: &Order, fill: &Fill) {
        self.accounts.settle(fill.maker_holder, fill.maker_intent, fill.price, fill.price, fill.quantity);
        self.accounts.settle(taker.holder, taker.intent, taker.price, fill.price, fill.quantity);
        let pairs = Cents::payout(fill.quantity);
        // A maker that buys adds a pair, a taker that sells takes one away: a mint adds, a merge takes.
        self.pot.0 += select_unpredictable(fill.maker_intent.buys(), pairs.0, 0);
        self.pot.0 -= select_unpredictable(taker.intent.buys(), 0, pairs.0);
    }
    // ANCHOR_END: settle

    fn traded(&self, taker: &Order, fill: &Fill) -> Event {
        Event::Traded {
            market: self.id,
            maker: fill.maker,
            maker_account: self.accounts.account(fill.maker_holder),
            taker: taker.id,
            taker_account: self.accounts.account(taker.holder),
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
        let resting = self.book.cancel(order, |holder| self.accounts.account(holder) == account)?;
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
        let (market, first) = (self.id, events.len());
        let mut paid = Cents::ZERO;
        self.accounts.pay_out(outcome, |account, amount| {
            paid.0 += amount.0;
            events.push(Event::Paid { market, account, amount });
        });
        events[first..].sort_unstable_by_key(|event| match *event {
            Event::Paid { account, .. } => account,
            _ => unreachable!("only payments were added"),
        });
        self.pot.0 -= paid.0;
        self.closed = true;
        events.push(Event::Resolved { market: self.id, outcome, paid });
        Ok(())
    }

    /// Frees what an order that left the book had locked.
    fn release(&mut self, order: &Order, reason: CancelReason, events: &mut Vec<Event>) {
        let Order { id, holder, intent, price, quantity } = *order;
        let account = self.accounts.account(holder);
        self.accounts.unlock(holder, intent, price, quantity);
        events.push(Event::Cancelled { market: self.id, account, order: id, quantity, reason });
    }

    fn check_open(&self) -> Result<(), Reason> {
        if self.closed { Err(Reason::MarketClosed) } else { Ok(()) }
    }

    /// How many bytes of memory its resting orders and its accounts hold.
    pub fn bytes(&self) -> (usize, usize) {
        (self.book.bytes(), self.accounts.bytes())
    }

    // ANCHOR: save
    /// Writes the state of the market into a snapshot.
    ///
    /// # Errors
    /// When the disk can't be written.
    pub fn save(&self, snapshot: &mut SnapshotWriter<'_>) -> Result<(), EngineError> {
        let orders = || [Side::Bid, Side::Ask].map(|side| self.book.walk(side));
        let market = MarketRecord {
            id: self.id,
            closed: self.closed,
            pot: self.pot,
            funded: self.funded,
            orders_placed: self.orders_placed,
            accounts: self.accounts.count() as u32,
            orders: orders().map(|side| side.count() as u32),
        };
        snapshot.write(&market.encode())?;
        self.accounts.records().try_for_each(|account| snapshot.write(&account.encode()))?;
        orders().into_iter().flatten().try_for_each(|(_, Order { id, holder, intent, price, quantity })| {
            snapshot.write(&OrderRecord { order: id, row: holder.0, intent, price, quantity }.encode())
        })
    }
    // ANCHOR_END: save

    /// Reads a market back from a snapshot, and returns how many bytes it had there.
    ///
    /// # Errors
    /// Why the snapshot is not used.
    pub fn load(snapshot: &mut SnapshotReader) -> Result<(Market, u64), SnapshotError> {
        let Some(record) = MarketRecord::decode(&snapshot.record()?) else {
            return Err(snapshot.unusable("there is no market where one should be"));
        };
        let MarketRecord { id, closed, pot, funded, orders_placed, accounts, orders: [bids, asks] } = record;
        let mut market = Market { closed, pot, funded, orders_placed, ..Market::new(id) };
        for _ in 0..accounts {
            let account = AccountRecord::decode(&snapshot.record()?);
            if account.and_then(|account| market.accounts.load(account)).is_none() {
                return Err(snapshot.unusable(&format!("an account of market {id} is not valid, or is there twice")));
            }
        }
        let orders = u64::from(bids) + u64::from(asks);
        for _ in 0..orders {
            let order = OrderRecord::decode(&snapshot.record()?);
            if order.and_then(|order| market.load_order(&order)).is_none() {
                return Err(snapshot.unusable(&format!("a resting order of market {id} is not valid")));
            }
        }
        let sizes = [MarketRecord::BYTES, AccountRecord::BYTES, OrderRecord::BYTES].map(|size| size as u64);
        Ok((market, sizes[0] + u64::from(accounts) * sizes[1] + orders * sizes[2]))
    }

    // ANCHOR: load_order
    /// Lets an order rest again, after those of its price. Nothing when it is there already, or would meet an order
    /// of the other side.
    fn load_order(&mut self, &OrderRecord { order, row, intent, price, quantity }: &OrderRecord) -> Option<()> {
        let holder = self.accounts.holder(row).filter(|_| (1..=self.orders_placed).contains(&order.0))?;
        if self.book.contains(order) {
            return None;
        }
        let order = Order { id: order, holder, intent, price, quantity };
        self.book.place(&order, TimeInForce::PostOnly, &mut self.fills).is_ok().then_some(())
    }
    // ANCHOR_END: load_order

    /// Everything that the market holds.
    pub fn state(&self) -> MarketState {
        let (bids, asks) = self.book.state(|holder| self.accounts.account(holder));
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
