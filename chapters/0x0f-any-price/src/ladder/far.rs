//! Levels far from the market, in a tree that nobody can make high.
//!
//! A crit-bit tree: an inner node names the highest bit in which the ranks below it differ, and has those with a 0
//! there on its left. No two nodes of a path name the same bit, so a path has at most 64 nodes whatever ranks are
//! chosen, without any balancing. Each inner node knows the quantity below it, so that the sum of all levels above a
//! rank is one path too. Costs: a path or two for each question; one inner node a level, out of a slab.

use crate::ladder::blocks::Level;
use crate::ladder::slab::{Linked, NONE, Slab, Slot};

/// A node: an inner one's slot, or a leaf's with the highest bit set.
type Node = u32;
const LEAF: Node = 1 << 31;

/// Where a path divides.
#[derive(Clone, Copy)]
struct Inner {
    /// The bit that divides.
    bit: u32,
    /// Who has a 0 there, who has a 1.
    children: [Node; 2],
    /// The quantity of all levels below.
    total: u64,
}

/// A level and its rank.
#[derive(Clone, Copy)]
struct Leaf {
    rank: u64,
    level: Level,
}

impl Linked for Inner {
    const EMPTY: Inner = Inner { bit: 0, children: [NONE; 2], total: 0 };

    fn link(&mut self) -> &mut Slot {
        &mut self.children[0]
    }
}

impl Linked for Leaf {
    const EMPTY: Leaf = Leaf { rank: 0, level: Level::EMPTY };

    fn link(&mut self) -> &mut Slot {
        &mut self.level.first
    }
}

/// Levels by their ranks.
pub struct Far {
    root: Node,
    inner: Slab<Inner>,
    leaves: Slab<Leaf>,
}

impl Default for Far {
    fn default() -> Far {
        Far { root: NONE, inner: Slab::default(), leaves: Slab::default() }
    }
}

/// Which child of a node that divides at `bit` leads towards `rank`.
fn turn(rank: u64, bit: u32) -> usize {
    (rank >> bit & 1) as usize
}

impl Far {
    /// Whether there are no levels.
    pub fn is_empty(&self) -> bool {
        self.root == NONE
    }

    // ANCHOR: nearest
    /// The leaf at the end of the path of `rank`: its own, if it has one, or one that shares the most bits with it.
    fn nearest(&self, rank: u64) -> Option<&Leaf> {
        let mut node = self.root;
        if node == NONE {
            return None;
        }
        while node & LEAF == 0 {
            let inner = self.inner.get(node);
            node = inner.children[turn(rank, inner.bit)];
        }
        Some(self.leaves.get(node & !LEAF))
    }
    // ANCHOR_END: nearest

    /// The level of a rank.
    pub fn get(&self, rank: u64) -> Option<&Level> {
        self.nearest(rank).filter(|leaf| leaf.rank == rank).map(|leaf| &leaf.level)
    }

    // ANCHOR: add
    /// Adds a quantity to the level of a rank, which may be new, and gives the level to be changed.
    pub fn add(&mut self, rank: u64, quantity: u64) -> &mut Level {
        let differs = self.nearest(rank).map(|leaf| leaf.rank ^ rank);
        let divides = differs.and_then(u64::checked_ilog2);
        let (mut node, mut link) = (self.root, None);
        while node != NONE && node & LEAF == 0 && divides.is_none_or(|bit| self.inner.get(node).bit > bit) {
            let inner = self.inner.get_mut(node);
            inner.total += quantity;
            link = Some((node, turn(rank, inner.bit)));
            node = inner.children[turn(rank, inner.bit)];
        }
        if differs != Some(0) {
            let leaf = self.leaves.put(Leaf { rank, ..Leaf::EMPTY });
            let mut new = leaf | LEAF;
            if let Some(bit) = divides {
                let mut children = [node; 2];
                children[turn(rank, bit)] = new;
                new = self.inner.put(Inner { bit, children, total: self.total(node) + quantity });
            }
            *self.child(link) = new;
            node = leaf | LEAF;
        }
        let level = &mut self.leaves.get_mut(node & !LEAF).level;
        level.total += quantity;
        level
    }
    // ANCHOR_END: add

    /// What a link leads to; none is the root's.
    fn child(&mut self, link: Option<(Node, usize)>) -> &mut Node {
        match link {
            None => &mut self.root,
            Some((node, turn)) => &mut self.inner.get_mut(node).children[turn],
        }
    }

    /// The quantity of all levels of a node.
    fn total(&self, node: Node) -> u64 {
        if node & LEAF == 0 { self.inner.get(node).total } else { self.leaves.get(node & !LEAF).level.total }
    }

    /// Takes a quantity from the level of a rank, which is there, and gives the level to be changed.
    pub fn sub(&mut self, rank: u64, quantity: u64) -> &mut Level {
        let mut node = self.root;
        while node & LEAF == 0 {
            let inner = self.inner.get_mut(node);
            inner.total -= quantity;
            node = inner.children[turn(rank, inner.bit)];
        }
        let level = &mut self.leaves.get_mut(node & !LEAF).level;
        level.total -= quantity;
        level
    }

    // ANCHOR: remove
    /// Removes the level of a rank, which is there and has no quantity left.
    pub fn remove(&mut self, rank: u64) {
        let (mut node, mut link, mut above) = (self.root, None, None);
        while node & LEAF == 0 {
            let inner = self.inner.get(node);
            (above, link) = (link, Some((node, turn(rank, inner.bit))));
            node = inner.children[turn(rank, inner.bit)];
        }
        match link {
            None => self.root = NONE,
            Some((parent, turn)) => {
                // Where a path divided between two, the other one takes the place of the division.
                let other = self.inner.get(parent).children[1 - turn];
                *self.child(above) = other;
                self.inner.free(parent);
            }
        }
        self.leaves.free(node & !LEAF);
    }
    // ANCHOR_END: remove

    /// Takes a level out, as it is.
    pub fn take(&mut self, rank: u64) -> Level {
        let total = self.get(rank).map_or(0, |level| level.total);
        let level = Level { total, ..*self.sub(rank, total) };
        self.remove(rank);
        level
    }

    /// The highest rank, or the lowest: `end` is 1 or 0.
    fn last(&self, mut node: Node, end: usize) -> u64 {
        while node & LEAF == 0 {
            node = self.inner.get(node).children[end];
        }
        self.leaves.get(node & !LEAF).rank
    }

    /// The highest rank.
    pub fn highest(&self) -> Option<u64> {
        (self.root != NONE).then(|| self.last(self.root, 1))
    }

    /// The nearest rank at `rank` or beyond it: below for `end` 1, above for `end` 0.
    fn neighbour(&self, rank: u64, end: usize) -> Option<u64> {
        let nearest = self.nearest(rank)?.rank;
        let Some(bit) = (nearest ^ rank).checked_ilog2() else { return Some(rank) };
        let (mut node, mut passed) = (self.root, None);
        while node & LEAF == 0 && self.inner.get(node).bit > bit {
            let inner = self.inner.get(node);
            let turn = turn(rank, inner.bit);
            if turn == end {
                passed = Some(inner.children[1 - end]);
            }
            node = inner.children[turn];
        }
        // All below this node lie on one side of the rank, for they differ from it in the same bit first.
        if turn(rank, bit) == end { Some(self.last(node, end)) } else { passed.map(|node| self.last(node, end)) }
    }

    /// The highest rank that is not above this one.
    pub fn at_or_below(&self, rank: u64) -> Option<u64> {
        self.neighbour(rank, 1)
    }

    /// The lowest rank that is not below this one.
    pub fn at_or_above(&self, rank: u64) -> Option<u64> {
        self.neighbour(rank, 0)
    }

    /// The quantity of all levels that are not below this rank.
    pub fn total_from(&self, rank: u64) -> u64 {
        let Some(nearest) = self.nearest(rank).map(|leaf| leaf.rank) else { return 0 };
        let divides = (nearest ^ rank).checked_ilog2();
        let (mut node, mut total) = (self.root, 0);
        while node & LEAF == 0 && divides.is_none_or(|bit| self.inner.get(node).bit > bit) {
            let inner = self.inner.get(node);
            let turn = turn(rank, inner.bit);
            if turn == 0 {
                total += self.total(inner.children[1]);
            }
            node = inner.children[turn];
        }
        if nearest >= rank { total + self.total(node) } else { total }
    }

    /// How many bytes of memory it holds.
    pub fn bytes(&self) -> usize {
        self.inner.bytes() + self.leaves.bytes()
    }
}
