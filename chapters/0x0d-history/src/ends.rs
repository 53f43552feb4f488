//! Rows of ends: what was cancelled, and which markets were resolved.
//!
//! An order's own row says that it was cancelled, but stands where the order was placed. These stand where the end came, so a
//! reader of notices finds it there.

use market::{CancelReason, Cents, MarketId, OrderId, Outcome, Quantity};

use crate::bytes::{Reader, Writer};
use crate::rows::Row;

/// The rest of an order was cancelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cancelled {
    /// The market.
    pub market: MarketId,
    /// The order.
    pub order: OrderId,
    /// How much of it was left.
    pub quantity: Quantity,
    /// The reason.
    pub reason: CancelReason,
}

impl Row for Cancelled {
    fn encode(&self) -> Vec<u8> {
        let Cancelled { market, order, quantity, reason } = *self;
        let row = Writer::default().put(market.0.to_le_bytes()).put(order.0.to_le_bytes());
        row.put(quantity.0.to_le_bytes()).put([reason as u8]).0
    }

    fn decode(bytes: &[u8]) -> Option<Cancelled> {
        let mut row = Reader(bytes);
        let cancelled = Cancelled {
            market: MarketId(row.u32()?),
            order: OrderId(row.u64()?),
            quantity: Quantity(row.u32()?),
            reason: CancelReason::from_code(row.u8()?)?,
        };
        row.end(cancelled)
    }
}

/// A market was resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resolved {
    /// The market.
    pub market: MarketId,
    /// Which side won.
    pub outcome: Outcome,
    /// What all winners got together.
    pub paid: Cents,
}

impl Row for Resolved {
    fn encode(&self) -> Vec<u8> {
        let Resolved { market, outcome, paid } = *self;
        Writer::default().put(market.0.to_le_bytes()).put([outcome as u8]).put(paid.0.to_le_bytes()).0
    }

    fn decode(bytes: &[u8]) -> Option<Resolved> {
        let mut row = Reader(bytes);
        let resolved =
            Resolved { market: MarketId(row.u32()?), outcome: Outcome::from_code(row.u8()?)?, paid: Cents(row.u64()?) };
        row.end(resolved)
    }
}
