//! The log in segments, as this chapter cuts it: each begins when the one before is full, and whatever moment the power
//! chooses, the next start goes on with all that was acknowledged.
#![allow(clippy::unwrap_used)]

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use ch08::Chapter;
use contract::folder::Folder;
use contract::harness::{Acks, check_events, check_state, run};
use contract::oracle::Oracle;
use contract::streams::Random;
use contract::through::{Meddle, Through};
use contract::{Faults, SimDisk};
use market::log::ShardOf;
use market::log_chain::segments;
use market::{Command, Disk as _, Engine as _, LogFile, Options};

type Engine = <Chapter as runner::Chapter>::Engine;

/// An operation that takes this long is stuck.
const STUCK: Duration = Duration::from_secs(20);

/// A folder whose engine begins a segment every 20 commands, and makes frames of at most 7.
fn folder(disk: &SimDisk) -> Folder {
    let mut folder = Folder::new(disk.clone());
    (folder.options.segment_commands, folder.options.batch_max) = (Some(20), 7);
    folder
}

fn commands(oracle: &Oracle, from: usize, count: usize) -> Vec<Command> {
    oracle.steps(from)[..count].iter().map(|step| step.command).collect()
}

fn files(disk: &SimDisk, extension: &str) -> Vec<PathBuf> {
    disk.paths().into_iter().filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
}

/// Segments are cut where they are full, no file is left over, and both this engine and the others' reader go on.
#[test]
fn a_full_segment_is_followed_by_another() {
    let (disk, oracle) = (SimDisk::new(1, Faults::default()), Oracle::of(&Random::new(1).stream(300)));
    let mut folder = folder(&disk);
    let mut done = 0;
    for count in [0, 19, 1, 100, 1, 79] {
        let went = run::<Engine>(&folder.options, &commands(&oracle, done, count), 5).unwrap();
        assert_eq!(went.recovery.commands, done as u64, "commands recovered");
        check_events(&oracle.steps(done)[..count], &went.acks, 1).unwrap();
        done += count;
        check_state(&oracle.state(done), &went.closed.state).unwrap();
        let chain = segments(&disk, folder.path(), ShardOf::ONLY).unwrap();
        let firsts: Vec<u64> = chain.iter().map(|segment| segment.first.0).collect();
        // A segment takes 20 commands and what is left of the frame that fills it; frames here have up to 5.
        let lengths = firsts.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(lengths.clone().all(|length| (20..25).contains(&length)), "segments begin with {firsts:?}");
        assert!(done as u64 + 1 - firsts[firsts.len() - 1] < 25, "the last of {firsts:?} has gone on to {done}");
        assert_eq!(files(&disk, "next"), Vec::<PathBuf>::new(), "a segment that was laid out and never begun");
    }
    assert!(files(&disk, "log").len() >= 8, "{:?}", disk.paths());
    // Without the flag the last segment goes on for ever.
    folder.options.segment_commands = None;
    let before = files(&disk, "log").len();
    run::<Engine>(&folder.options, &commands(&oracle, done, 100), 5).unwrap();
    folder.recovers::<Engine>(&oracle, done + 100).unwrap();
    assert_eq!(files(&disk, "log").len(), before, "segments where none was asked for");
}

/// Several shards have chains of their own.
#[test]
fn each_shard_has_its_segments() {
    let (disk, oracle) = (SimDisk::new(2, Faults::default()), Oracle::of(&Random::new(2).stream(400)));
    let mut folder = folder(&disk);
    folder.options.shards = 2;
    run::<Engine>(&folder.options, &commands(&oracle, 0, 400), 5).unwrap();
    let again = run::<Engine>(&folder.options, &[], 1).unwrap();
    assert_eq!(again.recovery.commands, 400);
    check_state(&oracle.state(400), &again.closed.state).unwrap();
    for shard in 0..2 {
        let chain = segments(&disk, folder.path(), ShardOf { shard, shards: 2 }).unwrap();
        assert!(chain.len() > 2, "segments of shard {shard}: {chain:?}");
    }
}

/// The power fails in each operation of a life that begins several segments, those of laying out among them.
#[test]
fn a_crash_in_each_operation() {
    let oracle = Oracle::of(&Random::new(3).stream(120));
    let begun: usize = (0..8).map(|seed| crashes(&oracle, seed)).sum();
    assert!(begun > 20, "{begun} times a segment was laid out and had no name yet");
}

/// The same for one seed of the disk, which says what a crash leaves. The result is how often it left a segment that
/// was laid out and had no name yet.
fn crashes(oracle: &Oracle, seed: u64) -> usize {
    let mut begun = 0;
    for at in 1.. {
        let disk = SimDisk::new(seed, Faults::default());
        let folder = folder(&disk);
        run::<Engine>(&folder.options, &commands(oracle, 0, 30), 5).unwrap();
        disk.set_faults(Faults { power_fails_at: Some(at), ..Faults::default() });
        let acks = Acks::default();
        let outcome = live(&folder.options, &acks, &commands(oracle, 30, 80));
        let acknowledged = 30 + acks.seen().len();
        check_events(oracle.steps(30), &acks.seen(), 1).unwrap();
        let failed = disk.counts().failures > 0;
        let left = if seed > 0 { disk.crash() } else { disk.kill() };
        begun += usize::from(left.paths().iter().any(|path| path.extension().is_some_and(|end| end == "next")));

        let options = Options { disk: Arc::new(left), ..folder.options.clone() };
        let back = run::<Engine>(&options, &[], 1).unwrap_or_else(|error| panic!("power failed at {at}: {error}"));
        let count = back.recovery.commands as usize;
        assert!(
            (acknowledged..=110).contains(&count),
            "power failed at {at}: {acknowledged} acknowledged, {count} back"
        );
        check_state(&oracle.state(count), &back.closed.state)
            .unwrap_or_else(|error| panic!("power failed at {at}: {error}"));
        let more = run::<Engine>(&options, &commands(oracle, count, 10), 3).unwrap();
        check_state(&oracle.state(count + 10), &more.closed.state).unwrap();
        if outcome.is_ok() && !failed {
            assert!(at > 60, "{at} operations");
            break;
        }
    }
    begun
}

fn live(options: &Options, acks: &Acks, commands: &[Command]) -> Result<(), String> {
    let (mut engine, _) = Engine::open(options, &mut acks.receivers()).map_err(|error| error.to_string())?;
    for chunk in commands.chunks(5) {
        for &command in chunk {
            engine.submit(command).map_err(|error| error.to_string())?;
        }
        engine.flush().map_err(|error| error.to_string())?;
    }
    engine.close().map(drop).map_err(|error| error.to_string())
}

/// A log in segments does not go on without commands that it once had: an older copy of its last file is refused.
#[test]
fn a_loss_in_segments_is_refused() {
    let (disk, oracle) = (SimDisk::new(4, Faults::default()), Oracle::of(&Random::new(4).stream(100)));
    let mut folder = folder(&disk);
    run::<Engine>(&folder.options, &commands(&oracle, 0, 100), 5).unwrap();
    let last = segments(&disk, folder.path(), ShardOf::ONLY).unwrap().pop().unwrap();
    disk.remove(&last.path).unwrap();
    let found = last.first.0 - 1;
    let words = folder.refusal::<Engine>().unwrap().to_string();
    assert!(words.contains("command 100 was on disk once") && words.contains(&found.to_string()), "{words}");
    assert!(!words.contains("--accept-loss"), "{words}");
    folder.options.accept_loss = vec![market::Sequence(found)];
    let words = folder.refusal::<Engine>().unwrap().to_string();
    assert!(words.contains("can't continue without them"), "{words}");
}

/// The next segment is laid out when half of this one is used, so that the engine that fills it does
/// not wait.
#[test]
fn the_next_segment_is_there_before_it_is_needed() {
    let (disk, oracle) = (SimDisk::new(5, Faults::default()), Oracle::of(&Random::new(5).stream(40)));
    let folder = folder(&disk);
    let (mut engine, _) = Engine::open(&folder.options, &mut Acks::default().receivers()).unwrap();
    let mut go_on = |from, count| {
        commands(&oracle, from, count).into_iter().for_each(|command| _ = engine.submit(command).unwrap());
        engine.flush().unwrap();
    };
    go_on(0, 2);
    assert_eq!(files(&disk, "next"), Vec::<PathBuf>::new(), "a segment was laid out before half of one was used");
    go_on(2, 12);
    go_on(14, 1);
    let began = Instant::now();
    while files(&disk, "next").is_empty() {
        assert!(began.elapsed() < STUCK, "no segment was laid out behind 15 of 20 commands");
        thread::sleep(Duration::from_millis(1));
    }
    engine.close().unwrap();
}

/// Holds up the sync of a segment that is laid out, until a message comes, and reports when such a sync
/// has begun.
#[derive(Clone)]
struct Gate(Sender<()>, Arc<Mutex<Receiver<()>>>);

impl Meddle for Gate {
    fn concerns(&self, path: &Path) -> bool {
        path.extension().is_some_and(|end| end == "next")
    }

    fn sync(&self, file: &mut dyn LogFile) -> io::Result<()> {
        let _ = self.0.send(());
        let _ = self.1.lock().unwrap().recv_timeout(STUCK);
        file.sync()
    }
}

/// When an engine whose log broke is gone, no thread lays out a segment any more: the next engine writes the
/// same file.
#[test]
fn an_engine_that_broke_lays_nothing_out() {
    let (disk, oracle) = (SimDisk::new(6, Faults::default()), Oracle::of(&Random::new(6).stream(20)));
    let mut folder = folder(&disk);
    let ((came, comes), (opens, opened)) = (channel(), channel());
    folder.options.disk = Arc::new(Through::new(Arc::new(disk.clone()), Gate(came, Arc::new(Mutex::new(opened)))));
    let (mut engine, _) = Engine::open(&folder.options, &mut Acks::default().receivers()).unwrap();
    let parts = [commands(&oracle, 0, 14), commands(&oracle, 14, 1), commands(&oracle, 15, 1)];
    let caller = thread::spawn(move || {
        for (number, part) in parts.into_iter().enumerate() {
            if number == 2 {
                comes.recv_timeout(STUCK).unwrap();
                disk.set_faults(Faults { write_fails_at: Some(1), ..Faults::default() });
            }
            let went = part.into_iter().try_for_each(|command| engine.submit(command).map(drop));
            let went = went.and_then(|()| engine.flush());
            assert_eq!(went.is_ok(), number < 2, "part {number}");
        }
    });
    thread::sleep(Duration::from_millis(500));
    let waited = !caller.is_finished();
    opens.send(()).unwrap();
    caller.join().unwrap();
    assert!(waited, "the engine was gone, and a segment was still laid out");
}
