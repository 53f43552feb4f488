//! A tree of one node, as `std::collections::BTreeMap` has it while there are at most eleven keys.

use std::fmt::Display;
use std::mem::{MaybeUninit, offset_of};

use super::housed::Housed;
use crate::cells::Cells;
use crate::seen::{block, home, note};

/// How many keys a node holds.
const ROOM: usize = 11;

/// A node without children, with the layout of `std`. `V` has the same size as the real value.
#[allow(dead_code, reason = "only its size and offsets are used")]
struct Node<K, V> {
    parent: Option<Box<()>>,
    place_in_parent: MaybeUninit<u16>,
    count: u16,
    keys: [MaybeUninit<K>; ROOM],
    values: [MaybeUninit<V>; ROOM],
}

/// What a value of a node is here: a queue of four words.
type Value = [usize; 4];

/// The address of the root, the height and the length; the node is in a separate block.
pub struct BTreeMap<K, V> {
    home: usize,
    /// `None` until the first key: an emptied tree keeps its node.
    node: Option<usize>,
    entries: Vec<(K, V)>,
}

impl<K, V> Default for BTreeMap<K, V> {
    fn default() -> BTreeMap<K, V> {
        BTreeMap { home: home(size_of::<std::collections::BTreeMap<K, V>>()), node: None, entries: Vec::new() }
    }
}

impl<K: Copy + Ord, V: Housed + Default> BTreeMap<K, V> {
    /// The lowest key and its value.
    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.header(false);
        self.count(false);
        self.at(0)
    }

    /// The highest key and its value.
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.header(false);
        self.count(false);
        self.at(self.entries.len().checked_sub(1)?)
    }

    /// The value of a key, for the caller to change.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let at = self.find(key).ok()?;
        Some(&mut self.entries[at].1)
    }

    /// The place of a key, which may be empty.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        let at = self.find(&key);
        Entry { tree: self, key, at }
    }

    /// Removes a key and its value. Those after it move up.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let at = self.find(key).ok()?;
        self.key(at, false);
        self.value(at, false);
        self.header(true);
        self.count(true);
        let (_, value) = self.entries.remove(at);
        for to in at..self.entries.len() {
            self.shift(to + 1, to);
        }
        Some(value)
    }

    /// The values, in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.header(false);
        self.count(false);
        self.entries.iter().map(|(_, value)| value)
    }

    /// The place of a key, or where it would be: keys are compared one after another.
    fn find(&self, key: &K) -> Result<usize, usize> {
        self.header(false);
        self.count(false);
        for (at, (found, _)) in self.entries.iter().enumerate() {
            self.key(at, false);
            match found.cmp(key) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return Ok(at),
                std::cmp::Ordering::Greater => return Err(at),
            }
        }
        Err(self.entries.len())
    }

    fn at(&self, at: usize) -> Option<(&K, &V)> {
        let (key, value) = self.entries.get(at)?;
        self.key(at, false);
        Some((key, value))
    }

    fn insert(&mut self, at: usize, key: K) {
        assert!(self.entries.len() < ROOM, "the stand-in has one node, so at most {ROOM} levels");
        if self.node.is_none() {
            self.node = Some(block(size_of::<Node<K, Value>>()));
        }
        self.entries.insert(at, (key, V::default()));
        for to in (at + 1..self.entries.len()).rev() {
            self.shift(to - 1, to);
        }
        self.key(at, true);
        self.value(at, true);
        let home = self.node.unwrap_or_default() + value_offset::<K>(at);
        self.entries[at].1.moved(home);
        self.count(true);
        self.header(true);
    }

    /// A key and its value have moved; the entries are updated already.
    fn shift(&mut self, from: usize, to: usize) {
        self.key(from, false);
        self.value(from, false);
        self.key(to, true);
        self.value(to, true);
        let home = self.node.unwrap_or_default() + value_offset::<K>(to);
        self.entries[to].1.moved(home);
    }

    fn header(&self, is_write: bool) {
        note(self.home, size_of::<std::collections::BTreeMap<K, V>>(), is_write);
    }

    fn in_node(&self, offset: usize, bytes: usize, is_write: bool) {
        self.node.iter().for_each(|node| note(node + offset, bytes, is_write));
    }

    fn count(&self, is_write: bool) {
        self.in_node(offset_of!(Node<K, Value>, count), size_of::<u16>(), is_write);
    }

    fn key(&self, at: usize, is_write: bool) {
        self.in_node(key_offset::<K>(at), size_of::<K>(), is_write);
    }

    fn value(&self, at: usize, is_write: bool) {
        self.in_node(value_offset::<K>(at), V::BYTES, is_write);
    }

    /// A key and its value, to be spoilt.
    pub(crate) fn level(&mut self, at: usize) -> Option<&mut (K, V)> {
        self.entries.get_mut(at)
    }

    /// Its parts, under the side's name.
    pub(crate) fn cells(&self, name: &str, cells: &mut Cells, of_value: impl Fn(&V, &str, &mut Cells))
    where
        K: Display,
    {
        assert_eq!(V::BYTES, size_of::<Value>(), "a queue has four words");
        let header = (self.home, size_of::<std::collections::BTreeMap<K, V>>());
        cells.cell(name, header, format!("{} levels", self.entries.len()));
        let Some(node) = self.node else { return };
        cells.block(format!("{name}-node"), node, size_of::<Node<K, Value>>());
        let count = (node + offset_of!(Node<K, Value>, count), size_of::<u16>());
        cells.cell(format!("{name}-count"), count, self.entries.len());
        // What has left a node is still in its memory: a place that is not counted.
        for at in 0..ROOM {
            let place = (node + key_offset::<K>(at), size_of::<K>());
            match self.entries.get(at) {
                Some((key, value)) => {
                    cells.cell(format!("{name}-{at}-key"), place, key);
                    of_value(value, &format!("{name}-{at}"), cells);
                }
                None => cells.cell(format!("{name}-{at}-key"), place, "–"),
            }
        }
    }
}

fn key_offset<K>(at: usize) -> usize {
    offset_of!(Node<K, Value>, keys) + at * size_of::<K>()
}

fn value_offset<K>(at: usize) -> usize {
    offset_of!(Node<K, Value>, values) + at * size_of::<Value>()
}

/// The place of a key in a tree.
pub struct Entry<'t, K, V> {
    tree: &'t mut BTreeMap<K, V>,
    key: K,
    at: Result<usize, usize>,
}

impl<'t, K: Copy + Ord, V: Housed + Default> Entry<'t, K, V> {
    /// The key's value; a new one if there is none.
    pub fn or_default(self) -> &'t mut V {
        let Entry { tree, key, at } = self;
        let at = at.unwrap_or_else(|at| {
            tree.insert(at, key);
            at
        });
        &mut tree.entries[at].1
    }
}
