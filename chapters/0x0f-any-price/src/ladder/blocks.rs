//! Queues of orders, three to a cache line.
//!
//! A list that links single orders touches three lines when one leaves: its own and both neighbours'. Here three
//! orders share a line with their price and with the links of all three. An order that leaves sets its quantity to
//! zero, and only the last of a block to leave touches the neighbours. Invariants: a block in a queue has at least one
//! order; who came later stands later. A queue costs at most a line an order, and a third of one at best.

use crate::contract::{Id, Price, Quantity};
use crate::ladder::slab::{Linked, NONE, Slab, Slot};

// ANCHOR: block
/// An order at rest. Nobody is here while its quantity is zero.
#[derive(Clone, Copy)]
pub struct Order {
    /// Its name.
    pub id: Id,
    /// What is left of it.
    pub quantity: Quantity,
    /// The next order in a bucket that has too many; see `id_table`.
    pub link: Place,
}

/// Three places in the queue of a price.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Block {
    /// The price of all three.
    pub price: Price,
    /// The blocks before and behind it.
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
    /// Its last.
    pub last: Slot,
    /// The quantity of all its orders.
    pub total: u64,
}
// ANCHOR_END: block

/// Where an order lies: its block's slot times four, and its number in the block.
pub type Place = u32;

impl Level {
    /// A queue of nobody.
    pub const EMPTY: Level = Level { first: NONE, last: NONE, total: 0 };

    /// Whether nobody is in it.
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
    /// A bit for each order that is there.
    #[inline]
    pub fn live(&self) -> u32 {
        let bit = |number: usize| u32::from(self.orders[number].quantity > 0) << number;
        bit(0) | bit(1) | bit(2)
    }

    /// Whether nobody is there.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.orders[0].quantity | self.orders[1].quantity | self.orders[2].quantity == 0
    }
}

/// All blocks of a book.
pub type Blocks = Slab<Block>;

impl Blocks {
    /// The block of a place, and the order's number in it.
    #[inline]
    pub fn split(place: Place) -> (Slot, usize) {
        (place / 4, (place % 4) as usize)
    }

    /// The order at a place, and its price.
    #[inline]
    pub fn order(&self, place: Place) -> (Price, &Order) {
        let (slot, number) = Blocks::split(place);
        let block = self.get(slot);
        (block.price, &block.orders[number])
    }

    /// The same, to change.
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
                // Somebody is in the block, so the first place is taken, or was before the second.
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
    /// Takes a block that nobody is in any more out of its queue.
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
