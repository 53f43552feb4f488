//! `loom`'s atomics and fences, any of which can be weakened: a model check is as good as the mistakes it catches.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    /// The line whose ordering is weakened to Relaxed, or whose fence is left out.
    static WEAKENED: Cell<Option<u32>> = const { Cell::new(None) };
    /// The lines that asked for more than Relaxed.
    static ORDERED: RefCell<BTreeSet<u32>> = const { RefCell::new(BTreeSet::new()) };
}

/// Replaces `crate::memory` for the code under test.
pub mod memory {
    use super::{ORDERED, WEAKENED};
    use std::panic::Location;

    pub use loom::sync::Arc;
    pub use std::sync::atomic::Ordering;

    #[track_caller]
    fn ordering(asked: Ordering) -> Ordering {
        let line = Location::caller().line();
        if asked != Ordering::Relaxed {
            ORDERED.with_borrow_mut(|lines| lines.insert(line));
        }
        if WEAKENED.get() == Some(line) { Ordering::Relaxed } else { asked }
    }

    #[track_caller]
    pub fn fence(asked: Ordering) {
        let asked = ordering(asked);
        if asked != Ordering::Relaxed {
            loom::sync::atomic::fence(asked);
        }
    }

    pub struct AtomicU64(loom::sync::atomic::AtomicU64);

    impl AtomicU64 {
        pub fn new(value: u64) -> AtomicU64 {
            AtomicU64(loom::sync::atomic::AtomicU64::new(value))
        }
        #[track_caller]
        pub fn load(&self, asked: Ordering) -> u64 {
            self.0.load(ordering(asked))
        }
        #[track_caller]
        pub fn store(&self, value: u64, asked: Ordering) {
            self.0.store(value, ordering(asked));
        }
    }
}

/// Runs the scenario as it is, and then once without each ordering and fence of `file`: then it has to fail.
pub fn assert_each_is_needed(file: &str, scenario: impl Fn()) {
    scenario();
    let lines = ORDERED.with_borrow(Clone::clone);
    assert!(!lines.is_empty(), "{file} has no ordering, or the scenario does not reach one");
    for line in lines {
        WEAKENED.set(Some(line));
        let hook = panic::take_hook();
        panic::set_hook(Box::new(|_| {}));
        let ended = panic::catch_unwind(AssertUnwindSafe(&scenario));
        panic::set_hook(hook);
        WEAKENED.set(None);
        assert!(ended.is_err(), "weakening {file}:{line} goes unnoticed");
    }
}
