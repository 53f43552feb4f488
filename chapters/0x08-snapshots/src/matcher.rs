//! The matching thread: applies commands as they come, and acknowledges them when they are durable.
//!
//! It is the only writer of all markets, so it takes no lock. It reads the ring beside the journal and
//! may be ahead of it; events wait until the journal's cursor has passed their command. Invariant: an
//! acknowledgement or a ledger entry leaves only when its command is on disk.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use market::state::ExchangeState;
use market::{Acknowledge, Command, EngineError, Sequence, Stage, StageTimes, Stamp, UnixMs};

use crate::exchange::Exchange;
use crate::journal::JOURNAL;
use crate::ledger::Ledger;
use crate::metrics::Metrics;
use crate::pending::Pending;
use crate::ring::{Closed, Consumer};
use crate::wait::{Backoff, Wait};

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
    /// What to do while nothing comes.
    pub wait: Wait,
    /// What the time goes into.
    pub metrics: M,
    /// How long it had nothing to do.
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

impl<M: Metrics> Matcher<M> {
    // ANCHOR: run
    /// Works until the ring is closed and all that is durable is acknowledged.
    ///
    /// # Errors
    /// When the ledger can't be written.
    pub fn run(mut self) -> Result<Matched, EngineError> {
        let mut backoff = Backoff::new(self.wait);
        let mut began = None;
        loop {
            let journal = self.commands.progress(JOURNAL);
            let released = self.release(journal.position)?;
            let matched = self.match_some();
            if began.is_none() && matches!(matched, Ok(1..)) {
                began = Some(Instant::now());
            }
            match matched {
                // Nothing more will come, and nothing more will become durable.
                Err(Closed) if self.pending.is_empty() || journal.left => break,
                Err(Closed) | Ok(0) if released == 0 => self.wait_a_little(&mut backoff, began),
                Err(Closed) | Ok(_) => backoff.reset(),
            }
        }
        self.ledger.close()?;
        let time = began.map_or(Duration::ZERO, |began| began.elapsed());
        let busy = 1.0 - self.idle.as_secs_f64() / time.as_secs_f64().max(f64::MIN_POSITIVE);
        Ok(Matched { state: self.exchange.state(), stages: self.metrics.times(), busy: busy.clamp(0.0, 1.0) })
    }

    /// Waits one round. The clock is read only here, where there is time to spare.
    fn wait_a_little(&mut self, backoff: &mut Backoff, began: Option<Instant>) {
        let waiting = Instant::now();
        backoff.wait();
        if began.is_some() {
            self.idle += waiting.elapsed();
        }
    }

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
    // ANCHOR_END: run
}
