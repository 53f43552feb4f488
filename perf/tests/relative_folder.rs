//! `exercise --folder` takes a folder relative to the current one, and cargo runs elsewhere: in the exercise.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

#[test]
fn cargo_builds_beside_the_exercises_of_a_relative_folder() {
    let current = tempfile::tempdir().expect("a folder");
    // A cargo that only says where it is to build.
    let cargo = current.path().join("cargo");
    fs::write(&cargo, "#!/bin/sh\necho \"$CARGO_TARGET_DIR\" >&2\nexit 1\n").expect("written");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("set");
    let exercise = |chapter: &str, flags: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_perf"));
        command.args(["exercise", chapter, "--folder", "mine", "--lang", "en"]).args(flags);
        let ended = command.current_dir(current.path()).env("CARGO", &cargo).output().expect("started");
        String::from_utf8_lossy(&ended.stderr).into_owned()
    };
    assert_eq!(exercise("0x02", &[]), "", "it is laid out");
    let said = exercise("0x02", &["--check"]);
    let beside = current.path().canonicalize().expect("it is there").join("mine/target");
    assert_eq!(said.lines().next(), beside.to_str(), "{said}");
    let said = exercise("0x03", &[]);
    assert!(said.contains("finish it first (scripts/exercise 0x02 --folder mine --lang en --check)"), "{said}");
}
