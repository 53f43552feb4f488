//! The markets that a connection watches, and its cursor in each.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use market::MarketId;
use market_data::Cursor;
use market_data::shown::Shown;

use super::shared::Shared;
use crate::books::Books;
use crate::http::markets::shown;
use crate::problem::{Problem, Why};
use crate::venue::Venue;

/// The most markets that a connection watches.
const WATCHED_MAX: usize = 1_000;

/// All watched markets.
#[derive(Default)]
pub(super) struct Watching {
    markets: Vec<Watched>,
    /// The number of the feed that publishes them.
    life: u64,
}

struct Watched {
    shown: Arc<Shown>,
    cursor: Cursor,
}

impl Watching {
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.markets.is_empty()
    }

    /// Their numbers.
    pub(super) fn numbers(&self) -> Vec<u32> {
        self.markets.iter().map(|watched| watched.shown.market.0).collect()
    }

    /// Adds markets. A market that is watched again starts with its whole book. If one of them can't be watched, none
    /// is added.
    ///
    /// # Errors
    /// If one does not exist, or there would be too many.
    pub(super) fn watch(&mut self, venue: &Venue, markets: &[u32]) -> Result<(), Problem> {
        let too_many =
            || Problem::because(Why::TooLarge, format!("A connection watches at most {WATCHED_MAX} markets."));
        if markets.len() > WATCHED_MAX {
            return Err(too_many());
        }
        // First of all, so that a feed that takes over in the meantime is noticed later.
        let life = venue.books.life();
        let mut wanted = BTreeMap::new();
        for &market in markets {
            wanted.insert(MarketId(market), shown(venue, market)?);
        }
        let others = self.markets.iter().filter(|watched| !wanted.contains_key(&watched.shown.market)).count();
        if others + wanted.len() > WATCHED_MAX {
            return Err(too_many());
        }
        if self.markets.is_empty() {
            self.life = life;
        }
        self.unwatch(|market| wanted.contains_key(&market));
        self.markets.extend(wanted.into_values().map(|shown| Watched { shown, cursor: Cursor::default() }));
        Ok(())
    }

    /// Removes markets.
    pub(super) fn unwatch(&mut self, is_one: impl Fn(MarketId) -> bool) {
        self.markets.retain(|watched| !is_one(watched.shown.market));
    }

    /// Adds what has changed since the last call.
    pub(super) fn news(&mut self, books: &Books, shared: &Shared, news: &mut Vec<Utf8Bytes>) {
        self.follow(books);
        for Watched { shown, cursor } in &mut self.markets {
            shared.news(shown, cursor, news);
        }
    }

    // ANCHOR: follow
    /// Switches to the current feed. Its versions are of another epoch, so each book is sent whole; trades are numbered
    /// by the log, so only those after the cursor are sent.
    fn follow(&mut self, books: &Books) {
        let life = books.life();
        if life != self.life {
            let board = books.board();
            for watched in &mut self.markets {
                if let Some(shown) = board.market(watched.shown.market) {
                    watched.shown = shown;
                }
            }
            self.life = life;
        }
    }
    // ANCHOR_END: follow
}
