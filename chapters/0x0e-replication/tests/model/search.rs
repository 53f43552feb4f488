//! The search through every state that can be reached, the nearest first, and the mistakes that it has to find.

use std::collections::{HashMap, VecDeque};

use super::parts::{Bounds, Mistake, Step};
use super::protocol::World;

/// What a search found.
pub struct Found {
    pub states: usize,
    /// The steps to a broken promise, and which it is.
    pub broken: Option<(Vec<Step>, String)>,
}

/// A promise: words where a state breaks it.
pub type Promise = fn(&World) -> Option<String>;

/// What is searched for a planted mistake.
pub const BOUNDS: Bounds = Bounds { commands: 2, epochs: 2, crashes: 0, trims: 1 };

/// Each planted mistake, the file with the shortest way to a broken promise, and what counts as one. What is acknowledged
/// from a disk breaks a promise before anything is lost; there the search goes on until it is.
pub const MISTAKES: [(Mistake, &str, Promise); 7] = [
    (Mistake::ReadBeforeFence, "read-before-fence", World::broken),
    (Mistake::AcknowledgeFromDisk, "acknowledge-from-disk", World::lost),
    (Mistake::AcknowledgeBeforeFence, "acknowledge-before-fence", World::broken),
    (Mistake::NoPlace, "no-place", World::broken),
    (Mistake::SeveralUnderWay, "several-under-way", World::broken),
    (Mistake::ReadsOnAfterGap, "reads-on-after-gap", World::lost),
    (Mistake::TakesGoneForOwn, "takes-gone-for-own", World::lost),
];

/// Looks at every state that can be reached, until one breaks a promise.
pub fn search(bounds: Bounds, mistake: Mistake, promise: Promise) -> Found {
    let first = World::new();
    let mut known: HashMap<World, usize> = HashMap::from([(first.clone(), 0)]);
    // For each state but the first: the state that it was reached from, and by which step.
    let mut steps: Vec<Option<(usize, Step)>> = vec![None];
    let mut waiting = VecDeque::from([(0, first)]);
    while let Some((number, world)) = waiting.pop_front() {
        if let Some(words) = promise(&world) {
            return Found { states: known.len(), broken: Some((way(&steps, number), words)) };
        }
        for (step, next) in world.next(bounds, mistake) {
            if !known.contains_key(&next) {
                known.insert(next.clone(), steps.len());
                waiting.push_back((steps.len(), next));
                steps.push(Some((number, step)));
            }
        }
    }
    Found { states: known.len(), broken: None }
}

/// The steps that lead to a state.
fn way(steps: &[Option<(usize, Step)>], mut number: usize) -> Vec<Step> {
    let mut way = Vec::new();
    while let Some((before, step)) = steps[number] {
        way.push(step);
        number = before;
    }
    way.reverse();
    way
}
