//! How late the last reader is, behind a real engine to which commands are offered at a fixed rate.
//!
//! A command counts from its acknowledgement, and from the moment when it was *due*, whether the engine was ready for it
//! or not, to the end of the sweep in which the last reader had it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use market::flow::Flow;
use market::state::ExchangeState;
use market::{Acknowledge, Engine, Event, MarketId, Options, Sequence, Stamp};
use results::error::MeasureError;
use results::record::LateRecord;

use crate::engines::Work;
use crate::feed::{Feed, Settings};
use crate::feed_thread::FeedThread;
use crate::measure::crowd::{Swept, channels, sweep_channels, sweep_shown};
use crate::measure::direct::unusable;
use crate::offer::{Offered, TAP_RECORDS, offer, open, options};
use crate::past::with_logs;
use crate::record::encode;
use crate::tap::taps;

/// How long a pass may take at most: an engine that waits for ten thousand channels is not waited for.
const TIME_MAX: Duration = Duration::from_secs(20);

/// How readers are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// By what has changed since their cursors.
    Mask,
    /// By a channel each.
    Channels,
}

/// A pass: so many readers of a market, and so many commands.
pub struct Late<'a> {
    /// The commands.
    pub flow: &'a Flow,
    /// How many of its body's are offered.
    pub commands: usize,
    /// The market that is watched.
    pub market: MarketId,
    /// How many readers watch it.
    pub readers: usize,
    /// How they are told.
    pub way: Way,
    /// Commands a second.
    pub rate: u64,
    /// Where the log is.
    pub data_dir: &'a Path,
}

/// What came of it.
pub struct Lateness {
    /// From acknowledgement.
    pub from_acknowledgement: LateRecord,
    /// From the moment when the command was due.
    pub from_due: LateRecord,
    /// Commands that were acknowledged, a second.
    pub achieved_per_s: f64,
}

/// When commands of the watched market were acknowledged, in nanoseconds after the beginning.
type Moments = Arc<Mutex<Vec<(Sequence, u64)>>>;

/// Notes when a command that watchers may see was acknowledged, and passes it on. What it noted is handed over when it
/// goes.
struct Stamped<A> {
    behind: A,
    market: MarketId,
    began: Instant,
    noted: Vec<(Sequence, u64)>,
    all: Moments,
}

impl<A: Acknowledge> Acknowledge for Stamped<A> {
    fn acknowledge(&mut self, stamp: Stamp, events: &[Event]) {
        let is_seen = |event: &Event| event.market() == self.market && encode(stamp, event).is_some();
        if events.iter().any(is_seen) {
            self.noted.push((stamp.sequence, self.began.elapsed().as_nanos() as u64));
        }
        self.behind.acknowledge(stamp, events);
    }

    fn recovered(&mut self, next: Sequence, state: &dyn Fn() -> ExchangeState) {
        self.behind.recovered(next, state);
    }
}

impl<A> Drop for Stamped<A> {
    fn drop(&mut self) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.noted);
    }
}

impl Work for Late<'_> {
    type Done = Result<Lateness, MeasureError>;

    fn with<E: Engine>(self) -> Result<Lateness, MeasureError> {
        let commands = self.flow.setup.len() + self.commands;
        let options = Options { snapshot_every: None, ..options(self.data_dir, 1, commands) };
        let (began, moments) = (Instant::now(), Moments::default());
        let (offered, swept) = match self.way {
            Way::Mask => self.mask::<E>(&options, began, &moments)?,
            Way::Channels => self.channels::<E>(&options, began, &moments)?,
        };
        let acknowledged = moments.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(lateness(&offered, began, &acknowledged, &swept, self.rate))
    }
}

impl Late<'_> {
    fn stamped<A: Acknowledge + 'static>(&self, behind: A, began: Instant, all: &Moments) -> Box<dyn Acknowledge> {
        let noted = Vec::with_capacity(self.commands);
        Box::new(Stamped { behind, market: self.market, began, noted, all: Arc::clone(all) })
    }

    fn offer<E: Engine>(&self, mut engine: E) -> Result<Offered, MeasureError> {
        let offered = offer(&mut engine, &self.flow.body[..self.commands], self.rate, TIME_MAX, &|| false);
        let offered = offered.map_err(unusable)?;
        engine.close().map_err(unusable)?;
        Ok(offered)
    }

    fn mask<E: Engine>(
        &self,
        options: &Options,
        began: Instant,
        all: &Moments,
    ) -> Result<(Offered, Swept), MeasureError> {
        let (taps, ends) = taps(1, TAP_RECORDS);
        let feed = FeedThread::start(Feed::new(Settings::default(), with_logs(options, &ends))).map_err(unusable)?;
        let mut behind = |_, tap| self.stamped(tap, began, all);
        let engine: E = open(options, &self.flow.setup, taps, &mut behind).map_err(unusable)?;
        let shown = loop {
            match feed.board().market(self.market) {
                Some(shown) => break shown,
                None => thread::sleep(Duration::from_millis(1)),
            }
        };
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            let sweeping = scope.spawn(|| sweep_shown(&shown, self.readers, began, &is_over));
            let offered = self.offer(engine);
            let feed = feed.join();
            is_over.store(true, Ordering::Relaxed);
            let swept = sweeping.join().map_err(|_| MeasureError::Unusable("the readers panicked".into()))?;
            feed.map_err(unusable)?;
            Ok((offered?, swept))
        })
    }

    fn channels<E: Engine>(
        &self,
        options: &Options,
        began: Instant,
        all: &Moments,
    ) -> Result<(Offered, Swept), MeasureError> {
        let (senders, receivers) = channels(self.market, self.readers);
        let mut senders = Some(senders);
        let (taps, _ends) = taps(1, 1);
        let mut behind = |_, tap| match senders.take() {
            Some(senders) => self.stamped(senders, began, all),
            None => Box::new(tap) as Box<dyn Acknowledge>,
        };
        let engine: E = open(options, &self.flow.setup, taps, &mut behind).map_err(unusable)?;
        thread::scope(|scope| {
            let sweeping = scope.spawn(move || sweep_channels(receivers, began));
            let offered = self.offer(engine)?;
            let swept = sweeping.join().map_err(|_| MeasureError::Unusable("the readers panicked".into()))?;
            Ok((offered, swept))
        })
    }
}

/// From each command's two beginnings to the last reader.
fn lateness(offered: &Offered, began: Instant, acknowledged: &[(Sequence, u64)], swept: &Swept, rate: u64) -> Lateness {
    let offer_ns = offered.began.saturating_duration_since(began).as_nanos() as u64;
    let first = offered.tickets.first().map_or(Sequence::FIRST, |ticket| ticket.sequence);
    let (mut since_acknowledged, mut since_due) = (Vec::new(), Vec::new());
    for &(sequence, ns) in acknowledged {
        let Some(had) = swept.when(sequence) else { continue };
        let place = sequence.0.saturating_sub(first.0);
        since_acknowledged.push(had.saturating_sub(ns));
        since_due.push(had.saturating_sub(offer_ns + place * 1_000_000_000 / rate));
    }
    Lateness {
        from_acknowledgement: late(&since_acknowledged),
        from_due: late(&since_due),
        achieved_per_s: offered.tickets.len() as f64 / offered.time.as_secs_f64(),
    }
}

fn late(ns: &[u64]) -> LateRecord {
    // Up to a minute, in three digits; such a histogram can be made.
    let Ok(mut histogram) = Histogram::<u64>::new_with_bounds(1, 60_000_000_000, 3) else {
        return LateRecord::default();
    };
    for &ns in ns {
        histogram.saturating_record(ns);
    }
    let ms = |quantile| histogram.value_at_quantile(quantile) as f64 / 1e6;
    LateRecord { p50_ms: ms(0.5), p99_ms: ms(0.99), p999_ms: ms(0.999), commands: histogram.len() }
}
