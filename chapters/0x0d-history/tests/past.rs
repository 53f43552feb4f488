//! What the follower does where the disk fails, where the log was trimmed, and where the log has another past than the rows: a
//! fault of the disk loses no rows for ever, and rows of a past that the log does not have are refused.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

#[path = "support/engine.rs"]
mod engine;
#[path = "support/expected.rs"]
#[allow(dead_code)]
mod expected;
#[path = "support/faulty.rs"]
mod faulty;

use std::io;
use std::path::Path;
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use contract::traced::copy;
use history::args::{ColumnArgs, HistoryArgs};
use history::columns::Columns;
use history::error::HistoryError;
use history::follower::Follower;
use history::following::{Following, Progress, follow};
use history::history::History;
use history::past::forget;
use history::rebuild::RebuildArgs;
use history::store::Store;
use market::log::ShardOf;
use market::log_chain::segments;
use market::{Options, RealDisk, Sequence, snapshot};
use tempfile::TempDir;

use engine::{commands, options, run};
use expected::{Rows, next};
use faulty::{Faulty, Instead};

/// What does not come in this time never does. No measurement.
const STUCK: Duration = Duration::from_secs(60);

fn too_many_files() -> io::Error {
    io::Error::other("too many open files")
}

fn is_log(name: &str) -> bool {
    ShardOf::of_segment_name(name).is_some()
}

fn opened(options: &Options) -> Arc<Store> {
    Arc::new(Store::open(options, false).unwrap())
}

fn catch_up(options: &Options, store: &Arc<Store>) {
    let progress = Progress::new(store, options.shards).unwrap();
    follow(options, store, &progress, &|| progress.is_caught_up()).unwrap();
}

fn make_snapshot(options: &Options) {
    keeping::once::snapshot::<ch08::shadow::Shadow>(options).unwrap();
}

/// The rows are what the whole log says, although a follower could not begin for this reason.
fn assert_nothing_is_missing(options: &Options, whole: &Path, store: &Arc<Store>, error: Option<HistoryError>) {
    assert_eq!(store.missing().unwrap(), [], "the log has all of it");
    let error = error.expect("the follower does not begin");
    assert!(!matches!(error, HistoryError::Unusable { .. }), "{error}");
    catch_up(options, store);
    assert_eq!(store.missing().unwrap(), [], "the log has all of it");
    Rows::of_store(store).assert_is(&Rows::of_logs(whole, 1, &[Sequence(u64::MAX)]), "after the fault");
}

#[test]
fn a_log_that_cannot_be_opened_once_is_not_taken_for_a_trimmed_one() {
    let (folder, disk) = (tempfile::tempdir().unwrap(), Faulty::default());
    let options = Options { disk: Arc::new(disk.clone()), ..options(folder.path(), 1, false) };
    run(&options, &commands(1, 300), || {});
    make_snapshot(&options);
    let store = opened(&options);
    let mut left = 1;
    disk.set(move |name| {
        let fails = left > 0 && is_log(name);
        left -= i32::from(fails);
        fails.then(|| Err(too_many_files()))
    });
    let error = Follower::begin(&options, &store, ShardOf::ONLY).err();
    disk.heal();
    assert_nothing_is_missing(&options, folder.path(), &store, error);
}

/// A log that was trimmed up to its first snapshot, with rows that go further than that snapshot and less far than the second.
struct Trimmed {
    folder: TempDir,
    /// A copy of the log before it was trimmed.
    whole: TempDir,
    options: Options,
    disk: Faulty,
    store: Arc<Store>,
}

impl Trimmed {
    fn new() -> Trimmed {
        let (folder, whole, disk) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), Faulty::default());
        let options = Options {
            disk: Arc::new(disk.clone()),
            snapshot_every: None,
            segment_commands: Some(20),
            ..options(folder.path(), 1, false)
        };
        let all = commands(2, 400);
        let (first, rest) = all.split_at(210);
        let (second, third) = rest.split_at(70);
        run(&options, first, || {});
        make_snapshot(&options);
        run(&options, second, || {});
        let store = opened(&options);
        catch_up(&options, &store);
        run(&options, third, || {});
        copy(folder.path(), whole.path()).unwrap();
        make_snapshot(&Options { trim_log: true, ..options.clone() });
        let segments = segments(&RealDisk, folder.path(), ShardOf::ONLY).unwrap();
        assert!(segments[0].first > Sequence::FIRST, "nothing was trimmed");
        let snapshots = snapshot::list(&RealDisk, folder.path(), ShardOf::ONLY).unwrap();
        let place = next(&store, 1)[0];
        let [(after, _), (before, _)] = snapshots[..] else { panic!("{snapshots:?}") };
        assert!(before < place && place < after, "{before}, {place}, {after}");
        Trimmed { folder, whole, options, disk, store }
    }

    /// A follower does not begin with this fault, and misses nothing without it.
    fn survives(&self, fault: impl FnMut(&str) -> Instead + Send + 'static) {
        self.disk.set(fault);
        let error = Follower::begin(&self.options, &self.store, ShardOf::ONLY).err();
        self.disk.heal();
        assert_nothing_is_missing(&self.options, self.whole.path(), &self.store, error);
    }
}

#[test]
fn a_segment_that_goes_while_the_follower_looks_is_no_gap_where_a_snapshot_serves() {
    let mut left = 1;
    Trimmed::new().survives(move |name| {
        let is_gone = left > 0 && is_log(name);
        left -= i32::from(is_gone);
        is_gone.then_some(Ok(None))
    });
}

#[test]
fn a_snapshot_that_cannot_be_opened_is_no_gap() {
    let trimmed = Trimmed::new();
    let snapshots = snapshot::list(&RealDisk, trimmed.folder.path(), ShardOf::ONLY).unwrap();
    let before = snapshots[1].1.file_name().unwrap().to_str().unwrap().to_owned();
    trimmed.survives(move |name| (name == before).then(|| Err(too_many_files())));
}

#[test]
fn a_snapshot_whose_log_cannot_be_opened_is_no_gap() {
    // The log says which one it is, and is then not opened for as long as the snapshot before the place is looked at.
    let mut looks = 0;
    Trimmed::new().survives(move |name| {
        looks += i32::from(is_log(name));
        (is_log(name) && (2..=4).contains(&looks)).then(|| Err(too_many_files()))
    });
}

fn followed(folder: &Path, flags: &[&str]) -> Output {
    let mut follow = std::process::Command::new(env!("CARGO_BIN_EXE_ch0d"));
    follow.arg("follow").args(flags).arg("--data-dir").arg(folder).output().unwrap()
}

#[test]
fn rows_that_cannot_be_made_again_are_not_thrown_away() {
    let Trimmed { folder, whole, options, store, .. } = Trimmed::new();
    catch_up(&options, &store);
    let all = Rows::of_store(&store);
    drop(store);
    let first = segments(&RealDisk, folder.path(), ShardOf::ONLY).unwrap()[0].first;
    let output = followed(folder.path(), &["--once", "--rebuild"]);
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words}");
    let lost = format!("1 to {} of shard 0", first.0 - 1);
    assert!(words.contains(&lost) && words.contains("--rebuild-without-trimmed"), "{words}");
    Rows::of_store(&opened(&options)).assert_is(&all, "nothing was thrown away");
    let output = followed(folder.path(), &["--once", "--rebuild-without-trimmed"]);
    assert!(output.status.success(), "{output:?}");
    let missing = opened(&options).missing().unwrap();
    assert_eq!(missing.first().map(|gap| gap.first), Some(Sequence::FIRST), "{missing:?}");
    // With the segments that were trimmed, all can be made again.
    for segment in segments(&RealDisk, whole.path(), ShardOf::ONLY).unwrap() {
        std::fs::copy(&segment.path, folder.path().join(segment.path.file_name().unwrap())).unwrap();
    }
    let output = followed(folder.path(), &["--once", "--rebuild"]);
    assert!(output.status.success(), "{output:?}");
    Rows::of_store(&opened(&options)).assert_is(&all, "made again");
}

/// A folder whose rows are those of a longer log, which then lost its end.
fn restored() -> (TempDir, Options, Vec<market::Command>) {
    let (folder, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = Options { snapshot_every: None, segment_commands: None, ..options(folder.path(), 1, false) };
    let all = commands(3, 300);
    run(&options, &all[..150], || {});
    copy(folder.path(), kept.path()).unwrap();
    run(&options, &all[150..], || {});
    catch_up(&options, &opened(&options));
    for entry in std::fs::read_dir(kept.path()).unwrap().map(|entry| entry.unwrap()) {
        std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    (folder, options, all)
}

fn of_another_past(refused: Option<impl std::fmt::Display>) {
    let words = refused.expect("it is refused").to_string();
    assert!(words.contains("another past") && words.contains("--rebuild"), "{words}");
}

#[test]
fn rows_that_go_further_than_their_log_are_refused() {
    let (_folder, options, _) = restored();
    let columns = ColumnArgs { columns_every: 86_400, columns_rows: 1_000, table_rows: 20 };
    let history = History::new(&HistoryArgs { no_history: false, rebuild: RebuildArgs::default(), columns });
    of_another_past(history.open(&options, &[Sequence(160)]).err());
    of_another_past(Follower::begin(&options, &opened(&options), ShardOf::ONLY).err());
}

#[test]
fn rows_are_refused_whose_log_went_on_otherwise() {
    let (_folder, options, all) = restored();
    // Other commands under the numbers of those that were lost, and more of them, at other times.
    let later = market::Clock::new(|| market::UnixMs(1_900_000_000_000));
    run(&Options { clock: later, ..options.clone() }, &all[..200], || {});
    of_another_past(Follower::begin(&options, &opened(&options), ShardOf::ONLY).err());
    // Also where a snapshot was made since then.
    make_snapshot(&options);
    of_another_past(Follower::begin(&options, &opened(&options), ShardOf::ONLY).err());
    let store = Arc::new(Store::open(&options, true).unwrap());
    catch_up(&options, &store);
    Rows::of_store(&store).assert_is(&Rows::of_logs(&options.data_dir, 1, &[Sequence(u64::MAX)]), "made again");
}

#[test]
fn a_follower_of_its_own_that_fails_ends_with_3_with_once_and_without() {
    let (_folder, options, _) = restored();
    for once in [&["--once"][..], &[]] {
        let output = followed(&options.data_dir, once);
        assert_eq!(output.status.code(), Some(3), "{once:?}: {output:?}");
        of_another_past(Some(String::from_utf8_lossy(&output.stderr)));
    }
}

fn following(options: &Options) -> (Arc<Progress>, Following) {
    let store = opened(options);
    let progress = Arc::new(Progress::new(&store, 1).unwrap());
    let columns = Columns::open(&options.disk, &options.data_dir, &store).unwrap();
    let following = Following::start(options, &store, &progress, columns, Duration::from_secs(86_400)).unwrap();
    (progress, following)
}

fn wait(what: &str, mut is_there: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_there() {
        assert!(began.elapsed() < STUCK, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_follower_that_panics_has_ended() {
    let (folder, disk) = (tempfile::tempdir().unwrap(), Faulty::default());
    let options = Options { disk: Arc::new(disk.clone()), ..options(folder.path(), 1, false) };
    run(&options, &commands(4, 50), || {});
    let panics = Arc::new(AtomicBool::new(false));
    let now = Arc::clone(&panics);
    disk.set(move |_| {
        let is_follower = std::thread::current().name() == Some("history");
        assert!(!(is_follower && now.load(Ordering::Relaxed)), "the disk panics");
        None
    });
    let (progress, _following) = following(&options);
    wait("the rows do not come", || progress.is_caught_up());
    panics.store(true, Ordering::Relaxed);
    wait("it does not end", || progress.ended().is_some());
}

#[test]
fn a_fault_of_a_second_does_not_end_a_follower() {
    let (folder, disk) = (tempfile::tempdir().unwrap(), Faulty::default());
    let options = Options { disk: Arc::new(disk.clone()), ..options(folder.path(), 1, false) };
    run(&options, &commands(5, 50), || {});
    let (began, tries) = (Instant::now(), Arc::new(AtomicU64::new(0)));
    let count = Arc::clone(&tries);
    let (progress, _following) = {
        disk.set(move |name| {
            let is_follower = std::thread::current().name() == Some("history");
            let fails = is_follower && is_log(name) && began.elapsed() < Duration::from_secs(1);
            count.fetch_add(u64::from(fails), Ordering::Relaxed);
            fails.then(|| Err(too_many_files()))
        });
        following(&options)
    };
    wait("the rows do not come", || progress.is_caught_up() || progress.ended().is_some());
    assert_eq!(progress.ended(), None);
    assert!(tries.load(Ordering::Relaxed) > 0, "nothing failed");
}

#[test]
fn rows_that_know_what_a_log_is_about_to_lose_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path(), 1, false);
    assert!(!forget(&options, 0, Sequence::FIRST).unwrap(), "there are none");
    run(&options, &commands(1, 300), || {});
    let store = opened(&options);
    catch_up(&options, &store);
    let next = store.followed(0).unwrap().next;
    drop(store);
    assert!(!forget(&options, 0, next).unwrap(), "they know nothing more");
    assert_eq!(opened(&options).followed(0).unwrap().next, next);
    assert!(forget(&options, 0, Sequence(next.0 - 1)).unwrap());
    assert_eq!(opened(&options).followed(0).unwrap().next, Sequence::FIRST, "they begin anew");
}
