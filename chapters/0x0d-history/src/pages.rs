//! Questions that the rows answer: a page of an account's trades, of a market's, candles of a range.
//!
//! A page is bounded before it is read: by its limit, and by the keys of one account or market. So what a question costs does not
//! depend on how much there is, nor on how old it is.

use market::{MarketId, UnixMs};

use crate::candle::Candle;
use crate::error::HistoryError;
use crate::key::{self, Table, place_of, placed, start_of};
use crate::place::Place;
use crate::rows::Row;
use crate::store::Store;
use crate::width::Width;

/// How many rows a page has at most.
pub const PAGE_MAX: usize = 500;

/// How many candles an answer has at most.
pub const CANDLES_MAX: u64 = 2_000;

/// Which rows a page is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// From this time on.
    pub from: UnixMs,
    /// Before this time.
    pub to: UnixMs,
    /// Only those before this place, which is that of the last row of the previous page.
    pub before: Option<Place>,
    /// At most so many.
    pub limit: usize,
}

/// Rows, the newest first, and where the next page goes on, if there is one.
pub struct Page<R> {
    /// Each with its place.
    pub rows: Vec<(Place, R)>,
    /// The cursor of the next page.
    pub next: Option<Place>,
}

/// Candles of a range, the oldest first, those without trades filled in from the one before.
pub type Candles = Vec<(UnixMs, Candle)>;

// ANCHOR: page
/// A page of an account's rows, or of a market's.
///
/// # Errors
/// When the store can't be read.
pub fn page<R: Row>(store: &Store, table: Table, owner: u32, wanted: &Wanted) -> Result<Page<R>, HistoryError> {
    let Wanted { from, to, before, limit } = *wanted;
    let first = placed(table, owner, Place::from(from));
    let end = Place::from(to).min(before.unwrap_or(Place::from(UnixMs(u64::MAX))));
    let end = placed(table, owner, end);
    let mut found = store.range::<R>(&first, &end).rev();
    let mut rows = Vec::with_capacity(limit);
    for row in found.by_ref().take(limit) {
        let (key, row) = row?;
        rows.push((place_of(&key).unwrap_or_default(), row));
    }
    let has_more = found.next().transpose()?.is_some();
    let next = rows.last().map(|(place, _)| *place).filter(|_| has_more);
    Ok(Page { rows, next })
}
// ANCHOR_END: page

// ANCHOR: candles
/// The candles of a market in a range of time: from the one that holds `from` to the last that begins before `to`.
/// Where nothing was traded, the one before goes on without volume, also one from before the range. Before the
/// first trade there are none.
///
/// # Errors
/// When the store can't be read. [`HistoryError::Asked`] where the range has more than [`CANDLES_MAX`]; it says
/// how many, and nothing is read then.
pub fn candles(
    store: &Store,
    market: MarketId,
    width: Width,
    from: UnixMs,
    to: UnixMs,
) -> Result<Candles, HistoryError> {
    let start = width.start(from);
    let count = to.0.saturating_sub(start.0).div_ceil(width.ms());
    if count > CANDLES_MAX {
        let word = width.word();
        return Err(HistoryError::Asked(format!(
            "That is {count} candles of a {word}, and an answer has at most {CANDLES_MAX}: ask for a shorter time \
             or a wider candle."
        )));
    }
    let at = |start| key::candle(market, width, start);
    let mut there = store.range::<Candle>(&at(start), &at(to));
    let before = store.range::<Candle>(&at(UnixMs(0)), &at(start)).next_back().transpose()?;
    let (mut before, mut next) = (before.map(|(_, candle)| candle), there.next().transpose()?);
    let mut all = Candles::with_capacity(count as usize);
    for number in 0..count {
        let time = UnixMs(start.0 + number * width.ms());
        let candle = match next.take_if(|(key, _)| start_of(key) == Some(time)) {
            Some((_, candle)) => {
                next = there.next().transpose()?;
                Some(candle)
            }
            None => before.map(|candle| candle.still()),
        };
        all.extend(candle.map(|candle| (time, candle)));
        before = candle.or(before);
    }
    Ok(all)
}
// ANCHOR_END: candles
