//! The output of the engine: acknowledgements, and entries of the ledger.
//!
//! Invariant: what leaves is on disk. Cost: an event is read in place, once for the ledger and once by the receiver
//! of acknowledgements.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use market::{Acknowledge, EngineError, Event, Sequence, Stage, Stamp, UnixMs};

use crate::ledger::Ledger;
use crate::metrics::Metrics;
use crate::ring::Consumer;

/// The output of the engine.
pub struct Outbox {
    /// The frames that are on disk.
    pub frames: Consumer<(u64, UnixMs), 1>,
    /// The frame of the last command that left.
    pub frame: (u64, UnixMs),
    /// Receives the movements of money and shares.
    pub ledger: Ledger,
    /// Receives the acknowledgements.
    pub acks: Box<dyn Acknowledge>,
    /// The next command to leave: its position in the ring, and its sequence.
    pub next: (u64, Sequence),
    /// How many commands have left, for a caller that waits for them.
    pub acknowledged: Arc<AtomicU64>,
}

impl Outbox {
    // ANCHOR: leave
    /// Sends out the events of the next command, which is on disk.
    ///
    /// # Errors
    /// When the ledger can't be written.
    #[inline] // for every order
    pub fn leave(&mut self, events: &[Event], metrics: &mut impl Metrics) -> Result<(), EngineError> {
        let (position, sequence) = self.next;
        let is_next = position == self.frame.0;
        if is_next && let Ok(&[frame, ..]) = self.frames.peek() {
            self.frame = frame;
            self.frames.advance(1);
        }
        metrics.start();
        self.ledger.write(events)?;
        metrics.lap(Stage::Ledger);
        self.acks.acknowledge(Stamp { sequence, time: self.frame.1 }, events);
        self.next = (position + 1, sequence.plus(1));
        Ok(())
    }

    /// Publishes how many commands have left.
    pub fn tell(&self) {
        // Release: a reader of this count sees what the receiver of acknowledgements has done.
        self.acknowledged.store(self.next.0, Ordering::Release);
    }
    // ANCHOR_END: leave
}
