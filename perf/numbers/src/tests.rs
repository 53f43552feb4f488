use std::time::Instant;

use program::Failure;

use super::*;

#[test]
fn the_scale_has_names() {
    for (ns, english, chinese) in [
        (0.0, "0 seconds", "0 秒"),
        (0.5, "0.5 seconds", "0.5 秒"),
        (1.0, "1 second", "1 秒"),
        (17.3, "17 seconds", "17 秒"),
        (80.0, "80 seconds", "80 秒"),
        (120.0, "2 minutes", "2 分钟"),
        (5_000.0, "83 minutes", "83 分钟"),
        (9_000.0, "2.5 hours", "2.5 小时"),
        (113_000.0, "31 hours", "31 小时"),
        (150_000.0, "1.7 days", "1.7 天"),
        (5e6, "1.9 months", "1.9 个月"),
        (1e9, "32 years", "32 年"),
    ] {
        assert_eq!(if_a_nanosecond_were_a_second(ns, Language::English), english);
        assert_eq!(if_a_nanosecond_were_a_second(ns, Language::Chinese), chinese);
    }
}

#[test]
fn samples_are_summed_up_by_their_middle_and_spread() {
    let measured = Measured::of((0..=100).rev().map(f64::from).collect()).unwrap();
    assert_eq!((measured.p10_ns, measured.median_ns, measured.p90_ns), (10.0, 50.0, 90.0));
    assert_eq!(measured.samples, 101);
    assert_eq!(Measured::of(vec![]), None);
}

#[test]
fn every_number_has_a_name_of_its_own() {
    let mut ids: Vec<_> = NUMBERS.iter().map(|number| number.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), NUMBERS.len());
    assert!(NUMBERS.iter().all(|number| number.reference_ns > 0.0 && !number.chinese.is_ascii()));
}

#[test]
fn a_measurement_is_written_shown_and_quick() {
    let dir = tempfile::tempdir().unwrap();
    let output = OutputArgs { output: Some(dir.path().join("output")) };
    let out = output.folder().join("numbers.json");
    let args = NumbersArgs { json: true, lang: Language::English, disk: Some(dir.path().into()), output };
    let start = Instant::now();
    run(&args).unwrap();
    // The promise is 10 s; a machine that is also compiling gets more.
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    let record: NumbersRecord = serde_json::from_str(&fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!(record.numbers.len(), NUMBERS.len());
    let left_over = fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(left_over, 1, "only the output folder stays");
    for number in &record.numbers {
        let Some(measured) = &number.measured else { continue };
        assert!(measured.median_ns >= 0.0 && measured.median_ns < 1e9, "{number:?}");
        assert!(measured.p10_ns <= measured.median_ns && measured.median_ns <= measured.p90_ns);
    }
    let english = table(&record, Language::English).to_string();
    assert!(english.contains("L1 cache hit") && english.contains("second"), "{english}");
    let chinese = table(&record, Language::Chinese).to_string();
    assert!(chinese.contains("缓存命中") && chinese.contains("秒"), "{chinese}");
}

#[test]
fn a_folder_that_cannot_be_made_is_a_disk_error() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let output = OutputArgs { output: Some(file.join("below")) };
    let args = NumbersArgs { json: true, lang: Language::Chinese, disk: None, output };
    assert_eq!(run(&args).unwrap_err().exit_code(), 3);
}
