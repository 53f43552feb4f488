//! Roles: the work of an engine's threads, in steps, so that a schedule can run it too.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread;

use crate::{EngineError, Schedule, Step};

/// The work of one thread of an engine, in steps.
pub trait Role: Send + 'static {
    /// Its name, for the thread and for messages.
    const NAME: &'static str;
    /// What it leaves behind when it ends.
    type Left: Send + 'static;

    /// Does the work that is available now, without blocking.
    ///
    /// # Errors
    /// When the role can't continue.
    fn step(&mut self) -> Result<Step, EngineError>;

    /// Ends the role, after [`Step::Ended`].
    ///
    /// # Errors
    /// When what it worked on can't be ended cleanly.
    fn end(self) -> Result<Self::Left, EngineError>;
}

/// A role that a schedule runs, and that leaves a `T`.
pub struct InTurns<T> {
    schedule: Arc<dyn Schedule>,
    left: Receiver<thread::Result<Result<T, EngineError>>>,
}

impl<T: Send + 'static> InTurns<T> {
    /// Gives a role to a schedule. As on a thread, it is dropped after an error or a panic.
    pub fn start<R: Role<Left = T>>(schedule: &Arc<dyn Schedule>, role: R) -> InTurns<T> {
        let (leave, left) = sync_channel(1);
        let mut at_work = Some(Box::new(role));
        let step = move || {
            let Some(mut role) = at_work.take() else { return Step::Ended };
            let step = catch_unwind(AssertUnwindSafe(|| match role.step() {
                Ok(Step::Ended) => Err(role.end()),
                Ok(step) => Ok((role, step)),
                Err(error) => Err(Err(error)),
            }));
            let result = match step {
                Ok(Ok((role, step))) => {
                    at_work = Some(role);
                    return step;
                }
                Ok(Err(result)) => Ok(result),
                Err(panic) => Err(panic),
            };
            // The caller that would have received it may be gone.
            let _ = leave.send(result);
            Step::Ended
        };
        schedule.add(R::NAME, Box::new(step));
        InTurns { schedule: Arc::clone(schedule), left }
    }

    /// Runs the schedule until the role has ended, and returns what a thread's `join` would.
    ///
    /// # Errors
    /// The role's panic.
    pub fn join(self) -> thread::Result<Result<T, EngineError>> {
        loop {
            match self.left.try_recv() {
                Ok(left) => return left,
                Err(TryRecvError::Empty) => self.schedule.turn(),
                Err(TryRecvError::Disconnected) => return Err(Box::new("its schedule has dropped it")),
            }
        }
    }
}
