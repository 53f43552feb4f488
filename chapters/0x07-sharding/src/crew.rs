//! The crew: threads that make the steps of a pipeline's roles.
//!
//! A role works in steps and never waits within one. Its thread makes one step after the other, and waits when there was
//! nothing to do. [`Hands`] may make the steps in a simulation instead.

use std::thread::{self, Thread};

use core_affinity::CoreId;
use market::hands::{Hands, Worker};
use market::{EngineError, Options, Role, Step};

use crate::wait::{Backoff, Wait};

/// Who runs the roles, and how to wait for them.
pub struct Crew {
    hands: Hands,
    /// How threads wait.
    pub wait: Wait,
}

// ANCHOR: waker
/// Wakes the thread that reads what one writes, where threads sleep. Where nobody sleeps it does nothing.
#[derive(Default)]
pub struct Waker(Option<Thread>);

impl Waker {
    /// Says that there is something to read. Costs a call of the system if the thread sleeps, and an
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
        // That nobody writes any more is news too. Who panicked has no other way to say it.
        self.wake();
    }
}
// ANCHOR_END: waker

impl Crew {
    /// The crew that the options ask for.
    pub fn new(options: &Options, wait: Wait) -> Crew {
        Crew { hands: Hands::of(options), wait }
    }

    /// Puts a role to work. Its thread goes to this core, if there is one, waits in this way, and wakes `reader` when it
    /// has done something.
    ///
    /// # Errors
    /// When the system gives no thread.
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
                run(role, backoff, &reader) // first the role goes, then the reader is woken
            })
        })
    }

    /// Wakes this role's thread, where threads sleep.
    pub fn waker<T: Send + 'static>(&self, worker: &Worker<T>) -> Waker {
        Waker(worker.thread().filter(|_| self.wait == Wait::Park).cloned())
    }

    /// One wait of the caller for something that a role does.
    pub fn wait(&self, backoff: &mut Backoff) {
        self.hands.wait(|| backoff.wait());
    }

    /// One wait of the caller, who has nothing to do for the moment and need not be back at once.
    pub fn pause(&self) {
        self.hands.wait(|| self.wait.pause());
    }
}

// ANCHOR: run
/// What a thread does.
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
