//! Readers in a storm: messages late, lost, duplicated, reordered, damaged; a feed that falls behind and restarts.

#[path = "view/broken.rs"]
mod broken;
#[path = "view/chain.rs"]
mod chain;
#[path = "view/contract.rs"]
mod contract;

use broken::{Broken, MISTAKES};
use contract::{live, view};

/// How many runs there are.
const RUNS: u64 = 2_500;

#[test]
fn a_view_is_never_wrong_and_never_falsely_fresh() {
    for seed in 0..RUNS {
        if let Err(wrong) = live(seed, view()) {
            panic!("{wrong}");
        }
    }
}

#[test]
fn every_mistake_is_found() {
    for mistake in MISTAKES {
        let found = (0..RUNS).find_map(|seed| live(seed, Broken::new(mistake)).err());
        assert!(found.is_some(), "{mistake:?} survived {RUNS} runs");
        println!("{mistake:?}: {}", found.unwrap_or_default());
    }
}
