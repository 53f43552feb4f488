//! What watchers may see of an event, in four words.
//!
//! ```text
//! sequence u64 · time u48, price u8, code u8 · order u64 · market u32, quantity u32                32 bytes
//! ```
//!
//! Money, accounts and rejections stay behind. So do the cancellations of a resolution: what rests is gone then, a million
//! orders or none, and the one record of the resolution says it.

use market::{
    CancelReason, Event, MarketId, OrderId, Outcome, Price, Quantity, Sequence, Side, Stamp, TradeKind, UnixMs,
};

/// How many words a record has.
pub const WORDS: usize = 4;

/// The largest time that a record can hold, in milliseconds: some thousand years from now.
const TIME_MAX: u64 = (1 << 48) - 1;

/// A part of what a command led to.
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
    /// An order came in; trades and a cancellation of it follow in the same command, and what is left rests.
    Accepted {
        /// Its id.
        order: OrderId,
        /// Its side.
        side: Side,
        /// Its limit in YES cents.
        price: Price,
        /// Its whole quantity.
        quantity: Quantity,
    },
    /// The order that came in met a resting one.
    Traded {
        /// The resting order.
        maker: OrderId,
        /// The side of the order that came in.
        taker_side: Side,
        /// The price in YES cents.
        price: Price,
        /// How many shares.
        quantity: Quantity,
        /// What it did to the number of shares.
        kind: TradeKind,
    },
    /// What was left of an order is gone. Where it stood is not said.
    Cancelled {
        /// The order.
        order: OrderId,
        /// How much of it was left.
        quantity: Quantity,
    },
    /// The market is closed, and no order rests there any more.
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
/// The code's low bits say what happened, the others hold a side, an outcome, a kind of trade.
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
    /// What these words say, or `None` where no tap wrote them.
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
        let record = Record::decode(encode(STAMP, &event)?).expect("what was written is read");
        assert_eq!((record.stamp, record.market), (STAMP, MARKET));
        Some(record.seen)
    }

    #[test]
    fn what_watchers_may_see_comes_back() {
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
    fn money_accounts_and_refusals_stay_behind() {
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
    fn other_words_are_no_record() {
        for code in [0, 6, 7, ACCEPTED, RESOLVED, TRADED | 7 << (KIND_BITS + 1)] {
            assert_eq!(Record::decode([1, u64::from(code), 1, 1]), None, "{code}");
        }
        let far = Stamp { time: UnixMs(u64::MAX), ..STAMP };
        let words = encode(far, &Event::Opened { market: MARKET }).expect("a record");
        assert_eq!(Record::decode(words).map(|record| record.stamp.time), Some(UnixMs(TIME_MAX)));
    }
}
