//! The checks, run on this repository.

use std::path::PathBuf;

use tree::{byte_order, circles, neighbours, plain, rooms, workflows};

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

#[test]
fn no_modules_form_a_circle() {
    let (modules, problems) = circles::modules(&root());
    assert_none(&problems);
    assert!(modules > 150, "only {modules} modules found");
}

#[test]
fn no_crates_form_a_circle() {
    let (crates, problems) = circles::dependencies(&root());
    assert_none(&problems);
    assert!(crates >= 16, "only {crates} crates found");
}

#[test]
fn bytes_are_in_the_same_order_everywhere() {
    let (files, problems) = byte_order::check(&root());
    assert_none(&problems);
    assert!(files > 100, "only {files} files found");
}

#[test]
fn workflows_call_scripts() {
    let (steps, problems) = workflows::check(&root());
    assert_none(&problems);
    assert!(steps >= 3, "only {steps} steps found");
}

#[test]
fn comments_and_messages_are_plain_english() {
    let (files, problems) = plain::check(&root());
    assert_none(&problems);
    assert!(files > 500, "only {files} files found");
}
