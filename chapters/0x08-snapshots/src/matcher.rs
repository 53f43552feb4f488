//! The matching thread: applies commands as they come, and acknowledges them when they are durable.
//!
//! It is the only writer of all markets, so it takes no lock. It reads the ring beside the journal and
//! may be ahead of it; events wait until the journal's cursor has passed their command. Invariant: an
//! acknowledgement or a ledger entry leaves only when its command is on disk.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use market::state::ExchangeState;
use market::{Acknowledge, Command, EngineError, Role, Sequence, Stage, StageTimes, Stamp, Step, UnixMs};

use crate::exchange::Exchange;
use crate::journal::JOURNAL;
use crate::ledger::Ledger;
use crate::metrics::Metrics;
use crate::pending::Pending;
use crate::ring::{Closed, Consumer};

/// How many commands are matched before the next look at what is durable.
const MATCH_MAX: usize = 256;

/// The matching thread.
pub struct Matcher<M> {
    /// Every command, in order.
    pub commands: Consumer<Command, 2>,
    /// The frames that are on disk.
    pub frames: Consumer<(u64, UnixMs), 1>,
    /// The one with the latest command that was acknowledged.
    pub frame: (u64, UnixMs),
    /// All markets.
    pub exchange: Exchange,
    /// Where the movements of money and shares go.
    pub ledger: Ledger,
    /// Who is told.
    pub acks: Box<dyn Acknowledge>,
    /// The sequence of the next command to acknowledge.
    pub next: Sequence,
    /// How many commands have been acknowledged, for whoever waits for that.
    pub acknowledged: Arc<AtomicU64>,
    /// Events whose commands are not yet known to be durable.
    pub pending: Pending,
    /// What the time goes into.
    pub metrics: M,
    /// When its first command came.
    pub began: Option<Instant>,
    /// Since when it has nothing to do.
    pub idle_since: Option<Instant>,
    /// How long it had nothing to do, before that.
    pub idle: Duration,
}

/// What the matching thread leaves.
pub struct Matched {
    /// All markets.
    pub state: ExchangeState,
    /// Where the time went.
    pub stages: Option<StageTimes>,
    /// What share of the time from its first command to its last it had work, 0 to 1.
    pub busy: f64,
}

impl<M: Metrics> Role for Matcher<M> {
    const NAME: &'static str = "matching";
    type Left = Matched;

    // ANCHOR: run
    /// Acknowledges what has become durable, and matches what has come. The end comes when the ring is closed and all
    /// that is durable is acknowledged.
    ///
    /// # Errors
    /// When the ledger can't be written.
    fn step(&mut self) -> Result<Step, EngineError> {
        if let Some(since) = self.idle_since.take() {
            self.idle += since.elapsed();
        }
        let journal = self.commands.progress(JOURNAL);
        let released = self.release(journal.position)?;
        let matched = self.match_some();
        if self.began.is_none() && matches!(matched, Ok(1..)) {
            self.began = Some(Instant::now());
        }
        Ok(match matched {
            // Nothing more will come, and nothing more will become durable.
            Err(Closed) if self.pending.is_empty() || journal.left => Step::Ended,
            Err(Closed) | Ok(0) if released == 0 => self.has_nothing_to_do(),
            Err(Closed) | Ok(_) => Step::Worked,
        })
    }
    // ANCHOR_END: run

    fn end(self) -> Result<Matched, EngineError> {
        self.ledger.close()?;
        let time = self.began.map_or(Duration::ZERO, |began| began.elapsed());
        let busy = 1.0 - self.idle.as_secs_f64() / time.as_secs_f64().max(f64::MIN_POSITIVE);
        Ok(Matched { state: self.exchange.state(), stages: self.metrics.times(), busy: busy.clamp(0.0, 1.0) })
    }
}

impl<M: Metrics> Matcher<M> {
    /// The clock is read only here, and when this is over: there is time to spare.
    fn has_nothing_to_do(&mut self) -> Step {
        self.idle_since = self.began.map(|_| Instant::now());
        Step::Idle
    }

    // ANCHOR: release
    /// Applies the next commands, and says how many.
    fn match_some(&mut self) -> Result<usize, Closed> {
        let commands = self.commands.peek()?;
        let commands = &commands[..commands.len().min(MATCH_MAX)];
        for command in commands {
            self.metrics.start();
            self.exchange.apply(command, self.pending.events(), &mut self.metrics);
            self.pending.end_command();
            self.metrics.lap(Stage::Settlement);
        }
        let count = commands.len();
        self.commands.advance(count);
        Ok(count)
    }

    /// Lets go of the events of commands before `durable`, a position in the ring, and says how many.
    fn release(&mut self, durable: u64) -> Result<usize, EngineError> {
        let waiting_from = self.commands.position() - self.pending.len() as u64;
        let count = durable.saturating_sub(waiting_from).min(self.pending.len() as u64);
        for position in waiting_from..waiting_from + count {
            let is_next = position == self.frame.0;
            if is_next && let Ok(&[frame, ..]) = self.frames.peek() {
                self.frame = frame;
                self.frames.advance(1);
            }
            let events = self.pending.take();
            self.metrics.start();
            self.ledger.write(events)?;
            self.metrics.lap(Stage::Ledger);
            self.acks.acknowledge(Stamp { sequence: self.next, time: self.frame.1 }, events);
            self.next = self.next.plus(1);
        }
        if count > 0 {
            self.pending.tidy();
            // Release: who sees this count sees what the receiver of acknowledgements has done.
            self.acknowledged.store(waiting_from + count, Ordering::Release);
        }
        Ok(count as usize)
    }
    // ANCHOR_END: release
}
