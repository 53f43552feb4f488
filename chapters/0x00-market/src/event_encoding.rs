//! Events as bytes. The columns are described at [`Row`], the bytes' order at [`Event::encode`].

use crate::bytes::{u32_at, u64_at};
use crate::event::{CancelReason, Event, Reason, TradeKind};
use crate::{AccountId, Cents, Intent, MarketId, OrderId, Outcome, Price, Quantity};

impl Event {
    /// The size of an encoded event.
    pub const BYTES: usize = 40;

    /// The event as bytes.
    #[inline] // for every event, from an engine in another crate
    pub fn encode(&self) -> [u8; Event::BYTES] {
        let row = self.row();
        let mut bytes = [0; Event::BYTES];
        bytes[0] = row.kind;
        bytes[1] = row.detail;
        bytes[2] = row.price;
        bytes[3] = row.taker_intent;
        bytes[4..8].copy_from_slice(&row.quantity.to_le_bytes());
        bytes[8..12].copy_from_slice(&row.market.0.to_le_bytes());
        bytes[12..16].copy_from_slice(&row.account.0.to_le_bytes());
        bytes[16..24].copy_from_slice(&row.value.to_le_bytes());
        bytes[24..32].copy_from_slice(&row.maker.to_le_bytes());
        bytes[32..36].copy_from_slice(&row.maker_account.0.to_le_bytes());
        bytes[36] = row.maker_intent;
        bytes
    }

    fn row(&self) -> Row {
        match *self {
            Event::Opened { market } => Row { kind: 1, market, ..Row::default() },
            Event::Deposited { market, account, amount } => {
                Row { kind: 2, market, account, value: amount.0, ..Row::default() }
            }
            Event::Withdrawn { market, account, amount } => {
                Row { kind: 3, market, account, value: amount.0, ..Row::default() }
            }
            Event::Accepted { market, account, order, intent, price, quantity } => Row {
                kind: 4,
                price: price.cents(),
                taker_intent: intent as u8,
                quantity: quantity.0,
                market,
                account,
                value: order.0,
                ..Row::default()
            },
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
            } => Row {
                kind: 5,
                detail: TradeKind::of(maker_intent, taker_intent) as u8,
                price: price.cents(),
                taker_intent: taker_intent as u8,
                quantity: quantity.0,
                market,
                account: taker_account,
                value: taker.0,
                maker: maker.0,
                maker_account,
                maker_intent: maker_intent as u8,
            },
            Event::Cancelled { market, account, order, quantity, reason } => Row {
                kind: 6,
                detail: reason as u8,
                quantity: quantity.0,
                market,
                account,
                value: order.0,
                ..Row::default()
            },
            Event::Paid { market, account, amount } => {
                Row { kind: 7, market, account, value: amount.0, ..Row::default() }
            }
            Event::Resolved { market, outcome, paid } => {
                Row { kind: 8, detail: outcome as u8, market, value: paid.0, ..Row::default() }
            }
            Event::Rejected { market, reason } => Row { kind: 9, detail: reason as u8, market, ..Row::default() },
        }
    }

    /// The event that these bytes encode, or `None` where no event encodes to them.
    pub fn decode(bytes: &[u8; Event::BYTES]) -> Option<Event> {
        let row = Row::read(bytes);
        let (market, account) = (row.market, row.account);
        let event = match row.kind {
            1 => Event::Opened { market },
            2 => Event::Deposited { market, account, amount: Cents(row.value) },
            3 => Event::Withdrawn { market, account, amount: Cents(row.value) },
            4 => Event::Accepted {
                market,
                account,
                order: OrderId(row.value),
                intent: Intent::from_code(row.taker_intent)?,
                price: Price::new(row.price)?,
                quantity: Quantity(row.quantity),
            },
            5 => Event::Traded {
                market,
                maker: OrderId(row.maker),
                maker_account: row.maker_account,
                taker: OrderId(row.value),
                taker_account: account,
                price: Price::new(row.price)?,
                quantity: Quantity(row.quantity),
                maker_intent: Intent::from_code(row.maker_intent)?,
                taker_intent: Intent::from_code(row.taker_intent)?,
            },
            6 => Event::Cancelled {
                market,
                account,
                order: OrderId(row.value),
                quantity: Quantity(row.quantity),
                reason: CancelReason::from_code(row.detail)?,
            },
            7 => Event::Paid { market, account, amount: Cents(row.value) },
            8 => Event::Resolved { market, outcome: Outcome::from_code(row.detail)?, paid: Cents(row.value) },
            9 => Event::Rejected { market, reason: Reason::from_code(row.detail)? },
            _ => return None,
        };
        // Encoding again catches what no field above covered: a byte that should be zero.
        (event.encode() == *bytes).then_some(event)
    }
}

/// The columns of an encoded event, in the order of their bytes.
#[derive(Default)]
struct Row {
    /// Which event.
    kind: u8,
    /// A trade's kind, a reason or an outcome.
    detail: u8,
    /// In YES cents.
    price: u8,
    /// The intent of the order that came in.
    taker_intent: u8,
    quantity: u32,
    market: MarketId,
    account: AccountId,
    /// An order's id or an amount of cents.
    value: u64,
    /// The resting order, its account, its intent; three zeros follow.
    maker: u64,
    maker_account: AccountId,
    maker_intent: u8,
}

impl Row {
    fn read(bytes: &[u8; Event::BYTES]) -> Row {
        Row {
            kind: bytes[0],
            detail: bytes[1],
            price: bytes[2],
            taker_intent: bytes[3],
            quantity: u32_at(bytes, 4),
            market: MarketId(u32_at(bytes, 8)),
            account: AccountId(u32_at(bytes, 12)),
            value: u64_at(bytes, 16),
            maker: u64_at(bytes, 24),
            maker_account: AccountId(u32_at(bytes, 32)),
            maker_intent: bytes[36],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_survives_its_encoding() {
        let (market, account, order) = (MarketId(7), AccountId(9), OrderId(1 << 40));
        let events = [
            Event::Opened { market },
            Event::Deposited { market, account, amount: Cents(u64::MAX) },
            Event::Withdrawn { market, account, amount: Cents(1) },
            Event::Accepted {
                market,
                account,
                order,
                intent: Intent::SellNo,
                price: Price::MIN,
                quantity: Quantity(u32::MAX),
            },
            Event::Traded {
                market,
                maker: OrderId(3),
                maker_account: AccountId(4),
                taker: order,
                taker_account: account,
                price: Price::MAX,
                quantity: Quantity(12),
                maker_intent: Intent::BuyNo,
                taker_intent: Intent::BuyYes,
            },
            Event::Cancelled { market, account, order, quantity: Quantity(2), reason: CancelReason::SelfTrade },
            Event::Paid { market, account, amount: Cents(100) },
            Event::Resolved { market, outcome: Outcome::No, paid: Cents(200) },
            Event::Rejected { market, reason: Reason::CannotFill },
        ];
        for event in events {
            assert_eq!(Event::decode(&event.encode()), Some(event));
        }
    }

    #[test]
    fn no_other_bytes_decode() {
        let mut bytes = Event::Opened { market: MarketId(1) }.encode();
        bytes[39] = 1;
        assert_eq!(Event::decode(&bytes), None);
        assert_eq!(Event::decode(&[0; Event::BYTES]), None);
    }
}
