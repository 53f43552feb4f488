//! One connection: when it was read last, and which answers go with its next write.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use market::Sequence;

use crate::clock::now;
use crate::notices::Notice;
use crate::shared::Shared;
use crate::stage::{Moment, Stamps};

/// How many notices of one write are sampled at most.
const TOLD_MAX: usize = 1_024;

/// A connection of a client.
pub struct Connection {
    shared: Arc<Shared>,
    /// When it began.
    since: u64,
    read: AtomicU64,
    /// Whether something waits for the next write. For most writes nothing does.
    is_waiting: AtomicBool,
    waiting: Mutex<Waiting>,
}

/// What the next write takes along.
#[derive(Default)]
struct Waiting {
    answers: Vec<(Stamps, bool)>,
    /// Each with the moment when it came.
    notices: Vec<(u16, Sequence, u64)>,
}

impl Connection {
    /// A new one.
    pub fn new(shared: Arc<Shared>) -> Connection {
        let (read, is_waiting, waiting) = (AtomicU64::new(0), AtomicBool::new(false), Mutex::default());
        Connection { shared, since: now(), read, is_waiting, waiting }
    }

    /// What all connections share.
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// When bytes were read last.
    pub fn last_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// An answer goes with the next write.
    pub fn to_write(&self, stamps: Stamps, is_sampled: bool) {
        self.lock().answers.push((stamps, is_sampled));
        self.is_waiting.store(true, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes were read.
    pub fn read(&self) {
        self.read.store(now(), Ordering::Relaxed);
    }

    // ANCHOR: written
    /// Bytes were written, and with them all that waited.
    pub fn written(&self) {
        if !self.is_waiting.swap(false, Ordering::Acquire) {
            return;
        }
        let Waiting { answers, notices } = std::mem::take(&mut *self.lock());
        let written = now();
        for (mut stamps, is_sampled) in answers {
            stamps.at[Moment::Written as usize] = written;
            self.shared.collector.finish(&stamps, is_sampled);
        }
        for (shard, sequence, queued_ns) in notices {
            let frame = self.shared.frames.get(usize::from(shard)).and_then(|frames| frames.find(sequence));
            // What happened before this client was there, it catches up on: how long that took says nothing of the venue.
            if let Some(frame) = frame.filter(|frame| frame.synced >= self.since) {
                let (synced_ns, written_ns) = (frame.synced, written);
                self.shared.told.add(Notice { shard, sequence: sequence.0, synced_ns, queued_ns, written_ns });
            }
        }
    }
    // ANCHOR_END: written

    /// What this command led to goes with the next write.
    pub fn told(&self, shard: u16, sequence: Sequence) {
        self.shared.notices.fetch_add(1, Ordering::Relaxed);
        if self.shared.collector.is_notice_sampled(sequence.0) {
            let mut waiting = self.lock();
            if waiting.notices.len() < TOLD_MAX {
                waiting.notices.push((shard, sequence, now()));
            }
            drop(waiting);
            self.is_waiting.store(true, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collector::Collector;
    use crate::frames::Frames;

    #[test]
    fn what_a_client_catches_up_on_is_no_delivery_time() {
        let frames = Arc::new(Frames::default());
        let (syncs, snapshots, responses, notices, told) = Default::default();
        let collector = Collector::new(1, 20);
        let shared =
            Shared { frames: vec![Arc::clone(&frames)], collector, syncs, snapshots, responses, notices, told };
        let shared = Arc::new(shared);
        frames.seal(Sequence(1)..Sequence(2), now());
        frames.sync(now() - 1);
        let connection = Connection::new(Arc::clone(&shared));
        frames.seal(Sequence(2)..Sequence(3), now());
        frames.sync(now());
        for sequence in [1, 2] {
            connection.told(0, Sequence(sequence));
        }
        connection.written();
        let told = shared.told.read().last;
        assert_eq!(told.iter().map(|notice| notice.sequence).collect::<Vec<_>>(), [2]);
    }
}
