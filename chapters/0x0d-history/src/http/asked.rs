//! What a request for the past asks for, held against the limits before anything is read.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use gateway::problem::{Problem, Why};
use gateway::venue::Venue;
use market::{MarketId, UnixMs};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::pages::{PAGE_MAX, Wanted};
use crate::place::Place;
use crate::time::parse;
use crate::width::Width;

/// How many rows a page has when no limit is given.
const PAGE: usize = 100;

/// How many candles an answer has when no range is given.
const CANDLES: u64 = 500;

fn bad(what: impl AsRef<str>) -> Problem {
    Problem::because(Why::BadRequest, what)
}

/// The query, after the `?`.
pub async fn query<T: DeserializeOwned>(parts: &mut Parts, venue: &Arc<Venue>) -> Result<T, Problem> {
    let Query(said) =
        Query::from_request_parts(parts, venue).await.map_err(|error| bad(format!("{}.", error.body_text())))?;
    Ok(said)
}

/// A page, as it is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SaidPage {
    from: Option<u64>,
    to: Option<u64>,
    before: Option<String>,
    limit: Option<usize>,
}

/// A page, held against the limits.
pub struct AskedPage(pub Wanted);

impl FromRequestParts<Arc<Venue>> for AskedPage {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, venue: &Arc<Venue>) -> Result<AskedPage, Problem> {
        let SaidPage { from, to, before, limit } = query(parts, venue).await?;
        let (from, to) = (from.unwrap_or(0), to.unwrap_or(u64::MAX));
        if from >= to {
            return Err(bad("The time in from has to be earlier than the time in to."));
        }
        let limit = limit.unwrap_or(PAGE);
        if limit == 0 || limit > PAGE_MAX {
            return Err(bad(format!(
                "A page has 1 to {PAGE_MAX} rows; the cursor in next leads to the following page."
            )));
        }
        let cursor = |text: String| match text.as_str() {
            "now" => Ok(Place::from(UnixMs(u64::MAX))),
            text => Place::read(text)
                .ok_or_else(|| bad("The field before takes the cursor in next of an earlier page, unchanged.")),
        };
        let before = before.map(cursor).transpose()?;
        Ok(AskedPage(Wanted { from: UnixMs(from), to: UnixMs(to), before, limit }))
    }
}

/// Profit and loss, as it is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SaidProfits {
    after: Option<u32>,
    limit: Option<usize>,
}

/// Profit and loss of this many markets, after one of them.
pub struct AskedProfits {
    /// The market before the first.
    pub after: Option<MarketId>,
    /// Of how many.
    pub limit: usize,
}

impl FromRequestParts<Arc<Venue>> for AskedProfits {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, venue: &Arc<Venue>) -> Result<AskedProfits, Problem> {
        let SaidProfits { after, limit } = query(parts, venue).await?;
        let limit = limit.unwrap_or(PAGE_MAX);
        if limit == 0 || limit > PAGE_MAX {
            return Err(bad(format!(
                "An answer has 1 to {PAGE_MAX} markets; the number in next leads to the following ones."
            )));
        }
        Ok(AskedProfits { after: after.map(MarketId), limit })
    }
}

/// Candles, as they are asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SaidCandles {
    width: Option<Width>,
    from: Option<u64>,
    to: Option<u64>,
}

/// Candles, held against the limits.
pub struct AskedCandles {
    /// How wide each is.
    pub width: Width,
    /// From when.
    pub from: UnixMs,
    /// Until when.
    pub to: UnixMs,
}

impl FromRequestParts<Arc<Venue>> for AskedCandles {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, venue: &Arc<Venue>) -> Result<AskedCandles, Problem> {
        let SaidCandles { width, from, to } = query(parts, venue).await?;
        let width = width.unwrap_or(Width::Minute);
        // The candle of this very moment is among them.
        let to = to.unwrap_or(venue.now_ms() + 1);
        let from = from.unwrap_or(to.saturating_sub(CANDLES * width.ms()));
        if from >= to {
            return Err(bad("The time in from has to be earlier than the time in to."));
        }
        Ok(AskedCandles { width, from: UnixMs(from), to: UnixMs(to) })
    }
}

/// A moment, as it is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SaidMoment {
    at: String,
}

/// A moment that has come.
pub struct AskedMoment(pub UnixMs);

impl FromRequestParts<Arc<Venue>> for AskedMoment {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, venue: &Arc<Venue>) -> Result<AskedMoment, Problem> {
        let SaidMoment { at } = query(parts, venue).await?;
        let at = parse(&at).map_err(|words| bad(format!("at: {words}.")))?;
        if at.0 > venue.now_ms() {
            return Err(bad("That moment has not come yet."));
        }
        Ok(AskedMoment(at))
    }
}
