//! Wakes the replies thread when it sleeps, and costs next to nothing when it does not.
//!
//! The matching thread rings after every command. A system call for each would cost more than the matching, so the bell
//! first checks whether the replies thread sleeps. To make that safe, each side reads what the other has written only
//! after a full fence: either the sleeper sees the work, or the ringer sees the sleeper (Dekker's algorithm).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::thread::{self, Thread};
use std::time::Duration;

/// One thread sleeps on it, any number may ring it.
#[derive(Default)]
pub struct Bell {
    is_asleep: AtomicBool,
    sleeper: OnceLock<Thread>,
}

impl Bell {
    // ANCHOR: bell
    /// Signals work. Cost: a fence and a load, and a system call if the other thread sleeps.
    #[inline]
    pub fn ring(&self) {
        fence(Ordering::SeqCst);
        if self.is_asleep.load(Ordering::Relaxed) && self.is_asleep.swap(false, Ordering::Relaxed) {
            self.sleeper.get().inspect(|sleeper| sleeper.unpark());
        }
    }

    /// Sleeps until the bell rings, at most this long; returns at once if `has_work`. Always called from the same
    /// thread.
    pub fn sleep(&self, most: Duration, has_work: impl FnOnce() -> bool) {
        self.sleeper.get_or_init(thread::current);
        self.is_asleep.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if !has_work() {
            thread::park_timeout(most);
        }
        self.is_asleep.store(false, Ordering::Relaxed);
    }
    // ANCHOR_END: bell
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;
    use std::time::Instant;

    use super::*;

    #[test]
    fn no_ring_is_missed() {
        const ROUNDS: u64 = 20_000;
        let (bell, brought, taken) = (Arc::new(Bell::default()), Arc::new(AtomicU64::new(0)), AtomicU64::new(0));
        let theirs = (Arc::clone(&bell), Arc::clone(&brought));
        let began = Instant::now();
        let bringer = thread::spawn(move || {
            for _ in 0..ROUNDS {
                theirs.1.fetch_add(1, Ordering::Relaxed);
                theirs.0.ring();
            }
        });
        while taken.load(Ordering::Relaxed) < ROUNDS {
            let there = brought.load(Ordering::Relaxed);
            taken.store(there, Ordering::Relaxed);
            if there < ROUNDS {
                bell.sleep(Duration::from_secs(60), || brought.load(Ordering::Relaxed) > there);
            }
        }
        bringer.join().expect("it does not panic");
        assert!(began.elapsed() < Duration::from_secs(60), "a ring was missed, and the sleep timed out");
    }
}
