//! What runs the journal and the matching. In simulations it is a schedule that a seed determines, which has to reach
//! what threads reach; some simulations run on the system's threads as well.
#![allow(clippy::unwrap_used)]

use std::thread;
use std::time::Duration;

use ch08::Chapter;
use contract::folder::Folder;
use contract::harness::Acks;
use contract::{Faults, SimDisk, by_hand, simulation};
use market::{Command, Engine as _, MarketId};

type Engine = <Chapter as runner::Chapter>::Engine;

#[test]
fn schedules_are_reached() {
    simulation::schedules_are_reached::<Engine>();
}

#[test]
fn simulation_on_threads() {
    simulation::some_seeds_on_threads::<Engine>(4);
}

#[test]
fn matching_stays_behind() {
    by_hand::matching_stays_behind_and_reports_idle::<Engine>();
}

#[test]
fn frames_take_all() {
    by_hand::a_frame_takes_all_that_there_is::<Engine>();
}

#[test]
fn matching_ends_last() {
    by_hand::all_that_is_durable_is_acknowledged::<Engine>();
}

/// A matching thread that waits for commands is not busy.
#[test]
fn a_waiting_thread_is_not_busy() {
    let folder = Folder::new(SimDisk::new(0, Faults::default()));
    let (mut engine, _) = Engine::open(&folder.options, &mut Acks::default().receivers()).unwrap();
    for market in 1..=3 {
        engine.submit(Command::Open { market: MarketId(market) }).and_then(|_| engine.flush()).unwrap();
        thread::sleep(Duration::from_millis(100));
    }
    let remarks = engine.close().unwrap().remarks.join("; ");
    let busy = remarks.split("matching was busy ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!(busy.parse::<u32>().unwrap() < 50 && remarks.contains("3 frames of 1 commands"), "{remarks}");
}
