//! The matching thread: applies commands that are durable, and acknowledges them.
//!
//! It is the only writer of all markets, so it takes no lock. It reads the ring behind the journal: the journal's
//! cursor is where it must stop. Invariant: what it applies is on disk, and so is every command in an acknowledgement
//! or a ledger entry. While it matches one frame, the journal works on the next.

use std::time::{Duration, Instant};

use market::state::ExchangeState;
use market::{Command, EngineError, Event, Role, Stage, StageTimes, Step};

use crate::exchange::Exchange;
use crate::journal::JOURNAL;
use crate::metrics::Metrics;
use crate::outbox::Outbox;
use crate::ring::Consumer;

/// How many commands are matched before the next check of what is durable.
const MATCH_MAX: usize = 256;

/// The matching thread.
pub struct Matcher<M> {
    /// Every command, in order.
    pub commands: Consumer<Command, 2>,
    /// All markets.
    pub exchange: Exchange,
    /// The events of the current command; kept, so that the list is allocated once.
    pub events: Vec<Event>,
    /// The log that they are written to.
    pub outbox: Outbox,
    /// The measurement of the time spent.
    pub metrics: M,
    /// When its first command arrived.
    pub began: Option<Instant>,
    /// Since when it has had nothing to do.
    pub idle_since: Option<Instant>,
    /// How long it had nothing to do in all, before that.
    pub idle: Duration,
}

/// What the matching thread leaves behind.
pub struct Matched {
    /// All markets.
    pub state: ExchangeState,
    /// Where the time went.
    pub stages: Option<StageTimes>,
    /// The share of the time from its first command to its last in which it had work, 0 to 1.
    pub busy: f64,
}

impl<M: Metrics> Role for Matcher<M> {
    const NAME: &'static str = "matching";
    type Left = Matched;

    // ANCHOR: run
    /// Applies what has become durable, and acknowledges it. Ends when the journal has left, because then nothing
    /// more becomes durable.
    ///
    /// # Errors
    /// When the ledger can't be written.
    fn step(&mut self) -> Result<Step, EngineError> {
        if let Some(since) = self.idle_since.take() {
            self.idle += since.elapsed();
        }
        let journal = self.commands.progress(JOURNAL);
        let matched = self.match_some(journal.position)?;
        self.outbox.tell();
        if matched > 0 {
            self.began.get_or_insert_with(Instant::now);
        }
        Ok(match matched {
            0 if journal.left => Step::Ended,
            0 => self.has_nothing_to_do(),
            _ => Step::Worked,
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
    /// The clock is read only when there is nothing to do, and when that ends: it delays no command.
    fn has_nothing_to_do(&mut self) -> Step {
        self.idle_since = self.began.map(|_| Instant::now());
        Step::Idle
    }

    // ANCHOR: match_some
    /// Applies the next commands before `durable`, a position in the ring, and returns how many. The events of each
    /// leave while they are in the cache.
    fn match_some(&mut self, durable: u64) -> Result<usize, EngineError> {
        let ready = (durable - self.commands.position()) as usize;
        // Only the journal decides when no more will come: everything before its position is here in
        // any case.
        let commands = self.commands.peek().unwrap_or_default();
        let commands = &commands[..commands.len().min(ready).min(MATCH_MAX)];
        for command in commands {
            self.metrics.start();
            self.events.clear();
            self.exchange.apply(command, &mut self.events, &mut self.metrics);
            self.metrics.lap(Stage::Settlement);
            self.outbox.leave(&self.events, &mut self.metrics)?;
        }
        let count = commands.len();
        self.commands.advance(count);
        Ok(count)
    }
    // ANCHOR_END: match_some
}
