//! A slab: slots that are used again.
//!
//! A slot that is freed goes on a list of free slots, and the next insert takes it from there. The
//! memory is that of the most orders that ever rested at one time. It comes in chunks, because a
//! vector that grows copies everything and touches new pages for all of it. Invariant: a slot is either
//! taken or on the free list. Cost: an insert and a remove touch one slot each; a chunk is found by an
//! address that stays in the cache.

// ANCHOR: slab
/// Where a value lies in a [`Slab`].
pub type Slot = u32;

/// How many values lie side by side: 32 KiB of resting orders.
const CHUNK: usize = 1_024;

/// Values that come and go, in memory that stays.
pub struct Slab<T> {
    chunks: Vec<Box<[T; CHUNK]>>,
    /// How many slots were ever taken.
    used: usize,
    free: Vec<Slot>,
}

impl<T: Copy> Slab<T> {
    /// Puts `value` into a free slot, or into a new one where none is free.
    pub fn insert(&mut self, value: T) -> Slot {
        let slot = self.free.pop().unwrap_or_else(|| self.new_slot(value));
        *self.get_mut(slot) = value;
        slot
    }

    #[cold]
    fn new_chunk(&mut self, value: T) {
        // The length is right, so this can't fail; a boxed array has no bounds to check later.
        if let Ok(chunk) = vec![value; CHUNK].into_boxed_slice().try_into() {
            self.chunks.push(chunk);
        }
    }

    fn new_slot(&mut self, value: T) -> Slot {
        if self.used == self.chunks.len() * CHUNK {
            self.new_chunk(value);
        }
        self.used += 1;
        (self.used - 1) as Slot
    }

    /// Frees a slot that was taken.
    pub fn remove(&mut self, slot: Slot) {
        grow_by_a_sixteenth(&mut self.free);
        self.free.push(slot);
    }

    /// The value of a slot that is taken.
    pub fn get(&self, slot: Slot) -> &T {
        &self.chunks[slot as usize / CHUNK][slot as usize % CHUNK]
    }

    /// The value of a slot that is taken.
    pub fn get_mut(&mut self, slot: Slot) -> &mut T {
        &mut self.chunks[slot as usize / CHUNK][slot as usize % CHUNK]
    }

    /// How many bytes of memory it holds.
    pub fn bytes(&self) -> usize {
        let chunks = self.chunks.len() * CHUNK * size_of::<T>();
        let lists = self.chunks.capacity() * size_of::<usize>() + self.free.capacity() * size_of::<Slot>();
        chunks + lists
    }
}
// ANCHOR_END: slab

/// Makes room for one more value, and where it must move them all, for a sixteenth more: a vector left to
/// itself doubles.
pub fn grow_by_a_sixteenth<T>(values: &mut Vec<T>) {
    if values.len() == values.capacity() {
        values.reserve_exact(values.len() / 16 + 16);
    }
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab { chunks: Vec::new(), used: 0, free: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freed_slot_is_used_again() {
        let mut slab = Slab::default();
        let (a, b) = (slab.insert('a'), slab.insert('b'));
        slab.remove(a);
        assert_eq!(slab.insert('c'), a);
        assert_eq!((*slab.get(a), *slab.get(b)), ('c', 'b'));
        assert_eq!(slab.used, 2);
    }

    #[test]
    fn values_stay_where_they_are_when_chunks_are_added() {
        let mut slab = Slab::default();
        let slots: Vec<Slot> = (0..5_000_u32).map(|value| slab.insert(value)).collect();
        assert!(slots.iter().zip(0..).all(|(&slot, value)| *slab.get(slot) == value));
    }
}
