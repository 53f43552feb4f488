//! The door's contract, and the projection's.
//!
//! Connections, the engine and the replies thread take turns on one thread, in an order drawn from a seed. The engine
//! acknowledges before `submit` returns or any time later, clients disconnect before they are answered, and the engine
//! is killed and recovers what was durable. Each request gets exactly one answer, as the door's rules demand; an
//! answer's events are the model's for that command; and the projection always equals the model's state at the sequence
//! that it names.
//!
//! Then the same with every real engine, on threads.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "seam/answers.rs"]
mod answers;
#[path = "seam/engines.rs"]
mod engines;
#[path = "seam/happened.rs"]
mod happened;
#[path = "seam/life.rs"]
mod life;
#[path = "seam/mirror.rs"]
mod mirror;
#[path = "seam/world.rs"]
mod world;

use happened::Happened;
use program::rounds::Rounds;
use world::World;

fn run(seed: u64) -> Result<Happened, String> {
    let mut world = World::new(seed);
    for _ in 0..300 {
        world.turn()?;
    }
    world.end()
}

#[test]
fn each_request_has_one_answer_and_the_projection_is_the_models_state() {
    let runs = Rounds::asked().pick(150, 2_000);
    let mut all = Happened::default();
    for seed in 0..runs {
        match run(seed) {
            Ok(happened) => all.add(&happened),
            Err(complaint) => panic!("seed {seed}: {complaint}"),
        }
    }
    println!("{runs} runs: {all:?}");
    // A situation that never occurred was not tested.
    assert!(all.answered > 50 * runs && all.lists > runs && all.deaf > runs && all.restarts > runs / 4, "{all:?}");
    assert!(all.busy > runs && all.forbidden > runs && all.stopped > runs / 4 && all.draining >= runs, "{all:?}");
    assert!(all.tickets_first > runs && all.answers_first > runs && all.long > runs / 50, "{all:?}");
    assert!(all.traded > runs && all.resolved > runs / 10, "{all:?}");
}
