//! A crash at every step of every write of columns, and a disk that fails once: a reader that knows the folder alone never
//! finds a trade twice, and the next start, or the next try, misses none.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]

#[path = "support/engine.rs"]
mod engine;
#[path = "support/expected.rs"]
#[allow(dead_code)]
mod expected;
#[path = "support/made.rs"]
#[allow(dead_code)]
mod made;
#[path = "support/trades.rs"]
#[allow(dead_code)]
mod trades;

use std::path::Path;
use std::sync::Arc;

use contract::faults::Faults;
use contract::sim_disk::SimDisk;
use history::columns::Columns;
use history::columns::manifest::{Listed, Manifest};
use history::error::HistoryError;
use history::store::Store;
use market::{Disk, Options, RealDisk, Sequence};
use program::rounds::Rounds;

use engine::{commands, options, run};
use expected::Rows;
use made::{opened, rows_catch_up};
use trades::{Trades, assert_is_a_beginning, assert_same, in_memory};

/// The rows of one log at several times, each in a folder of its own, so that the columns of all can be written again and again.
fn stages(folders: &[tempfile::TempDir; 6]) -> (Vec<Arc<Store>>, Trades) {
    let stores = folders.iter().zip([150, 200, 250, 300, 350, 420]).map(|(folder, count)| {
        // The same commands at the same times, so that each log is the beginning of the next.
        let seed = 5;
        let options = options(folder.path(), 1, false);
        let all = commands(seed, 420);
        let disk: Arc<dyn Disk> = Arc::new(SameId(RealDisk));
        let options = Options { disk, ..options };
        run(&options, &all[..count], || {});
        let store = opened(&options);
        rows_catch_up(&options, &store);
        store
    });
    let stores = stores.collect();
    let all = Rows::of_logs(folders[5].path(), 1, &[Sequence(u64::MAX)]).public;
    (stores, all)
}

/// A disk on which every log has the same identity.
struct SameId(RealDisk);

impl Disk for SameId {
    fn open(&self, path: &Path) -> std::io::Result<Option<Box<dyn market::LogFile>>> {
        self.0.open(path)
    }

    fn create(&self, path: &Path, header: &[u8]) -> std::io::Result<Box<dyn market::LogFile>> {
        self.0.create(path, header)
    }

    fn new_log_id(&self) -> market::LogId {
        market::LogId(42)
    }
}

/// Writes the columns of each stage in turn.
fn write_stages(disk: &SimDisk, stores: &[Arc<Store>]) -> Result<(), HistoryError> {
    let shared: Arc<dyn Disk> = Arc::new(disk.clone());
    stores.iter().try_for_each(|store| Columns::open(&shared, Path::new("data"), store)?.catch_up(&|| false))
}

/// How many files with trades are replaced between the stages.
fn replaced(stores: &[Arc<Store>]) -> usize {
    let disk: Arc<dyn Disk> = Arc::new(SimDisk::new(0, Faults::default()));
    let (mut last, mut replaced): (Option<Listed>, _) = (None, 0);
    for store in stores {
        let mut columns = Columns::open(&disk, Path::new("data"), store).unwrap();
        columns.catch_up(&|| false).unwrap();
        let files = &columns.manifest().files;
        replaced += usize::from(last.is_some_and(|last| last.rows > 0 && !files.contains(&last)));
        last = files.last().cloned();
    }
    replaced
}

fn found(disk: &SimDisk) -> Trades {
    let contents = disk.contents();
    in_memory(contents.iter().map(|(path, bytes)| (path.as_path(), bytes.as_slice())))
}

#[test]
fn a_crash_at_any_step_leaves_no_trade_twice_and_the_next_start_misses_none() {
    let folders = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    let (stores, all) = stages(&folders);
    let healthy = SimDisk::new(0, Faults::default());
    write_stages(&healthy, &stores).unwrap();
    assert_same(&found(&healthy), &all, "without a crash");
    assert!(replaced(&stores) > 1, "too few files with trades were replaced");
    let steps = healthy.counts().operations;
    let (mut partly, mut whole) = (0, 0);
    for step in 1..=steps {
        for seed in step..step + Rounds::asked().pick(1, 4) {
            let disk = SimDisk::new(seed, Faults { power_fails_at: Some(step), ..Faults::default() });
            let failed = write_stages(&disk, &stores);
            assert!(failed.is_err(), "step {step} of {steps} did not fail");
            // With an odd seed the process dies and the machine goes on.
            let after = if seed % 2 == 0 { disk.crash() } else { disk.kill() };
            let when = format!("a crash at step {step}, seed {seed}");
            let there = assert_is_a_beginning(&found(&after), &all, 1, &when);
            partly += usize::from(there > 0 && there < all.len());
            let shared: Arc<dyn Disk> = Arc::new(after.clone());
            let columns = Columns::open(&shared, Path::new("data"), &stores[5]);
            let mut columns = columns.unwrap_or_else(|error| panic!("{when}: {error}"));
            assert_is_a_beginning(&found(&after), &all, 1, &when);
            columns.catch_up(&|| false).unwrap();
            columns.check_all().unwrap();
            assert_same(&found(&after), &all, &when);
            let names: Vec<_> = after.paths().into_iter().filter(|path| !is_whole(path)).collect();
            assert!(names.is_empty(), "{when}: {names:?} are left");
            whole += 1;
        }
    }
    println!("{steps} steps, {partly} crashes in the middle, {whole} starts after a crash");
    assert!(partly > 20, "too few crashes left a part of the columns: {partly}");
}

fn is_whole(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "parquet" || end == "json")
}

/// A write, a sync or a removal fails, and the process goes on: the next try makes the columns whole.
#[test]
fn a_disk_that_fails_once_is_tried_again() {
    let folders = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    let (stores, all) = stages(&folders);
    let healthy = SimDisk::new(0, Faults::default());
    write_stages(&healthy, &stores).unwrap();
    let (counts, few) = (healthy.counts(), Rounds::asked().pick(5, 1));
    let writes = (1..=counts.writes).step_by(few).map(|at| Faults { write_fails_at: Some(at), ..Faults::default() });
    let syncs = (1..=counts.syncs).step_by(few).map(|at| Faults { sync_fails_at: Some(at), ..Faults::default() });
    let names = (1..=counts.name_syncs).map(|at| Faults { names_sync_fails_at: Some(at), ..Faults::default() });
    for faults in writes.chain(syncs).chain(names) {
        let disk = SimDisk::new(1, faults.clone());
        let shared: Arc<dyn Disk> = Arc::new(disk.clone());
        let mut failures = 0;
        let mut failed = |error: HistoryError| {
            let words = error.to_string();
            assert!(words.contains("trades") && words.contains("simulated"), "{words}");
            assert_is_a_beginning(&found(&disk), &all, 1, &format!("{faults:?}"));
            failures += 1;
        };
        for store in &stores {
            let open = || Columns::open(&shared, Path::new("data"), store);
            let mut columns = open().or_else(|error| {
                failed(error);
                open()
            });
            let columns = columns.as_mut().unwrap();
            if let Err(error) = columns.catch_up(&|| false) {
                failed(error);
                columns.catch_up(&|| false).unwrap();
            }
            columns.check_all().unwrap();
            let list = disk.read(&columns.folder().join("manifest.json")).unwrap();
            assert_eq!(Manifest::decode(&list).as_ref(), Some(columns.manifest()), "{faults:?}");
        }
        assert_eq!(failures, 1, "{faults:?}");
        assert_same(&found(&disk), &all, &format!("{faults:?}"));
    }
}
