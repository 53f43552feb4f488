//! The record of a run: what is written is what is read, and impossible figures are refused with a
//! message.

use std::fs;
use std::path::Path;

use market::engine::Stage;
use program::Failure;
use results::error::MeasureError;
use results::machine::Machine;
use results::probe::Probe;
use results::record::{ChapterRecord, Flow, LadderRecord, Latency, Record, Spread, Stages};

fn sample() -> LadderRecord {
    LadderRecord {
        machine: Machine {
            cpu: "A CPU".into(),
            cores: 2,
            memory_bytes: None,
            disk: "vda".into(),
            filesystem: "ext4".into(),
            kernel: "6.1".into(),
            compiler: "rustc 1.95.0".into(),
            os: "linux".into(),
            arch: "x86_64".into(),
        },
        commit: "0123456789ab".into(),
        command: "cargo run --release".into(),
        flow: Flow { name: "classic".into(), seed: Some(1), orders: Some(100_000), input: None, log_version: 2 },
        rounds: 3,
        probes: vec![Probe { sync_ns: 1e5, round_trip_ns: None, pinned: false, spin_ns: 1e6 }],
        chapters: vec![ChapterRecord {
            chapter: "0x01-naive".into(),
            shards: None,
            orders: 2_000,
            trades: 960,
            orders_per_s: Spread::of(&[9_100.0, 8_900.0, 9_000.0]).expect("three rounds"),
            latency_ns: None,
            stages_ns: None,
            processor_ns: Default::default(),
            rounds: Vec::new(),
        }],
        venue: Vec::new(),
    }
}

fn check(record: &LadderRecord) -> Result<(), MeasureError> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    record.save(&dir.path().join("new/ladder.json"))
}

#[test]
fn a_record_is_read_as_it_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("output/ladder.json");
    let mut record = sample();
    let times = [900.0, 107_000.5, 60.0, 200.0, 150.0, 1_100.0];
    record.chapters[0].stages_ns = Stages::from_each(|stage| times.get(stage as usize).copied().ok_or(())).ok();
    record.chapters[0].latency_ns = Some(Latency { offered_per_s: 5_000.0, p50: 1, p99: 2, p999: 3, max: 4 });
    record.save(&path).unwrap();
    record.save(&path).unwrap();
    assert_eq!(LadderRecord::load(&path).unwrap(), record);
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no unfinished file");
    assert_eq!(record.chapters[0].stages_ns.unwrap().biggest(), (Stage::LogSync, 107_000.5));
}

#[test]
fn the_names_are_the_fixed_ones_and_more_may_come() {
    let mut json = serde_json::to_value(sample()).unwrap();
    for name in ["machine", "commit", "command", "flow", "rounds", "probes", "chapters"] {
        assert!(json.get(name).is_some(), "{name}");
    }
    for name in ["cpu", "cores", "disk", "filesystem", "kernel", "compiler", "os", "arch"] {
        assert!(json["machine"].get(name).is_some(), "{name}");
    }
    let chapter = &json["chapters"][0];
    assert_eq!(chapter["orders_per_s"]["median"], 9_000.0);
    assert!(chapter.get("stages_ns").is_none());
    json["chapters"][0]["stages_ns"] = serde_json::Value::Null;
    json["chapters"][0]["new"] = 1.into();
    assert_eq!(serde_json::from_value::<LadderRecord>(json).unwrap(), sample());
}

#[test]
fn the_middle_of_an_even_number_of_rounds_is_the_mean_of_two() {
    let spread = Spread::of(&[4.0, 1.0, 3.0, 2.0]).unwrap();
    assert_eq!((spread.median, spread.min, spread.max), (2.5, 1.0, 4.0));
    assert_eq!(Spread::of(&[]), None);
    assert_eq!(Spread::of(&[1.0, f64::NAN]), None);
}

#[test]
fn an_unusable_file_is_named_with_its_fault_and_a_way_out() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ladder.json");
    let message = |path: &Path| {
        let error = LadderRecord::load(path).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        let text = error.to_string();
        assert!(text.contains("ladder.json") && text.contains("ladder"), "{text}");
        text
    };
    assert!(message(&path).contains("cannot read"));
    fs::write(&path, "{\"machine\": 3}").unwrap();
    assert!(message(&path).contains("line 1"));
    let mut json = serde_json::to_value(sample()).unwrap();
    json["chapters"][0]["orders_per_s"]["median"] = 1.into();
    fs::write(&path, json.to_string()).unwrap();
    assert!(message(&path).contains("0x01-naive: orders_per_s has a median"));
}

#[test]
fn impossible_figures_are_not_written() {
    type Spoil = fn(&mut LadderRecord);
    let spoils: [(Spoil, &str); 5] = [
        (|r| r.chapters.clear(), "no chapter"),
        (|r| r.chapters.push(r.chapters[0].clone()), "twice"),
        (|r| r.chapters[0].orders_per_s = Spread::of(&[0.0]).unwrap(), "above 0"),
        (|r| r.chapters[0].orders_per_s.rounds.clear(), "no round"),
        (
            |r| {
                let latency = Latency { offered_per_s: 1.0, p50: 2, p99: 1, p999: 3, max: 4 };
                r.chapters[0].latency_ns = Some(latency);
            },
            "does not increase",
        ),
    ];
    check(&sample()).unwrap();
    for (spoil, words) in spoils {
        let mut record = sample();
        spoil(&mut record);
        let error = check(&record).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(error.exit_code(), 2);
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_a_disk_error() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    assert_eq!(sample().save(&file.join("ladder.json")).unwrap_err().exit_code(), 3);
}

#[test]
fn runs_on_venue_are_checked_and_have_names_of_their_own() {
    let mut record = sample();
    let mut again = record.chapters[0].clone();
    again.shards = Some(2);
    record.venue = vec![again.clone()];
    let names: Vec<String> = record.runs().map(|(name, _)| name).collect();
    assert_eq!(names, ["0x01-naive", "0x01-naive, 2 shards on venue"]);
    check(&record).expect("the same chapter may run on both");
    record.venue[0].orders_per_s.rounds[0] = -1.0;
    assert!(check(&record).is_err(), "an impossible figure on venue");
    record.venue = vec![again.clone(), again];
    assert!(check(&record).is_err(), "twice on venue");
}
