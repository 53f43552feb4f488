//! The standard library's mutex against that of `parking_lot`.
//!
//! **Expected:** `parking_lot` is smaller and spins better, so replacing the standard mutex is free speed.
//!
//! **Compared:** a lock around one counter, taken and released, by one thread and by several at a time.
//!
//! **Left out:** long critical sections, fairness, memory, and read-write locks. An engine with a single writer has
//! no lock at all, which is what the experiment `maps` adds.

use std::hint::black_box;
use std::sync::Mutex;

use crate::error::LabError;
use crate::experiment::{Case, Experiment, Prepared, Setting};
use crate::threads::{counts, together};
use crate::words::{counted, words};

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "locks",
    title: ("Is parking_lot's mutex faster than the standard one?", "parking_lot 的互斥锁比标准库的快吗？"),
    per: ("a lock and unlock", "每次加锁解锁"),
    on_request: false,
    prepare,
};

fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    let cases = counts().into_iter().map(|threads| {
        let count = setting.size.of(10_000_000 / threads).max(1);
        Case::new(format!("threads_{threads}"), counted(threads, ("thread", "threads"), "个线程"))
            .with("standard", words("std::sync::Mutex", "std::sync::Mutex"), move || {
                let balance = Mutex::new(0_u64);
                let mut sample = together(threads, count, |_| {
                    for _ in 0..count {
                        if let Ok(mut cents) = black_box(&balance).lock() {
                            *cents += 1;
                        }
                    }
                    0
                });
                sample.answer = balance.into_inner().unwrap_or_default();
                Ok(sample)
            })
            .with("parking_lot", words("parking_lot::Mutex", "parking_lot::Mutex"), move || {
                let balance = parking_lot::Mutex::new(0_u64);
                let mut sample = together(threads, count, |_| {
                    (0..count).for_each(|_| *black_box(&balance).lock() += 1);
                    0
                });
                sample.answer = balance.into_inner();
                Ok(sample)
            })
    });
    Ok(Prepared { cases: cases.collect(), left_out: Vec::new() })
}
