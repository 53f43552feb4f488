//! From an id to a slot, without a hash function.
//!
//! Ids are given out one after the other, so the low bits of an id are a good place. Entries that meet in one place
//! form a list: the table holds the first slot of each place, an entry the next.

use crate::slab::Slot;

/// The end of a list. It is not 0: memory that is asked for as zeros is only promised, and a first
/// look followed by a first write is then two faults, the second of which disturbs every core.
pub const NONE: Slot = Slot::MAX;

/// What a table finds. The table itself knows no ids.
pub trait Entries {
    /// The id in a slot and its link, which is the next slot of the same list; nothing for [`NONE`].
    fn entry(&self, slot: Slot) -> Option<(u64, Slot)>;

    /// The link of a slot.
    fn link(&mut self, slot: Slot) -> &mut Slot;
}

/// Finds entries by their ids.
#[derive(Default)]
pub struct IdTable {}

impl IdTable {
    /// The slot of `id`, if it is there.
    pub fn find(&self, _id: u64, _entries: &impl Entries) -> Option<Slot> {
        todo!("step 3: the id table")
    }

    /// Adds an id that is not there yet, and returns the link for its entry. The caller writes both to `slot`
    /// before it asks for anything else; until then only the entries before it are touched.
    #[must_use]
    pub fn insert(&mut self, _id: u64, _slot: Slot, _entries: &mut impl Entries) -> Slot {
        todo!("step 3: the id table")
    }

    /// Takes the slot of `id`, which is there, out of its list.
    pub fn remove(&mut self, _id: u64, _slot: Slot, _entries: &mut impl Entries) {
        todo!("step 3: the id table")
    }

    /// How many bytes of memory it holds.
    pub fn bytes(&self) -> usize {
        todo!("step 3: the id table")
    }
}
