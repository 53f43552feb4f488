//! The columns are what the reference model's events say, wherever they are left and begun again; what is of other logs, old
//! or damaged is refused or made again.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

#[path = "support/engine.rs"]
mod engine;
#[path = "support/expected.rs"]
#[allow(dead_code)]
mod expected;
#[path = "support/made.rs"]
mod made;
#[path = "support/trades.rs"]
#[allow(dead_code)]
mod trades;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ch08::reshard::reshard;
use contract::streams::Random;
use history::columns::manifest::Manifest;
use history::follower::Follower;
use history::place::Place;
use history::store::Store;
use market::log::ShardOf;
use market::{Options, RealDisk, Sequence};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use program::rounds::Rounds;

use engine::{commands, options, run};
use expected::Rows;
use made::{PART, columns, folder, opened, rows_catch_up};
use trades::{Trades, assert_same, before, in_folder, listed};

fn expected(options: &Options) -> Trades {
    Rows::of_logs(&options.data_dir, options.shards, &[Sequence(u64::MAX); 3]).public
}

/// A log, its rows and its columns.
fn made(folder: &Path, shards: u16, seed: u64) -> Options {
    let options = options(folder, shards, false);
    run(&options, &commands(seed, 500), || {});
    let store = opened(&options);
    rows_catch_up(&options, &store);
    columns(&options, &store).unwrap().catch_up(&|| false).unwrap();
    options
}

#[test]
fn columns_are_what_the_events_say_wherever_they_are_begun_again() {
    let mut happened = 0;
    for seed in 0..Rounds::asked().pick(6, 60) {
        let shards = [1, 3][seed as usize % 2];
        let at = tempfile::tempdir().unwrap();
        let options = options(at.path(), shards, false);
        let mut random = Random::new(seed);
        let (mut all, mut seen) = (None, Vec::new());
        run(&options, &commands(seed, 500), || {
            if random.below(10) == 0 {
                all = None;
            }
            let (followers, columns) = all.get_or_insert_with(|| {
                let store = opened(&options);
                let all = (0..shards).map(|shard| ShardOf { shard, shards });
                let followers: Vec<_> = all.map(|shard| Follower::begin(&options, &store, shard).unwrap()).collect();
                (followers, columns(&options, &store).unwrap())
            });
            let shard = random.below(u64::from(shards));
            if random.below(2) == 0 {
                followers[shard as usize].step().unwrap();
            } else if columns.step(shard as u16).unwrap() {
                seen.push((listed(columns.manifest(), shards), in_folder(columns.folder())));
            }
        });
        drop(all);
        let (expected, store) = (expected(&options), opened(&options));
        for (next, found) in &seen {
            assert_same(found, &before(&expected, next), &format!("seed {seed}, up to {next:?}"));
        }
        rows_catch_up(&options, &store);
        let mut columns = columns(&options, &store).unwrap();
        columns.catch_up(&|| false).unwrap();
        columns.check_all().unwrap();
        assert_same(&in_folder(columns.folder()), &expected, &format!("seed {seed}, in the end"));
        let files = &columns.manifest().files;
        for full in files.windows(2).filter(|two| two[0].shard == two[1].shard).map(|two| &two[0]) {
            // It ends with the command whose trades filled it.
            let is_last = |place: &Place| place.shard == full.shard && place.sequence.0 + 1 == full.next;
            let last = expected.keys().filter(|(_, place)| is_last(place)).count() as u64;
            assert!(last > 0 && (PART..PART + last).contains(&full.rows), "{last} trades end {full:?}");
        }
        happened += seen.len().min(files.len());
    }
    assert!(happened > 20, "too little happened: {happened}");
}

/// The same log is cut at the same commands, however it is followed.
#[test]
fn columns_that_are_made_again_are_the_same_files() {
    let at = tempfile::tempdir().unwrap();
    let options = made(at.path(), 1, 3);
    let before = files(&folder(&options));
    let store = Arc::new(Store::open(&options, true).unwrap().with_parts_of(PART));
    assert_eq!(files(&folder(&options)), []);
    rows_catch_up(&options, &store);
    columns(&options, &store).unwrap().catch_up(&|| false).unwrap();
    assert!(before.len() > 3 && files(&folder(&options)) == before);
}

#[test]
fn columns_of_other_logs_or_of_another_form_are_refused_by_name_and_made_again() {
    let at = tempfile::tempdir().unwrap();
    let old = made(at.path(), 1, 4);
    let kept = folder(&old);
    let manifest = kept.join("manifest.json");
    let whole = fs::read(&manifest).unwrap();
    let read = Manifest::decode(&whole).unwrap();
    fs::write(&manifest, Manifest { version: 0, ..read.clone() }.encode()).unwrap();
    refused(&old, "another version");
    for at in 0..whole.len() - 1 {
        let mut damaged = whole.clone();
        damaged[at] ^= 4;
        assert_ne!(Manifest::decode(&damaged).as_ref(), Some(&read), "byte {at}");
    }
    fs::write(&manifest, &whole[..whole.len() / 2]).unwrap();
    refused(&old, "its manifest is damaged");
    fs::write(&manifest, &whole).unwrap();
    // The log is resharded and its rows are derived again, while the columns are still those of the old logs.
    reshard(&RealDisk, at.path(), 2).unwrap();
    let new = options(at.path(), 2, false);
    run(&new, &[], || {});
    fs::remove_dir_all(at.path().join("history/rows")).unwrap();
    refused(&new, "other logs");
    let store = Arc::new(Store::open(&new, true).unwrap());
    rows_catch_up(&new, &store);
    let mut columns = columns(&new, &store).unwrap();
    columns.catch_up(&|| false).unwrap();
    assert_same(&in_folder(&kept), &expected(&new), "after resharding");
}

/// The columns are refused with their folder, this reason, and what to do.
fn refused(options: &Options, reason: &str) {
    let words = columns(options, &opened(options)).err().map(|error| error.to_string()).expect("they are refused");
    let folder = folder(options).display().to_string();
    assert!(words.contains(reason) && words.contains(&folder) && words.contains("--rebuild"), "{words}");
}

/// Files that are missing, cut or changed. The last one is made again; any other is refused, a change in it by the check.
#[test]
fn damaged_files_are_refused_or_made_again() {
    let at = tempfile::tempdir().unwrap();
    let options = made(at.path(), 1, 3);
    let (folder, expected) = (folder(&options), expected(&options));
    let whole = files(&folder);
    let store = opened(&options);
    let parts: Vec<_> = whole.iter().filter(|(path, _)| path.extension().is_some_and(|end| end == "parquet")).collect();
    assert!(parts.len() > 3);
    let (last, earlier) = parts.split_last().unwrap();
    for (path, bytes) in earlier.iter().take(2).copied().chain([*last]) {
        for damage in ["missing", "cut", "changed"] {
            match damage {
                "missing" => fs::remove_file(path).unwrap(),
                "cut" => fs::write(path, &bytes[..bytes.len() / 2]).unwrap(),
                _ => {
                    let mut changed = bytes.clone();
                    changed[bytes.len() / 2] ^= 1;
                    fs::write(path, changed).unwrap();
                }
            }
            let name = path.file_name().unwrap().to_string_lossy();
            let is_seen_at_once = *path != last.0 && damage != "changed";
            assert_eq!(columns(&options, &store).is_err(), is_seen_at_once, "{name} {damage}");
            let checked = columns(&options, &store).and_then(|mut columns| {
                columns.catch_up(&|| false)?;
                columns.check_all()
            });
            if *path == last.0 {
                checked.unwrap();
                assert_same(&in_folder(&folder), &expected, damage);
            } else {
                let words = checked.unwrap_err().to_string();
                assert!(words.contains(&*name) && words.contains("--rebuild"), "{words}");
            }
            fs::write(path, bytes).unwrap();
        }
    }
    // Of files that others put there, none is touched.
    fs::write(folder.join("mine.parquet"), "mine").unwrap();
    fs::write(folder.join("0-000999-000000000001.parquet"), "left").unwrap();
    columns(&options, &store).unwrap();
    assert!(folder.join("mine.parquet").exists() && !folder.join("0-000999-000000000001.parquet").exists());
}

/// What other programs read a file by: sorted, with statistics of each group, compressed, and words in a dictionary.
#[test]
fn files_say_how_they_are_sorted_and_what_is_in_them() {
    let at = tempfile::tempdir().unwrap();
    let options = made(at.path(), 1, 8);
    let files = files(&folder(&options));
    let reader = SerializedFileReader::new(File::open(&files[0].0).unwrap()).unwrap();
    let group = reader.metadata().row_group(0);
    let sorted: Vec<_> = group.sorting_columns().unwrap().iter().map(|column| column.column_idx).collect();
    assert_eq!(sorted, [0, 1]);
    for column in group.columns() {
        let name = column.column_path().string();
        assert!(column.statistics().is_some_and(|known| known.min_bytes_opt().is_some()), "{name}");
        assert!(format!("{:?}", column.compression()).starts_with("ZSTD"), "{name}");
        let is_rising = ["time", "maker_order", "taker_order", "sequence"].contains(&name.as_str());
        assert_eq!(column.dictionary_page_offset().is_some(), !is_rising, "{name}");
    }
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut all: Vec<_> =
        entries.map(|entry| entry.unwrap().path()).map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    all.sort();
    all
}
