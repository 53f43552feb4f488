//! What watchers may see of an event, in four words.
//!
//! ```text
//! sequence u64 · time u48, price u8, code u8 · order u64 · market u32, quantity u32                32 bytes
//! ```
//!
//! Money, accounts and rejections are left out. So are the cancellations of a resolution: it removes all resting
//! orders, a million or none, and its one record says so.

use market::{
    CancelReason, Event, MarketId, OrderId, Outcome, Price, Quantity, Sequence, Side, Stamp, TradeKind, UnixMs,
};

/// How many words a record has.
pub const WORDS: usize = 4;

/// The largest time that a record can hold, in milliseconds: thousands of years from now.
const TIME_MAX: u64 = (1 << 48) - 1;

/// One effect of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// The command.
    pub stamp: Stamp,
    /// Its market.
    pub market: MarketId,
    /// What happened.
    pub seen: Seen,
}

/// What watchers may see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// A market opened.
    Opened,
    /// An order was accepted; its trades and possibly a cancellation follow in the same command, and the rest of it
    /// stays in the book.
    Accepted {
        /// Its id.
        order: OrderId,
        /// Its side.
        side: Side,
        /// Its limit price in YES cents.
        price: Price,
        /// Its whole quantity.
        quantity: Quantity,
    },
    /// The incoming order traded with a resting one.
    Traded {
        /// The resting order.
        maker: OrderId,
        /// The side of the incoming order.
        taker_side: Side,
        /// The price in YES cents.
        price: Price,
        /// How many shares.
        quantity: Quantity,
        /// How it changed the number of shares.
        kind: TradeKind,
    },
    /// The rest of an order was cancelled. Its price and side are not included.
    Cancelled {
        /// The order.
        order: OrderId,
        /// How much of it was left.
        quantity: Quantity,
    },
    /// The market is closed and has no resting orders any more.
    Resolved {
        /// Which side won.
        outcome: Outcome,
    },
}

const OPENED: u8 = 1;
const ACCEPTED: u8 = 2;
const TRADED: u8 = 3;
const CANCELLED: u8 = 4;
const RESOLVED: u8 = 5;
/// The code's low bits hold the kind of record, the others a side, an outcome or a kind of trade.
const KIND_BITS: u8 = 3;

// ANCHOR: encode
/// The record of an event, if watchers may see it.
#[inline]
pub fn encode(stamp: Stamp, event: &Event) -> Option<[u64; WORDS]> {
    let (market, order, quantity, price, code) = match *event {
        Event::Opened { market } => (market, OrderId(0), Quantity::ZERO, 0, OPENED),
        Event::Accepted { market, order, intent, price, quantity, .. } => {
            (market, order, quantity, price.cents(), ACCEPTED | (intent.side() as u8) << KIND_BITS)
        }
        Event::Traded { market, maker, price, quantity, maker_intent, taker_intent, .. } => {
            let kind = TradeKind::of(maker_intent, taker_intent) as u8;
            let code = TRADED | (taker_intent.side() as u8) << KIND_BITS | kind << (KIND_BITS + 1);
            (market, maker, quantity, price.cents(), code)
        }
        Event::Cancelled { reason: CancelReason::Resolved, .. } => return None,
        Event::Cancelled { market, order, quantity, .. } => (market, order, quantity, 0, CANCELLED),
        Event::Resolved { market, outcome, .. } => {
            (market, OrderId(0), Quantity::ZERO, 0, RESOLVED | (outcome as u8) << KIND_BITS)
        }
        Event::Deposited { .. } | Event::Withdrawn { .. } | Event::Paid { .. } | Event::Rejected { .. } => return None,
    };
    let time = stamp.time.0.min(TIME_MAX) << 16 | u64::from(price) << 8 | u64::from(code);
    Some([stamp.sequence.0, time, order.0, u64::from(market.0) << 32 | u64::from(quantity.0)])
}
// ANCHOR_END: encode

impl Record {
    /// Decodes a record, or `None` if no tap wrote these words.
    pub fn decode([sequence, time, order, market]: [u64; WORDS]) -> Option<Record> {
        let code = time as u8;
        let detail = code >> KIND_BITS;
        let side = if detail & 1 == 0 { Side::Bid } else { Side::Ask };
        let price = || Price::new((time >> 8) as u8);
        let (order, quantity) = (OrderId(order), Quantity(market as u32));
        let seen = match code & ((1 << KIND_BITS) - 1) {
            OPENED => Seen::Opened,
            ACCEPTED => Seen::Accepted { order, side, price: price()?, quantity },
            TRADED => {
                let kinds = [TradeKind::Mint, TradeKind::Merge, TradeKind::Transfer];
                let kind = kinds.into_iter().find(|&kind| kind as u8 == detail >> 1)?;
                Seen::Traded { maker: order, taker_side: side, price: price()?, quantity, kind }
            }
            CANCELLED => Seen::Cancelled { order, quantity },
            RESOLVED => Seen::Resolved { outcome: Outcome::from_code(detail)? },
            _ => return None,
        };
        let stamp = Stamp { sequence: Sequence(sequence), time: UnixMs(time >> 16) };
        Some(Record { stamp, market: MarketId((market >> 32) as u32), seen })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use market::{AccountId, Cents, Intent, Reason};

    const MARKET: MarketId = MarketId(u32::MAX - 1);
    const STAMP: Stamp = Stamp { sequence: Sequence(u64::MAX / 3), time: UnixMs(1_800_000_000_123) };

    fn seen(event: Event) -> Option<Seen> {
        let record = Record::decode(encode(STAMP, &event)?).expect("a written record can be read");
        assert_eq!((record.stamp, record.market), (STAMP, MARKET));
        Some(record.seen)
    }

    #[test]
    fn encoded_records_decode_to_the_same_event() {
        let (market, account, price, quantity) = (MARKET, AccountId(7), Price::MAX, Quantity(u32::MAX));
        let order = OrderId(u64::MAX);
        assert_eq!(seen(Event::Opened { market }), Some(Seen::Opened));
        for &intent in Intent::ALL {
            let side = intent.side();
            let accepted = Event::Accepted { market, account, order, intent, price, quantity };
            assert_eq!(seen(accepted), Some(Seen::Accepted { order, side, price, quantity }));
            for &maker_intent in Intent::ALL.iter().filter(|maker| maker.side() != side) {
                let traded = Event::Traded {
                    market,
                    maker: order,
                    maker_account: account,
                    taker: OrderId(1),
                    taker_account: account,
                    price,
                    quantity,
                    maker_intent,
                    taker_intent: intent,
                };
                let kind = TradeKind::of(maker_intent, intent);
                assert_eq!(seen(traded), Some(Seen::Traded { maker: order, taker_side: side, price, quantity, kind }));
            }
        }
        for &outcome in Outcome::ALL {
            assert_eq!(seen(Event::Resolved { market, outcome, paid: Cents(1) }), Some(Seen::Resolved { outcome }));
        }
        let reason = CancelReason::SelfTrade;
        let cancelled = Event::Cancelled { market, account, order, quantity, reason };
        assert_eq!(seen(cancelled), Some(Seen::Cancelled { order, quantity }));
    }

    #[test]
    fn money_accounts_and_rejections_are_left_out() {
        let (market, account, amount) = (MARKET, AccountId(7), Cents(5));
        let (order, quantity, reason) = (OrderId(1), Quantity(1), CancelReason::Resolved);
        for event in [
            Event::Deposited { market, account, amount },
            Event::Withdrawn { market, account, amount },
            Event::Paid { market, account, amount },
            Event::Rejected { market, reason: Reason::BadPrice },
            Event::Cancelled { market, account, order, quantity, reason },
        ] {
            assert_eq!(seen(event), None, "{event:?}");
        }
    }

    #[test]
    fn other_words_are_rejected() {
        for code in [0, 6, 7, ACCEPTED, RESOLVED, TRADED | 7 << (KIND_BITS + 1)] {
            assert_eq!(Record::decode([1, u64::from(code), 1, 1]), None, "{code}");
        }
        let far = Stamp { time: UnixMs(u64::MAX), ..STAMP };
        let words = encode(far, &Event::Opened { market: MARKET }).expect("a record");
        assert_eq!(Record::decode(words).map(|record| record.stamp.time), Some(UnixMs(TIME_MAX)));
    }
}
