//! A table of places with a mark each, as `std::collections::HashMap` keeps it.
//!
//! In `std` the hash has a random key in each run, so the place of a key differs from run to run. Here it has none.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::ops::Index;

use crate::cells::Cells;
use crate::seen::{Base, block, home, note};

/// How many marks are compared at once.
const GROUP: usize = 16;

/// The address of the marks, the mask, the free capacity, the count and the hash's key; places and marks are in a
/// separate block.
pub struct HashMap<K, V> {
    home: usize,
    block: usize,
    places: Vec<Option<(K, V)>>,
    count: usize,
}

impl<K, V> Default for HashMap<K, V> {
    fn default() -> HashMap<K, V> {
        HashMap { home: home(size_of::<std::collections::HashMap<K, V>>()), block: 0, places: Vec::new(), count: 0 }
    }
}

impl<K: Copy + Eq + Hash + Debug, V: Copy + Debug> HashMap<K, V> {
    /// The value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        let at = self.find(key)?;
        self.place(at, false);
        self.places[at].as_ref().map(|(_, value)| value)
    }

    /// The value of a key, for the caller to change.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let at = self.find(key)?;
        self.place(at, false);
        self.place(at, true);
        self.places[at].as_mut().map(|(_, value)| value)
    }

    /// Adds a key that is not in the map yet.
    pub fn insert(&mut self, key: K, value: V) {
        self.header(false);
        if self.count == room(self.places.len()) {
            self.grow();
        }
        self.find(&key);
        let at = self.free(&key);
        self.place(at, true);
        self.mark(at, true);
        self.header(true);
        self.places[at] = Some((key, value));
        self.count += 1;
    }

    /// Takes a key out.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let at = self.find(key)?;
        self.place(at, false);
        self.mark(at, true);
        self.header(true);
        self.count -= 1;
        self.places[at].take().map(|(_, value)| value)
    }

    /// Compares the marks from the key's own on, and the places whose marks match.
    fn find(&self, key: &K) -> Option<usize> {
        self.header(false);
        if self.count == 0 {
            return None;
        }
        let (first, mark) = self.hash(key);
        note(self.marks() + first, GROUP, false);
        self.from(first).find(|&at| match &self.places[at] {
            Some((other, _)) if self.hash(other).1 == mark => {
                self.place(at, false);
                other == key
            }
            _ => false,
        })
    }

    /// The first free place from the key's own on; there is always one.
    fn free(&self, key: &K) -> usize {
        let (first, _) = self.hash(key);
        note(self.marks() + first, GROUP, false);
        self.from(first).find(|&at| self.places[at].is_none()).unwrap_or(first)
    }

    /// All places in turn: there are no more than one group has.
    fn from(&self, first: usize) -> impl Iterator<Item = usize> {
        assert!(self.places.len() <= GROUP, "the stand-in compares one group of marks");
        let places = self.places.len();
        (first..first + places).map(move |at| at % places)
    }

    /// Four places at first, then twice as many. Every key moves.
    fn grow(&mut self) {
        let places = (2 * self.places.len()).max(4);
        let moving: Vec<(K, V)> = self.places.iter().copied().flatten().collect();
        (0..self.places.len()).for_each(|at| self.place(at, false));
        self.places = vec![None; places];
        self.block = block(self.marks() - self.block + places + GROUP);
        for (key, value) in moving {
            let at = self.free(&key);
            self.place(at, true);
            self.mark(at, true);
            self.places[at] = Some((key, value));
        }
    }

    /// A key's first place, and its mark.
    fn hash(&self, key: &K) -> (usize, u64) {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let hash = hasher.finish();
        ((hash as usize) % self.places.len().max(1), hash >> 57)
    }

    /// The marks are behind the places, which are numbered backwards from there.
    fn marks(&self) -> usize {
        self.block + (self.places.len() * size_of::<(K, V)>()).next_multiple_of(GROUP)
    }

    fn header(&self, is_write: bool) {
        note(self.home, size_of::<std::collections::HashMap<K, V>>(), is_write);
    }

    fn place(&self, at: usize, is_write: bool) {
        note(self.marks() - (at + 1) * size_of::<(K, V)>(), size_of::<(K, V)>(), is_write);
    }

    /// Marks are stored twice: a group that begins near the end continues in the copy.
    fn mark(&self, at: usize, is_write: bool) {
        note(self.marks() + at, 1, is_write);
        note(self.marks() + self.places.len().max(GROUP) + at, 1, is_write);
    }

    /// The value in a place, to be spoilt.
    pub(crate) fn value(&mut self, place: usize) -> Option<&mut V> {
        self.places[place].as_mut().map(|(_, value)| value)
    }

    /// Its parts.
    pub(crate) fn cells(&self, cells: &mut Cells, holds: impl Fn(&V) -> String) {
        let header = (self.home, size_of::<std::collections::HashMap<K, V>>());
        cells.cell("map", header, format!("{} of {}", self.count, self.places.len()));
        if self.places.is_empty() {
            return;
        }
        let marks = self.places.len() + GROUP;
        cells.block("places", self.block, self.marks() - self.block + marks);
        let all: Vec<u64> = self.places.iter().map(|place| place.map_or(0, |(key, _)| 1 + self.hash(&key).1)).collect();
        cells.cell("marks", (self.marks(), marks), format!("{all:?}"));
        for (at, place) in self.places.iter().enumerate() {
            let address = self.marks() - (at + 1) * size_of::<(K, V)>();
            let holds = place.as_ref().map_or("–".into(), |(_, value)| holds(value));
            cells.cell(format!("place-{at}"), (address, size_of::<(K, V)>()), holds);
        }
    }
}

/// How many keys fit into this many places: three of four, then seven of eight.
fn room(places: usize) -> usize {
    if places < 8 { places.saturating_sub(1) } else { places / 8 * 7 }
}

/// Indexed values note their reads themselves.
impl<K, V> Base for HashMap<K, V> {}

impl<K: Copy + Eq + Hash + Debug, V: Copy + Debug> Index<&K> for HashMap<K, V> {
    type Output = V;

    fn index(&self, key: &K) -> &V {
        self.get(key).expect("a key that is in the map")
    }
}
