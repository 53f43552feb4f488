//! Queues of orders, two orders per cache line.
//!
//! A queue is a list that is linked both ways, so that an order leaves from anywhere without a search. An order keeps
//! its slot until it is filled or cancelled; a replaced one only changes its queue. So the slot is the order's handle.
//! Costs: the order's line, and its neighbours' lines when it leaves.

use crate::contract::{Id, Price, Quantity};
use crate::ladder::slab::{Linked, NONE, Slab, Slot};

// ANCHOR: order
/// A resting order.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub struct Order {
    /// Its id.
    pub id: Id,
    /// Its price.
    pub price: Price,
    /// What is left of it; 0 if the slot is free.
    pub quantity: Quantity,
    /// The order before it in its queue.
    pub previous: Slot,
    /// The order behind it.
    pub next: Slot,
    /// The next order of a bucket that has overflowed; see `id_table`.
    pub link: Slot,
}

const _: () = assert!(size_of::<Order>() == 32, "two orders are a cache line");

/// The queue of a price.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// Its first order.
    pub first: Slot,
    /// Its last order.
    pub last: Slot,
    /// The quantity of all its orders.
    pub total: u64,
}
// ANCHOR_END: order

impl Level {
    /// An empty queue.
    pub const EMPTY: Level = Level { first: NONE, last: NONE, total: 0 };

    /// Whether it is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.first == NONE
    }
}

impl Linked for Order {
    const EMPTY: Order = Order { id: 0, price: 0, quantity: 0, previous: NONE, next: NONE, link: NONE };

    fn set_free(&mut self, next: Slot) {
        (self.quantity, self.next) = (0, next);
    }

    fn next_free(&self) -> Slot {
        self.next
    }
}

/// All orders of a book.
pub type Orders = Slab<Order>;

impl Orders {
    // ANCHOR: queue
    /// Adds an order, whose `previous` is the level's last, to the end of a queue.
    #[inline(always)]
    pub fn append(&mut self, level: &mut Level, slot: Slot) {
        match std::mem::replace(&mut level.last, slot) {
            NONE => level.first = slot,
            last => self.get_mut(last).next = slot,
        }
    }

    /// Removes an order from its queue.
    #[inline(always)]
    pub fn unlink(&mut self, level: &mut Level, order: &Order) {
        match order.previous {
            NONE => level.first = order.next,
            previous => self.get_mut(previous).next = order.next,
        }
        match order.next {
            NONE => level.last = order.previous,
            next => self.get_mut(next).previous = order.previous,
        }
    }
    // ANCHOR_END: queue
}
