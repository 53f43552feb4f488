//! The tap: what stands behind the engine's acknowledgements.
//!
//! It runs on the matching thread, so it copies what watchers may see into a ring, and does nothing else: it takes no
//! memory and no lock, waits for nobody, and does not know whether anybody reads. A feed that is too slow, or gone, has
//! lost its place; matching has lost nothing. Cost: four words an event that watchers may see.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};

use market::state::ExchangeState;
use market::{Acknowledge, Event, Sequence, Stamp};

use crate::record::{WORDS, encode};
use crate::ring::{Records, Writer, ring};

/// Copies a shard's acknowledged events for its watchers.
pub struct Tap {
    ring: Writer<WORDS>,
    opened: Sender<Opened>,
    before: Arc<AtomicU64>,
}

/// What a shard held when its engine was opened.
#[derive(Clone)]
pub struct Opened {
    /// The next command.
    pub next: Sequence,
    /// Everything that the shard's markets held before it.
    pub state: ExchangeState,
}

/// The feed's end of a tap. A copy of it is for the feed that comes when this one is gone.
#[derive(Clone)]
pub struct Tapped {
    /// The events since the engine was opened.
    pub records: Records<WORDS>,
    opened: Arc<Mutex<Receiver<Opened>>>,
    before: Arc<AtomicU64>,
}

impl Tapped {
    /// The last command before the engine was opened: what came up to there is not in the ring.
    pub fn before(&self) -> Sequence {
        Sequence(self.before.load(Ordering::Relaxed))
    }

    /// What the shard held when it was opened. It is there once, before the first record.
    ///
    /// # Errors
    /// That it is not there, or that the tap is gone.
    pub fn opened(&self) -> Result<Opened, TryRecvError> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).try_recv()
    }
}

/// Makes a tap whose ring holds at least `records` records, and the feed's end of it.
pub fn tap(records: usize) -> (Tap, Tapped) {
    let (ring, records) = ring(records);
    let (sender, opened) = channel();
    let before = Arc::new(AtomicU64::new(0));
    let tapped = Tapped { records, opened: Arc::new(Mutex::new(opened)), before: Arc::clone(&before) };
    (Tap { ring, opened: sender, before }, tapped)
}

/// Makes the taps of so many shards, in their order.
pub fn taps(shards: u16, records: usize) -> (Vec<Tap>, Vec<Tapped>) {
    (0..shards).map(|_| tap(records)).unzip()
}

impl Acknowledge for Tap {
    // ANCHOR: acknowledge
    #[inline]
    fn acknowledge(&mut self, stamp: Stamp, events: &[Event]) {
        let before = self.ring.next();
        for record in events.iter().filter_map(|event| encode(stamp, event)) {
            self.ring.push(record);
        }
        if self.ring.next() != before {
            // All of a command at once, so that nobody sees half of it.
            self.ring.publish();
        }
    }
    // ANCHOR_END: acknowledge

    fn recovered(&mut self, next: Sequence, state: &dyn Fn() -> ExchangeState) {
        self.before.store(next.0.saturating_sub(1), Ordering::Relaxed);
        // Before the first command, so here it may take its time. Nobody there is nobody to tell.
        let _ = self.opened.send(Opened { next, state: state() });
    }
}
