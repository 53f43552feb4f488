//! A queue in a ring of elements, as `std::collections::VecDeque` keeps it.

use super::housed::Housed;
use crate::cells::Cells;
use crate::seen::{block, note};

/// The header's address, capacity, first element's place, and length; the elements are in a separate block.
pub struct VecDeque<T> {
    home: usize,
    buffer: usize,
    head: usize,
    count: usize,
    /// The ring: as many places as its capacity.
    ring: Vec<Option<T>>,
}

impl<T> Default for VecDeque<T> {
    fn default() -> VecDeque<T> {
        VecDeque { home: 0, buffer: 0, head: 0, count: 0, ring: Vec::new() }
    }
}

impl<T> Housed for VecDeque<T> {
    const BYTES: usize = size_of::<std::collections::VecDeque<T>>();

    fn moved(&mut self, home: usize) {
        self.home = home;
    }
}

impl<T: Copy> VecDeque<T> {
    /// The first element.
    pub fn front(&self) -> Option<&T> {
        self.header(false);
        self.get(0)
    }

    /// Adds an element after the last.
    pub fn push_back(&mut self, value: T) {
        self.header(false);
        if self.count == self.ring.len() {
            self.grow();
        }
        let place = self.place(self.count);
        self.element(place, true);
        self.ring[place] = Some(value);
        self.count += 1;
        self.header(true);
    }

    /// The elements, from the first to the last.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.header(false);
        (0..self.count).filter_map(|at| self.get(at))
    }

    /// Removes an element. The elements on its shorter side move up.
    pub fn remove(&mut self, at: usize) -> Option<T> {
        self.header(false);
        let value = *self.get(at)?;
        let behind = self.count - at - 1;
        if behind < at {
            (at..at + behind).for_each(|to| self.shift(to + 1, to));
        } else {
            (0..at).rev().for_each(|from| self.shift(from, from + 1));
            self.head = self.place(1);
        }
        self.count -= 1;
        self.header(true);
        Some(value)
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.header(false);
        self.count == 0
    }

    fn get(&self, at: usize) -> Option<&T> {
        let place = (at < self.count).then(|| self.place(at))?;
        self.element(place, false);
        self.ring[place].as_ref()
    }

    fn shift(&mut self, from: usize, to: usize) {
        let [from, to] = [from, to].map(|at| self.place(at));
        self.element(from, false);
        self.element(to, true);
        self.ring[to] = self.ring[from];
    }

    /// Capacity for four at first, then for twice as many.
    fn grow(&mut self) {
        let ring: Vec<Option<T>> = (0..self.count).map(|at| self.get(at).copied()).collect();
        let room = (2 * self.count).max(4);
        (self.buffer, self.head, self.ring) = (block(room * size_of::<T>()), 0, ring);
        (0..self.count).for_each(|place| self.element(place, true));
        self.ring.resize(room, None);
    }

    fn place(&self, at: usize) -> usize {
        (self.head + at) % self.ring.len().max(1)
    }

    fn header(&self, is_write: bool) {
        note(self.home, <Self as Housed>::BYTES, is_write);
    }

    fn element(&self, place: usize, is_write: bool) {
        note(self.buffer + place * size_of::<T>(), size_of::<T>(), is_write);
    }

    /// Puts another value into a place of the ring.
    pub(crate) fn spoil(&mut self, place: usize, value: T) {
        self.ring[place] = Some(value);
    }

    /// Its parts, under its level's name.
    pub(crate) fn cells(&self, name: &str, cells: &mut Cells, holds: impl Fn(T) -> String) {
        let shape = format!("{} elements from {} of {}", self.count, self.head, self.ring.len());
        cells.cell(format!("{name}-queue"), (self.home, <Self as Housed>::BYTES), shape);
        if self.ring.is_empty() {
            return;
        }
        cells.block(format!("{name}-elements"), self.buffer, self.ring.len() * size_of::<T>());
        for (place, value) in self.ring.iter().enumerate() {
            let at = (place + self.ring.len() - self.head) % self.ring.len();
            let holds = value.filter(|_| at < self.count).map_or("–".into(), &holds);
            cells.cell(
                format!("{name}-element-{place}"),
                (self.buffer + place * size_of::<T>(), size_of::<T>()),
                holds,
            );
        }
    }
}

impl<'q, T: Copy> IntoIterator for &'q VecDeque<T> {
    type Item = &'q T;
    type IntoIter = Box<dyn Iterator<Item = &'q T> + 'q>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}
