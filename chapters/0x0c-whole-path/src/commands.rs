//! Durable commands, counted by what they led to.

use std::sync::atomic::{AtomicU64, Ordering};

use market::{Event, Reason};

/// Counters, which one thread raises.
#[derive(Default)]
pub struct Commands {
    /// Durable commands.
    pub commands: AtomicU64,
    /// Orders that were accepted.
    pub accepted: AtomicU64,
    /// Trades.
    pub trades: AtomicU64,
    /// Shares traded.
    pub shares: AtomicU64,
    /// Orders that were cancelled.
    pub cancelled: AtomicU64,
    /// Commands that the engine rejected, by reason.
    pub rejected: [AtomicU64; Reason::ALL.len()],
}

impl Commands {
    /// Counts a durable command, and what its events say.
    pub fn add(&self, events: &[Event]) {
        raise(&self.commands, 1);
        for event in events {
            match *event {
                Event::Accepted { .. } => raise(&self.accepted, 1),
                Event::Cancelled { .. } => raise(&self.cancelled, 1),
                Event::Traded { quantity, .. } => {
                    raise(&self.trades, 1);
                    raise(&self.shares, quantity.0.into());
                }
                Event::Rejected { reason, .. } => {
                    let place = Reason::ALL.iter().position(|one| *one == reason);
                    place.inspect(|place| raise(&self.rejected[*place], 1));
                }
                _ => {}
            }
        }
    }
}

/// Only the replies thread writes, so no two writes can collide.
fn raise(counter: &AtomicU64, by: u64) {
    counter.store(counter.load(Ordering::Relaxed) + by, Ordering::Relaxed);
}
