//! Where a backup is made and restored: in new folders, in empty ones, beside what a killed copy left.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command as Process, Output};
use std::sync::{Arc, Mutex};
use std::{fs, io};

use ch08::Chapter;
use ch08::shadow::Shadow;
use contract::folder::Folder;
use contract::harness::run;
use contract::streams::Random;
use keeping::backup::copy as backup_of;
use market::log::{HEADER_BYTES, ShardOf};
use market::watermark::path_of;
use market::{Command, Disk, LogFile, MarketId, Options, RealDisk};

type Engine = <Chapter as runner::Chapter>::Engine;

fn restore(backup: &Path, data_dir: &Path, current: &Path) -> Output {
    let mut program = Process::new(env!("CARGO_BIN_EXE_ch08"));
    program.current_dir(current).arg("--restore").arg(backup).arg("--data-dir").arg(data_dir).output().unwrap()
}

/// The names in a folder, in order, except those of locks.
fn names(folder: &Path) -> Vec<String> {
    let mut names = RealDisk.list(folder).unwrap();
    names.retain(|name| !name.starts_with("LOCK"));
    names.sort();
    names
}

/// A log of 50 commands in `data`, and where its backup goes.
fn market(folder: &Folder) -> (Options, PathBuf) {
    let options = Options::new(folder.path().join("data"));
    run::<Engine>(&options, &Random::new(1).stream(50), 10).unwrap();
    (options, folder.path().join("backup"))
}

/// A shard to which no market belongs has a log without commands and without a watermark. It is copied too, and the copy
/// is copied back, and opens; one that has lost its watermark and has commands is still refused.
#[test]
fn a_shard_without_commands_is_copied() {
    let folder = Folder::on_disk(RealDisk);
    let [data_dir, backup, again] = ["data", "backup", "again"].map(|name| folder.path().join(name));
    let options = Options { shards: 2, reserve_commands: 100, ..Options::new(&data_dir) };
    let used = ShardOf::market(MarketId(1), 2);
    let empty = ShardOf { shard: 1 - used.shard, shards: 2 };
    run::<Engine>(&options, &[Command::Open { market: MarketId(1) }], 1).unwrap();
    let said = backup_of::<Shadow>(&options, &backup).unwrap();
    assert!(said.contains(&format!("shard {}: 0 commands; it opens", empty.shard)), "{said}");
    assert_eq!(fs::metadata(backup.join(empty.file_name())).unwrap().len(), HEADER_BYTES as u64);
    assert!(!path_of(&backup.join(empty.file_name())).exists(), "a watermark of no commands");
    backup_of::<Shadow>(&Options::new(&backup), &again).unwrap();
    let went = run::<Engine>(&Options { data_dir: again, ..options.clone() }, &[], 1).unwrap();
    assert_eq!(went.recovery.commands, 1);

    market::watermark::remove(&RealDisk, &data_dir.join(used.file_name())).unwrap();
    let refused = backup_of::<Shadow>(&options, &folder.path().join("other")).unwrap_err().to_string();
    assert!(refused.contains("it has no watermark"), "{refused}");
}

/// What a killed copy left is not taken for a part of the next one, even if the next process has the same number.
#[test]
fn a_draft_that_was_left_is_not_used() {
    let folder = Folder::on_disk(RealDisk);
    let (options, backup) = market(&folder);
    let left = folder.path().join(format!("backup.draft-{}", std::process::id()));
    fs::create_dir(&left).unwrap();
    fs::write(left.join("log-0-of-2.bin"), b"another market's").unwrap();
    backup_of::<Shadow>(&options, &backup).unwrap();
    assert_eq!(names(&backup), names(&options.data_dir), "what is in the backup");
    assert_eq!(names(&left), ["log-0-of-2.bin"], "a draft of an unknown program was changed");
}

/// The machine's disk, which notes the folders that it makes, and so the names that it syncs.
struct Made(Mutex<Vec<PathBuf>>);

impl Disk for Made {
    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        if !folder.exists() {
            self.0.lock().unwrap().push(folder.to_path_buf());
        }
        RealDisk.make_folder(folder)
    }

    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        RealDisk.open(path)
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        RealDisk.create(path, header)
    }
}

/// New folders above a copy are on disk as well.
#[test]
fn folders_above_a_copy_are_made_by_the_disk() {
    let folder = Folder::on_disk(RealDisk);
    let (options, _) = market(&folder);
    let (disk, above) = (Arc::new(Made(Mutex::default())), folder.path().join("new/above"));
    backup_of::<Shadow>(&Options { disk: disk.clone(), ..options }, &above.join("backup")).unwrap();
    assert_eq!(*disk.0.lock().unwrap(), [above]);
}

/// An empty folder whose place the copy can't take is refused before anything is copied, with what to do: the current
/// folder, and a link.
#[cfg(unix)]
#[test]
fn an_empty_folder_that_cannot_be_replaced_is_refused_at_once() {
    let folder = Folder::on_disk(RealDisk);
    let (options, backup) = market(&folder);
    backup_of::<Shadow>(&options, &backup).unwrap();
    let [empty, link, other] = ["empty", "link", "other"].map(|name| folder.path().join(name));
    fs::create_dir(&empty).unwrap();
    std::os::unix::fs::symlink(&empty, &link).unwrap();
    // Nothing of a damaged backup would be copied without a word about it.
    fs::create_dir(&other).unwrap();
    let log = backup.join(ShardOf::ONLY.file_name());
    let whole = fs::read(&log).unwrap();
    fs::write(&log, &whole[..whole.len() / 2]).unwrap();
    for (data_dir, current) in [(Path::new("."), &empty), (&link, &other)] {
        let output = restore(&backup, data_dir, current);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains("name a new folder, such as"), "{said}");
    }
    fs::write(&log, &whole).unwrap();
    let output = restore(&backup, &link.join("market"), &other);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!((names(&empty), names(&other)), (vec!["market".to_string()], Vec::new()));
}
