//! The resting orders of one market, as much as a feed needs of them.
//!
//! A cancellation names neither price nor side, and a trade does not say whether its maker is filled. So the feed keeps
//! both for each resting order, in 0x05's id table. Cost: 24 bytes per order and 4 to 16 in the table, and two cache
//! lines for each order that is added, traded or removed.

use ch08::id_table::{Entries, IdTable, NONE};
use ch08::slab::{Slab, Slot};
use market::{OrderId, Price, Side};

/// A resting order.
#[derive(Clone, Copy, Debug)]
pub struct Resting {
    id: u64,
    link: Slot,
    /// How many shares are left.
    pub left: u32,
    /// Its price.
    pub price: Price,
    /// Its side.
    pub side: Side,
}

const _: () = assert!(size_of::<Resting>() == 24);

impl Default for Resting {
    fn default() -> Resting {
        Resting { id: 0, link: NONE, left: 0, price: Price::MIN, side: Side::Bid }
    }
}

/// The orders, by slot.
#[derive(Default)]
struct Slots(Slab<Resting>);

impl Entries for Slots {
    fn entry(&self, slot: Slot) -> Option<(u64, Slot)> {
        (slot != NONE).then(|| (self.0.get(slot).id, self.0.get(slot).link))
    }

    fn link(&mut self, slot: Slot) -> &mut Slot {
        &mut self.0.get_mut(slot).link
    }
}

/// All resting orders of a market.
#[derive(Default)]
pub struct Orders {
    table: IdTable,
    slots: Slots,
}

impl Orders {
    /// Adds an order that is not in the table.
    pub fn insert(&mut self, order: OrderId, side: Side, price: Price, left: u32) {
        let slot = self.slots.0.take();
        let link = self.table.insert(order.0, slot, &mut self.slots);
        *self.slots.0.get_mut(slot) = Resting { id: order.0, link, left, price, side };
    }

    /// Takes shares off an order, and removes it when none are left. Returns where the order stands, or `None` if there
    /// is no such order.
    pub fn reduce(&mut self, order: OrderId, shares: u32) -> Option<(Side, Price)> {
        let slot = self.table.find(order.0, &self.slots)?;
        let resting = self.slots.0.get_mut(slot);
        resting.left = resting.left.saturating_sub(shares);
        let Resting { left, price, side, .. } = *resting;
        if left == 0 {
            self.table.remove(order.0, slot, &mut self.slots);
            self.slots.0.remove(slot);
        }
        Some((side, price))
    }

    /// How many bytes of memory they hold.
    pub fn bytes(&self) -> usize {
        self.table.bytes() + self.slots.0.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_known_until_nothing_is_left_of_it() {
        let mut orders = Orders::default();
        let price = Price::MAX;
        (1..=1_000).for_each(|id| orders.insert(OrderId(id), Side::Ask, price, 10));
        assert_eq!(orders.reduce(OrderId(500), 4), Some((Side::Ask, price)));
        assert_eq!(orders.reduce(OrderId(500), 6), Some((Side::Ask, price)));
        assert_eq!(orders.reduce(OrderId(500), 1), None);
        assert_eq!(orders.reduce(OrderId(1_001), 1), None);
        assert!(orders.bytes() <= 1_024 * (24 + 16 + 8));
    }
}
