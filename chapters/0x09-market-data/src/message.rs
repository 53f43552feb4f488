//! What goes to readers, as bytes: books, trades and gaps in one fixed layout, little-endian, checksummed.
//!
//! Each message comes by itself, says how long it is, and says of which format it is. Nothing in it names an account.
//! One that was cut, or in which a bit has flipped, is refused; so is one of another format. Writing one allocates nothing:
//! it goes into a [`Buffer`] of the caller's.
//!
//! The first byte of a message is never that of JSON, so whoever takes both can tell them apart: [`Message::read`].

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
#[expect(
    clippy::large_enum_variant,
    reason = "a message stays on the stack of whoever reads it: a box would be an allocation"
)]
pub enum Message {
    /// A whole book, or what has changed in one.
    Book(BookUpdate),
    /// A trade.
    Trade(TradeUpdate),
    /// Trades that the reader will not see.
    Missed(Missed),
}

impl Message {
    /// What a reader of trades is told when its cursor stood at `since` and this was heard there. A gap begins at the
    /// cursor too: between the two there was no trade.
    pub fn heard(since: TradeId, heard: Heard) -> Message {
        match heard {
            Heard::Trade(trade) => Message::Trade(TradeUpdate { since, trade }),
            Heard::Missed(missed) => Message::Missed(Missed { from: since, ..missed }),
        }
    }

    /// Writes it into `buffer`, and gives the part that it takes.
    pub fn encode<'b>(&self, buffer: &'b mut Buffer) -> &'b [u8] {
        match self {
            Message::Book(update) => update.encode(buffer),
            Message::Trade(update) => update.encode(buffer),
            Message::Missed(missed) => missed.encode(buffer),
        }
    }

    /// The message that these bytes encode.
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
        // Writing it again catches what nobody looked at: a byte that should be 0.
        let is_the_same = message.encode(&mut [0; MESSAGE_BYTES_MAX]) == bytes;
        is_the_same.then_some(message).ok_or(Unreadable::Contradiction("a byte that should be 0 is not"))
    }

    /// The market that it is about.
    pub fn market(&self) -> MarketId {
        match self {
            Message::Book(update) => update.market,
            Message::Trade(update) => update.trade.market,
            Message::Missed(missed) => missed.market,
        }
    }

    /// Whether it can be right, as far as a message alone can say.
    pub(crate) fn check(&self) -> Result<(), Unreadable> {
        match self {
            Message::Book(update) => update.check(),
            Message::Trade(update) => update.check(),
            Message::Missed(missed) => missed.check(),
        }
        .map_err(Unreadable::Contradiction)
    }
}
