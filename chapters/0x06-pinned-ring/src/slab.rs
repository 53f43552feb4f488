//! A slab: slots that are reused.
//!
//! A freed slot goes on a list of free slots, and the next order takes it from there. The memory is that of the
//! largest number of orders that ever rested at one time. It comes in chunks, because a growing vector copies
//! everything and touches new pages for all of it. All slots of a new chunk go on the list at once: then the
//! processor need not predict whether a free slot is available. Invariant: a slot is either taken or on the free
//! list. Cost: taking a slot is a pop, freeing it a push; a chunk is found by an address that stays in the cache.

// ANCHOR: slab
/// Where a value lies in a [`Slab`].
pub type Slot = u32;

/// How many values lie side by side: 32 KiB of resting orders.
const CHUNK: usize = 1_024;

/// Values in memory that is never returned.
pub struct Slab<T> {
    chunks: Vec<Box<[T; CHUNK]>>,
    free: Vec<Slot>,
}

impl<T: Copy + Default> Slab<T> {
    /// Takes a free slot; its value is arbitrary.
    pub fn take(&mut self) -> Slot {
        loop {
            if let Some(slot) = self.free.pop() {
                return slot;
            }
            self.new_chunk();
        }
    }

    #[cold]
    fn new_chunk(&mut self) {
        let first = (self.chunks.len() * CHUNK) as Slot;
        // The length is right, so this can't fail; a boxed array needs no bounds checks later.
        if let Ok(chunk) = vec![T::default(); CHUNK].into_boxed_slice().try_into() {
            self.chunks.push(chunk);
        }
        self.free.extend((first..first + CHUNK as Slot).rev());
    }

    /// Frees a slot that was taken.
    pub fn remove(&mut self, slot: Slot) {
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

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab { chunks: Vec::new(), free: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freed_slot_is_used_again() {
        let mut slab = Slab::default();
        let [a, b] = ['a', 'b'].map(|value| put(&mut slab, value));
        slab.remove(a);
        assert_eq!(put(&mut slab, 'c'), a);
        assert_eq!((*slab.get(a), *slab.get(b)), ('c', 'b'));
        assert_eq!(slab.chunks.len(), 1);
    }

    #[test]
    fn values_stay_where_they_are_when_chunks_are_added() {
        let mut slab = Slab::default();
        let slots: Vec<Slot> = (0..5_000_u32).map(|value| put(&mut slab, value)).collect();
        assert!(slots.iter().zip(0..).all(|(&slot, value)| *slab.get(slot) == value));
        assert_eq!(slab.chunks.len(), 5);
    }

    fn put<T: Copy + Default>(slab: &mut Slab<T>, value: T) -> Slot {
        let slot = slab.take();
        *slab.get_mut(slot) = value;
        slot
    }
}
