//! Limits how many of something may exist at once, in all and per holder.

use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::excess::Excess;

/// Counts what is held.
pub struct Holders<K: Eq + Hash> {
    most: u32,
    most_each: u32,
    /// The error for a holder that already has the maximum.
    each: Excess,
    held: Arc<Mutex<Counts<K>>>,
}

struct Counts<K> {
    all: u32,
    // A holder without any is not in it, so it has at most one row per item held.
    each: FxHashMap<K, u32>,
}

/// One held item, until this value is dropped.
pub struct Held<K: Eq + Hash> {
    holder: K,
    held: Arc<Mutex<Counts<K>>>,
}

impl<K: Eq + Hash + Copy> Holders<K> {
    /// At most this many in all, and this many per holder; a holder beyond that gets this error.
    pub fn new(most: u32, most_each: u32, each: Excess) -> Holders<K> {
        Holders { most, most_each, each, held: Arc::new(Mutex::new(Counts { all: 0, each: FxHashMap::default() })) }
    }

    /// Holds one more, if the limits allow it.
    ///
    /// # Errors
    /// The limit that was reached; the limit per holder applies only if `is_limited`.
    pub fn hold(&self, holder: K, is_limited: bool) -> Result<Held<K>, Excess> {
        let mut counts = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.all >= self.most {
            return Err(Excess::TooManyConnections);
        }
        let count = counts.each.entry(holder).or_default();
        if is_limited && *count >= self.most_each {
            return Err(self.each);
        }
        *count += 1;
        counts.all += 1;
        Ok(Held { holder, held: Arc::clone(&self.held) })
    }

    /// How many are held.
    pub fn count(&self) -> u32 {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).all
    }
}

impl<K: Eq + Hash> Drop for Held<K> {
    fn drop(&mut self) {
        let mut counts = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        counts.all -= 1;
        if let Some(count) = counts.each.get_mut(&self.holder) {
            *count -= 1;
            if *count == 0 {
                counts.each.remove(&self.holder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_item_can_be_held_again() {
        let holders = Holders::new(3, 2, Excess::TooManyOfAddress);
        let hold = |who: u8, is_limited| holders.hold(who, is_limited);
        let (one, two) = (hold(1, true).ok(), hold(1, true).ok());
        assert_eq!(hold(1, true).err(), Some(Excess::TooManyOfAddress));
        let three = hold(2, true).ok();
        assert_eq!(hold(3, true).err(), Some(Excess::TooManyConnections));
        drop(one);
        assert!(hold(1, false).is_ok() && hold(1, true).is_ok());
        drop((two, three));
        assert_eq!((holders.count(), holders.held.lock().map_or(9, |counts| counts.each.len())), (0, 0));
    }
}
