//! The matching thread is pinned to a core that other threads keep busy, however many cores are idle.

use std::thread;

use core_affinity::CoreId;
use gateway::front::Front;
use gateway::layer::Layer;
use market::state::ExchangeState;
use market::{Acknowledge, Event, Sequence, Stamp};

/// How many threads keep the core busy. Beside a single one, the system gives a thread that wakes the core at once.
const BUSY: usize = 64;

/// The core.
pub struct Pinned;

impl Layer for Pinned {
    fn receiver(&self, _: u16) -> Option<Box<dyn Acknowledge>> {
        let core = core_affinity::get_core_ids()?.into_iter().next()?;
        let spin = move || {
            core_affinity::set_for_current(core);
            // Until the program ends.
            loop {
                std::hint::spin_loop();
            }
        };
        (0..BUSY).for_each(|_| drop(thread::spawn(spin)));
        Some(Box::new(Pinning(Some(core))))
    }
}

impl Front for Pinned {}

/// Pins the matching thread when it is there for the first time.
struct Pinning(Option<CoreId>);

impl Acknowledge for Pinning {
    fn acknowledge(&mut self, _: Stamp, _: &[Event]) {
        self.0.take().map(core_affinity::set_for_current);
    }

    fn recovered(&mut self, _: Sequence, _: &dyn Fn() -> ExchangeState) {}
}
