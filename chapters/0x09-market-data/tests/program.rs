//! The program as users run it: a short run, a short measurement, help, rejected arguments and exit codes.

use std::process::{Command, Output};

fn program(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ch09")).args(arguments).output().expect("the program starts")
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

#[test]
fn a_run_shows_a_book_and_ends_by_itself() {
    for engine in ["0x01", "0x08"] {
        let ended = program(&["--engine", engine, "--seconds", "0.5", "--rate", "2000", "--readers", "200"]);
        let words = printed(&ended);
        assert_eq!(ended.status.code(), Some(0), "{words}");
        assert!(
            words.contains("after command") && words.contains("bid ") && words.contains("200 readers took"),
            "{words}"
        );
    }
}

#[test]
fn a_kept_log_is_continued() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data_dir = folder.path().to_string_lossy().into_owned();
    let last = || {
        let ended = program(&[
            "--seconds",
            "0.3",
            "--rate",
            "2000",
            "--readers",
            "2",
            "--shards",
            "2",
            "--data-dir",
            &data_dir,
        ]);
        let words = printed(&ended);
        assert_eq!(ended.status.code(), Some(0), "{words}");
        let line = words.lines().rfind(|line| line.contains("after command")).expect("a book").to_owned();
        let (_, number) = line.split_once("after command ").expect("a number");
        number.split(':').next().and_then(|number| number.parse::<u64>().ok()).expect("a number")
    };
    let first = last();
    assert!(last() > first, "the second run continues after command {first}");
}

#[test]
fn bad_arguments_are_rejected_with_a_message_and_a_code() {
    for (arguments, words) in [
        (&["--engine", "0x09"][..], "0x01, 0x02"),
        (&["--engine", "0x03", "--shards", "2"], "--shards is for engines 0x07 and 0x08"),
        (&["--rate", "0"], "0 is not in"),
        (&["--rate", "10000000"], "for 10 s are 100000000, and a run has at most 50000000"),
        (&["--seconds", "x"], "not a number of seconds from 0.1 to 3600"),
        (&["--flow", "calm"], "there is no flow \"calm\""),
        (&["--market", "99999"], "has no market 99999"),
        (&["--readers", "0"], "0 is not in"),
    ] {
        let ended = program(arguments);
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}: {}", printed(&ended));
        assert!(printed(&ended).contains(words), "{arguments:?}: {}", printed(&ended));
    }
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let ended = program(&["--seconds", "0.2", "--data-dir", &file.path().to_string_lossy()]);
    assert_eq!(ended.status.code(), Some(3), "{}", printed(&ended));
    let help = program(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    for flag in ["--engine", "--flow", "--seconds", "--rate", "--readers", "--market", "--shards", "--data-dir"] {
        assert!(printed(&help).contains(flag), "the help does not mention {flag}");
    }
}
