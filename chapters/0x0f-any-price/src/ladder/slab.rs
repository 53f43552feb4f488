//! Reusable slots, allocated in chunks, so that growth copies nothing.
//!
//! A vector that doubles copies everything while one order waits. Here growth is an occasional chunk of 16 KiB. The
//! free list runs through the slots themselves, because a separate list would have to double too. The memory is that of
//! the largest number of values so far. Cost: a chunk's address, which stays in the cache, and the slot.

/// The location of a value in a [`Slab`].
pub type Slot = u32;

/// No slot.
pub const NONE: Slot = Slot::MAX;

/// How many values are allocated together.
const CHUNK: usize = 256;

/// A value for a slab: it has room for a slot's number while it is unused.
pub trait Linked: Copy {
    /// The initial value of a new chunk's slots.
    const EMPTY: Self;

    /// Marks it as unused, and keeps the next free slot's number.
    fn set_free(&mut self, next: Slot);

    /// The number that it keeps.
    fn next_free(&self) -> Slot;
}

/// A pool of values.
pub struct Slab<T> {
    chunks: Vec<Box<[T; CHUNK]>>,
    /// The first free slot that was used before.
    free: Slot,
    /// The first slot that was never used.
    fresh: Slot,
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab { chunks: Vec::new(), free: NONE, fresh: 0 }
    }
}

impl<T: Linked> Slab<T> {
    /// Puts a value into a free slot.
    #[inline(always)]
    pub fn put(&mut self, value: T) -> Slot {
        let slot = match self.free {
            NONE => self.fresh_slot(),
            slot => {
                self.free = self.get(slot).next_free();
                slot
            }
        };
        *self.get_mut(slot) = value;
        slot
    }

    /// A slot that was never used.
    #[cold]
    #[inline(never)]
    fn fresh_slot(&mut self) -> Slot {
        let slot = self.fresh;
        if slot as usize == self.chunks.len() * CHUNK
            // The length is right, so this can't fail; a boxed array needs no bounds checks later.
            && let Ok(chunk) = vec![T::EMPTY; CHUNK].into_boxed_slice().try_into()
        {
            self.chunks.push(chunk);
        }
        self.fresh += 1;
        slot
    }

    /// Returns a slot to the pool.
    #[inline]
    pub fn free(&mut self, slot: Slot) {
        let free = self.free;
        self.get_mut(slot).set_free(free);
        self.free = slot;
    }

    /// Whether a slot has ever been used.
    #[inline]
    pub fn has(&self, slot: Slot) -> bool {
        slot < self.fresh
    }

    /// The value in a slot.
    #[inline]
    pub fn get(&self, slot: Slot) -> &T {
        &self.chunks[slot as usize / CHUNK][slot as usize % CHUNK]
    }

    /// The same, mutable.
    #[inline]
    pub fn get_mut(&mut self, slot: Slot) -> &mut T {
        &mut self.chunks[slot as usize / CHUNK][slot as usize % CHUNK]
    }

    /// How many bytes of memory it holds.
    pub fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK * size_of::<T>() + self.chunks.capacity() * size_of::<usize>()
    }
}
