//! The protocol, in every order in which its steps can happen: two machines, one stream, messages that come late or never, and
//! machines that stop and die. What is promised holds in all of them. With a mistake planted, the search finds the shortest way
//! to a broken promise.
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]

mod parts;
mod protocol;

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::path::Path;

use parts::{Bounds, Mistake};
use program::rounds::Rounds;
use protocol::World;

/// What a search found.
struct Found {
    states: usize,
    /// The steps to a broken promise, and which it is.
    broken: Option<(Vec<String>, String)>,
}

/// Looks at every state that can be reached.
fn search(bounds: Bounds, mistake: Mistake) -> Found {
    let first = World::new();
    let mut known: HashMap<World, usize> = HashMap::from([(first.clone(), 0)]);
    let mut steps: Vec<(usize, String)> = vec![(0, String::new())];
    let mut waiting = VecDeque::from([(0, first)]);
    while let Some((number, world)) = waiting.pop_front() {
        if let Some(words) = world.broken() {
            return Found { states: known.len(), broken: Some((way(&steps, number), words)) };
        }
        for (words, next) in world.next(bounds, mistake) {
            if !known.contains_key(&next) {
                known.insert(next.clone(), steps.len());
                waiting.push_back((steps.len(), next));
                steps.push((number, words));
            }
        }
    }
    Found { states: known.len(), broken: None }
}

/// The steps that lead to a state.
fn way(steps: &[(usize, String)], mut number: usize) -> Vec<String> {
    let mut way = Vec::new();
    while number > 0 {
        way.push(steps[number].1.clone());
        number = steps[number].0;
    }
    way.reverse();
    way
}

#[test]
fn every_promise_holds_in_every_order() {
    let bounds = Rounds::asked()
        .pick(Bounds { commands: 2, epochs: 2, crashes: 1 }, Bounds { commands: 2, epochs: 3, crashes: 1 });
    let found = search(bounds, Mistake::None);
    println!("{} states", found.states);
    assert_eq!(found.broken, None);
    assert!(found.states > 1_000, "only {} states: the model does nothing", found.states);
}

/// Each planted mistake, and the file with the shortest way to a broken promise.
const MISTAKES: [(Mistake, &str); 5] = [
    (Mistake::ReadBeforeFence, "read-before-fence"),
    (Mistake::AcknowledgeFromDisk, "acknowledge-from-disk"),
    (Mistake::AcknowledgeBeforeFence, "acknowledge-before-fence"),
    (Mistake::NoPlace, "no-place"),
    (Mistake::SeveralUnderWay, "several-under-way"),
];

/// `REWRITE=1 cargo test -p ch0e --test model` writes the files anew.
#[test]
fn each_planted_mistake_is_found() {
    let bounds = Bounds { commands: 2, epochs: 2, crashes: 0 };
    for (mistake, name) in MISTAKES {
        let (way, words) = search(bounds, mistake).broken.unwrap_or_else(|| panic!("{mistake:?} was not found"));
        let found = format!("{}\n=> {words}\n", way.join("\n"));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/model/{name}.txt"));
        if std::env::var_os("REWRITE").is_some() {
            fs::write(&path, &found).expect("the file is written");
        }
        assert_eq!(fs::read_to_string(&path).unwrap_or_default(), found, "{}", path.display());
    }
}
