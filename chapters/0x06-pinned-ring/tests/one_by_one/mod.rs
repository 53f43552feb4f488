//! A ring used item by item, which the engine never does: it makes tests clearer.

use crate::ring::{Closed, Consumer, Producer};

/// Why [`Push::push`] did not take the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The slowest consumer is a whole ring behind: wait, then retry.
    Full,
    /// A consumer has left: stop.
    Closed,
}

/// The producer's side.
pub trait Push<T> {
    /// Publishes one item.
    fn push(&mut self, item: T) -> Result<(), Refused>;
}

/// A consumer's side.
pub trait Pop<T> {
    /// Takes one item; `None` when there is none yet.
    fn pop(&mut self) -> Result<Option<T>, Closed>;
}

impl<T: Copy, const CONSUMERS: usize> Push<T> for Producer<T, CONSUMERS> {
    #[inline]
    fn push(&mut self, item: T) -> Result<(), Refused> {
        match self.push_slice(&[item]) {
            Ok(0) => Err(Refused::Full),
            Ok(_) => Ok(()),
            Err(Closed) => Err(Refused::Closed),
        }
    }
}

impl<T: Copy, const CONSUMERS: usize> Pop<T> for Consumer<T, CONSUMERS> {
    #[inline]
    fn pop(&mut self) -> Result<Option<T>, Closed> {
        let item = self.peek()?.first().copied();
        if item.is_some() {
            self.advance(1);
        }
        Ok(item)
    }
}
