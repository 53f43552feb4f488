//! The contract for this chapter's program. The tests are in `contract`.

use ch01::Chapter;
use contract::{program, traced, words};

const PROGRAM: &str = env!("CARGO_BIN_EXE_ch01");

#[test]
fn killed_under_load() {
    program::killed_under_load::<Chapter>(PROGRAM);
}

#[test]
fn a_second_program_is_refused() {
    program::a_second_program_is_refused::<Chapter>(PROGRAM);
}

#[test]
fn folders_are_on_disk() {
    program::folders_are_on_disk::<Chapter>(PROGRAM);
}

#[test]
fn a_sync_fails() {
    program::a_sync_fails::<Chapter>(PROGRAM);
}

#[test]
fn the_disk_is_full() {
    program::the_disk_is_full::<Chapter>(PROGRAM);
}

#[test]
fn crash_states() {
    traced::crash_states::<Chapter>(PROGRAM);
}

#[test]
fn planted_mistakes() {
    traced::planted_mistakes::<Chapter>(PROGRAM);
}

#[test]
fn output_is_closed() {
    program::output_is_closed(PROGRAM);
}

#[test]
fn help_and_refusals() {
    words::help_and_refusals::<Chapter>(PROGRAM);
}
