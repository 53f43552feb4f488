//! A gate between reading logs and changing them, for an engine that has several.
//!
//! Each log is read by a thread of its own. None of them changes a file before all logs are trusted; if one is not,
//! nobody gets through, and every file is as it was.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// The gate. Clones are the same one.
#[derive(Clone)]
pub struct Gate(Arc<(Mutex<State>, Condvar)>);

struct State {
    /// How many have not come yet.
    missing: usize,
    /// Whether one has left.
    left: bool,
}

impl Gate {
    /// A gate that opens when so many have come.
    pub fn new(count: usize) -> Gate {
        Gate(Arc::new((Mutex::new(State { missing: count, left: false }), Condvar::new())))
    }

    /// Waits for the others. The answer is whether all came.
    pub fn pass(&self) -> bool {
        let mut state = self.state();
        state.missing = state.missing.saturating_sub(1);
        self.0.1.notify_all();
        let waits = |state: &mut State| state.missing > 0 && !state.left;
        let state = self.0.1.wait_while(state, waits).unwrap_or_else(|poisoned| poisoned.into_inner());
        state.missing == 0
    }

    /// Does something that passes the gate. When it ends before that, by an error or a panic, nobody waits for it.
    pub fn attend<T>(&self, work: impl FnOnce() -> T) -> T {
        let _leaving = Leaving(self);
        work()
    }

    /// What all came back with, or why they did not get through. Who stopped only `for_another` says less than
    /// that other.
    ///
    /// # Errors
    /// The first reason.
    pub fn first_reason<T, E>(mut back: Vec<Result<T, E>>, for_another: fn(&E) -> bool) -> Result<Vec<T>, E> {
        back.sort_by_key(|one| one.as_ref().is_err_and(for_another));
        back.into_iter().collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

struct Leaving<'a>(&'a Gate);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.state().left = true;
        self.0.0.1.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::Gate;

    fn who_passes(count: usize, comes: impl Fn(usize) -> bool + Sync) -> Vec<bool> {
        let gate = Gate::new(count);
        let attend = |n| gate.attend(|| comes(n) && gate.pass());
        std::thread::scope(|scope| {
            let attend = &attend;
            let threads: Vec<_> = (0..count).map(|n| scope.spawn(move || attend(n))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or(false)).collect()
        })
    }

    #[test]
    fn all_pass_or_none() {
        for _ in 0..50 {
            assert_eq!(who_passes(4, |_| true), [true; 4]);
            for left in 0..4 {
                assert_eq!(who_passes(4, |n| n != left), [false; 4]);
                assert_eq!(who_passes(4, |n| n != left || panic!("a thread that dies")), [false; 4]);
            }
        }
    }
}
