//! What threads cost each other: an uncontended lock, a clock read, a cache line that two cores want,
//! and waking a sleeping thread.

use std::hint::black_box;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::measured::time_passes;
use results::probe;
use results::record::Measured;

pub(crate) fn mutex() -> Option<Measured> {
    const LOCKS: u64 = 50_000;
    let balance = Mutex::new(0_u64);
    time_passes(LOCKS, || {
        for _ in 0..LOCKS {
            if let Ok(mut cents) = black_box(&balance).lock() {
                *cents += 1;
            }
        }
    })
}

pub(crate) fn clock_read() -> Option<Measured> {
    const READS: u64 = 20_000;
    time_passes(READS, || {
        for _ in 0..READS {
            black_box(Instant::now());
        }
    })
}

pub(crate) fn cache_line() -> Option<Measured> {
    let trips = probe::round_trip(51, Duration::from_millis(300))?;
    let detail = if trips.pinned { "threads pinned to a core each" } else { "threads not pinned" };
    Some(Measured::of(trips.samples_ns)?.with_detail(detail.into()))
}

/// Half of the round trip between two threads that sleep while they wait.
pub(crate) fn hand_off() -> Option<Measured> {
    const TRIPS: u32 = 200;
    let (asked, answered, stop) = (AtomicU32::new(0), AtomicU32::new(0), AtomicBool::new(false));
    let caller = thread::current();
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let mut last = 0;
            while !stop.load(Ordering::Acquire) {
                let now = asked.load(Ordering::Acquire);
                if now == last {
                    thread::park();
                    continue;
                }
                last = now;
                answered.store(now, Ordering::Release);
                caller.unpark();
            }
        });
        let mut trip = 0;
        let measured = time_passes(2 * u64::from(TRIPS), || {
            for _ in 0..TRIPS {
                trip += 1;
                asked.store(trip, Ordering::Release);
                worker.thread().unpark();
                while answered.load(Ordering::Acquire) != trip {
                    thread::park();
                }
            }
        });
        stop.store(true, Ordering::Release);
        worker.thread().unpark();
        measured
    })
}
