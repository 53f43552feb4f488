//! Messages to readers as bytes: books, trades and gaps in one fixed layout, little-endian, with a checksum.
//!
//! Each message stands alone and states its length and format. None contains an account. A truncated message, a flipped
//! bit and another format are rejected. Writing a message allocates nothing: it goes into the caller's [`Buffer`].
//!
//! The first byte is never that of JSON, so a reader can tell the two encodings apart: [`Message::read`].

mod book;
mod header;
mod trades;

use market::MarketId;

use crate::trade::{Heard, Missed, TradeId};
use crate::update::BookUpdate;
pub(crate) use header::checksum;
pub use header::{Buffer, FORMAT, MESSAGE_BYTES_MAX, Unreadable};
use header::{at, open};
pub use trades::TradeUpdate;

/// A message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::large_enum_variant, reason = "a message stays on its reader's stack: a box would be an allocation")]
pub enum Message {
    /// A whole book, or a change to one.
    Book(BookUpdate),
    /// A trade.
    Trade(TradeUpdate),
    /// Trades that the reader will not see.
    Missed(Missed),
}

impl Message {
    /// The message for a reader of trades whose cursor was at `since` and got `heard`. A gap starts at the cursor too:
    /// there was no trade in between.
    pub fn heard(since: TradeId, heard: Heard) -> Message {
        match heard {
            Heard::Trade(trade) => Message::Trade(TradeUpdate { since, trade }),
            Heard::Missed(missed) => Message::Missed(Missed { from: since, ..missed }),
        }
    }

    /// Writes it into `buffer` and returns the part that it fills.
    pub fn encode<'b>(&self, buffer: &'b mut Buffer) -> &'b [u8] {
        match self {
            Message::Book(update) => update.encode(buffer),
            Message::Trade(update) => update.encode(buffer),
            Message::Missed(missed) => missed.encode(buffer),
        }
    }

    /// Decodes a message.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn decode(bytes: &[u8]) -> Result<Message, Unreadable> {
        let fields = open(bytes)?;
        let market = MarketId(fields.u32(at::MARKET));
        let message = match fields.u8(at::KIND) {
            book::KIND => Message::Book(BookUpdate::from_fields(market, &fields)?),
            trades::TRADE => Message::Trade(TradeUpdate::from_fields(market, &fields)?),
            trades::MISSED => Message::Missed(Missed::from_fields(market, &fields)?),
            _ => return Err(Unreadable::Contradiction("byte 2 names no kind of message")),
        };
        // Writing it again catches bytes that nothing has checked, such as a padding byte that should be 0.
        let is_the_same = message.encode(&mut [0; MESSAGE_BYTES_MAX]) == bytes;
        is_the_same.then_some(message).ok_or(Unreadable::Contradiction("a byte that should be 0 is not"))
    }

    /// The market of the message.
    pub fn market(&self) -> MarketId {
        match self {
            Message::Book(update) => update.market,
            Message::Trade(update) => update.trade.market,
            Message::Missed(missed) => missed.market,
        }
    }

    /// Whether it can be valid, as far as one message can show.
    pub(crate) fn check(&self) -> Result<(), Unreadable> {
        match self {
            Message::Book(update) => update.check(),
            Message::Trade(update) => update.check(),
            Message::Missed(missed) => missed.check(),
        }
        .map_err(Unreadable::Contradiction)
    }
}
