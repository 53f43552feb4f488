//! Stopping the world to write a snapshot: what the shadow avoids, built only for this comparison.
//!
//! A receiver of acknowledgements works on the matching thread. So a receiver that writes a snapshot stops matching
//! for as long as that takes. It can't reach the engine's own markets, and need not: their state at a command is
//! known in advance, so the receiver gets a second exchange with the same state for each snapshot, made before the
//! clock starts. It writes, byte for byte, what the engine would write.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ch08::exchange::Exchange;
use ch08::metrics::Unmeasured;
use ch08::start::{Origin, Start};
use market::log::ShardOf;
use market::{Acknowledge, Command, EngineError, Event, Options, RealDisk, Sequence, Stamp};
use runner::Timer;

use crate::state;

/// The states after some commands, to be written when those commands come.
pub struct States {
    states: VecDeque<(Sequence, Exchange, Origin)>,
}

impl States {
    /// The states of a log's newest snapshot after every `every`th command of `body`, which continues it.
    ///
    /// # Errors
    /// When there is no snapshot to begin with.
    pub fn behind(options: &Options, body: &[Command], every: usize) -> Result<States, EngineError> {
        let mut states = VecDeque::new();
        for count in (every..=body.len()).step_by(every) {
            let Start { mut exchange, origin } = Start::find(options, ShardOf::ONLY)?;
            let mut events = Vec::new();
            for command in &body[..count] {
                events.clear();
                exchange.apply(command, &mut events, &mut Unmeasured);
            }
            states.push_back((origin.next().plus(count as u64 - 1), exchange, origin));
        }
        Ok(States { states })
    }
}

/// How long each stop took, and why one failed.
pub type Stops = Arc<Mutex<Vec<Result<Duration, EngineError>>>>;

/// A timer of acknowledgements that stops the world after some of them.
pub struct Stopping {
    /// Notes when each came.
    pub timer: Timer,
    /// What is left to write.
    pub states: States,
    /// The folder for them.
    pub folder: PathBuf,
    /// The results.
    pub stops: Stops,
}

impl Acknowledge for Stopping {
    fn acknowledge(&mut self, stamp: Stamp, events: &[Event]) {
        self.timer.acknowledge(stamp, events);
        let is_due = self.states.states.front().is_some_and(|(at, ..)| *at == stamp.sequence);
        if let Some((_, exchange, origin)) = is_due.then(|| self.states.states.pop_front()).flatten() {
            let began = Instant::now();
            let written = state::write(&RealDisk, &self.folder, &exchange, &origin);
            let stop = written.map(|_| began.elapsed());
            // Freeing the memory takes time too, which is no part of a snapshot.
            std::mem::forget(exchange);
            if let Ok(mut stops) = self.stops.lock() {
                stops.push(stop);
            }
        }
    }
}
