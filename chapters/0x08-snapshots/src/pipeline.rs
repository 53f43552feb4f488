//! A shard's pipeline: a command's path from the ring to its acknowledgement.
//!
//! ```text
//! command ─▶ ring ─▶ journal:  log append ─▶ log sync ─┐
//!                                                      ▼ durable position
//!                └─▶ matching: balance check ─▶ matching ─▶ settlement ─▶ ledger ─▶ acknowledgement
//! ```
//!
//! Three roles: the caller fills the ring, the journal makes its commands durable, the matching thread applies them.
//! Invariant: what is applied is on disk. Cost: a copy into the ring for the caller, two threads for the engine.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use keeping::trim::correct_newer;
use market::hands::{Worker, join};
use market::log::{FRAME_COMMANDS_MAX, ShardOf};
use market::{
    Acknowledge, Closed, Command, EngineError, JudgedLog, LogError, Options, Recovery, Sequence, StageTimes, UnixMs,
    read_log_from,
};

use crate::cores;
use crate::crew::{Crew, Waker};
use crate::exchange::Exchange;
use crate::journal::{Journal, Journaled};
use crate::ledger::Ledger;
use crate::log::Log;
use crate::matcher::{Matched, Matcher};
use crate::metrics::Metrics;
use crate::outbox::Outbox;
use crate::ring::{self, Producer, ring};
use crate::start::{Origin, Start};
use crate::wait::{Backoff, Wait};

/// How many of the journal's largest batches the ring holds: enough, so that the caller need not wait
/// for a slot.
const RING_BATCHES: usize = 8;

/// The most commands that it holds. One maximum frame is being matched, one is at the disk, and one gathers; the next
/// power of two is four.
const RING_MAX: usize = 4 * FRAME_COMMANDS_MAX;

/// How many commands the caller gathers before it publishes them with one store.
const PUBLISH_MAX: usize = 64;

/// A thread for the disk and a thread for the markets, and the ring that feeds both.
pub struct Pipeline {
    /// `None` when the engine has stopped.
    ring: Option<Producer<Command, 2>>,
    /// How many commands the ring holds.
    capacity: u64,
    /// Commands that were submitted and are not yet in the ring.
    batch: Vec<Command>,
    submitted: u64,
    next: Sequence,
    acknowledged: Arc<AtomicU64>,
    journal: Option<Worker<Journaled>>,
    matcher: Option<Worker<Matched>>,
    /// The waker of the journal, which reads the ring.
    waker: Waker,
    crew: Crew,
    pinned: String,
    path: PathBuf,
}

/// The log of a shard, read and trusted, and the state that it led to. Nothing is changed yet.
pub struct Replayed {
    log: JudgedLog,
    exchange: Exchange,
    ledger: Ledger,
    acks: Box<dyn Acknowledge>,
    shard: ShardOf,
    origin: Origin,
}

impl Replayed {
    /// Reads the log.
    ///
    /// # Errors
    /// When it can't be trusted or read.
    pub fn read<M: Metrics>(
        options: &Options,
        shard: ShardOf,
        mut acks: Box<dyn Acknowledge>,
    ) -> Result<Replayed, EngineError> {
        let Start { mut exchange, origin } = Start::find(options, shard)?;
        let core = options.pin_threads.then(|| cores::for_woken(shard.shards.into(), core_count())).flatten();
        let mut ledger = Ledger::create(&options.data_dir, origin.ledger_part(shard), core)?;
        let mut metrics = M::default();
        let mut events = Vec::new();
        let log = read_log_from(options, shard, origin.place.as_ref(), |stamp, command| {
            events.clear();
            exchange.apply(&command, &mut events, &mut metrics);
            acks.replayed(stamp, &events);
            ledger.write(&events)
        })?;
        Ok(Replayed { log, exchange, ledger, acks, shard, origin })
    }
}

impl Pipeline {
    /// Continues from what was replayed: makes the log ready, and starts both roles.
    ///
    /// # Errors
    /// When the disk can't be written, or the system can't start a thread.
    pub fn open<M: Metrics>(options: &Options, replayed: Replayed) -> Result<(Pipeline, Recovery), EngineError> {
        let Replayed { log, exchange, mut ledger, mut acks, shard, origin } = replayed;
        let (log, recovery) = Log::open(options, shard, &origin, log)?;
        correct_newer(options, origin.ledger_part(shard))?;
        ledger.take_place()?;
        acks.recovered(log.next(), &|| exchange.state());

        let crew = Crew::new(options, Wait::for_machine(roles(shard.shards), core_count()));
        let acknowledged = Arc::new(AtomicU64::new(0));
        let (path, next) = (log.path().to_path_buf(), log.next());
        let capacity = (RING_BATCHES * options.batch_max).next_power_of_two().min(RING_MAX);
        let (ring, [journaled, matched]) = ring(capacity);
        let (framed, [frames]) = ring::ring(capacity);
        let (batch_max, metrics) = (options.batch_max, M::default());
        let journal =
            Journal { commands: journaled, log, frames: framed, batch_max, synced: None, announced: 0, metrics };
        let frame = (0, UnixMs::UNKNOWN);
        let outbox = Outbox { frames, frame, ledger, acks, next: (0, next), acknowledged: Arc::clone(&acknowledged) };
        let matcher = Matcher {
            commands: matched,
            exchange,
            events: Vec::new(), // of one command at a time
            outbox,
            metrics: M::default(),
            began: None,
            idle_since: None,
            idle: Duration::ZERO,
        };
        let (pinned, core) = core_for_matching(options.pin_threads, shard);
        let mut pipeline = Pipeline {
            ring: Some(ring),
            capacity: capacity as u64,
            batch: Vec::with_capacity(PUBLISH_MAX),
            submitted: 0,
            next,
            acknowledged,
            journal: None,
            matcher: None,
            waker: Waker::default(),
            crew,
            pinned,
            path,
        };
        // If the second can't be started, the pipeline is dropped, and the first with it.
        let crew = &pipeline.crew;
        let matcher = crew.start(matcher, core, Backoff::woken_late(crew.wait), Waker::default())?;
        let reader = crew.waker(&matcher);
        pipeline.matcher = Some(matcher);
        let journal = crew.start(journal, None, Backoff::woken(crew.wait), reader)?;
        pipeline.waker = crew.waker(&journal);
        pipeline.journal = Some(journal);
        Ok((pipeline, recovery))
    }

    // ANCHOR: submit
    /// Accepts a command and returns its number; it is published when enough have gathered.
    ///
    /// # Errors
    /// When a thread has stopped.
    pub fn submit(&mut self, command: Command) -> Result<Sequence, EngineError> {
        if self.ring.is_none() {
            return Err(self.stopped());
        }
        self.batch.push(command);
        let sequence = self.next;
        (self.submitted, self.next) = (self.submitted + 1, sequence.plus(1));
        if self.batch.len() >= PUBLISH_MAX {
            self.publish()?;
        }
        Ok(sequence)
    }

    /// Gives the caller's core to other threads.
    pub fn pause(&self) {
        self.crew.pause();
    }

    /// Returns when everything submitted has been acknowledged.
    ///
    /// # Errors
    /// When a thread has stopped.
    pub fn flush(&mut self) -> Result<(), EngineError> {
        let mut backoff = Backoff::new(self.crew.wait);
        // Acquire: after this, the work of the receiver of acknowledgements is visible.
        while self.acknowledged.load(Ordering::Acquire) < self.submitted {
            self.publish()?;
            self.crew.wait(&mut backoff);
        }
        Ok(())
    }
    // ANCHOR_END: submit

    /// Flushes, ends both roles and returns what they held.
    ///
    /// # Errors
    /// When a thread has stopped.
    pub fn close(mut self) -> Result<Closed, EngineError> {
        self.flush()?;
        self.shut();
        let journaled = join("journal", self.journal.take())?;
        let matched = join("matching", self.matcher.take())?;
        let (Some(journaled), Some(matched)) = (journaled, matched) else { return Err(self.stopped()) };
        let per_frame = journaled.commands as f64 / journaled.frames.max(1) as f64;
        let remarks = vec![
            format!("matching was busy {:.0} % of the time", 100.0 * matched.busy),
            format!(
                "{} frames of {per_frame:.0} commands; threads wait by policy {}; {}",
                journaled.frames, self.crew.wait, self.pinned
            ),
            format!("after command {} the state's digest is {:016x}", self.next.0 - 1, matched.state.digest()),
        ];
        Ok(Closed { state: matched.state, stages: both(journaled.stages, matched.stages), remarks })
    }

    // ANCHOR: publish
    /// Moves the gathered commands into the ring, and waits when it is full: nothing is dropped.
    ///
    /// # Errors
    /// When a thread has stopped.
    pub fn publish(&mut self) -> Result<(), EngineError> {
        let mut backoff = Backoff::new(self.crew.wait);
        let mut rest = &self.batch[..];
        let mut was_full = false;
        loop {
            let Some(ring) = &mut self.ring else { return Err(self.stopped()) };
            // A caller that retries for each free slot wakes up for only a few commands. Half a ring of work is
            // time to sleep.
            let in_ring = || self.submitted - rest.len() as u64 - self.acknowledged.load(Ordering::Relaxed);
            let fits = if was_full && in_ring() > self.capacity / 2 { 0 } else { rest.len() };
            match ring.push_slice(&rest[..fits]) {
                Err(ring::Closed) => return Err(self.stop()),
                Ok(0) => {}
                Ok(count) => {
                    self.waker.wake();
                    rest = &rest[count..];
                }
            }
            if rest.is_empty() {
                break;
            }
            was_full = true;
            self.crew.wait(&mut backoff);
        }
        self.batch.clear();
        Ok(())
    }
    // ANCHOR_END: publish

    /// Ends both roles and returns which of them ended first, and why.
    fn stop(&mut self) -> EngineError {
        self.shut();
        let journal = join("journal", self.journal.take()).err();
        let matcher = join("matching", self.matcher.take()).err();
        journal.or(matcher).unwrap_or_else(|| self.stopped())
    }

    /// Signals that no more commands come: the journal ends after the last one, and matching after the
    /// journal.
    fn shut(&mut self) {
        self.ring = None;
        self.waker.wake();
    }

    fn stopped(&self) -> EngineError {
        LogError::Stopped { path: self.path.clone() }.into()
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        // Threads must not outlive the pipeline: another one may open the same log next.
        self.stop();
    }
}

fn both(one: Option<StageTimes>, other: Option<StageTimes>) -> Option<StageTimes> {
    let mut sum = one?;
    sum.merge(&other?);
    Some(sum)
}

/// The threads that want a core: the caller, and each shard's journal and matching.
fn roles(shards: u16) -> usize {
    1 + 2 * usize::from(shards)
}

fn core_count() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The core for a shard's matching thread. With fewer cores than shards, some share one.
fn core_for_matching(pin: bool, shard: ShardOf) -> (String, Option<core_affinity::CoreId>) {
    let core = cores::quietest_first().iter().cycle().nth(shard.shard.into()).copied();
    match core {
        _ if !pin => ("the system decides where threads run".into(), None),
        _ if core_count() < 2 => ("one core, so nothing is pinned".into(), None),
        Some(core) => (format!("matching is pinned to core {}", core.id), Some(core)),
        None => ("the system does not permit pinning, so it decides where threads run".into(), None),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_thread_of_every_shard_is_counted() {
        assert_eq!([1, 2, 8].map(super::roles), [3, 5, 17]);
    }
}
