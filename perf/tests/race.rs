//! Whole races of made-up programs, in a repository made up for them: how a race of an unchanged, a slower and a
//! broken program ends, and that nothing is left behind.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use results::record::{RacesRecord, Record};
use tempfile::TempDir;

const CHAPTER: &str = "chapters/0x01-made-up";

const MANIFEST: &str = r#"
[package]
name = "ch01"

[package.metadata.chapter]
number = 0x01
part = 1
kind = "engine"
title = { en = "made up", zh = "虚构" }
lesson = "speed"
budget = 0
"#;

/// "Builds" a program that takes as many nanoseconds for each order as the tree's file `speed` says, with noise
/// that depends on how often it has run. Like the real cargo, it considers a program built if it is newer than its
/// source.
const CARGO: &str = r#"#!/bin/sh
target=target
while [ $# -gt 0 ]; do
    [ "$1" = --target-dir ] && target=$2
    shift
done
speed=$(cat chapters/0x01-made-up/speed)
if [ "$speed" = broken ]; then
    echo "error: made-up compiler: no" >&2
    exit 101
fi
[ "$target/release/ch01" -nt chapters/0x01-made-up/speed ] && exit
mkdir -p "$target/release"
rm -f "$target/release/ch01"
cat >"$target/release/ch01" <<PROGRAM
#!/bin/sh
while [ \$# -gt 0 ]; do
    [ "\$1" = --output ] && output=\$2
    shift
done
mkdir -p "\$output"
echo >>"\$output/runs"
runs=\$(wc -l <"\$output/runs")
awk -v ns=$speed -v seed=\$runs 'BEGIN {
    srand(seed); ns *= 0.995 + 0.01 * rand()
    print "orders=1000\ntrades=1\nthroughput_ops=" 1e9 / ns "\nprocessor_order_ns=" ns
    print "latency_offered_ops=1\nlatency_p50_ns=" ns "\nlatency_p99_ns=" 9 * ns
}' >"\$output/figures.txt"
PROGRAM
chmod +x "$target/release/ch01"
cp "$target/release/ch01" "$target/release/ch02"
"#;

/// A repository with one chapter of this speed, committed; `None` without git.
fn repository(speed: &str) -> Option<TempDir> {
    if Command::new("git").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "git is not installed, and CI requires it");
        program::tell(format_args!("SKIPPED: git is not installed"));
        return None;
    }
    let root = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(root.path().join(CHAPTER)).expect("a folder");
    for (name, text) in [("book.toml", ""), (".gitignore", "/target\n/output\n/cargo\n"), ("cargo", CARGO)] {
        fs::write(root.path().join(name), text).expect("written");
    }
    let cargo = root.path().join("cargo");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("a program");
    fs::write(root.path().join(CHAPTER).join("Cargo.toml"), MANIFEST).expect("written");
    set_speed(root.path(), speed);
    git(root.path(), &["init", "--quiet"]);
    commit(root.path());
    Some(root)
}

fn add_second_chapter(root: &Path) {
    let second = root.join("chapters/0x02-made-up");
    fs::create_dir_all(&second).expect("a folder");
    let manifest = MANIFEST.replace("ch01", "ch02").replace("0x01\n", "0x02\nafter = 0x01\n");
    fs::write(second.join("Cargo.toml"), manifest).expect("written");
    fs::write(second.join("speed"), "1000").expect("written");
}

fn set_speed(root: &Path, speed: &str) {
    fs::write(root.join(CHAPTER).join("speed"), speed).expect("written");
}

fn commit(root: &Path) {
    git(root, &["add", "."]);
    git(root, &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "a"]);
}

fn git(root: &Path, arguments: &[&str]) {
    let ended = Command::new("git").arg("-C").arg(root).args(arguments).output().expect("git runs");
    assert!(ended.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ended.stderr));
}

fn commit_of(root: &Path) -> String {
    let ended = Command::new("git").arg("-C").arg(root).args(["rev-parse", "HEAD"]).output().expect("git runs");
    String::from_utf8_lossy(&ended.stdout).trim().to_owned()
}

/// Races in this repository: returns the exit code and all output.
fn race(root: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    race_with(Path::new(env!("CARGO_BIN_EXE_perf")), root, arguments)
}

fn race_with(tool: &Path, root: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(tool);
    command.arg("race").args(arguments).current_dir(root).env("CARGO", root.join("cargo"));
    // The made-up cargo builds in the tree, wherever these tests were built.
    command.env_remove("CARGO_TARGET_DIR");
    let ended = command.output().expect("the tool runs");
    let said = [ended.stdout, ended.stderr].concat();
    (ended.status.code(), String::from_utf8_lossy(&said).into_owned())
}

/// What races leave behind: the programs of commits, under their hashes, and where they are built.
fn left(root: &Path) -> Vec<String> {
    let names = fs::read_dir(root.join("target/race")).expect("there was a race").flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name != "build" && name.len() != 40).collect()
}

#[test]
fn an_unchanged_program_passes_and_a_slower_one_does_not() {
    let Some(root) = repository("1000") else { return };
    let root = root.path();
    let (code, said) = race(root, &["HEAD", "--rounds", "14"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("0 worse, 0 better") && said.contains("0 of 3 not judged"), "{said}");
    assert!(root.join("output/race.json").is_file());

    set_speed(root, "1050");
    let (code, said) = race(root, &["HEAD", "--rounds", "14"]);
    assert_eq!(code, Some(1), "5 % went unnoticed: {said}");
    assert!(said.contains("3 worse") && said.contains("WORSE"), "{said}");
    let (code, said) = race(root, &["HEAD", "--rounds", "14", "--margin", "10%"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("differs, but by less than matters"), "{said}");

    set_speed(root, "950");
    let (code, said) = race(root, &["HEAD", "--rounds", "14"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("3 better"), "{said}");
    assert_eq!(left(root), [""; 0]);
}

#[test]
fn a_folder_written_before_the_base_was_built_is_built_too() {
    let (Some(root), Some(slower)) = (repository("1000"), repository("1050")) else { return };
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let source = fs::File::options().append(true).open(slower.path().join(CHAPTER).join("speed")).expect("it is there");
    source.set_modified(long_ago).expect("a time");
    let (code, said) = race(root.path(), &["HEAD", &slower.path().to_string_lossy(), "--rounds", "14"]);
    assert_eq!(code, Some(1), "5 % went unnoticed: {said}");
    assert!(said.contains("3 worse"), "{said}");
}

#[test]
fn many_races_are_counted_and_go_on_with_the_same_commits() {
    let Some(root) = repository("1000") else { return };
    let root = root.path();
    let series = || -> RacesRecord { RacesRecord::load(&root.join("output/races.json")).expect("a record") };
    let counts = |record: &RacesRecord| -> Vec<(String, usize, usize)> {
        record.series.iter().map(|series| (series.name.clone(), series.raced, series.worse)).collect()
    };
    let flags = ["--rounds", "14", "--times", "2", "--name", "unchanged"];
    let (code, said) = race(root, &[&["HEAD", "HEAD"][..], &flags].concat());
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("race 2 in ") && said.contains("s: nothing worse; 0 of 2 ended as worse"), "{said}");
    assert!(!root.join("output/race.json").exists(), "several races have no verdict of one");

    let base = commit_of(root);
    set_speed(root, "1050");
    let slower = ["--rounds", "14", "--times", "2", "--name", "slower"];
    let (code, said) = race(root, &[&[base.as_str()][..], &slower].concat());
    assert_eq!(code, Some(0), "several races have no verdict: {said}");
    assert!(said.contains("WORSE: 0x01-made-up ") && said.contains("2 of 2 ended as worse"), "{said}");
    assert_eq!(counts(&series()), [("unchanged".into(), 2, 0), ("slower".into(), 2, 2)]);
    let estimate = &series().series[1].estimates[0].figures["processor_order_ns"];
    assert!((1.04..1.06).contains(&estimate.median), "{estimate:?}");

    // A tree with uncommitted changes may be another program now, so the series begins again.
    set_speed(root, "1100");
    race(root, &[base.as_str(), "--rounds", "14", "--times", "1", "--name", "slower"]);
    race(root, &[base.as_str(), base.as_str(), "--rounds", "14", "--times", "1", "--name", "unchanged"]);
    assert_eq!(counts(&series()), [("slower".into(), 1, 1), ("unchanged".into(), 3, 0)]);
    assert_eq!(left(root), [""; 0]);
}

#[test]
fn a_record_of_races_that_cannot_be_read_is_reported_before_anything_is_built() {
    let Some(root) = repository("1000") else { return };
    fs::create_dir_all(root.path().join("output")).expect("a folder");
    fs::write(root.path().join("output/races.json"), "{").expect("written");
    let (code, said) = race(root.path(), &["HEAD", "HEAD", "--times", "1"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("races.json") && !said.contains("building"), "{said}");
}

#[test]
fn a_tool_that_was_built_in_another_tree_races_this_one() {
    let (Some(root), Some(other)) = (repository("1000"), repository("1050")) else { return };
    let built = other.path().join("target/release");
    fs::create_dir_all(&built).expect("a folder");
    let program = Command::new(other.path().join("cargo")).current_dir(other.path()).status().expect("it runs");
    assert!(program.success() && built.join("ch01").is_file());
    let tool = built.join("perf");
    fs::copy(env!("CARGO_BIN_EXE_perf"), &tool).expect("copied");
    let (code, said) = race_with(&tool, root.path(), &["HEAD", "--rounds", "14"]);
    assert_eq!(code, Some(0), "the other tree's program was raced: {said}");
}

#[test]
fn a_race_of_other_chapters_keeps_what_was_built() {
    let Some(root) = repository("1000") else { return };
    let root = root.path();
    add_second_chapter(root);
    commit(root);
    for (chapters, builds) in [("0x01", true), ("0x02", true), ("0x01", false), ("0x01,0x02", false)] {
        let (code, said) = race(root, &["HEAD", "HEAD", "--quick", "--chapters", chapters]);
        assert_eq!((code, said.contains("building")), (Some(0), builds), "{chapters}: {said}");
    }
}

#[test]
fn what_a_commit_lacks_is_reported_and_not_built_for_again() {
    let Some(root) = repository("1000") else { return };
    let root = root.path();
    add_second_chapter(root);
    let (_, first) = race(root, &["HEAD", "--quick"]);
    assert!(first.contains("building") && first.contains("0x02-made-up: not raced"), "{first}");
    let (code, again) = race(root, &["HEAD", "--quick"]);
    assert_eq!(code, Some(0), "{again}");
    assert!(!again.contains("building") && again.contains("0x02-made-up: not raced"), "{again}");
}

#[test]
fn a_quick_race_sees_large_differences_and_says_what_would_judge_the_rest() {
    let Some(root) = repository("1000") else { return };
    set_speed(root.path(), "1500");
    let (code, said) = race(root.path(), &["HEAD", "--quick"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("2 worse") && said.contains("1 of 3 not judged") && said.contains("race HEAD"), "{said}");
    // Too few even for those.
    let (code, said) = race(root.path(), &["HEAD", "--quick", "--rounds", "2"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("3 of 3 not judged") && said.contains("race HEAD"), "{said}");
}

#[test]
fn what_can_not_be_raced_is_refused_and_leaves_nothing() {
    let Some(root) = repository("broken") else { return };
    let root = root.path();
    let (code, said) = race(root, &["HEAD"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("could not be built") && said.contains("made-up compiler: no"), "{said}");
    assert_eq!(left(root), [""; 0]);
    assert!(!root.join("output/race.json").exists());

    set_speed(root, "1000");
    let (code, said) = race(root, &["."]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("has uncommitted changes"), "{said}");
}
