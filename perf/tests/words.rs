//! The tool's messages, word for word: the help of every subcommand, one refusal of each kind, and the exit code of
//! each. Everything is refused before anything is built.
//!
//! After an intended change, `INSTA_UPDATE=always cargo test -p perf --test words` writes the snapshots again, and
//! `git diff` shows what a reader will see.

use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;
use program::said::{
    ends_quietly_on_a_closed_pipe, ends_with_a_sentence_on_a_full_disk, ends_with_its_code_when_it_cannot_complain,
    said,
};
use tempfile::TempDir;

/// A folder with unusable files, and one usable run of a chapter.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [
        ("a-file", ""),
        ("bad.csv", "command\n"),
        ("cut.json", "{\"machine\":"),
        ("empty.txt", ""),
        ("run.txt", "# chapter: 0x01-naive\norders=10\ntrades=5\nthroughput_ops=100.0\n"),
    ] {
        std::fs::write(folder.path().join(name), text).expect("the folder is writable");
    }
    folder
}

/// The tool with these arguments. It is given a cargo that does not exist, so it can't build
/// anything.
fn perf(folder: &TempDir, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_perf"));
    command.args(arguments.split_whitespace()).current_dir(folder.path()).env("CARGO", "no-such-cargo");
    // Independent of the machine's locale.
    command.env("LC_ALL", "C");
    command
}

fn words(folder: &TempDir, arguments: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate is in the repository");
    said(&mut perf(folder, arguments), &[(folder.path(), "FOLDER"), (&root, "REPOSITORY"), (built_in, "REPOSITORY")])
}

#[test]
fn help() {
    let folder = folder();
    let verbs = "ladder compare race latency verify flame generate guard exercise mutants numbers sweep disks scale recover feed venue lab history-of-figures";
    for verb in [""].into_iter().chain(verbs.split(' ')) {
        assert_snapshot!(format!("{verb} help").trim(), words(&folder, &format!("{verb} --help")));
    }
}

#[test]
fn refusals() {
    let folder = folder();
    for (verb, refused) in [
        ("ladder", &["--chapters 0x99", "--chapters 0x00", "--rounds 0", "--input nothing.csv", "--input bad.csv"][..]),
        ("compare", &["run.txt", "nothing.json run.txt", "cut.json run.txt", "empty.txt run.txt"]),
        (
            "race",
            &["", "no-such-commit", ".", "HEAD a-file", "HEAD --margin 0", "HEAD --rounds 0", "HEAD --chapters 0x99"],
        ),
        ("latency", &["", "--chapter 0x99", "--chapter 0x03 --rate 900000 --seconds 3600", "--chapter 0x03 --rate 0"]),
        ("verify", &["--chapters lab", "--input nothing.csv", "--input bad.csv --seed 5", "--shards 0"]),
        (
            "flame",
            &[
                "",
                "--chapter 0x99",
                "--chapter 0x09",
                "--chapter 0x06 --orders 0",
                "--chapter 0x06 --input bad.csv",
                "--chapter 0x06 -- --rate 500",
                "--chapter 0x0a --orders 10",
                "--chapter 0x0a --flow venue",
            ],
        ),
        ("generate", &["--orders 0", "--flow clasic", "--seed x"]),
        ("guard", &["--olny log", "--only log --slow matching"]),
        (
            "exercise",
            &[
                "",
                "0x01",
                "0x03 --test lesson",
                "0x03 --hint 3",
                "0x03 --check --folder none",
                "--check --folder none",
                "--check --folder none --lang zh",
            ],
        ),
        ("mutants", &["", "0x01", "0x99", "0x03 --list --file nonsense.rs", "0x03 --list --file engine.rs:9-1"]),
        ("numbers", &["--lang de"]),
        ("sweep", &["--chapter 0x01", "--batches 0", "--rounds 0"]),
        ("disks", &["--chapter 0x01", "--batches 0", "--sync-ms 0", "--rate 0"]),
        ("scale", &["--chapter 0x03", "--shards 0", "--orders 0"]),
        ("recover", &["--commands 10", "--rate 0", "--rounds 0"]),
        ("feed", &["--readers 0", "--rounds 0", "--rate 0"]),
        ("venue", &["--only nothing", "--rounds 0", "--rate 0"]),
        ("lab", &["--rounds 0"]),
        ("history-of-figures", &["--since yesterday"]),
    ] {
        let refused: Vec<String> = refused.iter().map(|flags| words(&folder, &format!("{verb} {flags}"))).collect();
        assert_snapshot!(format!("{verb} refusals"), refused.join("\n\n"));
    }
    assert_snapshot!("no such verb", words(&folder, "climb"));
}

#[test]
fn an_input_has_its_own_number_of_orders() {
    let folder = folder();
    for verb in ["ladder", "verify", "scale", "flame --chapter 0x06"] {
        let said = words(&folder, &format!("{verb} --input bad.csv --orders 9"));
        assert!(said.contains("'--input <FILE.csv>' cannot be used with '--orders <N>'"), "{said}");
    }
}

#[test]
fn output_is_closed() {
    let folder = folder();
    for printing in ["--help", "generate --orders 20000", "compare run.txt run.txt"] {
        ends_quietly_on_a_closed_pipe(&mut perf(&folder, printing));
        ends_with_a_sentence_on_a_full_disk(&mut perf(&folder, printing));
    }
    for complaining in ["climb", "compare nothing.json run.txt"] {
        ends_with_its_code_when_it_cannot_complain(&mut perf(&folder, complaining), 2);
    }
}
