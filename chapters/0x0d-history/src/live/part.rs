//! Candles over WebSocket:
//!
//! ```text
// ANCHOR: messages
//! {"id":8,"do":"watch-candles","markets":[1],"width":"hour"}     {"re":8,"ok":{"width":"hour","markets":[1]}}
//!                                                                {"kind":"candle","market":1,"width":"hour",…}
//!                                                                {"kind":"candles-skipped","market":1,…}
//! {"id":9,"do":"unwatch-candles","markets":[1],"width":"hour"}   {"re":9,"ok":{"width":"hour","markets":[]}}
// ANCHOR_END: messages
//! ```
//!
//! The last candle of each market comes first, and then each one that has changed. Nothing waits in a queue: while a client
//! takes nothing, the connection's task is busy with it, and it goes on with what is there by then.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use gateway::front::{Part, Ready};
use gateway::problem::{Problem, Why};
use gateway::reply::Session;
use gateway::venue::Venue;
use gateway::watch::Watcher;
use market::{MarketId, Reason};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::line::{Line, Which};
use crate::history::{History, damaged, off};
use crate::width::Width;

/// How many lines a connection watches at most.
pub const WATCHED_MAX: usize = 1_000;

/// After how many messages a connection looks after its other work.
const MESSAGES_MAX: usize = 512;

/// What a client asks for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    #[serde(rename = "id")]
    _id: u64,
    #[serde(rename = "do")]
    _what: String,
    markets: Vec<u32>,
    width: Width,
}

impl Said {
    fn read(message: &Value) -> Result<Said, Problem> {
        Said::deserialize(message).map_err(|error| Problem::because(Why::BadRequest, format!("{error}.")))
    }

    fn lines(&self) -> impl Iterator<Item = Which> {
        self.markets.iter().map(|&market| (MarketId(market), self.width))
    }
}

/// A line, and how far the client has seen it.
struct Watched {
    line: Arc<Line>,
    seen: u64,
}

/// One connection's candles.
pub struct LivePart {
    history: Arc<History>,
    watched: BTreeMap<Which, Watched>,
    news: watch::Receiver<()>,
    /// There may be something that was not taken yet.
    has_more: bool,
    /// Where to go on, so that each line has its turn.
    next: Which,
}

impl LivePart {
    /// No candles are watched yet.
    pub fn new(history: Arc<History>) -> LivePart {
        let news = history.live().news();
        LivePart { history, watched: BTreeMap::new(), news, has_more: false, next: (MarketId(0), Width::Second) }
    }

    // ANCHOR: watch
    /// Adds lines; one that is watched already begins again. If one of them can't be watched, none is added.
    fn watch(&mut self, venue: &Venue, said: &Said) -> Result<Value, Problem> {
        if self.history.opened().is_none() {
            return Err(off());
        }
        let too_many = || {
            let what = format!("A connection watches at most {WATCHED_MAX} candles, each of a market and a width.");
            Problem::because(Why::TooLarge, what)
        };
        if said.markets.len() > WATCHED_MAX {
            return Err(too_many());
        }
        {
            let now = venue.projection();
            if said.lines().any(|(market, _)| now.market(market).is_none()) {
                return Err(Problem::new(Why::Rejected(Reason::UnknownMarket)));
            }
        }
        let mut wanted: Vec<_> = said.lines().collect();
        wanted.sort_unstable();
        wanted.dedup();
        let new = wanted.iter().filter(|which| !self.watched.contains_key(which)).count();
        if self.watched.len() + new > WATCHED_MAX {
            return Err(too_many());
        }
        for which in wanted {
            self.watched.insert(which, Watched { line: self.history.live().line(which), seen: 0 });
        }
        self.has_more = true;
        Ok(self.answer(said.width))
    }
    // ANCHOR_END: watch

    fn unwatch(&mut self, said: &Said) -> Value {
        said.lines().for_each(|which| drop(self.watched.remove(&which)));
        self.answer(said.width)
    }

    /// What is watched of this width.
    fn answer(&self, width: Width) -> Value {
        let markets = self.watched.keys().filter(|(_, of)| *of == width).map(|(market, _)| market.0);
        json!({ "width": width.word(), "markets": markets.collect::<Vec<_>>() })
    }
}

impl Part for LivePart {
    fn obey(&mut self, venue: &Venue, _: Option<Session>, message: &Value) -> Option<Result<Value, Problem>> {
        match message["do"].as_str()? {
            "watch-candles" => Some(Said::read(message).and_then(|said| self.watch(venue, &said))),
            "unwatch-candles" => Some(Said::read(message).map(|said| self.unwatch(&said))),
            _ => None,
        }
    }

    fn ready(&mut self) -> Ready<'_> {
        if self.watched.is_empty() {
            return Box::pin(std::future::pending());
        }
        if self.has_more {
            return Box::pin(std::future::ready(()));
        }
        Box::pin(async { drop(self.news.changed().await) })
    }

    fn take(&mut self, _: &Venue, _: &Watcher, messages: &mut Vec<Utf8Bytes>) -> Result<(), Problem> {
        if self.watched.is_empty() {
            return Ok(());
        }
        if self.history.live().has_ended() {
            return Err(damaged());
        }
        let most = messages.len() + MESSAGES_MAX;
        let next = self.next;
        // In two halves, because a map has no circle.
        for turn in 0..2 {
            let half = if turn == 0 { self.watched.range_mut(next..) } else { self.watched.range_mut(..next) };
            for (which, watched) in half {
                if messages.len() >= most {
                    (self.next, self.has_more) = (*which, true);
                    return Ok(());
                }
                watched.line.take(&mut watched.seen, messages);
            }
        }
        self.has_more = false;
        Ok(())
    }
}
