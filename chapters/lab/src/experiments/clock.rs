//! A timestamp for every order: read from the clock, kept from earlier, or from the processor's cycle counter.
//!
//! **Expected:** reading the clock is a system call or nearly one, so a timestamp that is kept in a thread-local and
//! updated now and then saves a lot.
//!
//! **Compared:** one timestamp an order. `cached` reads the clock for every 64th order and gives the others a copy;
//! `quanta` reads the cycle counter and scales it to nanoseconds; `raw` reads the counter and leaves the scaling to
//! the reader of the number.
//!
//! **Left out:** how wrong the cached time is. It is as old as the oldest order of its 64, which is a long time when
//! orders come slowly.

use std::cell::Cell;
use std::hint::black_box;
use std::time::Instant;

use quanta::Clock;

use crate::error::LabError;
use crate::experiment::{Case, Experiment, Prepared, Sample, Setting, timed};
use crate::words::words;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "clock",
    title: ("Does a cached timestamp beat reading the clock for every order?", "缓存时间戳，比每单读一次时钟快吗？"),
    per: ("a timestamp", "每个时间戳"),
    on_request: false,
    prepare,
};

// ANCHOR: cached
/// How many orders share a timestamp.
const RENEW_EVERY: u32 = 64;

thread_local! {
    static CACHED: Cell<(Option<Instant>, u32)> = const { Cell::new((None, 0)) };
}

fn cached_now() -> Instant {
    CACHED.with(|cached| {
        let (now, used) = cached.get();
        let now = now.filter(|_| used < RENEW_EVERY);
        let used = if now.is_some() { used + 1 } else { 1 };
        let now = now.unwrap_or_else(Instant::now);
        cached.set((Some(now), used));
        now
    })
}
// ANCHOR_END: cached

/// Takes `count` timestamps. The result is how many of them are not earlier than the first.
fn stamp<T: PartialOrd + Copy>(count: usize, now: impl Fn() -> T) -> Sample {
    let first = now();
    timed(count, || (0..count).map(|_| u64::from(black_box(now()) >= first)).sum())
}

fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    let count = setting.size.of(5_000_000);
    let clock = Clock::new();
    let counter = clock.clone();
    let case = Case::new("stamps", words("a timestamp an order", "每单一个时间戳"))
        .with("instant", words("Instant::now", "Instant::now"), move || Ok(stamp(count, Instant::now)))
        .with("cached", words("cached for 64 orders", "每 64 单读一次"), move || Ok(stamp(count, cached_now)))
        .with("quanta", words("cycle counter, scaled", "周期计数器，换算成时间"), move || {
            Ok(stamp(count, || clock.now()))
        })
        .with("raw", words("cycle counter, raw", "周期计数器，不换算"), move || {
            Ok(stamp(count, || counter.raw()))
        });
    Ok(Prepared { cases: vec![case], left_out: Vec::new() })
}
