//! Levels far from the market, in a tree whose height is bounded.
//!
//! A radix tree that skips nodes with a single child: an inner node stores the highest two bits in which the ranks
//! below it differ, and has a child for each value of these bits that occurs. No two nodes of a path use the same bits,
//! so a path has at most 32 nodes for any choice of ranks, without balancing. Each inner node knows the quantity below
//! each child, so the sum of all levels above a rank also takes one path. A crit-bit tree branches on one bit; its
//! paths are twice as long, and each step depends on the one before. Costs: one path per query; at most one inner node
//! per level, a cache line from a slab.

use crate::ladder::orders::Level;
use crate::ladder::slab::{Linked, NONE, Slab, Slot};

/// A node: the slot of an inner node, or of a leaf with the highest bit set. [`NONE`] is neither.
type Node = u32;
const LEAF: Node = 1 << 31;

/// How many bits a node branches on.
const BITS: u32 = 2;
const WAYS: usize = 1 << BITS;

// ANCHOR: inner
/// An inner node: where paths branch.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Inner {
    /// The common prefix of all ranks below; the lower bits are those of any of them.
    rank: u64,
    /// The position of the lowest branching bit.
    shift: u32,
    /// The children, by the branching bits.
    children: [Node; WAYS],
    /// The quantity of all levels below each child.
    totals: [u64; WAYS],
}

const _: () = assert!(size_of::<Inner>() == 64, "an inner node is a cache line");
// ANCHOR_END: inner

/// A level and its rank.
#[derive(Clone, Copy)]
struct Leaf {
    rank: u64,
    level: Level,
}

impl Linked for Inner {
    const EMPTY: Inner = Inner { rank: 0, shift: 0, children: [NONE; WAYS], totals: [0; WAYS] };

    fn set_free(&mut self, next: Slot) {
        self.children[0] = next;
    }

    fn next_free(&self) -> Slot {
        self.children[0]
    }
}

impl Linked for Leaf {
    const EMPTY: Leaf = Leaf { rank: 0, level: Level::EMPTY };

    fn set_free(&mut self, next: Slot) {
        self.level.first = next;
    }

    fn next_free(&self) -> Slot {
        self.level.first
    }
}

impl Inner {
    /// The index of the child that leads to a rank.
    #[inline]
    fn turn(&self, rank: u64) -> usize {
        (rank >> self.shift) as usize % WAYS
    }

    /// Whether a rank has the prefix of this node.
    #[inline]
    fn is_above(&self, rank: u64) -> bool {
        (self.rank ^ rank) >> self.shift >> BITS == 0
    }

    /// The children beyond one, the nearest first.
    fn beyond(&self, turn: usize, towards: Towards) -> impl Iterator<Item = Node> + '_ {
        let turns = (1..WAYS).filter_map(move |n| match towards {
            Towards::Best => Some(turn + n).filter(|turn| *turn < WAYS),
            Towards::Worst => turn.checked_sub(n),
        });
        turns.map(|turn| self.children[turn]).filter(|node| *node != NONE)
    }
}

/// A direction among the ranks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Towards {
    Best,
    Worst,
}

/// Levels by their ranks.
pub struct Far {
    root: Node,
    inner: Slab<Inner>,
    leaves: Slab<Leaf>,
    /// The last two inner nodes on the path of [`Far::sub`], the last one first.
    above: [Slot; 2],
}

impl Default for Far {
    fn default() -> Far {
        Far { root: NONE, inner: Slab::default(), leaves: Slab::default(), above: [NONE; 2] }
    }
}

impl Far {
    /// Whether there are no levels.
    pub fn is_empty(&self) -> bool {
        self.root == NONE
    }

    /// Whether a node is an inner one.
    #[inline]
    fn is_inner(node: Node) -> bool {
        node & LEAF == 0
    }

    fn leaf(&self, node: Node) -> &Leaf {
        self.leaves.get(node & !LEAF)
    }

    /// The level of a rank.
    pub fn get(&self, rank: u64) -> Option<&Level> {
        let mut node = self.root;
        while Far::is_inner(node) {
            let inner = self.inner.get(node);
            node = inner.children[inner.turn(rank)];
        }
        let leaf = (node != NONE).then(|| self.leaf(node));
        leaf.filter(|leaf| leaf.rank == rank).map(|leaf| &leaf.level)
    }

    // ANCHOR: add
    /// Adds a quantity to the level of a rank, which may be new, and returns the level for changes.
    pub fn add(&mut self, rank: u64, quantity: u64) -> &mut Level {
        let (mut node, mut parent) = (self.root, NONE);
        while Far::is_inner(node) {
            let inner = self.inner.get_mut(node);
            if !inner.is_above(rank) {
                break;
            }
            let turn = inner.turn(rank);
            inner.totals[turn] += quantity;
            (parent, node) = (node, inner.children[turn]);
        }
        if node == NONE || Far::is_inner(node) || self.leaf(node).rank != rank {
            node = self.divide(node, parent, rank, quantity);
        }
        let level = &mut self.leaves.get_mut(node & !LEAF).level;
        level.total += quantity;
        level
    }

    /// Creates a leaf for a rank, below `parent`. Where the prefix of `node` differs, the path branches.
    fn divide(&mut self, node: Node, parent: Node, rank: u64, quantity: u64) -> Node {
        let leaf = self.leaves.put(Leaf { rank, ..Leaf::EMPTY }) | LEAF;
        let mut new = leaf;
        if node != NONE {
            let (other, total) = match Far::is_inner(node) {
                true => (self.inner.get(node).rank, self.inner.get(node).totals.iter().sum()),
                false => (self.leaf(node).rank, self.leaf(node).level.total),
            };
            let shift = (rank ^ other).ilog2() / BITS * BITS;
            let mut inner = Inner { rank, shift, ..Inner::EMPTY };
            for (rank, node, total) in [(other, node, total), (rank, leaf, quantity)] {
                let turn = inner.turn(rank);
                (inner.children[turn], inner.totals[turn]) = (node, total);
            }
            new = self.inner.put(inner);
        }
        *self.child(parent, rank) = new;
        leaf
    }
    // ANCHOR_END: add

    /// The link from an inner node towards a rank, or the root if there is no inner node.
    fn child(&mut self, inner: Slot, rank: u64) -> &mut Node {
        if inner == NONE {
            return &mut self.root;
        }
        let inner = self.inner.get_mut(inner);
        &mut inner.children[inner.turn(rank)]
    }

    // ANCHOR: sub
    /// Subtracts a quantity from the level of a rank, which exists, and returns the level for changes.
    pub fn sub(&mut self, rank: u64, quantity: u64) -> &mut Level {
        let mut node = self.root;
        self.above = [NONE; 2];
        while Far::is_inner(node) {
            self.above = [node, self.above[0]];
            let inner = self.inner.get_mut(node);
            let turn = inner.turn(rank);
            inner.totals[turn] -= quantity;
            node = inner.children[turn];
        }
        let level = &mut self.leaves.get_mut(node & !LEAF).level;
        level.total -= quantity;
        level
    }

    /// Removes the level of a rank whose last quantity [`Far::sub`] has just subtracted, so the path is still known.
    pub fn remove(&mut self, rank: u64) {
        let [parent, grandparent] = self.above;
        let leaf = std::mem::replace(self.child(parent, rank), NONE);
        self.leaves.free(leaf & !LEAF);
        if parent == NONE {
            return;
        }
        let mut others = self.inner.get(parent).children.into_iter().filter(|node| *node != NONE);
        if let (Some(only), None) = (others.next(), others.next()) {
            // A node with a single child is not needed.
            *self.child(grandparent, rank) = only;
            self.inner.free(parent);
        }
    }
    // ANCHOR_END: sub

    /// Removes and returns a level.
    pub fn take(&mut self, rank: u64) -> Level {
        let total = self.get(rank).map_or(0, |level| level.total);
        let level = Level { total, ..*self.sub(rank, total) };
        self.remove(rank);
        level
    }

    /// The highest or lowest rank below a node.
    fn last(&self, mut node: Node, towards: Towards) -> u64 {
        while Far::is_inner(node) {
            let children = self.inner.get(node).children.into_iter();
            let mut children = children.filter(|node| *node != NONE);
            let next = if towards == Towards::Best { children.next_back() } else { children.next() };
            node = next.unwrap_or(NONE);
        }
        self.leaf(node).rank
    }

    /// The highest rank.
    pub fn highest(&self) -> Option<u64> {
        (self.root != NONE).then(|| self.last(self.root, Towards::Best))
    }

    /// The nearest rank at `rank` or beyond it.
    fn neighbour(&self, rank: u64, towards: Towards) -> Option<u64> {
        let is_beyond = |other: u64| if towards == Towards::Best { other >= rank } else { other <= rank };
        let nearest = if towards == Towards::Best { Towards::Worst } else { Towards::Best };
        let (mut node, mut passed) = (self.root, None);
        while Far::is_inner(node) {
            let inner = self.inner.get(node);
            if !inner.is_above(rank) {
                // All ranks below share a prefix, so all are on one side of the rank.
                passed = Some(node).filter(|_| is_beyond(inner.rank)).or(passed);
                return passed.map(|node| self.last(node, nearest));
            }
            let turn = inner.turn(rank);
            passed = inner.beyond(turn, towards).next().or(passed);
            node = inner.children[turn];
        }
        let own = (node != NONE).then(|| self.leaf(node).rank).filter(|own| is_beyond(*own));
        own.or_else(|| passed.map(|node| self.last(node, nearest)))
    }

    /// The highest rank that is not above this one.
    pub fn at_or_below(&self, rank: u64) -> Option<u64> {
        self.neighbour(rank, Towards::Worst)
    }

    /// The lowest rank that is not below this one.
    pub fn at_or_above(&self, rank: u64) -> Option<u64> {
        self.neighbour(rank, Towards::Best)
    }

    /// The quantity of all levels that are not below this rank.
    pub fn total_from(&self, rank: u64) -> u64 {
        let (mut node, mut total) = (self.root, 0);
        while Far::is_inner(node) {
            let inner = self.inner.get(node);
            if !inner.is_above(rank) {
                return total + if inner.rank > rank { inner.totals.iter().sum() } else { 0 };
            }
            let turn = inner.turn(rank);
            total += inner.totals[turn + 1..].iter().sum::<u64>();
            node = inner.children[turn];
        }
        let own = (node != NONE).then(|| self.leaf(node)).filter(|leaf| leaf.rank >= rank);
        total + own.map_or(0, |leaf| leaf.level.total)
    }

    /// How many bytes of memory it holds.
    pub fn bytes(&self) -> usize {
        self.inner.bytes() + self.leaves.bytes()
    }
}
