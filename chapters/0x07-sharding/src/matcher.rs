//! The matching thread: applies commands as they come, and acknowledges them when they are durable.
//!
//! It is the only writer of all markets, so it takes no lock. It reads the ring beside the journal and
//! may be ahead of it; events wait until the journal's cursor has passed their command. Invariant: an
//! acknowledgement or a ledger entry leaves only when its command is on disk.

use std::time::{Duration, Instant};

use market::state::ExchangeState;
use market::{Command, EngineError, Event, Role, Stage, StageTimes, Step};

use crate::exchange::Exchange;
use crate::journal::JOURNAL;
use crate::metrics::Metrics;
use crate::outbox::Outbox;
use crate::pending::Pending;
use crate::ring::Consumer;

/// How many commands are matched before the next look at what is durable.
const MATCH_MAX: usize = 256;

/// The matching thread.
pub struct Matcher<M> {
    /// Every command, in order.
    pub commands: Consumer<Command, 2>,
    /// All markets.
    pub exchange: Exchange,
    /// What the command at hand led to; kept, so that it is allocated once.
    pub events: Vec<Event>,
    /// Events whose commands are not yet known to be durable.
    pub pending: Pending,
    /// Where they go.
    pub outbox: Outbox,
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
        let matched = self.match_some(journal.position)?;
        self.outbox.tell();
        if matches!(matched, Some(1..)) {
            self.began.get_or_insert_with(Instant::now);
        }
        Ok(match matched {
            // Nothing more will come, and nothing more will become durable.
            None if self.pending.is_empty() || journal.left => Step::Ended,
            None | Some(0) if released == 0 => self.has_nothing_to_do(),
            None | Some(_) => Step::Worked,
        })
    }
    // ANCHOR_END: run

    fn end(self) -> Result<Matched, EngineError> {
        self.outbox.ledger.close()?;
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
    /// Applies the next commands, and says how many; nothing when no more will come. What is before `durable`, a
    /// position in the ring, leaves while it is at hand, unless others wait before it.
    fn match_some(&mut self, durable: u64) -> Result<Option<usize>, EngineError> {
        let Ok(commands) = self.commands.peek() else { return Ok(None) };
        let commands = &commands[..commands.len().min(MATCH_MAX)];
        let durable = if self.pending.is_empty() { durable.saturating_sub(self.outbox.next.0) } else { 0 };
        let (leaving, waiting) = commands.split_at(commands.len().min(durable as usize));
        for command in leaving {
            self.metrics.start();
            self.events.clear();
            self.exchange.apply(command, &mut self.events, &mut self.metrics);
            self.metrics.lap(Stage::Settlement);
            self.outbox.leave(&self.events, &mut self.metrics)?;
        }
        for command in waiting {
            self.metrics.start();
            self.exchange.apply(command, self.pending.events(), &mut self.metrics);
            self.pending.end_command();
            self.metrics.lap(Stage::Settlement);
        }
        let count = commands.len();
        self.commands.advance(count);
        Ok(Some(count))
    }

    /// Lets go of what waits before `durable`, and says of how many commands.
    fn release(&mut self, durable: u64) -> Result<usize, EngineError> {
        let (first, _) = self.outbox.next;
        let end = durable.min(first + self.pending.len() as u64);
        for _ in first..end {
            self.outbox.leave(self.pending.take(), &mut self.metrics)?;
        }
        self.pending.tidy();
        Ok(end.saturating_sub(first) as usize)
    }
    // ANCHOR_END: release
}
