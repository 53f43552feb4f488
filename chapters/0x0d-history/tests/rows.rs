//! The rows are what the reference model's events say, wherever the follower begins and however often it begins again; what was
//! trimmed is named; what is of other logs, old or damaged is refused or made again, and never believed.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]

#[path = "support/engine.rs"]
mod engine;
#[path = "support/expected.rs"]
#[allow(dead_code)]
mod expected;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use ch08::reshard::reshard;
use contract::streams::Random;
use contract::traced::copy;
use history::changes::Changes;
use history::error::HistoryError;
use history::follower::Follower;
use history::following::{Progress, follow};
use history::key;
use history::missing::Missing;
use history::place::Place;
use history::rows::Row as _;
use history::store::{Followed, Store};
use market::log::ShardOf;
use market::log_chain::segments;
use market::{Options, RealDisk, Sequence};
use program::rounds::Rounds;

use engine::{commands, options, run};
use expected::{Rows, logged, next};

/// Follows everything that is there.
fn catch_up(options: &Options, store: &Arc<Store>) -> Result<(), HistoryError> {
    let progress = Progress::new(store, options.shards)?;
    follow(options, store, &progress, &|| progress.is_caught_up())
}

/// The rows that are there. What a few commands lead to becomes a table of its own, and what one leads to does not.
fn opened(options: &Options) -> Arc<Store> {
    Arc::new(Store::open(options, false).unwrap().with_tables_of(20))
}

#[test]
fn rows_are_what_the_events_say_wherever_the_follower_begins_again() {
    let mut happened = 0;
    for seed in 0..Rounds::asked().pick(6, 60) {
        let shards = [1, 1, 3][seed as usize % 3];
        let folder = tempfile::tempdir().unwrap();
        let options = options(folder.path(), shards, false);
        let mut random = Random::new(seed);
        let (mut store, mut followers) = (None, Vec::new());
        let all = commands(seed, 500);
        run(&options, &all, || match random.below(8) {
            0 => {
                // What was not committed is lost with the process; what was is there when the store is opened again.
                followers.clear();
                store = None;
            }
            1..5 => {
                let store = store.get_or_insert_with(|| opened(&options));
                if followers.is_empty() {
                    let all = (0..shards).map(|shard| ShardOf { shard, shards });
                    followers.extend(all.map(|shard| Follower::begin(&options, store, shard).unwrap()));
                }
                let follower = random.below(u64::from(shards)) as usize;
                followers[follower].step().unwrap();
            }
            _ => {}
        });
        drop((followers, store));
        let store = opened(&options);
        catch_up(&options, &store).unwrap();
        let expected = Rows::of_logs(folder.path(), shards, &[Sequence(u64::MAX); 3]);
        happened += expected.trades.len().min(expected.money.len());
        Rows::of_store(&store).assert_is(&expected, &format!("seed {seed}"));
        let counts: [u64; 3] = (0..shards).fold([0; 3], |sum, shard| {
            let counts = store.followed(shard).unwrap().counts;
            std::array::from_fn(|at| sum[at] + counts[at])
        });
        let found = [expected.public.len(), expected.orders.len(), expected.money.len()];
        assert_eq!(counts.map(|count| count as usize), found);
        assert_eq!(store.missing().unwrap(), []);
    }
    assert!(happened > 100, "too little happened: {happened}");
}

#[test]
fn what_was_trimmed_is_named_and_the_rest_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path(), 1, true);
    let (all, mut steps) = (commands(9, 600), 0);
    let mut early = None;
    run(&options, &all, || {
        steps += 1;
        if steps == 20 {
            // It follows for a while, and is then away until the log is trimmed.
            let store = opened(&options);
            catch_up(&options, &store).unwrap();
            early = Some((Rows::of_store(&store), next(&store, 1)[0]));
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    });
    keeping::once::snapshot::<ch08::shadow::Shadow>(&options).unwrap();
    let first = segments(&RealDisk, folder.path(), ShardOf::ONLY).unwrap()[0].first;
    let (early, reached) = early.unwrap();
    assert!(first > reached, "nothing was trimmed that it had not followed");
    let store = opened(&options);
    catch_up(&options, &store).unwrap();
    let missing = store.missing().unwrap();
    let [Missing { first: gone, last, from, to }] = missing[..] else { panic!("{missing:?}") };
    assert_eq!(gone, reached);
    assert!(last >= first && from < to, "{missing:?}");
    let rows = Rows::of_store(&store);
    // What it had followed before is there, and so is everything after the gap: all commands are known here.
    for (key, trade) in &early.trades {
        assert_eq!(rows.trades.get(key), Some(trade));
    }
    let mut model = market::model::Model::default();
    let (mut traded, mut placed) = (0, 0);
    for (sequence, command) in (1..).map(Sequence).zip(&all) {
        for event in model.apply(command) {
            let is_there = sequence < gone || sequence > last;
            traded += usize::from(is_there && matches!(event, market::Event::Traded { .. }));
            placed += usize::from(is_there && matches!(event, market::Event::Accepted { .. }));
        }
    }
    assert_eq!(rows.public.len(), traded);
    assert_eq!(rows.orders.values().filter(|order| order.order.0 > 0).count(), placed);
    assert!(rows.public.keys().all(|(_, Place { sequence, .. })| *sequence < gone || *sequence > last));
    // A second start finds nothing more that is missing.
    drop(store);
    let store = opened(&options);
    catch_up(&options, &store).unwrap();
    assert_eq!(store.missing().unwrap(), missing);
}

#[test]
fn rows_of_other_logs_are_refused_by_name_and_made_again() {
    for (before, after) in [(1, 3), (3, 2)] {
        let folder = tempfile::tempdir().unwrap();
        let old = options(folder.path(), before, false);
        run(&old, &commands(4, 300), || {});
        catch_up(&old, &opened(&old)).unwrap();
        reshard(&RealDisk, folder.path(), after).unwrap();
        let new = options(folder.path(), after, false);
        // An engine that starts says how much of the new logs is on disk.
        run(&new, &[], || {});
        let logs: Vec<_> = (0..after).map(|shard| logged(folder.path(), ShardOf { shard, shards: after })).collect();
        refused(&new, "other logs");
        let store = Arc::new(Store::open(&new, true).unwrap());
        catch_up(&new, &store).unwrap();
        let expected = Rows::of_logs(folder.path(), after, &[Sequence(u64::MAX); 3]);
        Rows::of_store(&store).assert_is(&expected, "after resharding");
        // The log is what it was.
        let again = (0..after).map(|shard| logged(folder.path(), ShardOf { shard, shards: after }));
        assert!(again.eq(logs));
    }
}

/// The store is refused with its folder, this reason, and what to do.
fn refused(options: &Options, reason: &str) {
    let words = Store::open(options, false).err().map(|error| error.to_string()).expect("it is refused");
    let folder = options.data_dir.join("history/rows").display().to_string();
    assert!(words.contains(reason) && words.contains(&folder) && words.contains("--rebuild"), "{words}");
}

#[test]
fn an_old_form_and_a_second_follower_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path(), 1, false);
    run(&options, &commands(5, 100), || {});
    let store = opened(&options);
    let words = Store::open(&options, false).err().map(|error| error.to_string()).expect("it is locked");
    assert!(words.contains("follows the log into it") && words.contains("--no-history"), "{words}");
    let mut changes = Changes::default();
    changes.put(&key::ABOUT, &Followed { next: Sequence(1), ..Followed::default() });
    store.commit(changes).unwrap();
    drop(store);
    refused(&options, "another version");
    assert!(Store::open(&options, true).is_ok());
}

/// Every file of the store, damaged at several places: the rows are refused, or they are right.
#[test]
fn damaged_rows_are_refused_or_made_again_and_never_believed() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path(), 1, false);
    run(&options, &commands(6, 600), || {});
    let store = opened(&options);
    catch_up(&options, &store).unwrap();
    // So that there are tables as well as a journal.
    store.settle().unwrap();
    let expected = Rows::of_logs(folder.path(), 1, &[Sequence(u64::MAX)]);
    Rows::of_store(&store).assert_is(&expected, "before anything is damaged");
    drop(store);
    let kept = folder.path().join("kept");
    let rows = folder.path().join("history/rows");
    copy(&rows, &kept).unwrap();
    let (mut random, mut said) = (Random::new(7), [0; 3]);
    for file in files(&kept) {
        let name = file.strip_prefix(&kept).unwrap();
        let length = fs::metadata(&file).unwrap().len();
        for round in 0..Rounds::asked().pick(3, 20) {
            fs::remove_dir_all(&rows).unwrap();
            copy(&kept, &rows).unwrap();
            let damaged = rows.join(name);
            let mut bytes = fs::read(&damaged).unwrap();
            match round {
                0 => fs::remove_file(&damaged).unwrap(),
                1 => fs::write(&damaged, &bytes[..bytes.len() / 2]).unwrap(),
                _ if length > 0 => {
                    let at = random.below(length) as usize;
                    bytes[at] ^= 1 << random.below(8);
                    fs::write(&damaged, &bytes).unwrap();
                }
                _ => continue,
            }
            let when = format!("{} damaged, round {round}", name.display());
            // A process of its own: where the store finds a wrong byte it may panic, and again while it is dropped,
            // which ends the process. Even then the operator learns what to do.
            let check = ["follow", "--check", "--data-dir"];
            let output = Command::new(env!("CARGO_BIN_EXE_ch0d")).args(check).arg(folder.path()).output().unwrap();
            let words = String::from_utf8_lossy(&output.stderr);
            if output.status.success() {
                Rows::of_store(&opened(&options)).assert_is(&expected, &when);
                said[0] += 1;
            } else if words.contains("panicked at") {
                assert!(words.contains("--rebuild"), "{when}: {words}");
                said[2] += 1;
            } else {
                assert!(words.contains("--rebuild") && words.contains("history/rows"), "{when}: {words}");
                said[1] += 1;
            }
        }
        // It can always be made again.
        let store = Arc::new(Store::open(&options, true).unwrap());
        catch_up(&options, &store).unwrap();
        Rows::of_store(&store).assert_is(&expected, &format!("{}, made again", name.display()));
    }
    println!("{} healed, {} refused, {} panicked", said[0], said[1], said[2]);
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() { all.extend(files(&entry)) } else { all.push(entry) }
    }
    all.sort();
    all
}

#[test]
fn a_row_that_is_too_short_or_too_long_is_not_decoded() {
    let row = Followed::default().encode();
    assert!(Followed::decode(&row).is_some());
    assert!((0..row.len()).all(|length| Followed::decode(&row[..length]).is_none()));
    assert_eq!(Followed::decode(&[&row[..], &[0]].concat()), None);
}
