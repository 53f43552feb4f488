//! An engine that can't start all of its threads leaves none of them behind: a remaining thread would end the log
//! while the next engine has it open.
//!
//! The system refuses a thread when there is no space for its stack. So a test starts this program again and again
//! with large stacks and little space, each with a little more space than the one before. A 32-bit machine does not
//! have enough addresses for such stacks.
#![cfg(all(target_os = "linux", target_pointer_width = "64"))]
#![allow(clippy::unwrap_used)]

use std::process::{Child, Command as Process, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use ch06::Chapter;
use contract::folder::Folder;
use contract::{Faults, SimDisk};
use market::{Acknowledge, Engine as _, EngineError, Event, Stamp};

type Engine = <Chapter as runner::Chapter>::Engine;

/// The stack of a thread. Nothing is written to it, so it takes address space and no memory.
const STACK_BYTES: u64 = 1 << 30;

/// How many are started in parallel. Each of them waits most of its time.
const SIDE_BY_SIDE: usize = 8;

#[test]
fn no_thread_is_left_behind() {
    let rooms: Vec<u64> = (STACK_BYTES / 2..10 * STACK_BYTES).step_by(STACK_BYTES as usize / 4).collect();
    let mut refused = Vec::new();
    for rooms in rooms.chunks(SIDE_BY_SIDE) {
        let started: Vec<Child> = rooms.iter().map(|&room| start(room)).collect();
        let mut all_started = false;
        for (room, child) in rooms.iter().zip(started) {
            let words = String::from_utf8_lossy(&child.wait_with_output().unwrap().stdout).into_owned();
            assert!(!words.contains("went on"), "with {room} bytes: {words}");
            let role = words.lines().find_map(|line| line.split_once("refused: "));
            refused.extend(role.map(|(_, role)| role.to_string()));
            all_started |= words.contains("all threads started");
        }
        if all_started {
            break;
        }
    }
    // The second of the two: the first is running by then.
    assert!(refused.contains(&"journal".to_string()), "only these threads were ever refused: {refused:?}");
}

/// Starts the test below in this program, with space for this many bytes.
fn start(room: u64) -> Child {
    let mut shell = Process::new("sh");
    shell.args(["-c", "ulimit -v $1 || exit 99; shift; exec \"$@\"", "sh", &(room / 1024).to_string()]);
    shell.arg(std::env::current_exe().unwrap());
    shell.args(["--exact", "with_little_room", "--ignored", "--nocapture", "--test-threads=1"]);
    shell.env("RUST_MIN_STACK", STACK_BYTES.to_string()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// A receiver of acknowledgements that is slow to drop. A matching thread that was left behind still holds it.
struct Late(Arc<AtomicBool>);

impl Acknowledge for Late {
    fn acknowledge(&mut self, _stamp: Stamp, _events: &[Event]) {}
}

impl Drop for Late {
    fn drop(&mut self) {
        thread::sleep(Duration::from_millis(100));
        self.0.store(true, SeqCst);
    }
}

/// The program that [`start`] starts.
#[test]
#[ignore = "it is started with little room by another test"]
fn with_little_room() {
    // A journal that was left behind ends the log, but late.
    let disk = SimDisk::new(0, Faults { sync_delay: Duration::from_millis(100), ..Faults::default() });
    let folder = Folder::new(disk.clone());
    let gone = Arc::new(AtomicBool::new(false));
    match Engine::open(&folder.options, &mut |_| Box::new(Late(Arc::clone(&gone)))) {
        Ok(_) => println!("all threads started"),
        Err(EngineError::ThreadStopped { role, .. }) => {
            let (before, is_gone) = (disk.counts(), gone.load(SeqCst));
            thread::sleep(Duration::from_millis(400));
            println!("refused: {role}");
            if !is_gone {
                println!("a thread kept running and held the receiver");
            }
            if disk.counts() != before {
                println!("a thread kept running: {before:?}, then {:?}", disk.counts());
            }
        }
        Err(error) => println!("refused for another reason: {error}"),
    }
}
