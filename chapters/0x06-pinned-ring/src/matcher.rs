//! The matching thread: applies commands that are durable, and acknowledges them.
//!
//! It is the only writer of all markets, so it takes no lock. It reads the ring behind the journal: the journal's cursor
//! is where it must stop. Invariant: what it applies is on disk, and so is all that an acknowledgement or a ledger entry
//! speaks of. While it matches one frame, the journal is at the next.

use market::state::ExchangeState;
use market::{Command, EngineError, Event, Role, Stage, StageTimes, Step};

use crate::exchange::Exchange;
use crate::journal::JOURNAL;
use crate::metrics::Metrics;
use crate::outbox::Outbox;
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
    /// Where they go.
    pub outbox: Outbox,
    /// What the time goes into.
    pub metrics: M,
}

/// What the matching thread leaves.
pub struct Matched {
    /// All markets.
    pub state: ExchangeState,
    /// Where the time went.
    pub stages: Option<StageTimes>,
}

impl<M: Metrics> Role for Matcher<M> {
    const NAME: &'static str = "matching";
    type Left = Matched;

    // ANCHOR: run
    /// Applies what has become durable, and acknowledges it. The end comes when the journal has left, for then nothing
    /// more becomes durable.
    ///
    /// # Errors
    /// When the ledger can't be written.
    fn step(&mut self) -> Result<Step, EngineError> {
        let journal = self.commands.progress(JOURNAL);
        let matched = self.match_some(journal.position)?;
        self.outbox.tell();
        Ok(match matched {
            0 if journal.left => Step::Ended,
            0 => Step::Idle,
            _ => Step::Worked,
        })
    }
    // ANCHOR_END: run

    fn end(self) -> Result<Matched, EngineError> {
        self.outbox.ledger.close()?;
        Ok(Matched { state: self.exchange.state(), stages: self.metrics.times() })
    }
}

impl<M: Metrics> Matcher<M> {
    // ANCHOR: match_some
    /// Applies the next commands before `durable`, a position in the ring, and says how many. What each led to leaves
    /// while it is at hand.
    fn match_some(&mut self, durable: u64) -> Result<usize, EngineError> {
        let ready = (durable - self.commands.position()) as usize;
        // That nothing more will come is the journal's to say: what it has passed is here all the same.
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
