//! Maps an id to a slot, without a hash function.
//!
//! Ids are assigned consecutively, so the low bits of an id are a good place. Entries in the same place form a
//! list: the table holds the first slot of each place, and each entry holds the next.

use crate::slab::Slot;

/// The end of a list. It is not 0: memory requested as zeros is only promised, and a first read
/// followed by a first write then causes two faults, the second of which disturbs every core.
pub const NONE: Slot = Slot::MAX;

/// The entries that a table finds. The table itself stores no ids.
pub trait Entries {
    /// The id in a slot and its link, which is the next slot of the same list; `None` for [`NONE`].
    fn entry(&self, slot: Slot) -> Option<(u64, Slot)>;

    /// The link of a slot.
    fn link(&mut self, slot: Slot) -> &mut Slot;
}

/// Finds entries by their ids.
#[derive(Default)]
pub struct IdTable {}

impl IdTable {
    /// The slot of `id`, if the table has it.
    pub fn find(&self, _id: u64, _entries: &impl Entries) -> Option<Slot> {
        todo!("step 3: the id table")
    }

    /// Adds an id that is not in the table yet, and returns the link for its entry. The caller writes both to
    /// `slot` before the next call; until then only earlier entries are touched.
    #[must_use]
    pub fn insert(&mut self, _id: u64, _slot: Slot, _entries: &mut impl Entries) -> Slot {
        todo!("step 3: the id table")
    }

    /// Removes the slot of `id`, which is in the table, from its list.
    pub fn remove(&mut self, _id: u64, _slot: Slot, _entries: &mut impl Entries) {
        todo!("step 3: the id table")
    }

    /// How many bytes of memory it holds.
    pub fn bytes(&self) -> usize {
        todo!("step 3: the id table")
    }
}
