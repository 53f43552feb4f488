//! Levels in a sorted vector, the best at its end: the most active level is found and removed without a search.
//!
//! Costs: a binary search, and a move of all better levels for each level that opens or closes below them.

use crate::queue_book::{Levels, Queue, QueueBook, Waiting};

/// A book on sorted vectors.
pub type VectorBook = QueueBook<Sorted>;

/// Levels in a vector, the worst first.
#[derive(Default)]
pub struct Sorted(Vec<(i64, Queue)>);

impl Sorted {
    fn place(&self, rank: i64) -> Result<usize, usize> {
        self.0.binary_search_by_key(&rank, |(rank, _)| *rank)
    }
}

impl Levels for Sorted {
    fn best(&self) -> Option<i64> {
        self.0.last().map(|(rank, _)| *rank)
    }

    fn queue(&self, rank: i64) -> Option<&Queue> {
        Some(&self.0[self.place(rank).ok()?].1)
    }

    fn queue_mut(&mut self, rank: i64) -> Option<&mut Queue> {
        let place = self.place(rank).ok()?;
        Some(&mut self.0[place].1)
    }

    fn open(&mut self, rank: i64) -> &mut Queue {
        let place = self.place(rank).unwrap_or_else(|place| {
            self.0.insert(place, (rank, Queue::new()));
            place
        });
        &mut self.0[place].1
    }

    fn close(&mut self, rank: i64) {
        if let Ok(place) = self.place(rank) {
            self.0.remove(place);
        }
    }

    fn down_to(&self, rank: i64) -> impl Iterator<Item = &Queue> {
        let first = self.place(rank).unwrap_or_else(|place| place);
        self.0[first..].iter().rev().map(|(_, queue)| queue)
    }

    fn bytes(&self) -> usize {
        let queues = self.0.iter().map(|(_, queue)| queue.capacity() * size_of::<Waiting>());
        self.0.capacity() * size_of::<(i64, Queue)>() + queues.sum::<usize>()
    }
}
