//! How long syncs take, and how many commands each makes durable.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::distribution::Distribution;

/// All syncs of a venue. The journal adds one for each; the lock is held for a few nanoseconds then.
#[derive(Default)]
pub struct Syncs(Mutex<Inner>);

/// What is known of them.
#[derive(Default, Clone)]
pub struct Inner {
    /// Their times, in nanoseconds.
    pub times: Distribution,
    /// Commands that they made durable.
    pub commands: u64,
}

impl Syncs {
    /// One more, which took this long and made so many commands durable.
    pub fn add(&self, ns: u64, commands: u64) {
        let mut inner = self.lock();
        inner.times.add(ns);
        inner.commands += commands;
    }

    /// What is known of them.
    pub fn read(&self) -> Inner {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
