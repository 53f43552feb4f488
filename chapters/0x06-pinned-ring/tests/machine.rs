//! What the engine needs from the machine: space in the log before the first command, a core for matching, and
//! another thread that waits for the ledger's file. None of them changes an answer, so each is tested by itself.
#![allow(clippy::unwrap_used)]
#![cfg(target_os = "linux")]

use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::process::Command as Process;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use ch06::Chapter;
use ch06::memory::Slots;
use contract::folder::Folder;
use contract::harness::Acks;
use contract::{Faults, SimDisk};
use market::log::RECORD_BYTES;
use market::{AccountId, Acknowledge, Cents, Command, Engine as _, Event, MarketId, Stamp};

type Engine = <Chapter as runner::Chapter>::Engine;

/// An operation that takes this long is stuck.
const STUCK: Duration = Duration::from_secs(20);

const MARKET: MarketId = MarketId(1);

/// This many deposits, each an entry of the ledger, after the command that opens their market.
fn deposits(count: u64) -> Vec<Command> {
    let deposit = |cents| Command::Deposit { market: MARKET, account: AccountId(1), amount: Cents(cents), request: 0 };
    [Command::Open { market: MARKET }].into_iter().chain((1..=count).map(deposit)).collect()
}

/// The log's file has its space before the first command, on disk, and frames that fit into it do not make it
/// longer.
#[test]
fn the_log_is_laid_out() {
    const COMMANDS: usize = 1_000;
    let disk = SimDisk::new(1, Faults::default());
    let mut folder = Folder::new(disk.clone());
    folder.options.reserve_commands = COMMANDS;
    let (mut engine, _) = Engine::open(&folder.options, &mut Acks::default().receivers()).unwrap();
    let length = || disk.durable(&folder.log()).unwrap().len();
    let laid_out = length();
    assert!(
        laid_out >= COMMANDS * RECORD_BYTES,
        "the log has {laid_out} bytes, but space for {COMMANDS} was asked for"
    );
    deposits(COMMANDS as u64 - 1).into_iter().try_for_each(|command| engine.submit(command).map(drop)).unwrap();
    engine.flush().unwrap();
    assert_eq!(length(), laid_out, "bytes of the log when all the reserved space is used");
    engine.close().unwrap();
    let left = disk.read(&folder.log()).unwrap().len();
    assert!(left < laid_out, "the log has {left} bytes at the end: unused space is not returned");
}

/// How many cores the acknowledging thread may run on; it is the one that matches.
#[derive(Clone, Default)]
struct Cores(Arc<AtomicUsize>);

impl Acknowledge for Cores {
    fn acknowledge(&mut self, _stamp: Stamp, _events: &[Event]) {
        self.0.store(core_affinity::get_core_ids().map_or(0, |cores| cores.len()), SeqCst);
    }
}

/// With `pin_threads` matching has one core, without it the system chooses.
#[test]
fn matching_has_a_core_of_its_own() {
    let _turn = PINNED.lock();
    let all = core_affinity::get_core_ids().map_or(0, |cores| cores.len());
    if all < 2 {
        // With one core there is nothing to choose.
        return;
    }
    for (pin_threads, wanted) in [(true, 1), (false, all)] {
        let mut folder = Folder::new(SimDisk::new(2, Faults::default()));
        folder.options.pin_threads = pin_threads;
        let cores = Cores::default();
        let (mut engine, _) = Engine::open(&folder.options, &mut |_| Box::new(cores.clone())).unwrap();
        engine.submit(Command::Open { market: MARKET }).unwrap();
        engine.flush().unwrap();
        engine.close().unwrap();
        assert_eq!(cores.0.load(SeqCst), wanted, "cores that matching may run on, with pin_threads {pin_threads}");
    }
}

/// Tests whose threads are pinned and found by name take turns.
static PINNED: Mutex<()> = Mutex::new(());

/// The core of each thread that writes a ledger and may run on one core only.
fn cores_of_ledgers() -> Vec<String> {
    let threads = std::fs::read_dir("/proc/self/task").unwrap().map(|thread| thread.unwrap().path());
    let status = threads.filter_map(|thread| std::fs::read_to_string(thread.join("status")).ok());
    let ledgers = status.filter(|status| status.lines().any(|line| line == "Name:\tledger"));
    let cores = ledgers.filter_map(|status| Some(status.split("Cpus_allowed_list:\t").nth(1)?.lines().next()?.into()));
    cores.filter(|cores: &String| cores.parse::<usize>().is_ok()).collect()
}

/// Where cores are few, the thread that matching wakes for the ledger does not take matching's core: it has
/// another.
#[test]
fn the_ledger_is_written_on_another_core() {
    let _turn = PINNED.lock();
    let all = core_affinity::get_core_ids().map_or(0, |cores| cores.len());
    for pin_threads in [true, false] {
        let mut folder = Folder::new(SimDisk::new(2, Faults::default()));
        folder.options.pin_threads = pin_threads;
        let (mut engine, _) = Engine::open(&folder.options, &mut Acks::default().receivers()).unwrap();
        engine.submit(Command::Open { market: MARKET }).unwrap();
        engine.flush().unwrap();
        let wanted = usize::from(pin_threads && (2..=3).contains(&all));
        let began = Instant::now();
        while cores_of_ledgers().len() < wanted && began.elapsed() < STUCK {
            thread::sleep(Duration::from_millis(1));
        }
        let found = cores_of_ledgers();
        let remarks = engine.close().unwrap().remarks.join("; ");
        assert_eq!(found.len(), wanted, "ledgers with a core of their own, of {all} cores, pin_threads {pin_threads}");
        let same = found.iter().find(|core| remarks.ends_with(&format!("to core {core}")));
        assert_eq!(same, None, "the ledger is written where matching runs: {remarks}");
    }
}

/// A pinned thread that shares the only core with others would stop them.
#[test]
fn with_one_core_nothing_is_pinned() {
    let _turn = PINNED.lock();
    let alone = thread::spawn(|| {
        // Called while there are more cores; other tests in this program may have done so already.
        let one = ch06::cores::quietest_first()[0];
        assert!(core_affinity::set_for_current(one), "the system permits no choice of core");
        let mut folder = Folder::new(SimDisk::new(2, Faults::default()));
        folder.options.pin_threads = true;
        let (engine, _) = Engine::open(&folder.options, &mut Acks::default().receivers()).unwrap();
        // Time for its threads to move to their cores.
        thread::sleep(Duration::from_millis(50));
        assert_eq!(cores_of_ledgers(), [one.id.to_string()], "where the ledger is written");
        engine.close().unwrap().remarks.join("; ")
    });
    let remarks = alone.join().unwrap();
    assert!(remarks.contains("one core"), "{remarks}");
}

/// Memory that the system has only promised is provided at its first touch, and no command should have to wait
/// for that.
#[test]
fn a_rings_memory_is_there_before_its_first_command() {
    const SLOTS: usize = 1 << 20;
    let resident = || {
        let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
        pages.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap() * 4_096
    };
    let before = resident();
    let slots = Slots::<[u64; 8]>::new(SLOTS);
    let (there, bytes) = (resident() - before, slots.capacity() * size_of::<[u64; 8]>());
    assert!(there > bytes / 2, "of {bytes} bytes {there} are resident");
}

/// A folder whose ledger's file stops accepting bytes once it holds as much as a pipe does, and the pipe's
/// other end.
fn stopped_ledger() -> (Folder, File) {
    let folder = Folder::new(SimDisk::new(3, Faults::default()));
    let path = folder.path().join("ledger.draft");
    let made = Process::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success(), "mkfifo could not make {}", path.display());
    // Opened for both, so that neither open waits for the other end.
    let pipe = OpenOptions::new().read(true).write(true).open(&path).unwrap();
    (folder, pipe)
}

/// From now on it accepts everything, so that a waiting thread continues.
fn go_on(mut pipe: File) {
    thread::spawn(move || {
        let mut bytes = [0; 1 << 16];
        while pipe.read(&mut bytes).is_ok_and(|count| count > 0) {}
    });
}

/// More entries than the pipe holds plus one buffer of 256 KiB on the way to it; fewer than with the other
/// buffers.
const ENTRIES: u64 = 18_000;
const _: () = assert!(ENTRIES as usize * Event::BYTES > 2 * 256 * 1024);

/// The ledger's file accepts nothing for a while. A thread waits for it, but not the matching thread, which continues
/// as long as there is a buffer to fill.
#[test]
fn matching_does_not_wait_for_the_ledgers_file() {
    let (folder, pipe) = stopped_ledger();
    let options = folder.options.clone();
    let caller = thread::spawn(move || {
        let (mut engine, _) = Engine::open(&options, &mut Acks::default().receivers()).unwrap();
        deposits(ENTRIES).into_iter().try_for_each(|command| engine.submit(command).map(drop)).unwrap();
        engine.flush().unwrap();
        engine
    });
    let began = Instant::now();
    while !caller.is_finished() && began.elapsed() < STUCK {
        thread::sleep(Duration::from_millis(1));
    }
    let went_on = caller.is_finished();
    // Before any assertion, so that the engine can end, whatever it waits for.
    go_on(pipe);
    let engine = caller.join().unwrap();
    assert!(went_on, "matching waited for the ledger's file, which accepted nothing");
    engine.close().unwrap();
}

/// Panics at the last acknowledgement, which takes the matching thread with it.
#[derive(Clone)]
struct Breaks(Sender<()>);

impl Acknowledge for Breaks {
    fn acknowledge(&mut self, stamp: Stamp, _events: &[Event]) {
        if stamp.sequence.0 > ENTRIES {
            self.0.send(()).unwrap();
            // A panic that prints no trace, because that would take longer than the test.
            std::panic::resume_unwind(Box::new("the receiver broke"));
        }
    }
}

/// An engine that has failed is gone only when its ledger's thread is gone too: the next one writes
/// the same file.
#[test]
fn an_engine_that_broke_does_not_write_on() {
    let (folder, pipe) = stopped_ledger();
    let (breaks, broke) = channel();
    let options = folder.options.clone();
    let caller = thread::spawn(move || {
        let (mut engine, _) = Engine::open(&options, &mut |_| Box::new(Breaks(breaks.clone()))).unwrap();
        let went = deposits(ENTRIES).into_iter().try_for_each(|command| engine.submit(command).map(drop));
        went.and_then(|()| engine.flush())
    });
    broke.recv_timeout(STUCK).unwrap();
    thread::sleep(Duration::from_millis(100));
    let waited = !caller.is_finished();
    go_on(pipe);
    assert!(caller.join().unwrap().is_err(), "the receiver broke, but the engine went on");
    assert!(waited, "the engine was gone, but its ledger's thread was still using the file");
}

/// The thread that writes the ledger ends when its disk is full. The next write to the ledger reports why.
#[test]
fn a_ledger_without_room_is_named() {
    let folder = Folder::new(SimDisk::new(4, Faults::default()));
    std::os::unix::fs::symlink("/dev/full", folder.path().join("ledger.draft")).unwrap();
    let (mut engine, _) = Engine::open(&folder.options, &mut Acks::default().receivers()).unwrap();
    // More than all buffers hold.
    let went = deposits(40_000).into_iter().try_for_each(|command| engine.submit(command).map(drop));
    let error = went.and_then(|()| engine.flush()).expect_err("it went on").to_string();
    assert!(error.contains("write the ledger"), "{error}");
}
