//! Waiting: what a thread does while the ring has nothing for it, or no space.
//!
//! The fastest way to wait needs a core of its own. Without one, a thread that spins keeps the very
//! thread that it waits for off the core. So waiting is a policy, chosen from the number of cores, and
//! all roles of a pipeline use the same one.

use std::time::Duration;
use std::{fmt, hint, thread};

/// Rounds of `spin_loop`, some 25 ns each, before the core is offered to others: together longer than
/// a cache line takes from one core to another, shorter than a thread takes to wake up.
const SPINS: u32 = 64;
/// Rounds of `yield_now` before the thread goes to sleep.
const YIELDS: u32 = 64;
/// How long a thread naps when nothing wakes it.
const NAP: Duration = Duration::from_micros(50);
/// How long a thread that will be woken sleeps at most: if a wake-up is ever lost, the engine gets slow
/// instead of hanging.
pub const SLEEP: Duration = Duration::from_secs(1);

/// How to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// `spin_loop` forever. Sees news within a cache miss (50 to 200 ns). Burns a core.
    Spin,
    /// Spins a little, then calls `yield_now` forever: a system call, 0.5 to 2 µs when no other
    /// thread wants the core, otherwise as long as the other thread's turn. Burns whatever time of
    /// the core is left over.
    Yield,
    /// Spins and yields a little, then sleeps until the thread that has something for it wakes it. That costs the
    /// waking thread a system call, and the sleeper the time until it gets a core. Nothing wakes the engine's caller,
    /// so it naps 50 µs at a time; with the system's own slack that makes 100 to 130. Leaves the core to others.
    Park,
}

impl Wait {
    // ANCHOR: for_machine
    /// With a core to spare, each role spins. With exactly one core for each, they yield to
    /// whatever else must run. Where roles share cores, they sleep.
    pub fn for_machine(roles: usize, cores: usize) -> Wait {
        if cores > roles {
            Wait::Spin
        } else if cores == roles {
            Wait::Yield
        } else {
            Wait::Park
        }
    }
    // ANCHOR_END: for_machine

    /// One wait for a caller that is idle and need not react at once.
    pub fn pause(self) {
        match self {
            Wait::Spin => hint::spin_loop(),
            Wait::Yield => thread::yield_now(),
            Wait::Park => thread::park_timeout(NAP),
        }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Wait::Spin => "spin",
            Wait::Yield => "yield",
            Wait::Park => "park",
        })
    }
}

/// One thread's waiting: call `wait` after finding nothing, `reset` after finding something.
pub struct Backoff {
    policy: Wait,
    rounds: u32,
    yields: u32,
    sleep: Duration,
}

impl Backoff {
    /// A thread that has not waited yet.
    pub fn new(policy: Wait) -> Backoff {
        Backoff { policy, rounds: 0, yields: YIELDS, sleep: NAP }
    }

    /// For a thread that is woken when there is something for it. Often there is something before it
    /// sleeps.
    pub fn woken(policy: Wait) -> Backoff {
        Backoff { sleep: SLEEP, ..Backoff::new(policy) }
    }

    /// For a thread that is woken, and has to wait for a whole sync each time: it does not check meanwhile.
    pub fn woken_late(policy: Wait) -> Backoff {
        Backoff { yields: 0, ..Backoff::woken(policy) }
    }

    /// Waits one round, a little longer than the one before.
    #[inline]
    pub fn wait(&mut self) {
        if self.policy == Wait::Spin || self.rounds < SPINS {
            hint::spin_loop();
        } else if self.policy == Wait::Yield || self.rounds < SPINS + self.yields {
            thread::yield_now();
        } else {
            thread::park_timeout(self.sleep);
        }
        self.rounds = self.rounds.saturating_add(1);
    }

    /// Starts again with the shortest wait.
    #[inline]
    pub fn reset(&mut self) {
        self.rounds = 0;
    }
}
