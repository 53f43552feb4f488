//! The journal: the thread that makes commands durable.
//!
//! It takes what is in the ring, writes it as one frame, syncs, and only then moves its cursor. So
//! the cursor *is* the durable position, and whoever acknowledges reads it from there. Batches make
//! themselves: while one is synced, the next gathers in the ring. Cost: two system calls a batch.

use market::{Command, EngineError, Stage, StageTimes, UnixMs};

use crate::log::Log;
use crate::metrics::Metrics;
use crate::ring::{Closed, Consumer, Producer};
use crate::wait::{Backoff, Wait};

/// The journal's place among the consumers of the ring.
pub const JOURNAL: usize = 0;

/// The journal's thread.
pub struct Journal<M> {
    /// Every command, in order.
    pub commands: Consumer<Command, 2>,
    /// Each frame, when it is on disk: the position behind its commands, and its time.
    pub frames: Producer<(u64, UnixMs), 1>,
    /// Where they go.
    pub log: Log,
    /// The most commands in a frame.
    pub batch_max: usize,
    /// What to do while no command comes.
    pub wait: Wait,
    /// What the time goes into.
    pub metrics: M,
}

/// What the journal did.
pub struct Journaled {
    /// How many frames it wrote.
    pub frames: u64,
    /// How many commands were in them.
    pub commands: u64,
    /// Where the time went.
    pub stages: Option<StageTimes>,
}

impl<M: Metrics> Journal<M> {
    // ANCHOR: run
    /// Works until the ring is closed and empty, or the disk says no.
    ///
    /// # Errors
    /// When the log can't be written. Its cursor stays where it was: nothing after it is durable.
    pub fn run(mut self) -> Result<Journaled, EngineError> {
        let mut backoff = Backoff::new(self.wait);
        let mut frames = 0;
        loop {
            let (count, time) = match self.commands.peek() {
                Err(Closed) => break,
                Ok([]) => {
                    backoff.wait();
                    continue;
                }
                Ok(commands) => {
                    backoff.reset();
                    let batch = &commands[..commands.len().min(self.batch_max)];
                    self.metrics.start();
                    let time = self.log.append(batch)?.time;
                    self.metrics.lap(Stage::LogAppend);
                    (batch.len(), time)
                }
            };
            self.log.sync()?;
            self.metrics.lap(Stage::LogSync);
            // Before the cursor moves: who sees that a command is durable finds the time of its frame.
            let end = self.commands.position() + count as u64;
            while self.frames.push_slice(&[(end, time)]) == Ok(0) {
                backoff.wait();
            }
            self.commands.advance(count);
            frames += 1;
        }
        let commands = self.commands.position();
        self.log.close()?;
        Ok(Journaled { frames, commands, stages: self.metrics.times() })
    }
    // ANCHOR_END: run
}
