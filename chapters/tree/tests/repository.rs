//! The checks, asked of this repository.

use std::path::PathBuf;

use tree::{neighbours, rooms};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn assert_none(problems: &[String]) {
    assert!(problems.is_empty(), "\n\n{}\n", problems.join("\n\n"));
}

#[test]
fn chapters_are_in_step() {
    let (steps, problems) = neighbours::check(&root().join("chapters"));
    assert_none(&problems);
    assert!(steps >= 6, "only {steps} steps between chapters found");
}

#[test]
fn rooms_are_small() {
    let (files, problems) = rooms::sizes(&root());
    assert_none(&problems);
    assert!(files > 100, "only {files} files found");
}

#[test]
fn unsafe_code_stays_where_it_is_the_lesson() {
    let (crates, problems) = rooms::unsafe_code(&root());
    assert_none(&problems);
    assert!(crates >= 10, "only {crates} crates found");
}
