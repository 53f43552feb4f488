//! Encodes a message that many connections get only once.
//!
//! Connections with the same cursor get the same bytes: the text is kept for as long as others may need it, and is
//! shared by reference count, not copied. Cost: a lock and a lookup per connection and changed market; a few kilobytes
//! in all.

use std::sync::{Mutex, PoisonError};

use axum::extract::ws::Utf8Bytes;
use market::MarketId;
use market_data::json::to_json;
use market_data::reader::Reader;
use market_data::shown::Shown;
use market_data::trade::TradeId;
use market_data::{Cursor, Message, Version};
use rustc_hash::FxHashMap;

/// How many messages to keep before discarding all of them.
const KEPT_MAX: usize = 4_096;

/// Identifies a message by its market, start and end.
#[derive(PartialEq, Eq, Hash)]
enum Which {
    Book(MarketId, Version, Version),
    Trade(MarketId, TradeId, TradeId),
}

#[derive(Default)]
struct Kept {
    reader: Reader,
    texts: FxHashMap<Which, Utf8Bytes>,
}

/// The recently encoded messages.
#[derive(Default)]
pub struct Shared(Mutex<Kept>);

impl Shared {
    // ANCHOR: news
    /// Adds what has happened in this market since the cursor, which moves forward: trades first, then the book.
    pub fn news(&self, shown: &Shown, cursor: &mut Cursor, into: &mut Vec<Utf8Bytes>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Kept { reader, texts } = &mut *kept;
        if texts.len() > KEPT_MAX {
            texts.clear();
        }
        let market = shown.market;
        loop {
            let mut since = cursor.trades.next;
            let heard = reader.trades(shown, &mut cursor.trades);
            if heard.is_empty() {
                break;
            }
            for &heard in heard {
                let text = texts.entry(Which::Trade(market, since, heard.next()));
                into.push(text.or_insert_with(|| encode(&Message::heard(since, heard))).clone());
                since = heard.next();
            }
        }
        if let Some(update) = reader.book(shown, cursor) {
            let text = texts.entry(Which::Book(market, update.from, update.to));
            into.push(text.or_insert_with(|| encode(&Message::Book(*update))).clone());
        }
    }
    // ANCHOR_END: news
}

fn encode(message: &Message) -> Utf8Bytes {
    let mut text = Vec::new();
    to_json(message, &mut text);
    // JSON is text; if it were not, the client would get an empty message and ask again.
    Utf8Bytes::try_from(text).unwrap_or_default()
}
