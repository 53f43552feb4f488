//! Maps an id to a slot, without a hash function.
//!
//! Ids are assigned consecutively, so the low bits of an id are a good place. As many higher bits are folded
//! onto them, so that survivors far apart (every 1,024th order, say) do not end up in one place. Entries that
//! do meet form a list: the table holds the first slot of each place, and each entry holds the next. Memory
//! depends on the most ids that were present at one time, not on all that ever were: 4 to 16 bytes each beside
//! the entry's link, and 4 more while ids move. Costs: one cache line in the table, one in the entry.
//!
//! A table with as many ids as places gets a larger one beside it, and each insert moves a few lists over.
//! Moving all of them at once would make one order in a million wait for the million before it.

use crate::slab::Slot;

/// The end of a list. It is not 0: memory requested as zeros is only promised, and a first read
/// followed by a first write then causes two faults, the second of which disturbs every core.
pub const NONE: Slot = Slot::MAX;

/// How many places of the old table are moved with each insert. One would do; more end it sooner.
const MOVE_AT_ONCE: usize = 8;

/// The entries that a table finds. The table itself stores no ids.
pub trait Entries {
    /// The id in a slot and its link, which is the next slot of the same list; `None` for [`NONE`].
    fn entry(&self, slot: Slot) -> Option<(u64, Slot)>;

    /// The link of a slot.
    fn link(&mut self, slot: Slot) -> &mut Slot;
}

/// Finds entries by their ids.
pub struct IdTable {
    table: Places,
    /// The table before the last growth, until all of it has moved; then it is empty.
    old: Places,
    /// How many places of the old table have moved.
    moved: usize,
    /// How many ids are in the table.
    count: usize,
}

/// Where the lists begin.
#[derive(Default)]
struct Places {
    /// The first slot of each list.
    first: Box<[Slot]>,
    /// How many bits of an id choose its place.
    width: u32,
}

impl Default for IdTable {
    fn default() -> IdTable {
        IdTable { table: Places::new(3), old: Places::default(), moved: 0, count: 0 }
    }
}

impl IdTable {
    // ANCHOR: find
    /// The slot of `id`, if the table has it.
    pub fn find(&self, id: u64, entries: &impl Entries) -> Option<Slot> {
        let places = if self.in_old(id) { &self.old } else { &self.table };
        let mut slot = places.first[places.place(id)];
        while let Some((found, next)) = entries.entry(slot) {
            if found == id {
                return Some(slot);
            }
            slot = next;
        }
        None
    }
    // ANCHOR_END: find

    /// Whether the list of `id` has yet to move.
    fn in_old(&self, id: u64) -> bool {
        !self.old.first.is_empty() && self.old.place(id) >= self.moved
    }

    /// The beginning of the list that `id` belongs to.
    fn list(&mut self, id: u64) -> &mut Slot {
        let places = if self.in_old(id) { &mut self.old } else { &mut self.table };
        &mut places.first[places.place(id)]
    }

    /// Adds an id that is not in the table yet, and returns the link for its entry. The caller writes both to
    /// `slot` before the next call; until then only earlier entries are touched.
    #[must_use]
    #[inline(always)] // once for an order that rests, as part of its path
    pub fn insert(&mut self, id: u64, slot: Slot, entries: &mut impl Entries) -> Slot {
        if self.count == self.table.first.len() {
            self.grow();
        }
        if !self.old.first.is_empty() {
            self.move_some(entries);
        }
        self.count += 1;
        std::mem::replace(self.list(id), slot)
    }

    /// Makes space for four times as many. Doubling would move up to three times as many ids, each long gone
    /// from the cache. Filling the new table is the one pause that remains.
    #[cold]
    fn grow(&mut self) {
        let larger = Places::new(self.table.width + 2);
        self.old = std::mem::replace(&mut self.table, larger);
        self.moved = 0;
    }

    /// Moves a few places to the new table. All have moved long before the new one is full.
    #[cold]
    fn move_some(&mut self, entries: &mut impl Entries) {
        let end = (self.moved + MOVE_AT_ONCE).min(self.old.first.len());
        for &first in &self.old.first[self.moved..end] {
            let mut slot = first;
            while let Some((id, next)) = entries.entry(slot) {
                let list = &mut self.table.first[self.table.place(id)];
                *entries.link(slot) = std::mem::replace(list, slot);
                slot = next;
            }
        }
        self.moved = end;
        if end == self.old.first.len() {
            self.old = Places::default();
        }
    }

    /// Removes the slot of `id`, which is in the table, from its list.
    pub fn remove(&mut self, id: u64, slot: Slot, entries: &mut impl Entries) {
        self.count -= 1;
        let next = *entries.link(slot);
        let mut link = self.list(id);
        while *link != slot {
            let before = *link;
            link = entries.link(before);
        }
        *link = next;
    }

    /// How many bytes of memory it holds.
    pub fn bytes(&self) -> usize {
        (self.table.first.len() + self.old.first.len()) * size_of::<Slot>()
    }
}

impl Places {
    /// Places for ids of `width` bits.
    fn new(width: u32) -> Places {
        Places { first: vec![NONE; 1 << width].into(), width }
    }

    // ANCHOR: place
    /// The place of `id`.
    fn place(&self, id: u64) -> usize {
        (id ^ (id >> self.width)) as usize & (self.first.len() - 1)
    }
    // ANCHOR_END: place
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::collections::HashMap;

    /// Entries that exist only for their ids, and count how many were looked at.
    #[derive(Default)]
    struct Ids {
        ids: Vec<(u64, Slot)>,
        looks: Cell<usize>,
    }

    impl Entries for Ids {
        fn entry(&self, slot: Slot) -> Option<(u64, Slot)> {
            self.looks.set(self.looks.get() + 1);
            self.ids.get(slot as usize).copied()
        }

        fn link(&mut self, slot: Slot) -> &mut Slot {
            self.looks.set(self.looks.get() + 1);
            &mut self.ids[slot as usize].1
        }
    }

    impl Ids {
        /// Adds an entry and puts it in the table.
        fn add(&mut self, table: &mut IdTable, id: u64) -> Slot {
            let slot = self.ids.len() as Slot;
            let link = table.insert(id, slot, self);
            self.ids.push((id, link));
            slot
        }
    }

    /// Random inserts and removes compared with a map, with ids that all share one place.
    #[test]
    fn it_finds_what_a_map_finds() {
        let (mut table, mut ids, mut map) = (IdTable::default(), Ids::default(), HashMap::new());
        let mut random = 7_u64;
        for _ in 0..20_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let id = ((random >> 33) % 97) << 40;
            assert_eq!(table.find(id, &ids), map.get(&id).copied());
            match map.remove(&id) {
                Some(slot) => table.remove(id, slot, &mut ids),
                None => _ = map.insert(id, ids.add(&mut table, id)),
            }
        }
    }

    #[test]
    fn any_number_may_be_asked_for() {
        let (mut table, mut ids) = (IdTable::default(), Ids::default());
        let slot = ids.add(&mut table, u64::MAX);
        assert_eq!(table.find(u64::MAX, &ids), Some(slot));
        assert_eq!(table.find(u64::MAX - 1, &ids), None);
        table.remove(u64::MAX, slot, &mut ids);
        assert_eq!(table.find(u64::MAX, &ids), None);
    }

    /// The table grows while ids come and go, so many are looked up and removed in the middle of a move.
    #[test]
    fn it_finds_what_a_map_finds_while_it_grows() {
        let (mut table, mut ids, mut map) = (IdTable::default(), Ids::default(), HashMap::new());
        let mut random = 11_u64;
        for id in 0..50_000_u64 {
            ids.looks.set(0);
            map.insert(id, ids.add(&mut table, id));
            assert!(ids.looks.get() < 8 * MOVE_AT_ONCE, "{} entries looked at for an insert", ids.looks.get());
            assert!(table.count <= table.table.first.len(), "more ids than places");
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            for other in [(random >> 33) % (id + 1), (random >> 20) % (id + 1)] {
                assert_eq!(table.find(other, &ids), map.get(&other).copied());
            }
            let gone = (random >> 40) % (id + 1);
            if id % 3 == 0
                && let Some(slot) = map.remove(&gone)
            {
                table.remove(gone, slot, &mut ids);
                assert_eq!(table.find(gone, &ids), None);
            }
        }
        assert_eq!(table.count, map.len());
        assert_eq!(table.bytes(), size_of_val(&*table.table.first), "the old table is gone");
        assert!(table.bytes() <= 16 * 50_000, "{} bytes", table.bytes());
    }

    /// A long run of ids comes and goes among survivors of a longer past: each operation looks at few entries.
    #[test]
    fn a_row_of_ids_is_not_walked() {
        let (mut table, mut ids, survivors, row) = (IdTable::default(), Ids::default(), 20_000, 100_000);
        (0..survivors).for_each(|n| _ = ids.add(&mut table, n * 1_024));
        for id in (survivors * 1_024..).take(2_000_000) {
            let slot = ids.add(&mut table, id);
            if id >= survivors * 1_024 + row {
                table.remove(id - row, slot - row as Slot, &mut ids);
                assert_eq!(table.find(id - row, &ids), None);
            }
        }
        assert!(ids.looks.get() < 10 * 2_000_000, "{} looks", ids.looks.get());
        ids.looks.set(0);
        (0..survivors).for_each(|n| assert_eq!(table.find(n * 1_024, &ids), Some(n as Slot)));
        assert!(ids.looks.get() < 4 * survivors as usize, "{} entries looked at for the survivors", ids.looks.get());
    }

    #[test]
    fn it_is_as_large_as_what_is_in_it() {
        let (mut table, mut ids) = (IdTable::default(), Ids::default());
        for id in 0..100_000 {
            let slot = ids.add(&mut table, id);
            table.remove(id, slot, &mut ids);
        }
        assert_eq!(table.bytes(), size_of::<[Slot; 8]>());
    }
}
