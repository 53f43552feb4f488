//! What the program says, word for word: its help, one refusal of each kind, and the exit code of each.
//!
//! After a change that is meant, `INSTA_UPDATE=always cargo test -p book --test cli` writes the snapshots anew, and
//! `git diff` shows what a reader will see.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod fixture;

use fixture::Mini;
use insta::assert_snapshot;
use std::fs;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Whole, as a reader in a window of 100 columns sees it, without what differs between machines.
fn said(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.env("COLUMNS", "100").stdin(Stdio::null()).output().unwrap();
    let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
    let folder = command.get_current_dir().unwrap();
    let text = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap().replace("book.exe", "book");
        let text = text.replace(&folder.canonicalize().unwrap().display().to_string(), "FOLDER");
        let lines = text.replace(&folder.display().to_string(), "FOLDER").replace('\\', "/");
        lines.lines().map(|line| without_the_systems_words(line) + "\n").collect::<String>()
    };
    let (stdout, stderr) = (text(stdout), text(stderr));
    format!("$ book {}\n{stdout}--- stderr\n{stderr}--- exit {}", arguments.join(" "), status.code().unwrap())
}

/// Each system has its own words for a file that is not there.
fn without_the_systems_words(line: &str) -> String {
    let Some((before, after)) = line.split_once(" (os error ") else { return line.to_owned() };
    let (kept, _) = before.rsplit_once(": ").unwrap();
    format!("{kept}: WHY{}", after.split_once(')').unwrap().1)
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

/// What each command prints, where somebody might cut it short.
const PRINTING: [&[&str]; 5] = [&["build"], &["check"], &["stamp"], &["diff", "0x01", "0x02"], &["--help"]];

#[test]
fn a_reader_who_has_enough_ends_the_program_quietly() {
    let mini = Mini::new();
    for arguments in PRINTING {
        let mut program = mini.program(arguments);
        let mut program = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(program.stdout.take());
        let Output { status, stderr, .. } = program.wait_with_output().unwrap();
        assert_eq!((status.code(), String::from_utf8_lossy(&stderr).as_ref()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_behind_the_output_ends_the_program_with_a_sentence() {
    let mini = Mini::new();
    for arguments in PRINTING {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let Output { status, stderr, .. } = mini.program(arguments).stdout(full).output().unwrap();
        let stderr = String::from_utf8(stderr).unwrap();
        assert_eq!(status.code(), Some(3), "{arguments:?}: {stderr}");
        assert!(stderr.starts_with("error: could not write to standard output: "), "{arguments:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{arguments:?}: {stderr}");
    }
}
