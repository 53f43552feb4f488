//! Counts how many places of a limited number are taken.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A counter of taken places, shared by its clones.
#[derive(Clone, Default)]
pub struct Capacity(Arc<AtomicUsize>);

/// This many taken places, until the value is dropped.
pub struct Taken {
    count: usize,
    /// None if they are not counted.
    capacity: Option<Capacity>,
}

impl Capacity {
    /// Takes as many of the wanted places as are free out of `most`.
    pub fn take(&self, wanted: usize, most: usize) -> Taken {
        let before = self.0.fetch_add(wanted, Ordering::Relaxed);
        let mut taken = Taken { count: wanted, capacity: Some(self.clone()) };
        taken.keep(most.saturating_sub(before));
        taken
    }

    /// How many places are taken.
    pub fn taken(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Taken {
    /// As many as wanted, if there is no limit.
    pub fn any(wanted: usize) -> Taken {
        Taken { count: wanted, capacity: None }
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Gives back all but this many.
    pub fn keep(&mut self, most: usize) {
        let back = self.count.saturating_sub(most);
        self.count -= back;
        if let Some(Capacity(taken)) = &self.capacity {
            taken.fetch_sub(back, Ordering::Relaxed);
        }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.keep(0);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    #[test]
    fn threads_together_never_exceed_the_limit() {
        const MOST: usize = 3;
        const THREADS: usize = 4;
        let (capacity, held, begin) = (Capacity::default(), AtomicUsize::new(0), Barrier::new(THREADS));
        thread::scope(|scope| {
            let take = || {
                begin.wait();
                for wanted in (1..=MOST).cycle().take(300_000) {
                    let taken = capacity.take(wanted, MOST);
                    let all = held.fetch_add(taken.count(), Ordering::SeqCst) + taken.count();
                    assert!(all <= MOST, "{all} of {MOST} places are taken");
                    held.fetch_sub(taken.count(), Ordering::SeqCst);
                }
            };
            (0..THREADS).for_each(|_| drop(scope.spawn(take)));
        });
        assert_eq!(capacity.taken(), 0);
    }

    #[test]
    fn dropped_places_are_free_again() {
        let capacity = Capacity::default();
        let (one, mut more) = (capacity.take(3, 10), capacity.take(9, 10));
        assert_eq!((one.count(), more.count(), capacity.take(1, 10).count(), capacity.taken()), (3, 7, 0, 10));
        more.keep(2);
        assert_eq!((more.count(), capacity.taken()), (2, 5));
        drop((one, more));
        assert_eq!((capacity.taken(), Taken::any(5).count()), (0, 5));
    }
}
