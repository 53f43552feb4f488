//! Levels in a `BTreeMap`: any price, found in as many steps as the tree has levels.
//!
//! Costs: a walk down the tree per level that an order touches, and sometimes a node to allocate.

use std::collections::BTreeMap;

use crate::queue_book::{Levels, Queue, QueueBook, Waiting};

/// The book of 0x01, without money.
pub type TreeBook = QueueBook<Tree>;

/// Levels in a tree.
#[derive(Default)]
pub struct Tree(BTreeMap<i64, Queue>);

impl Levels for Tree {
    fn best(&self) -> Option<i64> {
        self.0.last_key_value().map(|(rank, _)| *rank)
    }

    fn queue(&self, rank: i64) -> Option<&Queue> {
        self.0.get(&rank)
    }

    fn queue_mut(&mut self, rank: i64) -> Option<&mut Queue> {
        self.0.get_mut(&rank)
    }

    fn open(&mut self, rank: i64) -> &mut Queue {
        self.0.entry(rank).or_default()
    }

    fn close(&mut self, rank: i64) {
        self.0.remove(&rank);
    }

    fn down_to(&self, rank: i64) -> impl Iterator<Item = &Queue> {
        self.0.range(rank..).rev().map(|(_, queue)| queue)
    }

    fn bytes(&self) -> usize {
        // Nodes hold eleven pairs and are two thirds full on average; the rest is the node's own overhead.
        let node = self.0.len().div_ceil(7) * (11 * size_of::<(i64, Queue)>() + 16);
        node + self.0.values().map(|queue| queue.capacity() * size_of::<Waiting>()).sum::<usize>()
    }
}
