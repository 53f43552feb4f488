//! What runs the roles of an engine that has several: the system's threads, or a schedule, in turn on the caller's
//! thread.
//!
//! A role works in steps, and between two of them any other role may run. On threads the system decides which one. A
//! simulation decides it by a seed, so that a failure can be repeated.

/// The result of a role's step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// It did something.
    Worked,
    /// There was nothing to do, or no space for its output.
    Idle,
    /// The role has ended.
    Ended,
}

/// Runs roles one step at a time.
pub trait Schedule: Send + Sync {
    /// Takes on a role: `step` is called whenever it is this role's turn, until it returns
    /// [`Step::Ended`].
    fn add(&self, role: &'static str, step: Box<dyn FnMut() -> Step + Send>);

    /// Called when the caller has to wait, or is in no hurry: roles may run now; which ones and how far is up to the
    /// schedule. A caller that keeps calling this sees each of them make steps.
    fn turn(&self);
}
