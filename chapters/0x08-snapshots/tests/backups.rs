//! Backups: taken beside an engine that works and trims its log, tried, restored, and refused.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Output};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ch08::Chapter;
use ch08::shadow::Shadow;
use contract::aftermath::{Left, judge};
use contract::folder::Folder;
use contract::harness::{check_ledger, run};
use contract::oracle::Oracle;
use contract::streams::Random;
use contract::through::{Meddle, Through};
use keeping::backup::copy as backup_of;
use keeping::once::snapshot;
use keeping::trim::{Kept, trim};
use market::flow::{self, FlowName};
use market::log::ShardOf;
use market::log_chain::segments;
use market::snapshot::file_name;
use market::{Disk, LogFile, Options, RealDisk, Sequence};

type Engine = <Chapter as runner::Chapter>::Engine;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ch08");

/// An operation that takes this long is stuck.
const STUCK: Duration = Duration::from_secs(60);
const ORDERS: usize = 60_000;

/// Copies with the program itself: `--backup` or `--restore`.
fn copy(flag: &str, folder: &Path, data_dir: &Path) -> Output {
    Process::new(PROGRAM).arg(flag).arg(folder).arg("--data-dir").arg(data_dir).output().unwrap()
}

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

/// Everything in a folder, and what it holds.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all.into_iter().filter(|path| path.is_file()).map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn engine(folder: &Path) -> Child {
    let mut engine = Process::new(PROGRAM);
    engine.args(["--quiet", "--flow", "venue", "--batch", "2", "--orders", &ORDERS.to_string()]);
    engine.args(["--snapshot-every", "500", "--segment-commands", "300", "--keep-log", "since-snapshot"]);
    engine.arg("--data-dir").arg(folder.join("data")).arg("--events").arg(folder.join("events"));
    engine.arg("--output").arg(folder).spawn().unwrap()
}

/// The drill: an engine works, writes snapshots and trims its log, and is copied again and again; then it is killed
/// and its folder is lost. The restored copy holds all that was acknowledged before, and the model's state.
#[test]
fn the_drill() {
    let flow = flow::generate(FlowName::Venue, ORDERS, flow::DEFAULT_SEED);
    let commands = [flow.setup, flow.body].concat();
    let folder = Folder::on_disk(RealDisk);
    let [data_dir, events] = ["data", "events"].map(|name| folder.path().join(name));
    let mut engine = engine(folder.path());
    let began = Instant::now();
    let is_trimmed = || {
        let first = segments(&RealDisk, &data_dir, ShardOf::ONLY).unwrap().first().map(|segment| segment.first);
        first.is_some_and(|first| first > Sequence::FIRST)
    };
    while !is_trimmed() {
        assert!(began.elapsed() < STUCK && engine.try_wait().unwrap().is_none(), "no log was trimmed");
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut taken = Vec::new();
    for number in 0..5 {
        let [acked, backup] = ["acked", "backup"].map(|name| folder.path().join(format!("{name}-{number}")));
        fs::copy(&events, &acked).unwrap();
        let output = copy("--backup", &backup, &data_dir);
        let was_beside = engine.try_wait().unwrap().is_none();
        assert!(output.status.success() && words(&output).contains("it opens"), "{}", words(&output));
        assert!(was_beside || number > 0, "the engine was done before it was copied: nothing was tested");
        taken.push((acked, backup));
    }
    let _ = engine.kill();
    engine.wait().unwrap();
    fs::remove_dir_all(&data_dir).unwrap();

    let restored = taken.iter().map(|(acked, backup)| {
        let output = copy("--restore", backup, &data_dir);
        assert!(output.status.success(), "{}", words(&output));
        let name = backup.display().to_string();
        let left = Left::read::<Chapter>(name, &commands, 1, &data_dir, acked).unwrap();
        assert!(left.trimmed() > 0 && left.acknowledged() > 0, "the backup tests nothing");
        fs::remove_dir_all(&data_dir).unwrap();
        left
    });
    let restored: Vec<Left> = restored.collect();
    judge(&commands, &restored).unwrap();
    assert_eq!(drafts(folder.path()), 0, "a draft was left");
}

/// A log without its beginning can't write the ledger again, so the ledger is copied as well.
#[test]
fn the_ledger_is_copied() {
    let oracle = Oracle::of(&Random::new(2).stream(120));
    let folder = Folder::on_disk(RealDisk);
    let [data_dir, backup] = ["data", "backup"].map(|name| folder.path().join(name));
    let options = Options { segment_commands: Some(20), trim_log: true, ..Options::new(&data_dir) };
    for steps in oracle.steps(0).chunks(40) {
        run::<Engine>(&options, &steps.iter().map(|step| step.command).collect::<Vec<_>>(), 10).unwrap();
        snapshot::<Shadow>(&options).unwrap();
    }
    backup_of::<Shadow>(&options, &backup).unwrap();
    let first = segments(&RealDisk, &backup, ShardOf::ONLY).unwrap()[0].first;
    assert!(first > Sequence::FIRST, "no log was trimmed: the backup tests nothing");
    check_ledger(oracle.events(120), &backup, 1).unwrap();
}

/// The machine's disk, which notes what a folder held when its names were last synced.
struct Names(Mutex<Option<Vec<String>>>);

impl Disk for Names {
    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        RealDisk.make_folder(folder)?;
        *self.0.lock().unwrap() = Some(RealDisk.list(folder)?);
        Ok(())
    }

    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        RealDisk.open(path)
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        RealDisk.create(path, header)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        if from.is_dir() {
            assert_eq!(
                Some(RealDisk.list(from)?),
                *self.0.lock().unwrap(),
                "names that a crash may take from the copy"
            );
        }
        RealDisk.rename(from, to)
    }
}

/// A copy has its name when the names in it survive a crash.
#[test]
fn a_copy_is_on_disk_before_it_has_its_name() {
    let folder = Folder::on_disk(RealDisk);
    let [data_dir, backup] = ["data", "backup"].map(|name| folder.path().join(name));
    let options = Options::new(&data_dir);
    run::<Engine>(&options, &Random::new(3).stream(50), 10).unwrap();
    backup_of::<Shadow>(&Options { disk: Arc::new(Names(Mutex::new(None))), ..options }, &backup).unwrap();
}

/// What an engine changes while it is copied, as a copy sees it in the names of the data directory.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// Each time there is another snapshot.
    Snapshots,
    /// Each time there is another file that is no part of a log.
    Others,
    /// Nothing but the order in which the system lists the names.
    Order,
    /// Once, the log's beginning goes when two of its segments are copied.
    Trimmed,
}

/// The machine's disk, on which names change from look to look, and a segment can't be made: the third, where the log is
/// trimmed meanwhile, otherwise any.
struct Changing {
    change: Change,
    looks: AtomicU64,
    made: Arc<AtomicU64>,
    data_dir: PathBuf,
}

impl Disk for Changing {
    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let mut names = RealDisk.list(folder)?;
        let look = self.looks.fetch_add(1, SeqCst);
        match self.change {
            _ if !folder.ends_with("data") => {}
            Change::Snapshots => names.push(file_name(ShardOf::ONLY, Sequence(10_000 + look))),
            Change::Others => names.push(format!("other-{look}")),
            Change::Order if self.made.load(SeqCst).is_multiple_of(2) => names.sort(),
            Change::Order => names.sort_by(|one, other| other.cmp(one)),
            Change::Trimmed => {}
        }
        Ok(names)
    }

    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        RealDisk.open(path)
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        if path.extension().is_none_or(|end| end != "log") {
            return RealDisk.create(path, header);
        }
        match (self.change, self.made.fetch_add(1, SeqCst)) {
            (Change::Trimmed, 2) => {
                let kept = Kept::find(&RealDisk, &self.data_dir, ShardOf::ONLY, Sequence(u64::MAX)).unwrap();
                assert!(trim(&RealDisk, &self.data_dir, None, ShardOf::ONLY, &kept).unwrap() > 3);
                Err(io::ErrorKind::NotFound.into())
            }
            (Change::Trimmed, _) => RealDisk.create(path, header),
            _ => Err(io::ErrorKind::StorageFull.into()),
        }
    }
}

/// A directory that is trimmed during the copy is copied again, a bounded number of times.
#[test]
fn what_changed_meanwhile_is_copied_again() {
    let folder = Folder::on_disk(RealDisk);
    let [data_dir, backup] = ["data", "backup"].map(|name| folder.path().join(name));
    let options = Options { segment_commands: Some(20), ..Options::new(&data_dir) };
    for part in Random::new(4).stream(200).chunks(100) {
        run::<Engine>(&options, part, 10).unwrap();
        snapshot::<Shadow>(&options).unwrap();
    }
    let copy = |change| {
        let made = Arc::new(AtomicU64::new(0));
        let (looks, data_dir) = (AtomicU64::new(0), data_dir.clone());
        let disk = Changing { change, looks, made: Arc::clone(&made), data_dir };
        let copied = backup_of::<Shadow>(&Options { disk: Arc::new(disk), ..options.clone() }, &backup);
        (copied, made.load(SeqCst))
    };
    for (change, wanted) in [(Change::Snapshots, 50), (Change::Others, 1), (Change::Order, 1)] {
        let (copied, tries) = copy(change);
        assert!(copied.is_err() && tries == wanted, "{tries} tries with {change:?}");
    }
    let (copied, _) = copy(Change::Trimmed);
    copied.unwrap();
    assert!(segments(&RealDisk, &backup, ShardOf::ONLY).unwrap()[0].first > Sequence(60));
}

/// How many copies in a folder have no name yet.
fn drafts(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().contains(".draft-")).count()
}

/// A disk that writes the copy differently from what it was given: the copy is tried before it has its name, so there
/// is none. With a snapshot behind the last command, a start would look at none of the segments before that.
#[test]
fn a_copy_that_does_not_read_back() {
    let folder = Folder::on_disk(RealDisk);
    let [data_dir, backup] = ["data", "backup"].map(|name| folder.path().join(name));
    let options = Options { segment_commands: Some(50), ..Options::new(&data_dir) };
    run::<Engine>(&options, &Random::new(1).stream(120), 10).unwrap();
    snapshot::<Shadow>(&options).unwrap();
    for segment in 0..3 {
        let disk = Arc::new(Through::new(Arc::new(RealDisk), Liar { segment }));
        let error = backup_of::<Shadow>(&Options { disk, ..options.clone() }, &backup).unwrap_err();
        assert!(!backup.exists() && drafts(folder.path()) == 0, "segment {segment} of the copy is damaged: {error}");
    }
    backup_of::<Shadow>(&options, &backup).unwrap();
}

/// Spoils one of the copied segments, by its place among them.
#[derive(Clone)]
struct Liar {
    segment: usize,
}

impl Meddle for Liar {
    fn concerns(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_copy = path.to_string_lossy().contains(".draft-");
        let of = ShardOf::of_segment_name(&name).map(|(_, first)| (first.0 as usize - 1) / 50);
        is_copy && of == Some(self.segment)
    }

    fn write_at(&self, file: &mut dyn LogFile, at: u64, bytes: &[u8]) -> io::Result<usize> {
        let mut others = bytes.to_vec();
        others[bytes.len() / 2] ^= 1;
        file.write_at(at, &others)
    }
}

/// Existing files are never replaced, and a damaged backup is never restored.
#[test]
fn what_is_refused() {
    let folder = Folder::on_disk(RealDisk);
    let [data_dir, backup, other] = ["data", "backup", "other"].map(|name| folder.path().join(name));
    let ends = |output: Output, code, expected: &str| {
        let said = words(&output);
        assert!(output.status.code() == Some(code) && said.contains(expected), "{expected} was expected: {said}");
    };
    ends(copy("--backup", &backup, &data_dir), 2, "no log to copy");
    let options = Options { segment_commands: Some(50), ..Options::new(&data_dir) };
    run::<Engine>(&options, &Random::new(1).stream(120), 10).unwrap();
    ends(copy("--backup", &backup, &data_dir), 0, "120 commands; it opens");
    let before = (contents(&data_dir), contents(&backup));
    ends(copy("--backup", &backup, &data_dir), 2, "nothing is replaced");
    ends(copy("--restore", &backup, &data_dir), 2, "nothing is replaced");
    assert!(before == (contents(&data_dir), contents(&backup)), "a refusal changed a file");

    for segment in segments(&RealDisk, &backup, ShardOf::ONLY).unwrap() {
        let whole = fs::read(&segment.path).unwrap();
        let mut bytes = whole.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&segment.path, &bytes).unwrap();
        ends(copy("--restore", &backup, &other), 3, "damaged");
        fs::write(&segment.path, &whole[..whole.len() - 1]).unwrap();
        let output = copy("--restore", &backup, &other);
        assert_eq!(output.status.code(), Some(3), "a segment is cut: {}", words(&output));
        fs::write(&segment.path, &whole).unwrap();
        assert!(!other.exists(), "a refusal made a folder");
    }
    assert_eq!(drafts(folder.path()), 0, "a refusal left a draft");
    // An empty folder may be there already, and holds the same afterwards.
    fs::create_dir(&other).unwrap();
    ends(copy("--restore", &backup, &other), 0, "120 commands");
    let went = run::<Engine>(&Options { data_dir: other, ..options.clone() }, &[], 1).unwrap();
    assert_eq!(went.recovery.commands, 120);
    assert_eq!(went.closed.state, run::<Engine>(&options, &[], 1).unwrap().closed.state);
}
