//! The rows: what is kept of each trade, order, movement of money and market.

use market::{
    AccountId, CancelReason, Cents, Intent, MarketId, OrderId, Outcome, Price, Quantity, Reason, TimeInForce, UnixMs,
};

use crate::bytes::{Reader, Writer};

/// A row as the store holds it.
pub trait Row: Sized {
    /// Its bytes.
    fn encode(&self) -> Vec<u8>;

    /// Reads them; none where they are no such row.
    fn decode(bytes: &[u8]) -> Option<Self>;
}

/// A row as the store has it, for a reader that knows by its key what it is.
impl Row for Vec<u8> {
    fn encode(&self) -> Vec<u8> {
        self.clone()
    }

    fn decode(bytes: &[u8]) -> Option<Vec<u8>> {
        Some(bytes.to_vec())
    }
}

/// One account's side of a trade.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OwnTrade {
    /// The market.
    pub market: MarketId,
    /// The account's order.
    pub order: OrderId,
    /// What the account wanted.
    pub intent: Intent,
    /// In YES cents.
    pub price: Price,
    /// How many shares.
    pub quantity: Quantity,
    /// Whether its order was resting.
    pub is_maker: bool,
}

impl Row for OwnTrade {
    fn encode(&self) -> Vec<u8> {
        let OwnTrade { market, order, intent, price, quantity, is_maker } = *self;
        let row = Writer::default().put(market.0.to_le_bytes()).put(order.0.to_le_bytes()).put([intent as u8]);
        row.put([price.cents()]).put(quantity.0.to_le_bytes()).put([u8::from(is_maker)]).0
    }

    fn decode(bytes: &[u8]) -> Option<OwnTrade> {
        let mut row = Reader(bytes);
        let trade = OwnTrade {
            market: MarketId(row.u32()?),
            order: OrderId(row.u64()?),
            intent: Intent::from_code(row.u8()?)?,
            price: Price::new(row.u8()?)?,
            quantity: Quantity(row.u32()?),
            is_maker: row.u8()? == 1,
        };
        row.end(trade)
    }
}

/// A trade of a market with both of its sides, which only the operator may see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MarketTrade {
    /// In YES cents.
    pub price: Price,
    /// How many shares.
    pub quantity: Quantity,
    /// The resting order.
    pub maker: OrderId,
    /// Its owner.
    pub maker_account: AccountId,
    /// What it wanted.
    pub maker_intent: Intent,
    /// The incoming order.
    pub taker: OrderId,
    /// Its owner.
    pub taker_account: AccountId,
    /// What it wanted.
    pub taker_intent: Intent,
}

impl Row for MarketTrade {
    fn encode(&self) -> Vec<u8> {
        let MarketTrade { price, quantity, maker, maker_account, maker_intent, taker, taker_account, taker_intent } =
            *self;
        let row = Writer::default().put([price.cents()]).put(quantity.0.to_le_bytes());
        let row = row.put(maker.0.to_le_bytes()).put(maker_account.0.to_le_bytes()).put([maker_intent as u8]);
        row.put(taker.0.to_le_bytes()).put(taker_account.0.to_le_bytes()).put([taker_intent as u8]).0
    }

    fn decode(bytes: &[u8]) -> Option<MarketTrade> {
        let mut row = Reader(bytes);
        let trade = MarketTrade {
            price: Price::new(row.u8()?)?,
            quantity: Quantity(row.u32()?),
            maker: OrderId(row.u64()?),
            maker_account: AccountId(row.u32()?),
            maker_intent: Intent::from_code(row.u8()?)?,
            taker: OrderId(row.u64()?),
            taker_account: AccountId(row.u32()?),
            taker_intent: Intent::from_code(row.u8()?)?,
        };
        row.end(trade)
    }
}

/// What became of an order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OrderState {
    /// It rests, or what is left of it does.
    Open,
    /// All of it traded.
    Filled,
    /// What was left of it is gone.
    Cancelled(CancelReason),
    /// It was never accepted.
    Rejected(Reason),
}

impl OrderState {
    fn codes(self) -> [u8; 2] {
        match self {
            OrderState::Open => [0, 0],
            OrderState::Filled => [1, 0],
            OrderState::Cancelled(reason) => [2, reason as u8],
            OrderState::Rejected(reason) => [3, reason as u8],
        }
    }

    fn of_codes(codes: [u8; 2]) -> Option<OrderState> {
        match codes {
            [0, 0] => Some(OrderState::Open),
            [1, 0] => Some(OrderState::Filled),
            [2, code] => CancelReason::from_code(code).map(OrderState::Cancelled),
            [3, code] => Reason::from_code(code).map(OrderState::Rejected),
            _ => None,
        }
    }
}

/// An order as it is now. Its key says when it was placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    /// The market.
    pub market: MarketId,
    /// Its number there; 0 for one that was rejected.
    pub order: OrderId,
    /// The client's own number, 0 for none.
    pub client_order_id: u64,
    /// What it wants.
    pub intent: Intent,
    /// What becomes of the part that finds no match at once.
    pub time_in_force: TimeInForce,
    /// Its limit, as it was asked for: of a rejected order this may be no price.
    pub price: u8,
    /// How many shares it asks for.
    pub quantity: u32,
    /// How many of them traded.
    pub filled: u32,
    /// What became of it.
    pub state: OrderState,
    /// When that was.
    pub changed: UnixMs,
}

impl Row for Order {
    fn encode(&self) -> Vec<u8> {
        let Order { market, order, client_order_id, intent, time_in_force, price, quantity, filled, state, changed } =
            *self;
        let row = Writer::default().put(market.0.to_le_bytes()).put(order.0.to_le_bytes());
        let row = row.put(client_order_id.to_le_bytes()).put([intent as u8, time_in_force as u8, price]);
        let row = row.put(quantity.to_le_bytes()).put(filled.to_le_bytes());
        row.put(state.codes()).put(changed.0.to_le_bytes()).0
    }

    fn decode(bytes: &[u8]) -> Option<Order> {
        let mut row = Reader(bytes);
        let order = Order {
            market: MarketId(row.u32()?),
            order: OrderId(row.u64()?),
            client_order_id: row.u64()?,
            intent: Intent::from_code(row.u8()?)?,
            time_in_force: TimeInForce::from_code(row.u8()?)?,
            price: row.u8()?,
            quantity: row.u32()?,
            filled: row.u32()?,
            state: OrderState::of_codes(row.take()?)?,
            changed: UnixMs(row.u64()?),
        };
        row.end(order)
    }
}

/// How money moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Movement {
    /// Cash came in.
    Deposit = 1,
    /// Cash went out.
    Withdrawal = 2,
    /// The account's shares won.
    Payout = 3,
}

/// A deposit, a withdrawal or a payout of one account.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Money {
    /// The market.
    pub market: MarketId,
    /// Which of the three.
    pub movement: Movement,
    /// How much.
    pub amount: Cents,
}

impl Row for Money {
    fn encode(&self) -> Vec<u8> {
        let Money { market, movement, amount } = *self;
        Writer::default().put(market.0.to_le_bytes()).put([movement as u8]).put(amount.0.to_le_bytes()).0
    }

    fn decode(bytes: &[u8]) -> Option<Money> {
        let mut row = Reader(bytes);
        let market = MarketId(row.u32()?);
        let all = [Movement::Deposit, Movement::Withdrawal, Movement::Payout];
        let code = row.u8()?;
        let movement = all.into_iter().find(|&movement| movement as u8 == code)?;
        let amount = Cents(row.u64()?);
        row.end(Money { market, movement, amount })
    }
}

/// How a market opened, what was traded in it, and how it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MarketRow {
    /// When it opened; 0 where that can't be had any more.
    pub opened: UnixMs,
    /// When it was resolved, and which side won.
    pub resolved: Option<(UnixMs, Outcome)>,
    /// What all winners got together.
    pub paid: Cents,
    /// How many trades.
    pub trades: u64,
    /// How many shares in all of them.
    pub shares: u64,
    /// The last trade's time and price in YES cents.
    pub last: Option<(UnixMs, Price)>,
}

impl Row for MarketRow {
    fn encode(&self) -> Vec<u8> {
        let MarketRow { opened, resolved, paid, trades, shares, last } = *self;
        let (ended, outcome) = resolved.map_or((0, 0), |(time, outcome)| (time.0, outcome as u8));
        let (traded, price) = last.map_or((0, 0), |(time, price)| (time.0, price.cents()));
        let row = Writer::default().put(opened.0.to_le_bytes()).put(ended.to_le_bytes()).put([outcome]);
        let row = row.put(paid.0.to_le_bytes()).put(trades.to_le_bytes()).put(shares.to_le_bytes());
        row.put(traded.to_le_bytes()).put([price]).0
    }

    fn decode(bytes: &[u8]) -> Option<MarketRow> {
        let mut row = Reader(bytes);
        let opened = UnixMs(row.u64()?);
        let (ended, outcome) = (UnixMs(row.u64()?), row.u8()?);
        let resolved = Outcome::from_code(outcome).map(|outcome| (ended, outcome));
        let (paid, trades, shares) = (Cents(row.u64()?), row.u64()?, row.u64()?);
        let (traded, price) = (UnixMs(row.u64()?), row.u8()?);
        let last = Price::new(price).map(|price| (traded, price));
        row.end(MarketRow { opened, resolved, paid, trades, shares, last })
    }
}
