//! From an id to a slot, without a hash function.
//!
//! Ids are given out one after the other, so the id itself is a good place: its low bits lead into a
//! table of slots, and the bits above are folded onto them, so that survivors far apart (every
//! 1,024th order, say) do not meet in one place. Every second place is nobody's first choice: ids in
//! a row leave gaps between them, and a search ends at the first gap. A table is at most half full;
//! who finds a place taken goes one further. Memory follows the ids that are there, not all that ever
//! were: 8 to 16 bytes each, and 8 more while ids move. Costs: one cache line in the table, one to
//! compare the id.
//!
//! A table that is full gets a larger one beside it and moves a few ids with every insert. Moving all of
//! them at once would make one order in a million wait for the million before it.

use crate::slab::Slot;

/// Marks a place where nothing is. It is not 0: memory that is asked for as zeros is only promised, and a first
/// look followed by a first write is then two faults, the second of which disturbs every core.
const EMPTY: Slot = Slot::MAX;

/// Marks a place in the old table whose id left before it was moved.
const GONE: Slot = Slot::MAX - 1;

/// How many places of the old table are looked at with each insert. One would do; more end it sooner.
const MOVE_AT_ONCE: usize = 8;

/// A table of slots. It does not know the ids: whoever asks says how to find the id of a slot.
pub struct IdTable {
    table: Places,
    /// The table before the last growth, until all of it has moved; then it is empty.
    old: Places,
    /// How many places of the old table have moved.
    moved: usize,
    taken: usize,
}

/// Places for slots: each holds a slot or a mark.
#[derive(Default)]
struct Places {
    places: Box<[Slot]>,
    /// How many bits of an id choose its place.
    width: u32,
}

impl Default for IdTable {
    fn default() -> IdTable {
        IdTable { table: Places::new(3), old: Places::default(), moved: 0, taken: 0 }
    }
}

impl IdTable {
    // ANCHOR: find
    /// The slot of `id`, if it is there. `id_of` gives the id of a slot in the table.
    pub fn find(&self, id: u64, id_of: impl Fn(Slot) -> u64) -> Option<Slot> {
        let is_it = |slot| id_of(slot) == id;
        match self.table.place_of(id, is_it) {
            Some(place) => Some(self.table.places[place]),
            None => self.place_in_old(id, is_it).map(|place| self.old.places[place]),
        }
    }
    // ANCHOR_END: find

    /// Adds the slot of an id that is not there yet.
    pub fn insert(&mut self, id: u64, slot: Slot, id_of: impl Fn(Slot) -> u64) {
        if (self.taken + 1) * 2 > self.table.places.len() {
            let double = Places::new(self.table.width + 1);
            self.old = std::mem::replace(&mut self.table, double);
            self.moved = 0;
        }
        if !self.old.places.is_empty() {
            self.move_some(&id_of);
        }
        self.table.put(id, slot);
        self.taken += 1;
    }

    /// Moves a few places to the new table. All have moved long before it is full in its turn.
    fn move_some(&mut self, id_of: impl Fn(Slot) -> u64) {
        let end = (self.moved + MOVE_AT_ONCE).min(self.old.places.len());
        for &slot in &self.old.places[self.moved..end] {
            if slot != EMPTY && slot != GONE {
                self.table.put(id_of(slot), slot);
            }
        }
        self.moved = end;
        if end == self.old.places.len() {
            self.old = Places::default();
        }
    }

    /// Takes the slot of `id` out, if it is there. Who removes knows the slot, so no id is compared.
    pub fn remove(&mut self, id: u64, slot: Slot, id_of: impl Fn(Slot) -> u64) {
        let is_it = |found| found == slot;
        if let Some(place) = self.table.place_of(id, is_it) {
            self.table.empty(place, id_of);
        } else if let Some(place) = self.place_in_old(id, is_it) {
            self.old.places[place] = GONE;
        } else {
            return;
        }
        self.taken -= 1;
    }

    /// The place of an id that has not moved yet.
    #[cold]
    fn place_in_old(&self, id: u64, is_it: impl Fn(Slot) -> bool) -> Option<usize> {
        if self.old.places.is_empty() {
            return None;
        }
        let mut place = self.old.home(id);
        loop {
            match self.old.places[place] {
                EMPTY => return None,
                GONE => {}
                slot if place >= self.moved && is_it(slot) => return Some(place),
                _ => {}
            }
            place = self.old.after(place);
        }
    }

    /// How many bytes of memory it holds.
    pub fn bytes(&self) -> usize {
        (self.table.places.len() + self.old.places.len()) * size_of::<Slot>()
    }
}

impl Places {
    /// Places for ids of `width` bits, and as many gaps.
    fn new(width: u32) -> Places {
        Places { places: vec![EMPTY; 2 << width].into(), width }
    }

    // ANCHOR: place
    /// Where the search for `id` begins.
    fn home(&self, id: u64) -> usize {
        let folded = id ^ (id >> self.width);
        (folded << 1) as usize & (self.places.len() - 1)
    }

    fn after(&self, place: usize) -> usize {
        (place + 1) & (self.places.len() - 1)
    }

    /// The place of `id`, whose slot `is_it` knows.
    fn place_of(&self, id: u64, is_it: impl Fn(Slot) -> bool) -> Option<usize> {
        let mut place = self.home(id);
        loop {
            match self.places[place] {
                EMPTY => return None,
                slot if is_it(slot) => return Some(place),
                _ => place = self.after(place),
            }
        }
    }
    // ANCHOR_END: place

    fn put(&mut self, id: u64, slot: Slot) {
        let home = self.home(id);
        // Where the first place is taken, which happens at random, the gap behind it seldom is. One step
        // that is an addition, and not a branch, spares a wrong guess.
        let mut place = home + usize::from(self.places[home] != EMPTY);
        while self.places[place] != EMPTY {
            place = self.after(place);
        }
        self.places[place] = slot;
    }

    /// Empties a place, and moves those back that had gone past it, so that no search ends too early.
    fn empty(&mut self, mut hole: usize, id_of: impl Fn(Slot) -> u64) {
        let mask = self.places.len() - 1;
        let mut place = self.after(hole);
        while self.places[place] != EMPTY {
            let home = self.home(id_of(self.places[place]));
            // The slot may move back to the hole unless its home lies behind the hole.
            if (place.wrapping_sub(home) & mask) >= (place.wrapping_sub(hole) & mask) {
                self.places[hole] = self.places[place];
                hole = place;
            }
            place = self.after(place);
        }
        self.places[hole] = EMPTY;
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
            if let Some(slot) = map.remove(&id) {
                table.remove(id, slot, of);
            } else {
                let slot = ids.len() as Slot;
                ids.push(id);
                table.insert(id, slot, |slot| ids[slot as usize]);
                map.insert(id, slot);
            }
        }
    }

    #[test]
    fn any_number_may_be_asked_for() {
        let mut table = IdTable::default();
        table.insert(u64::MAX, 0, |_| u64::MAX);
        assert_eq!(table.find(u64::MAX, |_| u64::MAX), Some(0));
        assert_eq!(table.find(u64::MAX - 1, |_| u64::MAX), None);
        table.remove(u64::MAX, 0, |_| u64::MAX);
        assert_eq!(table.find(u64::MAX, |_| u64::MAX), None);
    }

    /// The table grows while ids come and go, so that many are asked for and removed in the middle of a move.
    #[test]
    fn it_finds_what_a_map_finds_while_it_grows() {
        let (mut table, mut map) = (IdTable::default(), HashMap::new());
        let mut random = 11_u64;
        for id in 0..50_000_u64 {
            table.insert(id, id as Slot, u64::from);
            assert!(table.taken * 2 <= table.table.places.len(), "more than half full");
            map.insert(id, id as Slot);
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            for other in [(random >> 33) % (id + 1), (random >> 20) % (id + 1)] {
                assert_eq!(table.find(other, u64::from), map.get(&other).copied());
            }
            let gone = (random >> 40) % (id + 1);
            if id % 3 == 0 {
                map.remove(&gone);
                table.remove(gone, gone as Slot, u64::from);
                assert_eq!(table.find(gone, u64::from), None);
            }
        }
        assert_eq!(table.taken, map.len());
    }

    #[test]
    fn survivors_far_apart_do_not_meet() {
        let (mut table, ids) = (IdTable::default(), (0..4_096).map(|n| n * 1_024).collect::<Vec<u64>>());
        for (slot, &id) in ids.iter().enumerate() {
            table.insert(id, slot as Slot, |slot| ids[slot as usize]);
        }
        let at_home =
            ids.iter().enumerate().filter(|&(slot, &id)| table.table.places[table.table.home(id)] == slot as Slot);
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
                table.remove(id - row, (id - row) as Slot, id_of);
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
            table.remove(id, id as Slot, u64::from);
        }
        assert_eq!(table.bytes(), 16 * size_of::<Slot>());
    }
}
