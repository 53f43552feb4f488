//! A schedule that follows from a seed: the roles of an engine make their steps on the caller's thread, now this one and
//! now that one, a step or a whole run of them at a time.
//!
//! The steps are those that the engine's threads would make. What is left out is two of them at the same moment: that is
//! for the model of the ring and for the tests with threads.

use std::sync::{Arc, Mutex, MutexGuard};

use crate::streams::Random;
use crate::trace::Trace;
use market::{Schedule, Step};

/// The schedule. Clones are the same one.
#[derive(Clone)]
pub struct Turns(Arc<Mutex<Inside>>);

struct Inside {
    random: Random,
    roles: Vec<Worker>,
    /// How many were taken on.
    count: u64,
    trace: Trace,
}

struct Worker {
    role: &'static str,
    /// Which it is, so that those of several shards are told apart.
    number: u64,
    step: Box<dyn FnMut() -> Step + Send>,
}

impl Turns {
    /// The schedule of this seed. What the roles do is told to `trace`.
    pub fn new(seed: u64, trace: Trace) -> Turns {
        Turns(Arc::new(Mutex::new(Inside { random: Random::new(seed), roles: Vec::new(), count: 0, trace })))
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Schedule for Turns {
    fn add(&self, role: &'static str, step: Box<dyn FnMut() -> Step + Send>) {
        let mut inside = self.inside();
        inside.count += 1;
        let number = inside.count;
        inside.roles.push(Worker { role, number, step });
    }

    fn turn(&self) {
        let Inside { random, roles, trace, .. } = &mut *self.inside();
        if roles.is_empty() {
            return;
        }
        let at = random.below(roles.len() as u64) as usize;
        // A run ends where the role has nothing more to do.
        for _ in 0..random.pick(&[1, 1, 2, 10]) {
            let worker = &mut roles[at];
            let step = (worker.step)();
            trace.note(|| format!("{} {}: {step:?}", worker.role, worker.number));
            if step == Step::Ended {
                drop(roles.remove(at));
            }
            if step != Step::Worked {
                return;
            }
        }
    }
}
