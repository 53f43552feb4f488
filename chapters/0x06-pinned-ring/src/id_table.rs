//! From an id to a slot, without a hash function.
//!
//! Ids are given out one after the other, so the id itself is a good place: its low bits lead into a
//! table of slots, and the bits above are folded onto them, so that survivors far apart (every
//! 1,024th order, say) do not meet in one place. Every second place is nobody's first choice: ids in
//! a row leave gaps between them, and a search ends at the first gap. A table is at most half full;
//! who finds a place taken goes one further. Memory follows the ids that are there, not all that ever
//! were: 8 to 16 bytes each. Costs: one cache line in the table, one to compare the id.

use crate::slab::Slot;

/// Marks a place where nothing is.
const EMPTY: Slot = Slot::MAX;

/// A table of slots. It does not know the ids: whoever asks says how to find the id of a slot.
pub struct IdTable {
    places: Box<[Slot]>,
    /// How many bits of an id choose its place.
    width: u32,
    taken: usize,
}

impl Default for IdTable {
    fn default() -> IdTable {
        IdTable { places: vec![EMPTY; 16].into(), width: 3, taken: 0 }
    }
}

impl IdTable {
    // ANCHOR: find
    /// The slot of `id`, if it is there. `id_of` gives the id of a slot in the table.
    pub fn find(&self, id: u64, id_of: impl Fn(Slot) -> u64) -> Option<Slot> {
        let mut place = self.home(id);
        loop {
            let slot = self.places[place];
            if slot == EMPTY {
                return None;
            }
            if id_of(slot) == id {
                return Some(slot);
            }
            place = self.after(place);
        }
    }

    /// Where the search for `id` begins.
    fn home(&self, id: u64) -> usize {
        let folded = id ^ (id >> self.width);
        (folded as usize * 2) & (self.places.len() - 1)
    }

    fn after(&self, place: usize) -> usize {
        (place + 1) & (self.places.len() - 1)
    }
    // ANCHOR_END: find

    /// Adds the slot of an id that is not there yet.
    pub fn insert(&mut self, id: u64, slot: Slot, id_of: impl Fn(Slot) -> u64) {
        if (self.taken + 1) * 2 > self.places.len() {
            let double = vec![EMPTY; self.places.len() * 2].into();
            self.width += 1;
            let before = std::mem::replace(&mut self.places, double);
            for &slot in before.iter().filter(|&&slot| slot != EMPTY) {
                self.put(id_of(slot), slot);
            }
        }
        self.put(id, slot);
        self.taken += 1;
    }

    fn put(&mut self, id: u64, slot: Slot) {
        let mut place = self.home(id);
        while self.places[place] != EMPTY {
            place = self.after(place);
        }
        self.places[place] = slot;
    }

    /// Takes the slot of `id` out, if it is there, and moves those back that had gone past its place,
    /// so that no search ends too early.
    pub fn remove(&mut self, id: u64, id_of: impl Fn(Slot) -> u64) {
        let mut hole = self.home(id);
        while self.places[hole] != EMPTY && id_of(self.places[hole]) != id {
            hole = self.after(hole);
        }
        if self.places[hole] == EMPTY {
            return;
        }
        self.taken -= 1;
        let mut place = self.after(hole);
        while self.places[place] != EMPTY {
            let home = self.home(id_of(self.places[place]));
            // The slot may move back to the hole unless its home lies behind the hole.
            let mask = self.places.len() - 1;
            if (place.wrapping_sub(home) & mask) >= (place.wrapping_sub(hole) & mask) {
                self.places[hole] = self.places[place];
                hole = place;
            }
            place = self.after(place);
        }
        self.places[hole] = EMPTY;
    }

    /// How many bytes of memory it holds.
    pub fn bytes(&self) -> usize {
        self.places.len() * size_of::<Slot>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Random inserts and removes against a map; slots are places in a list of ids.
    #[test]
    fn it_finds_what_a_map_finds() {
        let (mut table, mut ids, mut map) = (IdTable::default(), Vec::new(), HashMap::new());
        let mut random = 7_u64;
        for _ in 0..20_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let id = (random >> 33) % 97 * 64;
            let of = |slot: Slot| ids[slot as usize];
            assert_eq!(table.find(id, of), map.get(&id).copied());
            if map.remove(&id).is_some() {
                table.remove(id, of);
            } else {
                let slot = ids.len() as Slot;
                ids.push(id);
                table.insert(id, slot, |slot| ids[slot as usize]);
                map.insert(id, slot);
            }
        }
    }

    #[test]
    fn survivors_far_apart_do_not_meet() {
        let (mut table, ids) = (IdTable::default(), (0..4_096).map(|n| n * 1_024).collect::<Vec<u64>>());
        for (slot, &id) in ids.iter().enumerate() {
            table.insert(id, slot as Slot, |slot| ids[slot as usize]);
        }
        let at_home = ids.iter().enumerate().filter(|&(slot, &id)| table.places[table.home(id)] == slot as Slot);
        assert!(at_home.count() > 2_000);
    }

    /// A long row of ids, with survivors of a longer past among them, comes and goes: each operation
    /// looks at a few ids, not at the row.
    #[test]
    fn a_row_of_ids_is_not_walked() {
        let looks = std::cell::Cell::new(0);
        let id_of = |slot: Slot| {
            looks.set(looks.get() + 1);
            u64::from(slot)
        };
        let (mut table, survivors, row) = (IdTable::default(), 20_000, 100_000);
        (0..survivors).for_each(|n| table.insert(n * 1_024, n as Slot * 1_024, id_of));
        for id in (survivors * 1_024..).take(2_000_000) {
            table.insert(id, id as Slot, id_of);
            if id >= survivors * 1_024 + row {
                table.remove(id - row, id_of);
                assert_eq!(table.find(id - row, id_of), None);
            }
        }
        assert!(looks.get() < 10 * 2_000_000, "{} looks", looks.get());
    }

    #[test]
    fn it_is_as_large_as_what_is_in_it() {
        let mut table = IdTable::default();
        for id in 0..100_000 {
            table.insert(id, id as Slot, u64::from);
            table.remove(id, u64::from);
        }
        assert_eq!(table.bytes(), 16 * size_of::<Slot>());
    }
}
