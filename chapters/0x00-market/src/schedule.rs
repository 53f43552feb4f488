//! Who runs the roles of an engine that has several: the system's threads, or a schedule, in turn on the caller's thread.
//!
//! A role works in steps, and between two of them anybody else may get on. On threads the system decides who. A
//! simulation decides it by a seed, so that what went wrong once goes wrong again.

/// What a step of a role came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// It did something.
    Worked,
    /// There was nothing to do for it, or no room for what it did.
    Idle,
    /// The role is over.
    Ended,
}

/// Runs roles one step at a time.
pub trait Schedule: Send + Sync {
    /// Takes on a role: `step` is called whenever it is this role's turn, until it says [`Step::Ended`].
    fn add(&self, role: &'static str, step: Box<dyn FnMut() -> Step + Send>);

    /// The caller has to wait, or need not be back at once: now roles may get on, which of them and how far is open.
    /// Who goes on calling this sees each of them make steps.
    fn turn(&self);
}
