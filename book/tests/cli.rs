//! The program's messages, word for word: its help, one refusal of each kind, and the exit code of each.
//!
//! After an intended change, `INSTA_UPDATE=always cargo test -p book --test cli` writes the snapshots again, and
//! `git diff` shows what a reader will see.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]

mod fixture;

use fixture::Mini;
use insta::assert_snapshot;
use program::said::{self, ends_quietly_on_a_closed_pipe, ends_with_a_sentence_on_a_full_disk};
use std::fs;
use std::process::Command;
use tempfile::TempDir;

/// Its output in its folder.
fn said(command: &mut Command) -> String {
    let folder = command.get_current_dir().unwrap().to_path_buf();
    said::said(command, &[(&folder, "FOLDER")])
}

#[test]
fn help() {
    let mini = Mini::new();
    for name in ["", "build", "serve", "check", "stamp", "diff"] {
        let arguments: Vec<&str> = name.split_whitespace().chain(["--help"]).collect();
        assert_snapshot!(format!("help {name}").trim(), said(&mut mini.program(&arguments)));
    }
}

#[test]
fn arguments_that_cannot_be_used() {
    let mini = Mini::new();
    for (name, arguments) in [
        ("no such command", vec!["chekc"]),
        ("no such chapter", vec!["diff", "0x01", "0x77"]),
        ("no such language", vec!["diff", "0x01", "0x02", "--lang", "de"]),
        ("no such page", vec!["stamp", "three"]),
        ("no such port", vec!["serve", "--port", "70000"]),
        ("nothing to preprocess", vec!["preprocess"]),
        ("no address", vec!["build", "--site-url", "example.org/cents"]),
        ("no address of a folder", vec!["build", "--site-url", "https://example.org/cents?draft"]),
        ("no host", vec!["build", "--repository", "https:///cents"]),
        ("no folder to build into", vec!["build", "--output", "book"]),
    ] {
        assert_snapshot!(name, said(&mut mini.program(&arguments)));
    }
}

#[test]
fn a_folder_without_a_book() {
    let folder = TempDir::new().unwrap();
    let mut program = Mini::new().program(&["check"]);
    assert_snapshot!("no book", said(program.current_dir(folder.path())));
}

#[test]
fn settings_and_manifests_that_cannot_be_used() {
    let mini = Mini::new();
    mini.edit("chapters/0x02-batch/Cargo.toml", "kind = \"engine\"", "kind = \"engin\"");
    assert_snapshot!("bad manifest", said(&mut mini.program(&["check"])));
    let mini = Mini::new();
    mini.edit("book.toml", "[book]", "[book");
    assert_snapshot!("bad settings", said(&mut mini.program(&["build"])));
}

#[test]
fn a_book_that_holds_and_one_that_does_not() {
    let mini = Mini::new();
    assert_snapshot!("a sound book", said(&mut mini.program(&["check"])));
    mini.edit("book/en/one.md", "p50", "p42");
    assert_snapshot!("a book that is wrong, checked", said(&mut mini.program(&["check"])));
    assert_snapshot!("a book that is wrong, built", said(&mut mini.program(&["build"])));
}

#[test]
fn a_file_that_cannot_be_read() {
    let mini = Mini::new();
    fs::remove_file(mini.path("book/zh/SUMMARY.md")).unwrap();
    assert_snapshot!("no summary", said(&mut mini.program(&["check"])));
}

/// What each command prints, where the reader of its output may stop early.
const PRINTING: [&[&str]; 5] = [&["build"], &["check"], &["stamp"], &["diff", "0x01", "0x02"], &["--help"]];

#[test]
fn a_reader_that_stops_early_ends_the_program_quietly() {
    let mini = Mini::new();
    for arguments in PRINTING {
        ends_quietly_on_a_closed_pipe(&mut mini.program(arguments));
    }
}

#[test]
fn a_full_disk_behind_the_output_ends_the_program_with_a_sentence() {
    let mini = Mini::new();
    for arguments in PRINTING {
        ends_with_a_sentence_on_a_full_disk(&mut mini.program(arguments));
    }
}
