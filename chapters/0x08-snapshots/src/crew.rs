//! The crew: threads that make the steps of a pipeline's roles.
//!
//! A role works in steps and never waits within one. Its thread makes one step after the other, and waits when there was
//! nothing to do. [`Hands`] may make the steps in a simulation instead.

use std::thread::{self, Thread};

use core_affinity::CoreId;
use market::hands::{Hands, Worker};
use market::{EngineError, Options, Role, Step};

use crate::wait::{Backoff, Wait};

/// Runs the roles, and decides how to wait for them.
pub struct Crew {
    hands: Hands,
    /// How threads wait.
    pub wait: Wait,
}

// ANCHOR: waker
/// Wakes the thread that reads what another thread writes, if that reader sleeps when it waits. Otherwise
/// it does nothing.
#[derive(Default)]
pub struct Waker(Option<Thread>);

impl Waker {
    /// Signals that there is something to read. Costs a system call if the thread sleeps, and an
    /// atomic swap if it does not.
    #[inline]
    pub fn wake(&self) {
        if let Some(thread) = &self.0 {
            thread.unpark();
        }
    }
}

impl Drop for Waker {
    fn drop(&mut self) {
        // The reader must also learn that the writer is gone; a panicking thread has no other way
        // to tell it.
        self.wake();
    }
}
// ANCHOR_END: waker

impl Crew {
    /// The crew that the options ask for.
    pub fn new(options: &Options, wait: Wait) -> Crew {
        Crew { hands: Hands::of(options), wait }
    }

    /// Starts a role. Its thread runs on this core, if one is given, waits in this way, and wakes `reader` when it
    /// has done something.
    ///
    /// # Errors
    /// When the system can't start a thread.
    pub fn start<R: Role>(
        &self,
        role: R,
        core: Option<CoreId>,
        backoff: Backoff,
        reader: Waker,
    ) -> Result<Worker<R::Left>, EngineError> {
        self.hands.start(role, move |role| {
            thread::Builder::new().name(R::NAME.into()).spawn(move || {
                core.map(core_affinity::set_for_current);
                run(role, backoff, &reader) // first the role is dropped, then the reader is woken
            })
        })
    }

    /// Wakes this role's thread, where threads sleep.
    pub fn waker<T: Send + 'static>(&self, worker: &Worker<T>) -> Waker {
        Waker(worker.thread().filter(|_| self.wait == Wait::Park).cloned())
    }

    /// One wait of the caller for a role's progress.
    pub fn wait(&self, backoff: &mut Backoff) {
        self.hands.wait(|| backoff.wait());
    }

    /// One wait for a caller that is idle and need not react at once.
    pub fn pause(&self) {
        self.hands.wait(|| self.wait.pause());
    }
}

// ANCHOR: run
/// The loop of a thread.
fn run<R: Role>(mut role: R, mut backoff: Backoff, reader: &Waker) -> Result<R::Left, EngineError> {
    loop {
        match role.step()? {
            Step::Worked => {
                reader.wake();
                backoff.reset();
            }
            Step::Idle => backoff.wait(),
            Step::Ended => return role.end(),
        }
    }
}
// ANCHOR_END: run
