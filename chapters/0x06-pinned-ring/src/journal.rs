//! The journal: the role that makes commands durable.
//!
//! It takes what is in the ring, writes it as one frame, syncs, and only then advances its cursor.
//! So the cursor *is* the durable position, and the matching thread reads it from there. Batches
//! form by themselves: while one is synced, the next gathers in the ring. Cost: two system calls a
//! batch.

use market::{Command, EngineError, Role, Stage, StageTimes, Step, UnixMs};

use crate::log::Log;
use crate::metrics::Metrics;
use crate::ring::{Closed, Consumer, Producer};

/// The journal's place among the consumers of the ring.
pub const JOURNAL: usize = 0;

/// The journal.
pub struct Journal<M> {
    /// Every command, in order.
    pub commands: Consumer<Command, 2>,
    /// Each frame, when it is on disk: the position after its commands, and its time.
    pub frames: Producer<(u64, UnixMs), 1>,
    /// The log that they are written to.
    pub log: Log,
    /// The most commands in a frame.
    pub batch_max: usize,
    /// What is on disk and not yet announced: this many commands, in a frame with this time.
    pub synced: Option<(usize, UnixMs)>,
    /// How many frames were announced.
    pub announced: u64,
    /// The measurement of the time spent.
    pub metrics: M,
}

/// What the journal has done.
pub struct Journaled {
    /// How many frames it wrote.
    pub frames: u64,
    /// How many commands were in them.
    pub commands: u64,
    /// Where the time went.
    pub stages: Option<StageTimes>,
}

impl<M: Metrics> Role for Journal<M> {
    const NAME: &'static str = "journal";
    type Left = Journaled;

    // ANCHOR: run
    /// Makes the commands in the ring durable, as one frame. Ends when the ring is closed and empty.
    ///
    /// # Errors
    /// When the log can't be written. The cursor stays where it was: nothing after it is durable.
    fn step(&mut self) -> Result<Step, EngineError> {
        // Everything that is there by now, not only what was there when the previous frame was
        // written.
        self.commands.look();
        let (count, time) = match self.synced.take() {
            Some(synced) => synced,
            None => match self.commands.peek() {
                Err(Closed) => return Ok(Step::Ended),
                Ok([]) => return Ok(Step::Idle),
                Ok(commands) => {
                    let batch = &commands[..commands.len().min(self.batch_max)];
                    self.metrics.start();
                    let time = self.log.append(batch)?.time;
                    self.metrics.lap(Stage::LogAppend);
                    self.log.sync()?;
                    self.metrics.lap(Stage::LogSync);
                    (batch.len(), time)
                }
            },
        };
        // Before the cursor moves: a reader that sees a command as durable must find the time of
        // its frame.
        let end = self.commands.position() + count as u64;
        if self.frames.push_slice(&[(end, time)]) == Ok(0) {
            self.synced = Some((count, time));
            return Ok(Step::Idle);
        }
        self.commands.advance(count);
        self.announced += 1;
        Ok(Step::Worked)
    }
    // ANCHOR_END: run

    fn end(self) -> Result<Journaled, EngineError> {
        let commands = self.commands.position();
        self.log.close()?;
        Ok(Journaled { frames: self.announced, commands, stages: self.metrics.times() })
    }
}
