//! The records that readers sent are whole, and git knows the commit of each.
//!
//! Needs git and all commits. Without them the test prints what was skipped, also where a CI has fetched only the last one.
#![allow(clippy::print_stderr, reason = "the person who runs the test sees what was skipped")]

use std::path::{Path, PathBuf};

use perf::git::{git, is_whole};
use results::{chapters, community};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Whether the repository has this commit.
fn is_known(commit: &str) -> bool {
    git(&root(), &["cat-file", "-e", &format!("{commit}^{{commit}}")]).is_ok()
}

#[test]
fn each_record_is_whole_and_its_commit_is_known() {
    let catalogue = chapters::catalogue().expect("the manifests are sound");
    let files = community::files(&root());
    let read = |file: &PathBuf| community::read(file, &catalogue).unwrap_or_else(|error| panic!("{error}"));
    let records: Vec<_> = files.iter().map(read).collect();
    if !is_whole(&root()).is_ok_and(|whole| whole) {
        eprintln!("skipped: git does not have all commits");
        return;
    }
    assert!(is_known("HEAD") && !is_known("000000000000"));
    for (file, record) in files.iter().zip(&records) {
        assert!(is_known(&record.commit), "{}: no commit {} is known here", file.display(), record.commit);
    }
}
