//! From a program that runs to the picture, with Linux's own `perf`.
//!
//! Without `perf` the tests say so and skip, and fail in CI, which installs it. Whether it may take samples is the machine's to
//! say: a container's filter can't be lifted from inside. Where a plain `perf record` is refused too, nothing can be sampled;
//! then the tests check that `flame` says why, and print what they saw, past the harness, which keeps the words of tests that
//! pass to itself.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "what was skipped is said to those who run it")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

fn flame() -> Command {
    Command::new(env!("CARGO_BIN_EXE_flame"))
}

/// Whether `perf` can take samples here, asked without our program.
fn can_sample() -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let mut perf = Command::new("perf");
    perf.args(["record", "--event", "cpu-clock", "--output"]).arg(folder.path().join("perf.data")).args(["--", "true"]);
    let plain = match perf.output() {
        Ok(plain) => plain,
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "CI tests this: there is no perf: {error}");
            println!("skipped: there is no perf");
            return false;
        }
    };
    if plain.status.success() {
        return true;
    }
    let said = words(&plain);
    assert!(said.contains("perf_event_paranoid"), "perf fails, and not because it may not sample: {said}");
    let ours = flame().output().expect("it starts");
    assert_eq!(ours.status.code(), Some(2), "perf may not sample, and flame did not notice");
    assert!(words(&ours).contains("the system does not let perf take samples"), "{}", words(&ours));
    let _ = writeln!(std::io::stderr(), "NOT SAMPLED: perf may not sample on this machine: {}", words(&ours).trim());
    false
}

/// A chapter's program, built as the tests are: in a test of the whole workspace it is there already.
fn program(package: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_flame")).parent().expect("a folder");
    let (target, profile) = (folder.parent().expect("a folder"), folder.file_name().expect("a profile"));
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--locked", "--workspace", "--bin", package, "--target-dir"]).arg(target).arg("--profile");
    cargo.arg(if profile == "debug" { "dev".as_ref() } else { profile });
    let built = cargo.output().expect("cargo starts");
    assert!(built.status.success(), "{}", words(&built));
    folder.join(package)
}

/// The picture of a program with these arguments and a folder for its output.
fn picture(how: &[&str], package: &str, arguments: &[&str]) -> String {
    let folder: TempDir = tempfile::tempdir().expect("a folder");
    let svg = folder.path().join("a.svg");
    let mut flame = flame();
    flame.args(how).arg("--svg").arg(&svg).arg("--").arg(program(package)).args(arguments);
    let ended = flame.arg("--output").arg(folder.path()).output().expect("it starts");
    assert_eq!(ended.status.code(), Some(0), "{}", words(&ended));
    std::fs::read_to_string(&svg).expect("it was written")
}

/// Whether the picture has a function with this in its name.
fn has(picture: &str, name: &str) -> bool {
    picture
        .split("<title>")
        .skip(1)
        .any(|title| title.split("</title>").next().is_some_and(|title| title.contains(name)))
}

#[test]
fn an_engine_is_drawn_with_its_functions() {
    if can_sample() {
        let arguments = ["--orders", "200000", "--pass", "throughput", "--quiet"];
        let picture = picture(&[], "ch06", &arguments);
        assert!(has(&picture, "matching (") && has(&picture, "ch06::matcher"), "{picture}");
    }
}

#[test]
fn a_venue_is_drawn_under_its_load_and_the_load_is_not() {
    if can_sample() {
        let load = ["load", "--seconds", "3", "--rate", "2000", "--connections", "8"];
        let picture = picture(&["--venue"], "ch0a", &load);
        for name in ["matching (", "ch08::matcher", "journal (", "gateway::"] {
            assert!(has(&picture, name), "no {name} in {picture}");
        }
        assert!(!has(&picture, "load::late"), "the load is in the picture: {picture}");
    }
}
