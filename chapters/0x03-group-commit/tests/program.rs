//! The contract, kept by this chapter's program. What is asked of it is in `contract`.

use ch03::Chapter;
use contract::{program, words};

const PROGRAM: &str = env!("CARGO_BIN_EXE_ch03");

#[test]
fn killed_under_load() {
    program::killed_under_load::<Chapter>(PROGRAM);
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
fn nobody_listens() {
    program::nobody_listens(PROGRAM);
}

#[test]
fn help_and_refusals() {
    words::help_and_refusals::<Chapter>(PROGRAM);
}
