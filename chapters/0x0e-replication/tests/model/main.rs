//! The protocol, in every order in which its steps can happen: two machines, one stream, messages that come late or never, and
//! machines that stop and die. What is promised holds in all of them. With a mistake planted, the search finds the shortest way
//! to a broken promise.
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]

mod parts;
mod protocol;
mod search;

use std::fs;
use std::path::Path;

use parts::{Bounds, Mistake};
use program::rounds::Rounds;
use protocol::World;
use search::{BOUNDS, MISTAKES, search};

#[test]
fn every_promise_holds_in_every_order() {
    let bounds = Rounds::asked().pick(
        Bounds { commands: 2, epochs: 2, crashes: 1, trims: 1 },
        Bounds { commands: 2, epochs: 3, crashes: 1, trims: 2 },
    );
    let found = search(bounds, Mistake::None, World::broken);
    println!("{} states", found.states);
    assert_eq!(found.broken, None);
    assert!(found.states > 1_000, "only {} states: the model does nothing", found.states);
}

/// `REWRITE=1 cargo test -p ch0e --test model` writes the files anew. The book plays three of them: after a change,
/// `cargo run -p book --example record`.
#[test]
fn each_planted_mistake_is_found() {
    for (mistake, name, promise) in MISTAKES {
        let broken = search(BOUNDS, mistake, promise).broken;
        let (way, words) = broken.unwrap_or_else(|| panic!("{mistake:?} was not found"));
        let steps: String = way.iter().map(|step| format!("{step}\n")).collect();
        let found = format!("{steps}=> {words}\n");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/model/{name}.txt"));
        if std::env::var_os("REWRITE").is_some() {
            fs::write(&path, &found).expect("the file is written");
        }
        assert_eq!(fs::read_to_string(&path).unwrap_or_default(), found, "{}", path.display());
    }
}
