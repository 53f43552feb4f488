//! The committed history of the figures is what git has. After a new record of the ladder, `cargo run --release --
//! history-of-figures` writes it again, and `book/history-of-figures.toml` needs a sentence about the new version.
//!
//! Needs git and all commits. Without them the test prints what was skipped, also where a CI has fetched only the last one.
#![allow(clippy::print_stderr, reason = "the person who runs the test sees what was skipped")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use perf::git::is_whole;
use perf::history_of_figures::{HISTORY, read};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Whether git has what the test needs.
fn has_history() -> bool {
    let problem = match is_whole(&root()) {
        Ok(true) => return true,
        Ok(false) => "this clone is shallow".to_owned(),
        Err(error) => error.to_string(),
    };
    eprintln!("skipped: {problem}");
    false
}

#[test]
fn the_committed_history_is_what_git_has() {
    if !has_history() {
        return;
    }
    let again = "cargo run --release -- history-of-figures writes it again";
    let committed = fs::read_to_string(root().join(HISTORY)).unwrap_or_default();
    let found = read(&root()).unwrap_or_else(|error| panic!("{error}"));
    let written = results::json::text(&found).expect("JSON");
    // The first line that differs says more than both files.
    let differs = committed.lines().zip(written.lines()).find(|(committed, written)| committed != written);
    assert_eq!(differs, None, "{HISTORY} is not what git has: {again}");
    assert_eq!(committed.len(), written.len(), "{HISTORY} is not what git has: {again}");
}

#[test]
fn a_shallow_clone_is_refused_with_what_to_do() {
    if !has_history() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let git = |folder: &Path, arguments: &[&str]| {
        let ended = Command::new("git").arg("-C").arg(folder).args(arguments).output().expect("git");
        assert!(ended.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ended.stderr));
    };
    let whole = folder.path().join("whole");
    fs::create_dir(&whole).expect("a folder");
    git(&whole, &["init", "--quiet"]);
    for text in ["one", "two"] {
        fs::write(whole.join("file"), text).expect("written");
        git(&whole, &["add", "file"]);
        git(&whole, &["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", text]);
    }
    let from = format!("file://{}", whole.display());
    git(folder.path(), &["clone", "--quiet", "--depth", "1", &from, "shallow"]);
    let error = read(&folder.path().join("shallow")).expect_err("it lacks a commit").to_string();
    assert!(error.contains("shallow") && error.contains("--unshallow"), "{error}");
    let error = read(&folder.path().join("none")).expect_err("no repository").to_string();
    assert!(error.contains("git rev-parse"), "{error}");
}
