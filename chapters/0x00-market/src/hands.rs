//! Hands: what makes the steps of an engine's roles. Usually each role has a thread; in a simulation one schedule makes the
//! steps of all, on the caller's thread, in an order that follows from a seed.

use std::io;
use std::sync::Arc;
use std::thread::{JoinHandle, Thread};

use crate::role::{InTurns, Role};
use crate::{EngineError, Options, Schedule};

/// Puts roles to work, as the options say.
pub struct Hands(Option<Arc<dyn Schedule>>);

/// A running role, which leaves a `T`.
pub struct Worker<T>(At<T>);

enum At<T> {
    Thread(JoinHandle<Result<T, EngineError>>),
    InTurns(InTurns<T>),
}

impl Hands {
    /// Threads, or the schedule that the options have.
    pub fn of(options: &Options) -> Hands {
        Hands(options.schedule.clone())
    }

    /// Puts a role to work. `thread` starts its thread, if it gets one.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start<R: Role>(
        &self,
        role: R,
        thread: impl FnOnce(R) -> io::Result<JoinHandle<Result<R::Left, EngineError>>>,
    ) -> Result<Worker<R::Left>, EngineError> {
        if let Some(schedule) = &self.0 {
            return Ok(Worker(At::InTurns(InTurns::start(schedule, role))));
        }
        let started = thread(role).map_err(|error| stopped(R::NAME, error.to_string()));
        started.map(|thread| Worker(At::Thread(thread)))
    }

    /// One wait of the caller: by `wait`, or while the schedule lets roles get on.
    pub fn wait(&self, wait: impl FnOnce()) {
        match &self.0 {
            None => wait(),
            Some(schedule) => schedule.turn(),
        }
    }
}

impl<T: Send + 'static> Worker<T> {
    /// The role's thread, if it has one.
    pub fn thread(&self) -> Option<&Thread> {
        match &self.0 {
            At::Thread(thread) => Some(thread.thread()),
            At::InTurns(_) => None,
        }
    }
}

/// Waits for a role's end, if it is at work. A panic becomes an error with its message.
///
/// # Errors
/// What the role ended with.
pub fn join<T: Send + 'static>(role: &'static str, worker: Option<Worker<T>>) -> Result<Option<T>, EngineError> {
    let left = match worker {
        None => return Ok(None),
        Some(Worker(At::Thread(thread))) => thread.join(),
        Some(Worker(At::InTurns(worker))) => worker.join(),
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
