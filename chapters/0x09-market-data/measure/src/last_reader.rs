//! How late the last reader is behind a real engine that receives commands at a fixed rate.
//!
//! Two delays count for each command, both up to the end of the sweep in which the last reader has it: one from its
//! acknowledgement, one from the moment when it was *due*, whether or not the engine was ready for it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use market::flow::Flow;
use market::log::ShardOf;
use market::state::ExchangeState;
use market::{Acknowledge, Engine, Event, MarketId, Options, Sequence, Stamp};
use results::error::MeasureError;
use results::record::{LateRecord, Limit, ThreadsRecord};
use runner::{processor_time, thread_time};

use crate::crowd::{Swept, channels, sweep_channels, sweep_shown};
use crate::direct::unusable;
use market_data::engines::Work;
use market_data::feed::{Feed, Settings};
use market_data::feed_thread::FeedThread;
use market_data::offer::{Offered, TAP_RECORDS, offer, open, options};
use market_data::past::with_logs;
use market_data::record::encode;
use market_data::tap::taps;

/// The longest that a pass may take: we do not wait for an engine that waits for ten thousand channels.
const TIME_MAX: Duration = Duration::from_secs(20);

/// How readers get updates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// By what has changed since their cursors.
    Mask,
    /// By a channel each.
    Channels,
}

/// A pass: this many readers of a market, and this many commands.
pub struct Late<'a> {
    /// The commands.
    pub flow: &'a Flow,
    /// How many commands of its body are offered.
    pub commands: usize,
    /// The market to watch.
    pub market: MarketId,
    /// How many readers watch it.
    pub readers: usize,
    /// How readers get updates.
    pub way: Way,
    /// Commands a second.
    pub rate: u64,
    /// How many shards the engine has.
    pub shards: u16,
    /// The log's folder.
    pub data_dir: &'a Path,
}

/// The result of a pass.
pub struct Lateness {
    /// From acknowledgement.
    pub from_acknowledgement: LateRecord,
    /// From the moment when the command was due.
    pub from_due: LateRecord,
    /// Acknowledged commands per second.
    pub achieved_per_s: f64,
    /// Where the processor time went.
    pub threads: Option<ThreadsRecord>,
    /// What was too slow for the pass to count.
    pub limit: Option<Limit>,
}

/// Observations from the matching threads.
#[derive(Default)]
struct Noted {
    /// When commands of the watched market were acknowledged, in nanoseconds since the start.
    moments: Vec<(Sequence, u64)>,
    /// Processor time of those threads, where the system reports it.
    worked: Duration,
}

/// Records when a command that watchers may see was acknowledged, and passes it on. It hands its records over when it
/// is dropped.
struct Stamped<A> {
    behind: A,
    market: MarketId,
    began: Instant,
    noted: Vec<(Sequence, u64)>,
    /// The matching thread, and its processor time before its first acknowledgement.
    thread: Option<(ThreadId, Duration)>,
    all: Arc<Mutex<Noted>>,
}

impl<A: Acknowledge> Acknowledge for Stamped<A> {
    fn acknowledge(&mut self, stamp: Stamp, events: &[Event]) {
        let is_seen = |event: &Event| event.market() == self.market && encode(stamp, event).is_some();
        if events.iter().any(is_seen) {
            self.noted.push((stamp.sequence, self.began.elapsed().as_nanos() as u64));
        }
        if self.thread.is_none() {
            self.thread = thread_time().map(|worked| (thread::current().id(), worked));
        }
        self.behind.acknowledge(stamp, events);
    }

    fn recovered(&mut self, next: Sequence, state: &dyn Fn() -> ExchangeState) {
        self.behind.recovered(next, state);
    }
}

impl<A> Drop for Stamped<A> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.moments.append(&mut self.noted);
        // The matching thread drops this when it ends, so its processor time is complete.
        let here = self.thread.filter(|(thread, _)| *thread == thread::current().id());
        let worked = here.and_then(|(_, before)| Some(thread_time()?.saturating_sub(before)));
        all.worked += worked.unwrap_or_default();
    }
}

/// What a pass produces.
struct Pass {
    offered: Offered,
    swept: Swept,
    /// Processor time of the feed thread.
    feed: Option<Duration>,
}

impl Work for Late<'_> {
    type Done = Result<Lateness, MeasureError>;

    fn with<E: Engine>(self) -> Result<Lateness, MeasureError> {
        let commands = self.flow.setup.len() + self.commands;
        let options = Options { snapshot_every: None, ..options(self.data_dir, self.shards, commands) };
        let (began, worked, noted) = (Instant::now(), processor_time(), Arc::default());
        let pass = match self.way {
            Way::Mask => self.mask::<E>(&options, began, &noted)?,
            Way::Channels => self.channels::<E>(&options, began, &noted)?,
        };
        let noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
        let worked = worked.and_then(|before| Some(processor_time()?.saturating_sub(before)));
        Ok(self.lateness(&pass, began, &noted, worked))
    }
}

impl Late<'_> {
    fn stamped<A: Acknowledge + 'static>(
        &self,
        behind: A,
        began: Instant,
        all: &Arc<Mutex<Noted>>,
    ) -> Box<dyn Acknowledge> {
        let noted = Vec::with_capacity(self.commands);
        Box::new(Stamped { behind, market: self.market, began, noted, thread: None, all: Arc::clone(all) })
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
        all: &Arc<Mutex<Noted>>,
    ) -> Result<Pass, MeasureError> {
        let (taps, ends) = taps(self.shards, TAP_RECORDS);
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
            let feed = feed.join_timed();
            is_over.store(true, Ordering::Relaxed);
            let swept = sweeping.join().map_err(|_| MeasureError::Unusable("the readers panicked".into()))?;
            Ok(Pass { offered: offered?, swept, feed: feed.map_err(unusable)?.1 })
        })
    }

    fn channels<E: Engine>(
        &self,
        options: &Options,
        began: Instant,
        all: &Arc<Mutex<Noted>>,
    ) -> Result<Pass, MeasureError> {
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
            Ok(Pass { offered, swept, feed: Some(Duration::ZERO) })
        })
    }
}

impl Late<'_> {
    /// From each command's two starting points to the last reader.
    fn lateness(&self, pass: &Pass, began: Instant, noted: &Noted, process: Option<Duration>) -> Lateness {
        let Pass { offered, swept, .. } = pass;
        let offer_ns = offered.began.saturating_duration_since(began).as_nanos() as u64;
        let shard = ShardOf::market(self.market, self.shards).shard;
        // A shard counts its own commands: find which offered command has this sequence.
        let places: Vec<usize> =
            (0..).zip(&offered.tickets).filter_map(|(at, ticket)| (ticket.shard == shard).then_some(at)).collect();
        let first = places.first().map_or(Sequence::FIRST, |place| offered.tickets[*place].sequence);
        let (mut since_acknowledged, mut since_due) = (Vec::new(), Vec::new());
        for &(sequence, ns) in &noted.moments {
            let place = places.get(sequence.0.saturating_sub(first.0) as usize);
            let (Some(had), Some(place)) = (swept.when(sequence), place) else { continue };
            since_acknowledged.push(had.saturating_sub(ns));
            since_due.push(had.saturating_sub(offer_ns + *place as u64 * 1_000_000_000 / self.rate));
        }
        let readers_behind = match (noted.moments.len(), since_acknowledged.last()) {
            (all, Some(ns)) if all == since_acknowledged.len() => Duration::from_nanos(*ns),
            _ => Duration::MAX,
        };
        Lateness {
            from_acknowledgement: late(&since_acknowledged),
            from_due: late(&since_due),
            achieved_per_s: offered.tickets.len() as f64 / offered.time.as_secs_f64(),
            threads: threads(pass, noted.worked, process),
            limit: limit(offered, readers_behind),
        }
    }
}

/// Where the processor time went, if the system reports it for all threads.
fn threads(pass: &Pass, matching: Duration, process: Option<Duration>) -> Option<ThreadsRecord> {
    let (offering, feed, readers) = (pass.offered.processor?, pass.feed?, pass.swept.processor?);
    let others = process?.saturating_sub(matching + offering + feed + readers);
    let ns = |time: Duration| time.as_nanos() as f64;
    Some(ThreadsRecord {
        wall_ns: ns(pass.offered.time),
        matching_ns: ns(matching),
        offering_ns: ns(offering),
        feed_ns: ns(feed),
        readers_ns: ns(readers),
        others_ns: ns(others),
        offering_late_ns: ns(pass.offered.overslept),
    })
}

/// What was too slow for a pass to count: see [`Limit`].
fn limit(offered: &Offered, readers_behind: Duration) -> Option<Limit> {
    if offered.overslept > offered.time / 100 {
        return Some(Limit::Offering);
    }
    (readers_behind > offered.time / 20).then_some(Limit::Readers)
}

fn late(ns: &[u64]) -> LateRecord {
    // Up to a minute, with three digits; these bounds are valid.
    let Ok(mut histogram) = Histogram::<u64>::new_with_bounds(1, 60_000_000_000, 3) else {
        return LateRecord::default();
    };
    for &ns in ns {
        histogram.saturating_record(ns);
    }
    let ms = |quantile| histogram.value_at_quantile(quantile) as f64 / 1e6;
    LateRecord { p50_ms: ms(0.5), p99_ms: ms(0.99), p999_ms: ms(0.999), commands: histogram.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_counts_only_if_its_load_kept_up() {
        let ms = Duration::from_millis;
        let offered = |overslept| Offered {
            began: Instant::now(),
            tickets: Vec::new(),
            time: ms(1_000),
            processor: None,
            overslept,
        };
        assert_eq!(limit(&offered(ms(10)), ms(50)), None);
        assert_eq!(limit(&offered(ms(11)), ms(50)), Some(Limit::Offering));
        assert_eq!(limit(&offered(ms(10)), ms(51)), Some(Limit::Readers));
        assert_eq!(limit(&offered(ms(0)), Duration::MAX), Some(Limit::Readers));
    }
}
