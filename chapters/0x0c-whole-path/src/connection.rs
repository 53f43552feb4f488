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
        Connection { shared, read: AtomicU64::new(0), is_waiting: AtomicBool::new(false), waiting: Mutex::default() }
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
            if let Some(frame) = frame {
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
