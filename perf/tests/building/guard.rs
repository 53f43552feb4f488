//! The guard is effective: a layer that really does 5% too much fails it, and so does a record with
//! lower counts. Without valgrind the test says so, and fails only where CI promises valgrind.

use std::path::Path;
use std::process::Command;

use perf::guard::GuardRecord;
use program::rounds::Rounds;

const LAYER: &str = "0x05 id table";

/// Runs `perf guard` on one layer with this record.
fn guard(record: &Path, flags: &[&str]) -> (Option<i32>, String) {
    guard_of(LAYER, record, flags)
}

/// Runs `perf guard` on a layer with this record: its exit code and what it says. With few rounds it counts a program
/// built like the tests, most of which exists already: 5% too much is 5% in any build.
fn guard_of(layer: &str, record: &Path, flags: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_perf"));
    command.args(["guard", "--only", layer, "--record"]).arg(record).args(flags);
    command.args(Rounds::asked().pick(&["--profile", "dev"][..], &[]));
    let ended = command.output().expect("the tool runs");
    let said = [ended.stdout, ended.stderr].concat();
    (ended.status.code(), String::from_utf8_lossy(&said).into_owned())
}

/// Writes a copy of the record after `change`.
fn doctored(record: &Path, change: impl FnOnce(&mut GuardRecord)) -> tempfile::NamedTempFile {
    let mut doctored = GuardRecord::load(record).expect("it was just written").expect("it is there");
    change(&mut doctored);
    let file = tempfile::NamedTempFile::new().expect("a file");
    doctored.save(file.path()).expect("saved");
    file
}

#[test]
fn a_layer_that_got_slower_fails_the_guard() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "valgrind is not installed, and CI requires it");
        println!("SKIPPED: valgrind is not installed");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("guard.json");

    let (code, said) = guard(&record, &[]);
    assert_eq!(code, Some(2), "nothing is recorded yet: {said}");
    let (code, said) = guard(&record, &["--accept"]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = guard(&record, &[]);
    assert_eq!(code, Some(0), "the same code has the same counts: {said}");
    assert!(said.contains("0 worse, new or gone, 0 better, 1 as recorded"), "{said}");

    let (code, said) = guard(&record, &["--slow", LAYER]);
    assert_eq!(code, Some(1), "5 % more instructions went unnoticed: {said}");
    assert!(said.contains("WORSE") && said.contains("--accept"), "{said}");

    let count = |record: &mut GuardRecord, factor: f64| {
        record.counts.get_mut(LAYER).expect("it was recorded").instructions *= factor;
    };
    let (code, said) = guard(doctored(&record, |record| count(record, 0.96)).path(), &[]);
    assert_eq!(code, Some(1), "{said}");
    let (code, said) = guard(doctored(&record, |record| count(record, 1.05)).path(), &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("1 better") && said.contains("--accept"), "an improvement is reported: {said}");

    let other_compiler = doctored(&record, |record| {
        record.environment.compiler = "rustc 1.0.0".into();
        count(record, 0.5);
    });
    let (code, said) = guard(other_compiler.path(), &[]);
    assert_eq!(code, Some(0), "another compiler is not the code's fault: {said}");
    assert!(said.contains("WORSE") && said.contains("recorded with rustc 1.0.0"), "{said}");

    let (code, said) = guard_of("0x99 book", &record, &[]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("there is no work \"0x99 book\""), "{said}");
}
