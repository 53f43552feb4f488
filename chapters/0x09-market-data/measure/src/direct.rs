//! What an event costs the thread that acknowledges it, for various numbers of readers.
//!
//! An engine's thread does much more than that, and its time varies from run to run by more than this cost. So here a
//! thread replays recorded acknowledgements at the offered rate and does nothing else, so its processor time is the
//! cost. Feed and readers work meanwhile, as they do with an engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use ch08::exchange::Exchange;
use ch08::metrics::Unmeasured;
use market::flow::Flow;
use market::log::ShardOf;
use market::{Acknowledge, Event, MarketId, Options, Sequence, Stamp, UnixMs};
use results::error::MeasureError;
use runner::thread_time;

use crate::crowd::{Swept, channels, sweep_channels, sweep_shown};
use market_data::feed::{Feed, Settings};
use market_data::feed_thread::FeedThread;
use market_data::offer::TAP_RECORDS;
use market_data::past::{LogPast, Past};
use market_data::record::Record;
use market_data::shown::Shown;
use market_data::tap::{Opened, taps};
use market_data::update::Cursor;

/// Acknowledgements arrive in groups, as after a sync.
const GROUP: Duration = Duration::from_millis(1);

/// Recorded acknowledgements.
pub struct Recorded {
    /// The state before the first one.
    opened: Opened,
    events: Vec<Event>,
    /// The command of each acknowledgement, and where its events end.
    commands: Vec<(Stamp, usize)>,
    resting: usize,
}

impl Recorded {
    /// The acknowledgements of a flow's body.
    pub fn of(flow: &Flow) -> Recorded {
        let (mut exchange, mut events) = (Exchange::default(), Vec::new());
        flow.setup.iter().for_each(|command| exchange.apply(command, &mut events, &mut Unmeasured));
        events.clear();
        let next = Sequence(flow.setup.len() as u64 + 1);
        let opened = Opened { next, state: exchange.state() };
        let commands = flow.body.iter().enumerate().map(|(at, command)| {
            exchange.apply(command, &mut events, &mut Unmeasured);
            (Stamp { sequence: next.plus(at as u64), time: UnixMs(1) }, events.len())
        });
        let commands = commands.collect();
        let resting = exchange.state().markets.values().map(|market| market.bids.len() + market.asks.len()).sum();
        Recorded { opened, events, commands, resting }
    }

    /// The same, split into this many shards, each with its own markets.
    pub fn split(&self, shards: u16) -> Vec<Recorded> {
        (0..shards).map(|shard| self.only(|market| ShardOf::market(market, shards).shard == shard)).collect()
    }

    fn only(&self, is_here: impl Fn(MarketId) -> bool) -> Recorded {
        let mut part = Recorded { opened: self.opened.clone(), events: Vec::new(), commands: Vec::new(), resting: 0 };
        part.opened.state.markets.retain(|market, _| is_here(*market));
        let mut start = 0;
        for &(stamp, end) in &self.commands {
            let events = &self.events[start..end];
            start = end;
            // Every command leads to an event, and all its events are of its market.
            if events.first().is_some_and(|event| is_here(event.market())) {
                part.events.extend_from_slice(events);
                part.commands.push((stamp, part.events.len()));
            }
        }
        part
    }

    /// How many orders rest at the end.
    pub fn resting(&self) -> usize {
        self.resting
    }

    /// How many of the commands stay within this many messages in all, with one message per event and reader.
    pub fn commands_within(&self, messages: usize, readers: usize) -> usize {
        let events = messages / readers.max(1);
        self.commands.iter().take_while(|(_, end)| *end <= events).count().max(1)
    }

    /// Replays the first `commands`; returns how long the thread worked per event, in nanoseconds.
    fn hand_over(&self, acks: &mut dyn Acknowledge, commands: usize, rate: f64) -> Option<f64> {
        let per_group = (rate * GROUP.as_secs_f64()).max(1.0) as usize;
        let (began, mut worked, mut start) = (Instant::now(), Duration::ZERO, 0);
        for (at, group) in self.commands[..commands].chunks(per_group).enumerate() {
            let due = began + GROUP * at as u32;
            thread::sleep(due.saturating_duration_since(Instant::now()));
            let before = thread_time()?;
            for &(stamp, end) in group {
                acks.acknowledge(stamp, &self.events[start..end]);
                start = end;
            }
            worked += thread_time()?.saturating_sub(before);
        }
        Some(worked.as_nanos() as f64 / start.max(1) as f64)
    }
}

/// The result of a pass.
pub struct Pass {
    /// Processor time per event, in nanoseconds.
    pub event_ns: Option<f64>,
    /// What the readers received per second.
    pub deliveries_per_s: f64,
    /// Bytes that the feed holds for resting orders.
    pub order_bytes: usize,
    /// Bytes held per reader at the end.
    pub bytes_per_reader: f64,
}

/// Readers with cursors, and one thread per shard that replays its share of `rate`.
///
/// # Errors
/// If the feed could not keep up.
pub fn mask(shards: &[Recorded], market: MarketId, readers: usize, rate: u64) -> Result<Pass, MeasureError> {
    let (mut taps, ends) = taps(shards.len() as u16, TAP_RECORDS);
    // There is no log to catch up from: if the feed is lapped here, it fails and so does the measurement.
    let past = || Box::new(LogPast::new(&Options::new("no log"), ShardOf::ONLY)) as Box<dyn Past>;
    let sources = ends.into_iter().map(|ends| (ends, past())).collect();
    let feed = FeedThread::start(Feed::new(Settings::default(), sources)).map_err(unusable)?;
    for (tap, recorded) in taps.iter_mut().zip(shards) {
        tap.recovered(recorded.opened.next, &|| recorded.opened.state.clone());
    }
    let shown = loop {
        match feed.board().market(market) {
            Some(shown) => break shown,
            None => thread::sleep(Duration::from_millis(1)),
        }
    };
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let began = Instant::now();
        let sweeping = scope.spawn({
            let (shown, is_over) = (&shown, &is_over);
            move || sweep_shown(shown, readers, began, is_over)
        });
        let all = shards.iter().map(|recorded| recorded.commands.len()).sum::<usize>().max(1);
        let handing_over = taps.into_iter().zip(shards).map(|(mut tap, recorded)| {
            let share = rate as f64 * recorded.commands.len() as f64 / all as f64;
            scope.spawn(move || {
                let event_ns = recorded.hand_over(&mut tap, recorded.commands.len(), share)?;
                Some((event_ns * recorded.events.len() as f64, recorded.events.len()))
            })
        });
        let event_ns = event_ns(handing_over.collect());
        let feed = feed.join();
        is_over.store(true, Ordering::Relaxed);
        let swept = swept(sweeping)?;
        let deliveries_per_s = swept.deliveries as f64 / began.elapsed().as_secs_f64();
        let bytes_per_reader = size_of::<(Arc<Shown>, Cursor)>() as f64;
        let order_bytes = feed.map_err(unusable)?.order_bytes();
        Ok(Pass { event_ns, deliveries_per_s, order_bytes, bytes_per_reader })
    })
}

/// Readers with channels.
///
/// # Errors
/// If the readers could not be run.
pub fn with_channels(
    recorded: &Recorded,
    market: MarketId,
    readers: usize,
    rate: u64,
    messages_max: usize,
) -> Result<Pass, MeasureError> {
    let (mut senders, receivers) = channels(market, readers);
    let commands = recorded.commands_within(messages_max, readers);
    thread::scope(|scope| {
        let began = Instant::now();
        let sweeping = scope.spawn(move || sweep_channels(receivers, began));
        let event_ns = recorded.hand_over(&mut senders, commands, rate as f64);
        let sent = senders.sent;
        drop(senders);
        let taken = swept(sweeping)?.deliveries;
        let deliveries_per_s = taken as f64 / began.elapsed().as_secs_f64();
        let waiting = (sent - taken) as usize * size_of::<Record>();
        Ok(Pass { event_ns, deliveries_per_s, order_bytes: 0, bytes_per_reader: waiting as f64 / readers as f64 })
    })
}

/// No readers: what replaying costs by itself.
pub fn unwatched(recorded: &Recorded, rate: u64) -> Option<f64> {
    struct Discard;
    impl Acknowledge for Discard {
        fn acknowledge(&mut self, stamp: Stamp, events: &[Event]) {
            // It reads every event, as the tap does: here events come from memory, in an engine from its cache.
            let markets = events.iter().fold(0, |sum: u32, event| sum.wrapping_add(event.market().0));
            std::hint::black_box((stamp, markets));
        }
    }
    recorded.hand_over(&mut Discard, recorded.commands.len(), rate as f64)
}

/// Processor time per event, in nanoseconds, over threads that each report their time and number of events.
fn event_ns(threads: Vec<ScopedJoinHandle<'_, Option<(f64, usize)>>>) -> Option<f64> {
    let (mut worked_ns, mut events) = (0.0, 0);
    // Wait for all of them: a thread that panicked reports no time.
    for thread in threads.into_iter().map(ScopedJoinHandle::join).collect::<Vec<_>>() {
        let (ns, seen) = thread.ok().flatten()?;
        (worked_ns, events) = (worked_ns + ns, events + seen);
    }
    Some(worked_ns / events.max(1) as f64)
}

fn swept(thread: ScopedJoinHandle<'_, Swept>) -> Result<Swept, MeasureError> {
    thread.join().map_err(|_| MeasureError::Unusable("the readers panicked".into()))
}

/// An error of the engine or the feed during a measurement.
pub fn unusable(error: market::EngineError) -> MeasureError {
    MeasureError::Unusable(format!("{error}; is the machine busy with something else?"))
}
