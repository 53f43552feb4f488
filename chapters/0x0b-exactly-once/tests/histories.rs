//! The contract of numbers, over random histories: requests are lost, delayed, repeated and overtaken on several connections
//! and lanes, answers are lost, the venue crashes between any two steps, snapshots are written anywhere, and logs are
//! resharded. Each intent is carried out once or not at all, each repeat gets the first answer, and what the door says of a
//! number is what the logs say of it.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]

#[path = "histories/engine.rs"]
mod engine;
#[path = "histories/happened.rs"]
mod happened;
#[path = "histories/wishes.rs"]
mod wishes;
#[path = "histories/world.rs"]
mod world;

use contract::streams::Random;
use program::rounds::Rounds;

use happened::Happened;
use world::World;

/// What is wrong with the table, its companion or its snapshots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// A companion is shown commands that are not durable yet.
    SeenBeforeItIsDurable,
    /// The window has 255 numbers.
    WindowTooSmall,
    /// A snapshot holds one lane less.
    LaneForgotten,
    /// A rejected command does not use its number.
    RejectedNotMarked,
    /// Resharding keeps the windows of one shard alone.
    NotUnited,
}

fn history(seed: u64, flaw: Option<Flaw>) -> Result<Happened, String> {
    let mut world = World::new(Random::new(seed), flaw);
    for _ in 0..400 {
        world.step()?;
    }
    world.end()
}

#[test]
fn each_intent_is_carried_out_once_or_not_at_all() {
    let mut all = Happened::default();
    for seed in 0..Rounds::asked().pick(2_000, 5_000) {
        let happened = history(seed, None).unwrap_or_else(|complaint| panic!("seed {seed}: {complaint}"));
        all.add(&happened);
    }
    println!("{all:?}");
    all.is_enough();
}

#[test]
fn broken_tables_are_caught() {
    for flaw in [
        Flaw::SeenBeforeItIsDurable,
        Flaw::WindowTooSmall,
        Flaw::LaneForgotten,
        Flaw::RejectedNotMarked,
        Flaw::NotUnited,
    ] {
        let caught = (0..600).find_map(|seed| history(seed, Some(flaw)).err().map(|complaint| (seed, complaint)));
        let (seed, complaint) = caught.unwrap_or_else(|| panic!("{flaw:?} was not noticed"));
        println!("{flaw:?}: seed {seed}: {complaint}");
    }
}
