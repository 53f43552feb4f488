//! Waiting: what a thread does while the ring has nothing for it, or no room.
//!
//! The quickest way to wait wants a core to itself. Where there is none, a thread that spins keeps off
//! the core the very thread that it waits for. So waiting is a policy, chosen from the number of
//! cores, and all roles of a pipeline follow the same one.

use std::time::Duration;
use std::{fmt, hint, thread};

/// Looks in this many rounds before the core is offered to others: 1 to 3 µs, longer than a cache
/// line takes from one core to another, shorter than a thread takes to come back.
const SPINS: u32 = 64;
/// So many offers before the thread goes to sleep.
const YIELDS: u32 = 64;
const SLEEP: Duration = Duration::from_micros(50);

/// How to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// `spin_loop` for ever. Notices within a cache miss (50 to 200 ns); burns a core each.
    Spin,
    /// Spins a little, then `yield_now`. Each offer is a system call (about 0.3 µs when nobody
    /// takes it); when somebody does, the thread is back after that one's turn. Still burns the core.
    Yield,
    /// Spins and yields a little, then sleeps 50 µs at a time, about 110 µs as measured: that late can
    /// news arrive. Costs next to nothing while idle. Nobody has to wake the sleeper, so the fast
    /// side never pays for a look whether somebody sleeps.
    Park,
}

impl Wait {
    /// Spinning only where every role has a core; where they share, they give way; on a single core
    /// they sleep.
    pub fn for_machine(roles: usize, cores: usize) -> Wait {
        if roles <= cores {
            Wait::Spin
        } else if cores > 1 {
            Wait::Yield
        } else {
            Wait::Park
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

/// One thread's waiting: `wait` after a look in vain, `reset` after one that found something.
#[derive(Debug)]
pub struct Backoff {
    policy: Wait,
    rounds: u32,
}

impl Backoff {
    /// A thread that has not waited yet.
    pub fn new(policy: Wait) -> Backoff {
        Backoff { policy, rounds: 0 }
    }

    /// Waits one round, a little longer than the last.
    #[inline]
    pub fn wait(&mut self) {
        if self.policy == Wait::Spin || self.rounds < SPINS {
            hint::spin_loop();
        } else if self.policy == Wait::Yield || self.rounds < SPINS + YIELDS {
            thread::yield_now();
        } else {
            thread::park_timeout(SLEEP);
        }
        self.rounds = self.rounds.saturating_add(1);
    }

    /// Begins again with the shortest wait.
    #[inline]
    pub fn reset(&mut self) {
        self.rounds = 0;
    }
}
