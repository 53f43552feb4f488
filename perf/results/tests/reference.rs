//! The committed records match their types: the types know every name in them, and write them back unchanged.

use std::path::Path;

use results::record::{
    DisksRecord, FeedRecord, LabRecord, LadderRecord, NumbersRecord, Record, ScaleRecord, SweepRecord, VenueRecord,
};
use serde_json::Value;

/// Whether two texts are the same, line by line. The last of a float's 17 digits may be lost when it is read.
fn are_alike(one: &str, other: &str) -> bool {
    let number =
        |line: &str| serde_json::from_str::<Value>(line.rsplit(' ').next()?.trim_end_matches(',')).ok()?.as_f64();
    let alike = |(one, other): (&str, &str)| match (number(one), number(other)) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-12 * a.abs(),
        _ => one == other,
    };
    one.lines().count() == other.lines().count() && one.lines().zip(other.lines()).all(alike)
}

/// Reads the reference record of `R`, and asserts that it is the same when written again.
fn is_read_whole<R: Record>() {
    let path = format!("../../output/reference/{}.json", R::VERB);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let record = R::load(&path).unwrap_or_else(|error| panic!("{error}"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = folder.path().join("copy.json");
    record.save(&copy).expect("saved");
    let [read, written] = [&path, &copy].map(|path| std::fs::read_to_string(path).expect("it is there"));
    assert!(are_alike(&read, &written), "{} is written differently from how it was read", path.display());
}

#[test]
fn the_reference_records_are_read_and_written_as_they_are() {
    is_read_whole::<LadderRecord>();
    is_read_whole::<SweepRecord>();
    is_read_whole::<DisksRecord>();
    is_read_whole::<ScaleRecord>();
    is_read_whole::<NumbersRecord>();
    is_read_whole::<LabRecord>();
    is_read_whole::<FeedRecord>();
    is_read_whole::<VenueRecord>();
}
