//! Queues of orders, three orders per cache line.
//!
//! In a linked list of single orders, removing one touches three lines: its own and both neighbours'. Here three orders
//! share a line with their price and one pair of links. Removing an order sets its quantity to zero, and only the last
//! one of a block touches the neighbours. Invariants: a block in a queue has at least one order; orders are in order of
//! arrival. A queue costs at most one line per order, and a third of one at best.

use crate::contract::{Id, Price, Quantity};
use crate::ladder::slab::{Linked, NONE, Slab, Slot};

// ANCHOR: block
/// A resting order. The entry is unused if its quantity is zero.
#[derive(Clone, Copy)]
pub struct Order {
    /// Its id.
    pub id: Id,
    /// What is left of it.
    pub quantity: Quantity,
    /// The next order of a bucket that has overflowed; see `id_table`.
    pub link: Place,
}

/// Three entries in the queue of a price.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Block {
    /// The price of all three.
    pub price: Price,
    /// The previous and the next block.
    pub previous: Slot,
    /// See `previous`.
    pub next: Slot,
    /// The orders, the oldest first.
    pub orders: [Order; 3],
}

const _: () = assert!(size_of::<Block>() == 64, "a block is a cache line");

/// The queue of a price.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// Its first block.
    pub first: Slot,
    /// Its last block.
    pub last: Slot,
    /// The quantity of all its orders.
    pub total: u64,
}
// ANCHOR_END: block

/// The location of an order: its block's slot times four, plus its number in the block.
pub type Place = u32;

impl Level {
    /// An empty queue.
    pub const EMPTY: Level = Level { first: NONE, last: NONE, total: 0 };

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.first == NONE
    }
}

impl Linked for Block {
    const EMPTY: Block =
        Block { price: 0, previous: NONE, next: NONE, orders: [Order { id: 0, quantity: 0, link: NONE }; 3] };

    fn link(&mut self) -> &mut Slot {
        &mut self.next
    }
}

impl Block {
    /// A bit for each order in use.
    #[inline]
    pub fn live(&self) -> u32 {
        let bit = |number: usize| u32::from(self.orders[number].quantity > 0) << number;
        bit(0) | bit(1) | bit(2)
    }

    /// Whether it has no orders.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.orders[0].quantity | self.orders[1].quantity | self.orders[2].quantity == 0
    }
}

/// All blocks of a book.
pub type Blocks = Slab<Block>;

impl Blocks {
    /// The block of a location, and the order's number in it.
    #[inline]
    pub fn split(place: Place) -> (Slot, usize) {
        (place / 4, (place % 4) as usize)
    }

    /// The order at a location, and its price.
    #[inline]
    pub fn order(&self, place: Place) -> (Price, &Order) {
        let (slot, number) = Blocks::split(place);
        let block = self.get(slot);
        (block.price, &block.orders[number])
    }

    /// The same, mutable.
    #[inline]
    pub fn order_mut(&mut self, place: Place) -> (Price, &mut Order) {
        let (slot, number) = Blocks::split(place);
        let block = self.get_mut(slot);
        (block.price, &mut block.orders[number])
    }

    // ANCHOR: append
    /// Adds an order to the end of a queue.
    #[inline(always)]
    pub fn append(&mut self, level: &mut Level, price: Price, id: Id, quantity: Quantity) -> Place {
        let order = Order { id, quantity, link: NONE };
        if level.last != NONE {
            let block = self.get_mut(level.last);
            if block.orders[2].quantity == 0 {
                // The block is not empty: the first entry is used, or was before the second.
                let number = 1 + usize::from(block.orders[1].quantity > 0);
                block.orders[number] = order;
                return level.last * 4 + number as Place;
            }
        }
        let mut block = Block { price, previous: level.last, ..Block::EMPTY };
        block.orders[0] = order;
        let slot = self.put(block);
        match level.last {
            NONE => level.first = slot,
            last => self.get_mut(last).next = slot,
        }
        level.last = slot;
        slot * 4
    }
    // ANCHOR_END: append

    // ANCHOR: unlink
    /// Removes an empty block from its queue.
    #[inline]
    pub fn unlink(&mut self, level: &mut Level, slot: Slot) {
        let &Block { previous, next, .. } = self.get(slot);
        match previous {
            NONE => level.first = next,
            previous => self.get_mut(previous).next = next,
        }
        match next {
            NONE => level.last = previous,
            next => self.get_mut(next).previous = previous,
        }
        self.free(slot);
    }
    // ANCHOR_END: unlink
}
