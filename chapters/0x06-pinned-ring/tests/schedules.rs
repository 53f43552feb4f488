//! What runs the journal and the matching. In simulations it is a schedule that a seed determines, which has to reach
//! what threads reach; some simulations run on the system's threads as well.

use ch06::Chapter;
use contract::{by_hand, simulation};

type Engine = <Chapter as runner::Chapter>::Engine;

#[test]
fn schedules_are_reached() {
    simulation::schedules_are_reached::<Engine>();
}

#[test]
fn simulation_on_threads() {
    simulation::some_seeds_on_threads::<Engine>(1);
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
