//! A schedule that a seed determines: the roles of an engine make their steps on the caller's thread, in any order, a
//! step or a whole run at a time.
//!
//! The steps are those that the engine's threads would make. Two steps at the same moment are left out: the model of
//! the ring and the tests with threads cover those.

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
    /// How many roles were taken on.
    count: u64,
    trace: Trace,
}

struct Worker {
    role: &'static str,
    /// A number that tells the roles of several shards apart.
    number: u64,
    step: Box<dyn FnMut() -> Step + Send>,
}

impl Turns {
    /// The schedule of this seed. The roles' steps are noted in `trace`.
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
        // A run ends when the role has nothing left to do.
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
