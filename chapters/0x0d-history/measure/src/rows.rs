//! A log of a venue, the rows that the chapter's follower derives from it, and the same rows as any store takes them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use ch08::metrics::Unmeasured;
use history::following::{Progress, follow};
use history::key::{Table, place_of};
use history::place::Place;
use history::store::Store;
use market::flow::{DEFAULT_SEED, FlowName, generate};
use market::{Acknowledge, Clock, Engine as _, Event, Options, Receivers, Stamp, UnixMs};

use crate::stores::{Failed, Pair};

struct Deaf;

impl Acknowledge for Deaf {
    fn acknowledge(&mut self, _: Stamp, _: &[Event]) {}
}

/// A clock that goes on by a second with each frame of a thousand commands, so that a log of minutes has the times of hours.
pub fn a_second_each() -> Clock {
    let seconds = AtomicU64::new(1_772_323_200);
    Clock::new(move || UnixMs(seconds.fetch_add(1, Ordering::Relaxed) * 1_000))
}

/// Writes the log of so many commands of a venue, and says how many they are with those before.
pub fn log(folder: &Path, commands: usize) -> Result<u64, Failed> {
    log_by(folder, commands, None)
}

/// The same by another clock.
pub fn log_by(folder: &Path, commands: usize, clock: Option<Clock>) -> Result<u64, Failed> {
    let flow = generate(FlowName::Venue, commands, DEFAULT_SEED);
    let mut receivers = |_: u16| Box::new(Deaf) as Box<dyn Acknowledge>;
    let options = Options::new(folder);
    let clock = clock.unwrap_or_else(|| options.clock.clone());
    let options = Options { snapshot_every: Some(1_000_000), clock, ..options };
    let (mut engine, _) = ch08::Engine::<Unmeasured>::open(&options, &mut receivers as &mut Receivers<'_>)?;
    for &command in flow.setup.iter().chain(&flow.body) {
        engine.submit(command)?;
    }
    engine.flush()?;
    engine.close()?;
    Ok((flow.setup.len() + flow.body.len()) as u64)
}

/// Derives all rows of a log, and says how many seconds it took until they were on disk.
pub fn derive(folder: &Path) -> Result<f64, Failed> {
    let options = Options::new(folder);
    let store = Arc::new(Store::open(&options, true)?);
    let progress = Progress::new(&store, options.shards)?;
    let began = Instant::now();
    follow(&options, &store, &progress, &|| progress.is_caught_up())?;
    Ok(began.elapsed().as_secs_f64())
}

/// The rows that stand at a place, in the order in which they came.
pub fn all(store: &Store) -> Result<Vec<Pair>, Failed> {
    let mut all: Vec<(Place, Pair)> = Vec::new();
    let placed = [Table::Trades, Table::Orders, Table::Money, Table::Public, Table::Cancelled, Table::Resolved];
    for table in placed.into_iter().chain([Table::Numbers]) {
        for (key, value) in store.pairs(table)? {
            // The place of an order's number is in its value, which is the key of the order.
            let place = if table == Table::Numbers { place_of(&value) } else { place_of(&key) };
            all.push((place.unwrap_or_default(), (key, value)));
        }
    }
    all.sort_by_key(|(place, _)| *place);
    Ok(all.into_iter().map(|(_, pair)| pair).collect())
}
