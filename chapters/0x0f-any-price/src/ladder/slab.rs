//! Slots that are used again, in chunks, so that growth copies nothing.
//!
//! A vector that doubles copies all it holds while one order waits. Here growth is a chunk of 16 KiB now and then. The
//! free slots form a list through the slots themselves, for a list beside them would double too. The memory is that
//! of the most values that were there at one time. Cost: a chunk's address, which stays in the cache, and the slot.

/// Where a value lies in a [`Slab`].
pub type Slot = u32;

/// No slot.
pub const NONE: Slot = Slot::MAX;

/// How many values lie side by side.
const CHUNK: usize = 256;

/// What a slab can hold: something with room for a slot's number while nobody uses it.
pub trait Linked: Copy {
    /// What a new chunk is filled with.
    const EMPTY: Self;

    /// Where the number goes.
    fn link(&mut self) -> &mut Slot;
}

/// Values that come and go.
pub struct Slab<T> {
    chunks: Vec<Box<[T; CHUNK]>>,
    /// The first free slot that was in use before.
    free: Slot,
    /// The first slot that never was.
    fresh: Slot,
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab { chunks: Vec::new(), free: NONE, fresh: 0 }
    }
}

impl<T: Linked> Slab<T> {
    /// Puts a value into a free slot.
    #[inline]
    pub fn put(&mut self, value: T) -> Slot {
        let slot = match self.free {
            NONE => self.fresh_slot(),
            slot => {
                self.free = *self.get_mut(slot).link();
                slot
            }
        };
        *self.get_mut(slot) = value;
        slot
    }

    /// A slot that nobody has used.
    #[cold]
    fn fresh_slot(&mut self) -> Slot {
        let slot = self.fresh;
        if slot as usize == self.chunks.len() * CHUNK
            // The length is right, so this can't fail; a boxed array has no bounds to check later.
            && let Ok(chunk) = vec![T::EMPTY; CHUNK].into_boxed_slice().try_into()
        {
            self.chunks.push(chunk);
        }
        self.fresh += 1;
        slot
    }

    /// Gives a slot back.
    #[inline]
    pub fn free(&mut self, slot: Slot) {
        let free = self.free;
        *self.get_mut(slot).link() = free;
        self.free = slot;
    }

    /// The value in a slot.
    #[inline]
    pub fn get(&self, slot: Slot) -> &T {
        &self.chunks[slot as usize / CHUNK][slot as usize % CHUNK]
    }

    /// The same, to change.
    #[inline]
    pub fn get_mut(&mut self, slot: Slot) -> &mut T {
        &mut self.chunks[slot as usize / CHUNK][slot as usize % CHUNK]
    }

    /// How many bytes of memory it holds.
    pub fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK * size_of::<T>() + self.chunks.capacity() * size_of::<usize>()
    }
}
