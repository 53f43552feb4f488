//! A slab: a vector of slots that are reused.
//!
//! A freed slot goes on a list of free slots, and the next insert takes it from there. The memory is
//! that of the largest number of orders that ever rested at one time. Invariant: a slot is either
//! taken or on the free list. Cost: an insert and a remove touch one slot each.

// ANCHOR: slab
/// Where a value lies in a [`Slab`].
pub type Slot = u32;

/// Values in memory that is never returned.
pub struct Slab<T> {
    slots: Vec<T>,
    free: Vec<Slot>,
}

impl<T: Copy> Slab<T> {
    /// Puts `value` into a free slot, or into a new one if none is free.
    pub fn insert(&mut self, value: T) -> Slot {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = value;
                slot
            }
            None => {
                self.slots.push(value);
                (self.slots.len() - 1) as Slot
            }
        }
    }

    /// Frees a slot that was taken.
    pub fn remove(&mut self, slot: Slot) {
        self.free.push(slot);
    }

    /// The value of a slot that is taken.
    pub fn get(&self, slot: Slot) -> &T {
        &self.slots[slot as usize]
    }

    /// The value of a slot that is taken.
    pub fn get_mut(&mut self, slot: Slot) -> &mut T {
        &mut self.slots[slot as usize]
    }
}
// ANCHOR_END: slab

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab { slots: Vec::new(), free: Vec::new() }
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
        assert_eq!(slab.slots.len(), 2);
    }
}
