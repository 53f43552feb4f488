//! Waiting: what a thread does while the ring has nothing for it, or no room.
//!
//! The quickest way to wait wants a core to itself. Where there is none, a thread that spins keeps off
//! the core the very thread that it waits for. So waiting is a policy, chosen from the number of
//! cores, and all roles of a pipeline follow the same one.

use std::time::Duration;
use std::{fmt, hint, thread};

/// Rounds of `spin_loop`, some 25 ns each, before the core is offered to others: together longer than
/// a cache line takes from one core to another, shorter than a thread takes to come back.
const SPINS: u32 = 64;
/// Rounds of `yield_now` before the thread goes to sleep.
const YIELDS: u32 = 64;
/// How long one naps whom nobody wakes.
const NAP: Duration = Duration::from_micros(50);
/// How long one sleeps at most who is woken: were a wake ever missing, an engine would be slow and not silent.
pub const SLEEP: Duration = Duration::from_secs(1);

/// How to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// `spin_loop` for ever. Sees news within a cache miss (50 to 200 ns). Burns a core.
    Spin,
    /// Spins a little, then `yield_now` for ever: a system call, 0.5 to 2 µs when nobody takes the
    /// core, otherwise as long as that one's turn. Burns what nobody else wants of the core.
    Yield,
    /// Spins and yields a little, then sleeps until it is woken by whoever has something for it: a call of the system
    /// for that one, and for the sleeper the time until it has a core. The engine's caller is woken by nobody and naps
    /// 50 µs at a time; with the system's own slack that makes 100 to 130. Leaves the core to others.
    Park,
}

impl Wait {
    // ANCHOR: for_machine
    /// With a core to spare, each role spins on its own. With one core for each, they give way to
    /// whatever else must run. Where roles share cores, they get out of each other's way.
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

    /// One wait of somebody who has nothing to do for the moment and need not be back at once.
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

/// One thread's waiting: `wait` after a look in vain, `reset` after one that found something.
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

    /// A thread that is woken when there is something for it. Often there is something before it sleeps.
    pub fn woken(policy: Wait) -> Backoff {
        Backoff { sleep: SLEEP, ..Backoff::new(policy) }
    }

    /// A thread that is woken, and that has to wait for a whole sync each time: it does not look meanwhile.
    pub fn woken_late(policy: Wait) -> Backoff {
        Backoff { yields: 0, ..Backoff::woken(policy) }
    }

    /// Waits one round, a little longer than the last.
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

    /// Begins again with the shortest wait.
    #[inline]
    pub fn reset(&mut self) {
        self.rounds = 0;
    }
}
