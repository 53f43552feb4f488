//! Questions that the rows answer: a page of an account's trades, of a market's, candles of a range.
//!
//! A page is bounded before it is read: by its limit, and by the keys of one account or market. So what a question costs does not
//! depend on how much there is, nor on how old it is.

use market::{MarketId, UnixMs};

use crate::candle::Candle;
use crate::error::HistoryError;
use crate::key::Table;
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

/// A page of an account's rows, or of a market's.
///
/// # Errors
/// When the store can't be read.
pub fn page<R: Row>(_store: &Store, _table: Table, _owner: u32, _wanted: &Wanted) -> Result<Page<R>, HistoryError> {
    todo!("step 4: page")
}

/// The candles of a market in a range of time: from the one that holds `from` to the last that begins before `to`.
/// Where nothing was traded, the one before goes on without volume, also one from before the range. Before the
/// first trade there are none.
///
/// # Errors
/// When the store can't be read. [`HistoryError::Asked`] where the range has more than [`CANDLES_MAX`]; it says
/// how many, and nothing is read then.
pub fn candles(
    _store: &Store,
    _market: MarketId,
    _width: Width,
    _from: UnixMs,
    _to: UnixMs,
) -> Result<Candles, HistoryError> {
    todo!("step 5: candles")
}
