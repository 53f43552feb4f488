//! The book as a snapshot stores it: the orders of each side in the order of their queues.

use market::Side;
use market::snapshot::OrderRecord;

use crate::book::{Book, Order};

impl Book {
    /// The orders of a side as a snapshot stores them, best price first, then by time.
    pub fn records(&self, side: Side) -> impl Iterator<Item = OrderRecord> + '_ {
        self.walk(side).map(|slot| {
            let Order { id, holder, intent, price, quantity } = self.orders.get(slot).order();
            OrderRecord { order: id, row: holder.0, intent, price, quantity }
        })
    }

    // ANCHOR: load
    /// Adds an order as a snapshot stores it, behind those of its price. Nothing when it is there already, or would
    /// meet an order of the other side.
    pub fn load(&mut self, order: Order) -> Option<()> {
        if self.slots.find(order.id.0, &self.orders).is_some() || self.best_match(&order).is_some() {
            return None;
        }
        self.rest(order);
        Some(())
    }
    // ANCHOR_END: load
}
