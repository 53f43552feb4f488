//! The tap: it receives the engine's acknowledgements.
//!
//! It runs on the matching thread, so it copies what watchers may see into a ring and does nothing else: no allocation,
//! no lock, no waiting, and no knowledge of readers. A feed that is too slow or gone loses its position; matching loses
//! nothing. Cost: four words per event that watchers may see.

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

/// The state of a shard when its engine was opened.
#[derive(Clone)]
pub struct Opened {
    /// The next command.
    pub next: Sequence,
    /// Everything in the shard's markets before it.
    pub state: ExchangeState,
}

/// The feed's end of a tap. Keep a clone for the feed that replaces this one.
#[derive(Clone)]
pub struct Tapped {
    /// The events since the engine was opened.
    pub records: Records<WORDS>,
    opened: Arc<Mutex<Receiver<Opened>>>,
    before: Arc<AtomicU64>,
}

impl Tapped {
    /// The last command before the engine was opened: nothing up to it is in the ring.
    pub fn before(&self) -> Sequence {
        Sequence(self.before.load(Ordering::Relaxed))
    }

    /// The state of the shard when it was opened. It arrives once, before the first record.
    ///
    /// # Errors
    /// If it has not arrived yet, or the tap is gone.
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

/// Makes the taps of this many shards, in order.
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
            // Publish a whole command at once, so that no reader sees half of it.
            self.ring.publish();
        }
    }
    // ANCHOR_END: acknowledge

    fn recovered(&mut self, next: Sequence, state: &dyn Fn() -> ExchangeState) {
        self.before.store(next.0.saturating_sub(1), Ordering::Relaxed);
        // This runs before the first command, so it may be slow. If the feed is gone, the state is not needed.
        let _ = self.opened.send(Opened { next, state: state() });
    }
}
