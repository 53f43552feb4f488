//! The crew: who runs the roles of a pipeline.
//!
//! A role works in steps and never waits within one. A thread of its own makes one step after the other, and waits when
//! there was nothing to do. A simulation has a [`Schedule`] instead: it makes the same steps on the caller's thread
//! while the caller waits, in an order that follows from a seed. So a failure comes back.

use std::sync::Arc;
use std::thread::{self, JoinHandle, Thread};

use core_affinity::CoreId;
use market::{EngineError, InTurns, Options, Role, Schedule, Step};

use crate::wait::{Backoff, Wait};

/// Who runs the roles, and how to wait for them.
pub struct Crew {
    schedule: Option<Arc<dyn Schedule>>,
    /// How threads wait.
    pub wait: Wait,
}

/// A role at work, which leaves a `T`.
pub enum Worker<T> {
    /// On a thread of its own.
    Thread(JoinHandle<Result<T, EngineError>>),
    /// In turns with others, on the caller's thread.
    InTurns(InTurns<T>),
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
        Crew { schedule: options.schedule.clone(), wait }
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
        if let Some(schedule) = &self.schedule {
            return Ok(Worker::InTurns(InTurns::start(schedule, role)));
        }
        let thread = thread::Builder::new().name(R::NAME.into()).spawn(move || {
            core.map(core_affinity::set_for_current);
            run(role, backoff, &reader) // first the role goes, then the reader is woken
        });
        thread.map(Worker::Thread).map_err(|error| stopped(R::NAME, error.to_string()))
    }

    /// Who wakes this role.
    pub fn waker<T>(&self, worker: &Worker<T>) -> Waker {
        match worker {
            Worker::Thread(thread) if self.wait == Wait::Park => Waker(Some(thread.thread().clone())),
            _ => Waker::default(),
        }
    }

    /// One wait of the caller for something that a role does.
    pub fn wait(&self, backoff: &mut Backoff) {
        match &self.schedule {
            None => backoff.wait(),
            Some(schedule) => schedule.turn(),
        }
    }

    /// One wait of the caller, who has nothing to do for the moment and need not be back at once.
    pub fn pause(&self) {
        match &self.schedule {
            None => self.wait.pause(),
            Some(schedule) => schedule.turn(),
        }
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

/// Waits for a role's end. A panic becomes an error with its last words.
///
/// # Errors
/// What the role ended with.
pub fn join<T: Send + 'static>(role: &'static str, worker: Option<Worker<T>>) -> Result<Option<T>, EngineError> {
    let left = match worker {
        None => return Ok(None),
        Some(Worker::Thread(thread)) => thread.join(),
        Some(Worker::InTurns(worker)) => worker.join(),
    };
    match left {
        Ok(result) => result.map(Some),
        Err(panic) => {
            let words = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            Err(stopped(role, words.unwrap_or("it panicked").to_string()))
        }
    }
}

fn stopped(role: &'static str, reason: String) -> EngineError {
    EngineError::ThreadStopped { role, reason }
}
