//! Accounts that several threads change: a locked map, a concurrent map, or a map for each thread.
//!
//! **Expected:** a concurrent map is made for many threads, so it scales where a lock does not.
//!
//! **Compared:** cash added to random accounts by 1 to N threads. `locked` is a `HashMap` in one mutex, `concurrent`
//! a `DashMap`, `owned` a `HashMap` for each thread, to which accounts belong permanently. All use the same hash.
//!
//! **Left out:** what it takes to bring an order to the thread that owns its account. The experiment `partitions`
//! shows that cost.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use dashmap::DashMap;

use crate::error::LabError;
use crate::experiment::{Case, Experiment, Prepared, Setting};
use crate::pattern::Pattern;
use crate::threads::{counts, together};
use crate::words::{counted, words};

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "maps",
    title: (
        "Does a concurrent map beat a locked one, and what does owning the data bring?",
        "并发 map 比加锁的 map 快吗？让每个线程独占数据又如何？",
    ),
    per: ("an update", "每次更新"),
    on_request: false,
    prepare,
};

/// Accounts for each thread.
const ACCOUNTS: usize = 4_096;

/// The accounts that a thread changes, one after another: its own, and no other thread's.
fn accounts_of(thread: usize, count: usize) -> impl Iterator<Item = u32> {
    let mut pattern = Pattern::new(thread as u64);
    (0..count).map(move |_| (thread * ACCOUNTS + pattern.below(ACCOUNTS)) as u32)
}

/// The same for every way of keeping balances: the sum depends on the account of each.
fn weigh(balances: impl Iterator<Item = (u32, u64)>) -> u64 {
    balances.map(|(account, cents)| u64::from(account + 1) * cents).fold(0, u64::wrapping_add)
}

fn case(threads: usize, count: usize) -> Case {
    Case::new(format!("threads_{threads}"), counted(threads, ("thread", "threads"), "个线程"))
        .with("locked", words("HashMap in a Mutex", "Mutex 里的 HashMap"), move || {
            let balances = Mutex::new(HashMap::<u32, u64>::new());
            let mut sample = together(threads, count, |thread| {
                for account in accounts_of(thread, count) {
                    if let Ok(mut balances) = balances.lock() {
                        *balances.entry(account).or_default() += 1;
                    }
                }
                0
            });
            sample.answer = weigh(balances.into_inner().unwrap_or_default().into_iter());
            Ok(sample)
        })
        .with("concurrent", words("DashMap", "DashMap"), move || {
            let balances = DashMap::<u32, u64>::new();
            let mut sample = together(threads, count, |thread| {
                accounts_of(thread, count).for_each(|account| *balances.entry(account).or_default() += 1);
                0
            });
            sample.answer = weigh(balances.into_iter());
            Ok(sample)
        })
        .with("owned", words("a HashMap a thread", "每个线程一个 HashMap"), move || {
            let kept = Arc::new(Mutex::new(Vec::new()));
            let mut sample = together(threads, count, |thread| {
                let mut balances = HashMap::<u32, u64>::new();
                accounts_of(thread, count).for_each(|account| *balances.entry(account).or_default() += 1);
                if let Ok(mut kept) = kept.lock() {
                    kept.push(balances);
                }
                0
            });
            let kept = std::mem::take(&mut *kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
            sample.answer = kept.into_iter().map(|own| weigh(own.into_iter())).fold(0, u64::wrapping_add);
            Ok(sample)
        })
}

fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    let cases = counts().into_iter().map(|threads| case(threads, setting.size.of(4_000_000 / threads).max(1)));
    Ok(Prepared { cases: cases.collect(), left_out: Vec::new() })
}
