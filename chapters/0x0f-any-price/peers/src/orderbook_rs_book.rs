//! `orderbook-rs` behind the chapter's trait. It is designed for many concurrent threads; here it has one. It reports
//! trades to a listener, which has to be shareable between threads.

use std::sync::{Arc, Mutex, PoisonError};

use any_price::contract::{
    Book, CancelReason, Command, Event, Id as Name, Price, Quantity, Receiver, RejectReason, Side, TimeInForce,
};
use orderbook_rs::{Id, OrderBook, TimeInForce as Theirs};

/// A trade: the resting order, the price, the quantity.
type Trade = (Name, u128, u64);

/// The book, and the trades that its listener received.
pub struct OrderBookRs {
    book: OrderBook<()>,
    heard: Arc<Mutex<Vec<Trade>>>,
    resting: usize,
}

impl Default for OrderBookRs {
    fn default() -> OrderBookRs {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let listener = Arc::clone(&heard);
        let hear = move |result: &orderbook_rs::TradeResult| {
            let mut heard = listener.lock().unwrap_or_else(PoisonError::into_inner);
            heard.extend(result.match_result.trades().as_vec().iter().map(|trade| {
                let maker = trade.maker_order_id().as_u64().unwrap_or_default();
                (maker, trade.price().as_u128(), trade.quantity().as_u64())
            }));
        };
        OrderBookRs { book: OrderBook::with_trade_listener("any", Arc::new(hear)), heard, resting: 0 }
    }
}

fn unsigned(price: Price) -> u128 {
    u128::from(price as u64 ^ 1 << 63)
}

fn signed(price: u128) -> Price {
    (price as u64 ^ 1 << 63) as Price
}

fn side_of(side: Side) -> orderbook_rs::Side {
    match side {
        Side::Bid => orderbook_rs::Side::Buy,
        Side::Ask => orderbook_rs::Side::Sell,
    }
}

fn ours(side: orderbook_rs::Side) -> Side {
    if side == orderbook_rs::Side::Buy { Side::Bid } else { Side::Ask }
}

impl OrderBookRs {
    /// Passes on the listener's trades. Returns the traded quantity.
    fn tell(&self, taker: Name, side: Side, receiver: &mut impl Receiver) -> u64 {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let mut traded = 0;
        for (maker, price, quantity) in heard.drain(..) {
            traded += quantity;
            let (price, quantity) = (signed(price), quantity as Quantity);
            receiver.event(Event::Filled { maker, taker, side: side.opposite(), price, quantity, left: 0 });
        }
        traded
    }

    fn limit(
        &mut self,
        id: Name,
        side: Side,
        price: Price,
        quantity: Quantity,
        time_in_force: Theirs,
        receiver: &mut impl Receiver,
    ) {
        let (name, at) = (Id::Sequential(id), unsigned(price));
        let _ = self.book.add_limit_order(name, at, quantity.into(), side_of(side), time_in_force, None);
        if self.tell(id, side, receiver) < u64::from(quantity) {
            self.resting += 1;
            receiver.event(Event::Rested { id, side, price, quantity });
        }
    }
}

impl Book for OrderBookRs {
    fn apply<R: Receiver>(&mut self, command: Command, receiver: &mut R) {
        match command {
            Command::Limit { id, side, price, quantity, time_in_force: TimeInForce::PostOnly } => {
                let (name, at) = (Id::Sequential(id), unsigned(price));
                match self.book.add_post_only_order(name, at, quantity.into(), side_of(side), Theirs::Gtc, None) {
                    Ok(_) => receiver.event(Event::Rested { id, side, price, quantity }),
                    Err(_) => {
                        let order = Some((side, price));
                        receiver.event(Event::Rejected { id, order, reason: RejectReason::WouldCross });
                    }
                }
            }
            Command::Limit { id, side, price, quantity, time_in_force } => {
                let theirs = if time_in_force == TimeInForce::Ioc { Theirs::Ioc } else { Theirs::Gtc };
                self.limit(id, side, price, quantity, theirs, receiver);
            }
            Command::Market { id, side, quantity } => {
                let _ = self.book.submit_market_order(Id::Sequential(id), quantity.into(), side_of(side));
                self.tell(id, side, receiver);
            }
            Command::Cancel { id } => match self.book.cancel_order(Id::Sequential(id)) {
                Ok(Some(old)) => {
                    let side = ours(old.side());
                    receiver.event(Event::Cancelled { id, side, price: 0, quantity: 0, reason: CancelReason::Asked });
                }
                _ => receiver.event(Event::Rejected { id, order: None, reason: RejectReason::UnknownId }),
            },
            Command::Replace { id, price, quantity } => match self.book.cancel_order(Id::Sequential(id)) {
                Ok(Some(old)) => self.limit(id, ours(old.side()), price, quantity, Theirs::Gtc, receiver),
                _ => receiver.event(Event::Rejected { id, order: None, reason: RejectReason::UnknownId }),
            },
        }
    }

    fn best(&self, side: Side) -> Option<Price> {
        match side {
            Side::Bid => self.book.best_bid().map(signed),
            Side::Ask => self.book.best_ask().map(signed),
        }
    }

    fn quantity_at(&self, _: Side, _: Price) -> u64 {
        0
    }

    fn orders(&self) -> usize {
        self.resting
    }

    fn bytes(&self) -> usize {
        0
    }
}
