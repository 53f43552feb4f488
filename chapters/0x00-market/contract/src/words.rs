//! The messages of a chapter's program: its help, one refusal of each kind, and the exit code of each.
//!
//! They are kept by chapter in `chapters/0x00-market/contract/snapshots/words`. After an intended change,
//! `INSTA_UPDATE=always cargo test -p ch01 --test program` rewrites a chapter's, and `git diff` shows what a reader
//! will see.

use std::fs;
use std::process::Command as Process;
use std::time::Duration;

use clap::Parser as _;
use market::Options;
use program::said::said;
use runner::{Args, Chapter, Flags as _, has_flag, measures};

/// Arguments that make no sense in any chapter.
const REFUSED_EVERYWHERE: [&str; 15] = [
    "--order 5",
    "--orders 0",
    "--flow clasic",
    "--seconds 0",
    "--sync-ms 0",
    "--pass latencies",
    "--pass throughput --rate 1000",
    "--pass latency --baseline",
    "--events answers --baseline",
    "--input flow.csv --orders 5",
    "--input nothing.csv",
    "--input bad.csv",
    "--data-dir a-file --orders 1 --pass throughput",
    "--data-dir no-log --orders 1 --pass throughput",
    "--output a-file",
];

/// Arguments that make no sense given what the chapter has or lacks.
fn refused_here<C: Chapter>() -> Vec<&'static str> {
    let mut refused = Vec::new();
    if !measures::<C>() {
        refused.push("--pass breakdown");
    }
    refused.push(if has_flag::<C>("batch") { "--batch 0" } else { "--batch 4" });
    if !has_flag::<C>("no-pin") {
        refused.push("--no-pin");
    }
    if has_flag::<C>("shards") {
        refused.extend([
            "--shards 0",
            "--reshard 2",
            "--reshard 2 --data-dir kept",
            "--reshard 2 --data-dir kept --orders 5",
            "--reshard 2 --data-dir kept --sync-ms 4",
        ]);
    } else {
        refused.push("--shards 2");
    }
    if has_flag::<C>("snapshot") {
        refused.extend([
            "--segment-commands 0",
            "--snapshot-every 0",
            "--snapshot",
            "--snapshot --data-dir kept",
            "--snapshot --data-dir kept --reshard 2",
            "--snapshot --data-dir kept --snapshot-every 5",
            "--keep-log since-snapshot",
            "--snapshot --data-dir kept --archive aside --keep-log since-snapshot",
            "--archive aside",
            "--backup copy",
            "--backup copy --data-dir kept",
            "--backup copy --data-dir kept --snapshot",
            "--restore copy --data-dir kept --orders 5",
            "--restore copy --backup copy --data-dir kept",
        ]);
    }
    refused
}

/// Compares the program's help and its refusals with the recorded ones, and checks that flags have their
/// effect.
///
/// # Panics
/// When a message or a code differs.
pub fn help_and_refusals<C: Chapter>(program: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a-file"), "").unwrap();
    fs::write(path("bad.csv"), format!("{}\nopen,1,,,,,,,,,\ndeposit,1,42,,,,,,much,,\n", market::csv::HEADER))
        .unwrap();
    fs::create_dir(path("no-log")).unwrap();
    fs::write(path("no-log").join(market::log::FILE_NAME), "notes about markets, not a log").unwrap();

    let run = |arguments: &str| {
        let mut process = Process::new(program);
        process.args(arguments.split(' ')).current_dir(folder.path());
        said(&mut process, &[])
    };
    assert_same(&format!("{} help", C::NAME), &run("--help"));
    let refused = REFUSED_EVERYWHERE.into_iter().chain(refused_here::<C>());
    let words: Vec<String> = refused.map(run).collect();
    assert_same(&format!("{} refusals", C::NAME), &words.join("\n\n"));
    assert!(!path("answers").exists(), "a refused run writes nothing");
    flags_are_set::<C>();
    let said = run("--sync-ms 2 --orders 20 --pass throughput,latency --rate 100 --output slow");
    assert!(said.contains("each sync was made to take 2 ms at least"), "{said}");
    let figures = fs::read_to_string(path("slow/figures.txt")).unwrap();
    let figure = |key: &str| figures.lines().find_map(|line| line.strip_prefix(key)?.parse::<f64>().ok());
    let (syncs, time_ms) = (figure("syncs=").expect("counted"), figure("exec_time_ms=").expect("timed"));
    assert!((1.0..=20.0).contains(&syncs) && time_ms >= 2.0 * syncs, "{figures}");
    assert!(figure("latency_p50_ns=").expect("a latency") >= 2e6, "{figures}");
}

/// The flags reach the options with which the engine is opened.
fn flags_are_set<C: Chapter>() {
    let options = |line: &str| {
        let args = Args::<C::Flags>::parse_from(format!("chapter {line}").split_whitespace());
        let mut options = Options::new("unused");
        args.own.set(&mut options);
        options
    };
    let has = has_flag::<C>;
    if has("batch") {
        assert_eq!(options("--batch 7").batch_max, 7);
    }
    if has("batch-interval-us") {
        assert_eq!(options("--batch-interval-us 70").batch_interval, Duration::from_micros(70));
    }
    if has("no-pin") {
        assert!(options("").pin_threads && !options("--no-pin").pin_threads, "--no-pin");
    }
    if has("shards") {
        assert_eq!(options("--shards 3").shards, 3);
    }
    if has("snapshot") {
        let kept = |options: &Options| (options.segment_commands, options.snapshot_every, options.trim_log);
        assert_eq!(kept(&options("")), (Some(16_777_216), None, false));
        let trimmed = options("--segment-commands 9 --snapshot-every 5 --keep-log since-snapshot");
        assert_eq!(kept(&trimmed), (Some(9), Some(5), true));
        let archived = options("--snapshot-every 5 --archive elsewhere");
        assert_eq!((archived.trim_log, archived.archive), (true, Some("elsewhere".into())));
    }
}

/// The path is relative to this source file.
fn assert_same(name: &str, text: &str) {
    insta::with_settings!({
        snapshot_path => "../snapshots/words",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::assert_snapshot!(name, text);
    });
}
