//! The lesson of 0x02: the measured engine knows where the time went, and the other one has no
//! clock in it. This test fails on the engine of 0x01 and passes when the exercise is done.

use std::time::{Duration, Instant};

use ch02::Chapter;
use contract::folder::Folder;
use contract::harness::Acks;
use contract::{Faults, SimDisk};
use market::flow::{FlowName, generate};
use market::{Command, Engine, MarketId, Stage, StageTimes};

fn stages<E: Engine>() -> Option<StageTimes> {
    let folder = Folder::new(SimDisk::new(1, Faults::default()));
    let (mut engine, _) = E::open(&folder.options, &mut Acks::default().receivers()).expect("opened");
    let flow = generate(FlowName::Classic, 2_000, 1);
    flow.setup.iter().chain(&flow.body).try_for_each(|&command| engine.submit(command).map(drop)).expect("taken");
    engine.close().expect("closed").stages
}

#[test]
fn every_stage_is_measured() {
    let stages = stages::<<Chapter as runner::Chapter>::Measured>().expect("a measured engine has stages");
    for stage in Stage::ALL {
        assert!(!stages.of(stage).is_zero(), "no time was measured in {}", stage.key());
    }
}

/// Between two commands the engine does nothing, so that time belongs to no stage.
#[test]
fn time_between_commands_belongs_to_no_stage() {
    type Measured = <Chapter as runner::Chapter>::Measured;
    let folder = Folder::new(SimDisk::new(1, Faults::default()));
    let (mut engine, _) = Measured::open(&folder.options, &mut Acks::default().receivers()).expect("opened");
    let mut inside = Duration::ZERO;
    for number in 1..=5 {
        std::thread::sleep(Duration::from_millis(20));
        let began = Instant::now();
        engine.submit(Command::Open { market: MarketId(number) }).expect("taken");
        inside += began.elapsed();
    }
    let began = Instant::now();
    let stages = engine.close().expect("closed").stages.expect("a measured engine has stages");
    inside += began.elapsed();
    let all: Duration = Stage::ALL.into_iter().map(|stage| stages.of(stage)).sum();
    assert!(all <= inside, "the stages took {all:?} together, but the engine worked for {inside:?}");
}

#[test]
fn the_engine_itself_measures_nothing() {
    let stages = stages::<<Chapter as runner::Chapter>::Engine>();
    assert_eq!(stages, None, "the engine that is raced has measured its stages");
}
