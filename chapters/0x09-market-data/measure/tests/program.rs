//! The measurement, run briefly: its record is meaningful. Speed is not tested.

use std::process::{Command, Output};

fn program(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_watching")).args(arguments).output().expect("the program starts")
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

#[test]
fn a_measurement_is_recorded() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = folder.path().to_string_lossy().into_owned();
    let ended = program(&["--quick", "--readers", "1,100", "--rate", "20000", "--output", &output, "--lang", "zh"]);
    let words = printed(&ended);
    assert_eq!(ended.status.code(), Some(0), "{words}");
    assert!(words.contains("每人一条通道"), "{words}");
    let record = std::fs::read_to_string(folder.path().join("feed.json")).expect("a record");
    let record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
    assert_eq!(record["command"], "cargo run --release -- feed --readers 1,100 --rate 20000 --quick");
    for (case, name) in ["1", "100"].into_iter().enumerate() {
        let case = &record["cases"][case];
        assert_eq!(case["name"], name);
        for way in ["mask", "channels"] {
            let late = &case[way]["from_acknowledgement"];
            // Every command that watchers may see was followed to the last reader.
            assert!(late["commands"].as_u64() > Some(1_000) && late["p50_ms"].as_f64() > Some(0.0), "{way}: {late}");
        }
    }
    for (at, shards) in [1, 2].into_iter().enumerate() {
        let case = &record["shards"][at];
        assert_eq!(case["shards"], shards);
        assert!(case["p99_ms"]["median"].as_f64() > Some(0.0), "{case}");
    }
    if cfg!(target_os = "linux") {
        let threads = &record["cases"][1]["mask"]["threads"];
        for group in ["matching_ns", "offering_ns", "feed_ns", "readers_ns", "others_ns"] {
            assert!(threads[group].as_f64() > Some(0.0), "{group}: {threads}");
        }
    }
    assert!(record["cursor_bytes"].as_u64() <= Some(64), "{}", record["cursor_bytes"]);
}

#[test]
fn bad_arguments_are_rejected_with_a_message_and_a_code() {
    let ended = program(&["--readers", "0"]);
    assert!(ended.status.code() == Some(2) && printed(&ended).contains("0 is not in"), "{}", printed(&ended));
}
