//! Offers commands at a fixed rate, whether the engine keeps up or not, and measures how long each waits for its
//! acknowledgement.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use market::{Closed, Command, Engine, EngineError, Ticket};

use crate::receivers::{Moments, Timer};

/// How many commands are submitted between two readings of the clock: often enough for a progress
/// bar and a time limit where a sync takes milliseconds, rarely enough to cost nothing where a
/// command takes 50 ns.
pub const CHUNK: usize = 64;

/// The result of the latency pass.
pub struct Latency {
    /// Commands a second that were offered.
    pub offered_per_s: u64,
    /// Commands a second that were acknowledged. If it is well below the offer, the engine could not
    /// hold that rate.
    pub achieved_per_s: f64,
    /// Nanoseconds from intended arrival to durable acknowledgement.
    pub histogram: Histogram<u64>,
}

impl Latency {
    /// Whether the engine kept up with the offer.
    pub fn held(&self) -> bool {
        self.achieved_per_s >= market::engine::HELD_SHARE * self.offered_per_s as f64
    }
}

/// The receivers that note when each acknowledgement came, one a shard.
pub struct Timers {
    began: Instant,
    moments: Arc<Mutex<BTreeMap<u16, Moments>>>,
}

impl Timers {
    /// Timers that count from now.
    #[allow(clippy::new_without_default, reason = "a timer that counts from now is no default")]
    pub fn new() -> Timers {
        Timers { began: Instant::now(), moments: Arc::default() }
    }

    /// The receiver of `shard`, with room for `commands`. It notes nothing before the first acknowledgement.
    pub fn receiver(&self, shard: u16, commands: usize) -> Timer {
        Timer::new(shard, self.began, commands, &self.moments)
    }
}

/// Offers `body` at `rate` commands a second to an engine whose acknowledgements `timers` receive, for `limit` at
/// most, closes it, and returns what was measured. Each command is timed from the moment when it was *meant* to
/// arrive, so that a stall is charged to every command that it delayed (no coordinated omission). `progress` is
/// called now and then with how many were offered.
///
/// # Errors
/// What stopped the engine.
pub fn offer<E: Engine>(
    mut engine: E,
    timers: &Timers,
    body: &[Command],
    rate: u64,
    limit: Duration,
    progress: impl Fn(u64),
) -> Result<(Latency, Closed), EngineError> {
    let interval_ns = 1_000_000_000 / rate;
    let mut tickets = Vec::with_capacity(body.len());
    let began = Instant::now();
    // ANCHOR: open_loop
    for (at, &command) in body.iter().enumerate() {
        let due = began + Duration::from_nanos(interval_ns * at as u64);
        while Instant::now() < due {
            engine.poll()?;
        }
        tickets.push(engine.submit(command)?);
        if at % CHUNK == 0 {
            progress(at as u64);
            if began.elapsed() > limit {
                break;
            }
        }
    }
    engine.flush()?;
    // ANCHOR_END: open_loop
    let time = began.elapsed();

    let closed = engine.close()?;
    let moments = std::mem::take(&mut *timers.moments.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
    let began_ns = (began - timers.began).as_nanos() as u64;
    let histogram = latencies(&tickets, &moments, |at| began_ns + interval_ns * at);
    let achieved_per_s = tickets.len() as f64 / time.as_secs_f64();
    Ok((Latency { offered_per_s: rate, achieved_per_s, histogram }, closed))
}

/// The latencies: from the moment when each command was due to its acknowledgement.
fn latencies(tickets: &[Ticket], moments: &BTreeMap<u16, Moments>, due_ns: impl Fn(u64) -> u64) -> Histogram<u64> {
    // Nanoseconds up to an hour, with three digits. The library allows these constants, so this can't
    // fail.
    let histogram = Histogram::new_with_bounds(1, 3_600_000_000_000, 3);
    let mut histogram = histogram.unwrap_or_else(|error| unreachable!("{error}"));
    // ANCHOR: latencies
    for (at, ticket) in (0..).zip(tickets) {
        // Every command was acknowledged, because the flush returned.
        if let Some(came_ns) = moments.get(&ticket.shard).and_then(|shard| shard.of(ticket.sequence)) {
            histogram.saturating_record(came_ns.saturating_sub(due_ns(at)));
        }
    }
    // ANCHOR_END: latencies
    histogram
}
