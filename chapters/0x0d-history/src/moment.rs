//! A moment: a market as it was, from the newest snapshot before that time and the commands that followed it.
//!
//! First the log alone is read, to find the last command that was not later: that is cheap, and says how much there is to
//! replay before anything is replayed. Cost: the shard's state once in memory, and matching of the commands since the snapshot.

use ch08::shadow::Shadow;
use market::log::ShardOf;
use market::log_chain::{identity, read_chain, segments};
use market::log_reader::Place;
use market::snapshot_file::SnapshotReader;
use market::state::MarketState;
use market::{
    EngineError, Event, LogError, MarketId, Options, Price, Quantity, Sequence, Stamp, UnixMs, snapshot, watermark,
};

use crate::error::HistoryError;
use crate::time::text;

/// A market as it was.
pub struct Moment {
    /// The shard's last command that was not later.
    pub last: Stamp,
    /// What the market held.
    pub state: MarketState,
    /// The last trade that was replayed, with its time; none where there was none since the snapshot.
    pub trade: Option<(UnixMs, Price, Quantity)>,
    /// How many commands were replayed.
    pub replayed: u64,
}

// ANCHOR: moment
/// A market at a time. More than `most` commands are not replayed.
///
/// # Errors
/// [`HistoryError::Asked`] with what is missing: the log was trimmed, it had not begun, the market was not open,
/// or it would be too much work. And errors of the log.
pub fn moment(options: &Options, market: MarketId, at: UnixMs, most: u64) -> Result<Moment, HistoryError> {
    let shard = ShardOf::market(market, options.shards);
    let begin = before(options, shard, at)?;
    let last = last_until(options, shard, begin.as_ref(), at, most)?;
    let next = begin.map_or(Sequence::FIRST, |place| place.next.sequence);
    let options = Options { companions: None, ..options.clone() };
    let mut shadow = Shadow::begin_before(&options, shard, next)?;
    let (began, mut trade) = (shadow.next(), None);
    // It may have passed over the snapshot from which the commands were counted.
    if (last.sequence.0 + 1).saturating_sub(began.0) > most {
        return Err(too_much(most, at));
    }
    while shadow.next() <= last.sequence {
        let before = shadow.next();
        shadow.follow(last.sequence, |stamp, _, events| {
            for event in events {
                if let Event::Traded { market: of, price, quantity, .. } = *event
                    && of == market
                {
                    trade = Some((stamp.time, price, quantity));
                }
            }
        })?;
        if shadow.next() == before {
            return Err(HistoryError::Asked("The log was changed meanwhile: ask again.".into()));
        }
    }
    let state = shadow.state().markets.remove(&market);
    let closed = || HistoryError::Asked(format!("Market {market} was not open at {}.", text(at)));
    let state = state.ok_or_else(closed)?;
    Ok(Moment { last, state, trade, replayed: shadow.next().0 - began.0 })
}
// ANCHOR_END: moment

/// The place of the newest snapshot that is not later; none where the log is read from its beginning.
fn before(options: &Options, shard: ShardOf, at: UnixMs) -> Result<Option<Place>, HistoryError> {
    let (disk, folder) = (&*options.disk, &options.data_dir);
    let snapshots = snapshot::list(disk, folder, shard).map_err(HistoryError::io("look for snapshots", folder))?;
    let places = snapshots.iter().filter_map(|(_, path)| Some(SnapshotReader::open(disk, path).ok()?.header.place));
    let places: Vec<Place> = places.collect();
    if let Some(place) = places.iter().find(|place| place.next.time <= at) {
        return Ok(Some(*place));
    }
    let segments = segments(disk, folder, shard).map_err(HistoryError::io("look for the log", folder))?;
    match (segments.first(), places.last()) {
        (Some(segment), Some(oldest)) if segment.first > Sequence::FIRST => Err(HistoryError::Asked(format!(
            "The log was trimmed: {} is no longer available, and the earliest moment that is available is {}.",
            text(at),
            text(oldest.next.time)
        ))),
        _ => Ok(None),
    }
}

/// Why reading the log ended early.
enum Ended {
    Later,
    TooMuch,
    Log(LogError),
}

impl From<LogError> for Ended {
    fn from(error: LogError) -> Ended {
        Ended::Log(error)
    }
}

/// The last command after a place that was not later. Only the log is read for it.
fn last_until(
    options: &Options,
    shard: ShardOf,
    begin: Option<&Place>,
    at: UnixMs,
    most: u64,
) -> Result<Stamp, HistoryError> {
    let (disk, folder) = (&*options.disk, &options.data_dir);
    let segments = segments(disk, folder, shard).map_err(HistoryError::io("look for the log", folder))?;
    let log = identity(disk, folder, shard).map_err(EngineError::from)?;
    let mark = watermark::read(disk, &folder.join(shard.file_name()), log);
    let nothing = || HistoryError::Asked(format!("Nothing had happened yet in this market's log at {}.", text(at)));
    let mark = mark.ok_or_else(nothing)?;
    let first = begin.map(|place| Stamp { sequence: Sequence(place.next.sequence.0 - 1), time: place.next.time });
    let (mut last, mut read) = (first, 0);
    let found = read_chain::<Ended>(disk, shard, &segments, begin, Some(mark.last), |stamp, _| {
        read += 1;
        match () {
            () if stamp.time > at => Err(Ended::Later),
            () if read > most => Err(Ended::TooMuch),
            () => {
                last = Some(stamp);
                Ok(())
            }
        }
    });
    match found {
        Ok(_) | Err(Ended::Later) => last.ok_or_else(nothing),
        Err(Ended::TooMuch) => Err(too_much(most, at)),
        Err(Ended::Log(error)) => Err(EngineError::from(error).into()),
    }
}

fn too_much(most: u64, at: UnixMs) -> HistoryError {
    HistoryError::Asked(format!(
        "More than {most} commands lie between {} and the snapshot before it: the operator can look with -- at.",
        text(at)
    ))
}

/// Prices with how much rests at each, the best first.
pub fn levels(orders: &[market::state::RestingOrder]) -> Vec<(Price, u64)> {
    let mut levels: Vec<(Price, u64)> = Vec::new();
    for order in orders {
        match levels.last_mut() {
            Some((price, quantity)) if *price == order.price => *quantity += u64::from(order.quantity.0),
            _ => levels.push((order.price, order.quantity.0.into())),
        }
    }
    levels
}

/// What all accounts of a market held together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sums {
    /// How many accounts.
    pub accounts: u64,
    /// Cash, free and locked, in cents.
    pub cash: u64,
    /// YES shares, free and locked.
    pub yes: u64,
    /// NO shares, free and locked.
    pub no: u64,
}

/// The sums of a market's holdings.
pub fn sums(state: &MarketState) -> Sums {
    state.accounts.values().fold(Sums::default(), |sums, held| Sums {
        accounts: sums.accounts + 1,
        cash: sums.cash + held.cash.0 + held.cash_locked.0,
        yes: sums.yes + u64::from(held.yes.0) + u64::from(held.yes_locked.0),
        no: sums.no + u64::from(held.no.0) + u64::from(held.no_locked.0),
    })
}
