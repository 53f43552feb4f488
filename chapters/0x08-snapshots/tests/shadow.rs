//! The shadow beside an engine that works: in it, as a process of its own, and when one of the two dies.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::{Command as Process, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use ch08::Chapter;
use ch08::shadow::Shadow;
use ch08::start::Start;
use contract::aftermath::{Left, judge};
use contract::folder::Folder;
use contract::harness::{Acks, check_events, check_state, run};
use contract::oracle::Oracle;
use contract::streams::Random;
use contract::through::{Meddle, Through};
use contract::{Faults, SimDisk, program};
use market::data_dir::{SNAPSHOT_LOCK_NAME, SnapshotLock};
use market::flow::{self, FlowName};
use market::log::{HEADER_BYTES, RECORD_BYTES, ShardOf};
use market::snapshot::list;
use market::{Engine as _, LogFile, Options, RealDisk, Sequence};

type Engine = <Chapter as runner::Chapter>::Engine;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ch08");

/// An operation that takes this long is stuck.
const STUCK: Duration = Duration::from_secs(60);

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < STUCK, "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A follower of a log sees each command that was on disk, once, in order, with its events.
#[test]
fn a_follower_hears_every_command() {
    let (disk, oracle) = (SimDisk::new(3, Faults::default()), Oracle::of(&Random::new(3).stream(300)));
    let mut folder = Folder::new(disk);
    folder.options.segment_commands = Some(64);
    let commands: Vec<_> = oracle.steps(0).iter().map(|step| step.command).collect();
    run::<Engine>(&folder.options, &commands, 10).unwrap();
    let (mut shadow, mut heard) = (Shadow::begin(&folder.options, ShardOf::ONLY).unwrap(), Vec::new());
    for until in [100, 100, 250, u64::MAX, u64::MAX] {
        let left =
            shadow.follow(Sequence(until), |stamp, _, events| heard.push((stamp.sequence.0, events.to_vec()))).unwrap();
        let next = shadow.next().0;
        assert!(next > until.min(300) && left == 301 - next, "{left} are left after command {next}");
    }
    let wanted = oracle.steps(0).iter().enumerate().map(|(at, step)| (at as u64 + 1, step.events.clone()));
    assert_eq!(heard, wanted.collect::<Vec<_>>());
}

/// Two shards, lives with a shadow and without, snapshots at any moment: the state is the model's, each time.
#[test]
fn lives_with_a_shadow() {
    let (disk, oracle) = (SimDisk::new(1, Faults::default()), Oracle::of(&Random::new(1).stream(1_200)));
    let mut folder = Folder::new(disk.clone());
    (folder.options.shards, folder.options.segment_commands) = (2, Some(100));
    let mut made = 0;
    for life in 0..12 {
        folder.options.snapshot_every = [Some(1), Some(30), None][life % 3];
        let steps = &oracle.steps(0)[life * 100..][..100];
        let commands: Vec<_> = steps.iter().map(|step| step.command).collect();
        let went = run::<Engine>(&folder.options, &commands, 3).unwrap();
        assert_eq!(went.recovery.commands, life as u64 * 100, "commands recovered in life {life}");
        check_events(steps, &went.acks, 2).unwrap();
        check_state(&oracle.state(life * 100 + 100), &went.closed.state).unwrap();
        let said = went.closed.remarks.iter().filter(|remark| remark.contains("the shadow wrote")).count();
        assert_eq!(said, if folder.options.snapshot_every.is_some() { 2 } else { 0 }, "{:?}", went.closed.remarks);
        made += list(&disk, folder.path(), ShardOf { shard: 1, shards: 2 }).unwrap().len();
    }
    assert!(made > 0, "no life was long enough for a snapshot");
}

/// A shadow that finds damage stops, and reports it at the end. The engine and the other shards' shadows go on, and
/// no snapshot holds the damage.
#[test]
fn a_shadow_that_stops() {
    let (disk, oracle) = (SimDisk::new(2, Faults::default()), Oracle::of(&Random::new(2).stream(300)));
    let mut folder = Folder::new(disk.clone());
    folder.options.shards = 2;
    let commands: Vec<_> = oracle.steps(0).iter().map(|step| step.command).collect();
    run::<Engine>(&folder.options, &commands[..100], 10).unwrap();
    folder.options.snapshot_every = Some(10);
    let [damaged, whole] = [0, 1].map(|shard| ShardOf { shard, shards: 2 });
    let made = |shard| list(&disk, folder.path(), shard).unwrap().len();
    // So that the shadows read nothing before there is damage.
    let held = SnapshotLock::take(&disk, folder.path()).unwrap();
    let acks = Acks::default();
    let (mut engine, _) = Engine::open(&folder.options, &mut acks.receivers()).unwrap();
    let log = folder.path().join(damaged.file_name());
    let mut bytes = disk.read(&log).unwrap();
    bytes[HEADER_BYTES + 3 * RECORD_BYTES] ^= 1;
    disk.rot(&log, &bytes);
    drop(held);
    commands[100..].iter().for_each(|&command| _ = engine.submit(command).unwrap());
    engine.flush().unwrap();
    // The last shard's turn comes behind the first's.
    wait_for("the other shadow writes nothing", || made(whole) > 0);
    let closed = engine.close().unwrap();
    check_events(oracle.steps(100), &acks.seen(), 2).unwrap();
    check_state(&oracle.state(300), &closed.state).unwrap();
    let words = closed.remarks.join("\n");
    assert!(words.contains("shard 0: the shadow stopped, and the engine went on without it"), "{words}");
    assert!(words.contains("damaged") && words.contains("shard 1: the shadow wrote"), "{words}");
    assert_eq!(made(damaged), 0, "snapshots of a log that is damaged");
}

/// While another process makes snapshots the shadow waits, and an engine that ends does not wait with it. Then the
/// shadow has its turn, and it is gone with an engine that is dropped.
#[test]
fn a_shadow_waits_while_another_makes_snapshots() {
    let disk = SimDisk::new(4, Faults::default());
    let mut folder = Folder::new(disk.clone());
    folder.options.snapshot_every = Some(1);
    let open = || Engine::open(&folder.options, &mut Acks::default().receivers()).unwrap().0;
    let take = || SnapshotLock::take(&disk, folder.path());
    open().close().unwrap();
    let held = take().unwrap();
    let (engine, (ended, ends)) = (open(), channel());
    std::thread::spawn(move || ended.send(engine.close().is_ok()).unwrap());
    assert_eq!(ends.recv_timeout(STUCK), Ok(true), "whether an engine ends while another process makes snapshots");
    let engine = open();
    drop(held);
    wait_for("the shadow has no turn", || take().is_err());
    drop(engine);
    assert!(take().is_ok(), "the engine is gone, and its shadow is not");
}

/// Where the snapshots' lock can't be opened, here because a folder has its name, waiting would help nothing: the engine
/// goes on, and says at its end that there is no snapshot, and why.
#[test]
fn a_lock_that_cannot_be_opened_is_reported() {
    let mut folder = Folder::on_disk(RealDisk);
    folder.options.snapshot_every = Some(1);
    std::fs::create_dir(folder.path().join(SNAPSHOT_LOCK_NAME)).unwrap();
    let went = run::<Engine>(&folder.options, &Random::new(1).stream(20), 5).unwrap();
    let said = went.closed.remarks.join("; ");
    assert!(said.contains("it wrote no snapshot") && said.contains("lock the snapshots"), "{said}");
}

/// Every other read of a watermark finds it half written.
#[derive(Clone, Default)]
struct Torn(Arc<AtomicU64>);

impl Meddle for Torn {
    fn concerns(&self, path: &Path) -> bool {
        path.extension().is_some_and(|end| end == "watermark")
    }

    fn read_at(&self, file: &mut dyn LogFile, at: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = file.read_at(at, buffer)?;
        buffer[0] ^= u8::from(self.0.fetch_add(1, Ordering::SeqCst).is_multiple_of(2));
        Ok(read)
    }
}

/// A watermark that is read while it is written is no end of the log.
#[test]
fn a_watermark_that_is_being_written_is_read_again() {
    let folder = Folder::on_disk(RealDisk);
    run::<Engine>(&folder.options, &Random::new(1).stream(20), 5).unwrap();
    let disk = Arc::new(Through::new(Arc::new(RealDisk), Torn::default()));
    let mut shadow = Shadow::begin(&Options { disk, ..folder.options.clone() }, ShardOf::ONLY).unwrap();
    assert_eq!(shadow.follow(Sequence(10), |_, _, _| ()).unwrap(), 10, "commands that are left");
}

/// The program is killed at random moments while its shadow writes snapshots, segments are begun, and those that both
/// snapshots no longer need are removed.
#[test]
fn killed_while_snapshots_are_made() {
    let flags = ["--snapshot-every", "500", "--segment-commands", "300", "--keep-log", "since-snapshot"];
    let trimmed = program::killed_under_load_with::<Chapter>(PROGRAM, 20, &flags);
    assert!(trimmed > 0, "no log had been trimmed when the program was killed");
}

fn snapshot(data_dir: &Path) -> Output {
    Process::new(PROGRAM).arg("--snapshot").arg("--data-dir").arg(data_dir).output().unwrap()
}

/// A process makes snapshots beside a running engine, again and again; neither hurts the other. Where the engine has a
/// shadow of its own, the second to make snapshots is refused.
#[test]
fn a_process_beside_a_running_engine() {
    const ORDERS: usize = 6_000;
    let flow = flow::generate(FlowName::Venue, ORDERS, flow::DEFAULT_SEED);
    let commands = [flow.setup, flow.body].concat();
    for own_shadow in [false, true] {
        let folder = Folder::on_disk(RealDisk);
        let [data_dir, events, output] = ["data", "events", "output"].map(|name| folder.path().join(name));
        let mut engine = Process::new(PROGRAM);
        engine.args(["--quiet", "--flow", "venue", "--batch", "2", "--segment-commands", "1000"]);
        engine.args(["--orders", &ORDERS.to_string()]);
        engine.arg("--data-dir").arg(&data_dir).arg("--events").arg(&events).arg("--output").arg(&output);
        if own_shadow {
            engine.args(["--snapshot-every", "2000"]);
        }
        let mut engine = engine.spawn().unwrap();
        wait_for("the engine acknowledges nothing", || std::fs::metadata(&events).is_ok_and(|file| file.len() > 0));
        let (mut beside, mut said) = (0, String::new());
        while engine.try_wait().unwrap().is_none() {
            let output = snapshot(&data_dir);
            let words = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
            let was_beside = engine.try_wait().unwrap().is_none();
            match own_shadow {
                true if was_beside => {
                    assert!(output.status.code() == Some(3) && words.contains("is making snapshots here"), "{words}");
                }
                true => {}
                false => assert!(output.status.success(), "{words}"),
            }
            beside += usize::from(was_beside);
            said = words;
        }
        assert!(engine.wait().unwrap().success() && beside > 2, "{beside} times beside it; {said}");
        let newest = list(&RealDisk, &data_dir, ShardOf::ONLY).unwrap();
        assert!(!newest.is_empty(), "no snapshot was made: {said}");
        let start = Start::find(&Options::new(&data_dir), ShardOf::ONLY).unwrap();
        assert_eq!((start.origin.next(), start.origin.passed_over), (newest[0].0, Vec::new()));
        let left = Left::read::<Chapter>("beside".into(), &commands, 1, &data_dir, &events).unwrap();
        assert_eq!(left.recovered(), commands.len());
        judge(&commands, &[left]).unwrap();
    }
}

/// An impossible request is refused with a reason and the exit code for it.
#[test]
fn what_is_refused() {
    let folder = Folder::on_disk(RealDisk);
    let data_dir = folder.path().join("data");
    let ends = |output: Output, code, words: &str| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(code) && said.contains(words), "{words} was expected: {said}");
    };
    ends(snapshot(&data_dir), 2, "no log to make a snapshot of");
    assert!(!data_dir.exists(), "a refusal made a folder");
}
