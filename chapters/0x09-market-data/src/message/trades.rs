//! Trades and gaps as bytes.

use market::{MarketId, Price, Quantity, Sequence, Side, TradeKind, UnixMs};

use crate::message::header::{Buffer, Fields, Unreadable, put, seal};
use crate::trade::{Missed, PublicTrade, TradeId};

/// The kind of a trade's message.
pub(super) const TRADE: u8 = 2;
/// The kind of a gap's message.
pub(super) const MISSED: u8 = 3;

/// Where a trade's fields begin.
mod trade_at {
    pub const SINCE_SEQUENCE: usize = 16; // u64: between this place and the trade there is no other trade
    pub const SEQUENCE: usize = 24; // u64: the command that led to it
    pub const TIME: usize = 32; // u64: milliseconds since 1970
    pub const SINCE_INDEX: usize = 40; // u32: the rest of the first place
    pub const INDEX: usize = 44; // u32: its place among the trades of its command
    pub const QUANTITY: usize = 48; // u32: shares
    pub const PRICE: usize = 52; // u8: cents
    pub const TAKER_SIDE: usize = 53; // u8: 1 bid, 2 ask
    pub const KIND: usize = 54; // u8: 1 mint, 2 merge, 3 transfer; a zero follows
    pub const BYTES: usize = 56;
}

/// Where a gap's fields begin.
mod missed_at {
    pub const FROM_SEQUENCE: usize = 16; // u64: the first place that may be missing
    pub const TO_SEQUENCE: usize = 24; // u64: the first that is not
    pub const FROM_INDEX: usize = 32; // u32
    pub const TO_INDEX: usize = 36; // u32
    pub const BYTES: usize = 40;
}

/// A trade, and the position from which it is the next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TradeUpdate {
    /// Between this position and the trade there is no other trade, or it was announced as missed. A reader that has
    /// not reached this position has lost a message.
    pub since: TradeId,
    /// The trade.
    pub trade: PublicTrade,
}

impl TradeUpdate {
    /// Writes it into `buffer` and returns the part that it fills.
    pub fn encode<'b>(&self, buffer: &'b mut Buffer) -> &'b [u8] {
        debug_assert_eq!(self.check(), Ok(()), "{self:?}");
        let (message, trade) = (&mut buffer[..trade_at::BYTES], &self.trade);
        put(message, trade_at::SINCE_SEQUENCE, self.since.sequence.0.to_le_bytes());
        put(message, trade_at::SEQUENCE, trade.id.sequence.0.to_le_bytes());
        put(message, trade_at::TIME, trade.time.0.to_le_bytes());
        put(message, trade_at::SINCE_INDEX, self.since.index.to_le_bytes());
        put(message, trade_at::INDEX, trade.id.index.to_le_bytes());
        put(message, trade_at::QUANTITY, trade.quantity.0.to_le_bytes());
        let taker_side = match trade.taker_side {
            Side::Bid => 1,
            Side::Ask => 2,
        };
        put(message, trade_at::PRICE, [trade.price.cents(), taker_side, trade.kind as u8, 0]);
        seal(message, TRADE, false, trade.market);
        message
    }

    pub(super) fn from_fields(market: MarketId, fields: &Fields<'_>) -> Result<TradeUpdate, Unreadable> {
        if fields.len() != trade_at::BYTES {
            return Err(Unreadable::Contradiction("it is not as long as a trade"));
        }
        let wrong = Unreadable::Contradiction;
        let trade = PublicTrade {
            market,
            id: place(fields, trade_at::SEQUENCE, trade_at::INDEX),
            time: UnixMs(fields.u64(trade_at::TIME)),
            price: Price::new(fields.u8(trade_at::PRICE)).ok_or(wrong("a price is not 1 to 99 cents"))?,
            quantity: Quantity(fields.u32(trade_at::QUANTITY)),
            taker_side: match fields.u8(trade_at::TAKER_SIDE) {
                1 => Side::Bid,
                2 => Side::Ask,
                _ => return Err(wrong("byte 53 names no side")),
            },
            kind: match fields.u8(trade_at::KIND) {
                1 => TradeKind::Mint,
                2 => TradeKind::Merge,
                3 => TradeKind::Transfer,
                _ => return Err(wrong("byte 54 names no kind of trade")),
            },
        };
        let update = TradeUpdate { since: place(fields, trade_at::SINCE_SEQUENCE, trade_at::SINCE_INDEX), trade };
        update.check().map_err(wrong)?;
        Ok(update)
    }

    /// Whether it can be valid, as far as one message can show.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        match () {
            () if self.trade.id < self.since => Err("the trade comes before the position that it follows"),
            () if self.trade.quantity.is_zero() => Err("a trade of no shares"),
            () if self.trade.id.index == u32::MAX => Err("a command can't lead to so many trades"),
            () => Ok(()),
        }
    }
}

impl Missed {
    /// Writes it into `buffer` and returns the part that it fills.
    pub fn encode<'b>(&self, buffer: &'b mut Buffer) -> &'b [u8] {
        debug_assert_eq!(self.check(), Ok(()), "{self:?}");
        let message = &mut buffer[..missed_at::BYTES];
        put(message, missed_at::FROM_SEQUENCE, self.from.sequence.0.to_le_bytes());
        put(message, missed_at::TO_SEQUENCE, self.to.sequence.0.to_le_bytes());
        put(message, missed_at::FROM_INDEX, self.from.index.to_le_bytes());
        put(message, missed_at::TO_INDEX, self.to.index.to_le_bytes());
        seal(message, MISSED, false, self.market);
        message
    }

    pub(super) fn from_fields(market: MarketId, fields: &Fields<'_>) -> Result<Missed, Unreadable> {
        if fields.len() != missed_at::BYTES {
            return Err(Unreadable::Contradiction("it is not as long as a gap"));
        }
        let missed = Missed {
            market,
            from: place(fields, missed_at::FROM_SEQUENCE, missed_at::FROM_INDEX),
            to: place(fields, missed_at::TO_SEQUENCE, missed_at::TO_INDEX),
        };
        missed.check().map_err(Unreadable::Contradiction)?;
        Ok(missed)
    }

    /// Whether it can be valid, as far as one message can show.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        if self.from < self.to { Ok(()) } else { Err("the gap ends before it begins") }
    }
}

fn place(fields: &Fields<'_>, sequence: usize, index: usize) -> TradeId {
    TradeId { sequence: Sequence(fields.u64(sequence)), index: fields.u32(index) }
}
