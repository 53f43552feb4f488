//! The contract of the seam between an engine and its watchers.
//!
//! Engine, feed, readers and the connections between them take turns on one thread, in an order drawn from a seed: they
//! are slow, die, come late and recover. After every message that arrives, a reader's book equals the reference model's
//! after the command that it names. A reader that is behind never claims to be fresh, and every trade is seen once or
//! lies in an announced gap.

#[path = "seam/client.rs"]
mod client;
#[path = "seam/fault.rs"]
mod fault;
#[path = "seam/truth.rs"]
mod truth;
#[path = "seam/world.rs"]
mod world;

use fault::Fault;
use world::{Happened, World};

const RUNS: u64 = 2_000;

fn run(seed: u64, fault: Fault) -> Result<Happened, String> {
    let mut world = World::new(seed, fault);
    for _ in 0..400 {
        world.turn()?;
    }
    world.come_to_rest()
}

#[test]
fn every_reader_has_the_models_book_or_reports_it_stale() {
    let mut all = Happened::default();
    for seed in 0..RUNS {
        match run(seed, Fault::None) {
            Ok(happened) => all.add(&happened),
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    println!("{all:?}");
    // A situation that never occurred was not tested.
    assert!(all.laps > RUNS / 2 && all.feed_restarts > RUNS / 2 && all.engine_restarts > RUNS / 2, "{all:?}");
    assert!(all.lost > RUNS && all.doubled > RUNS && all.gaps > RUNS && all.stale > RUNS, "{all:?}");
    assert!(all.resolved > RUNS / 4 && all.trades_seen > 10 * RUNS && all.quiet_runs > RUNS / 50, "{all:?}");
}

#[test]
fn broken_feeds_are_caught() {
    for fault in Fault::ALL {
        let caught = (0..RUNS).find_map(|seed| run(seed, fault).err().map(|error| (seed, error)));
        println!("{fault:?}: {caught:?}");
        assert!(caught.is_some(), "{fault:?} was not detected");
    }
}
