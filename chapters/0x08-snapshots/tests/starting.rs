//! An engine that can't start all of its threads leaves none of them behind: one that went on would end the log
//! under whoever opens it next.
//!
//! The system refuses a thread when there is no room for its stack. So a test starts this program again with
//! large stacks and little room, and with a little more room each time.
//! Such stacks are more than a machine with words of 32 bits has addresses for.
#![cfg(all(target_os = "linux", target_pointer_width = "64"))]
#![allow(clippy::unwrap_used)]

use std::process::Command as Process;
use std::time::Duration;

use ch08::Chapter;
use contract::folder::Folder;
use contract::harness::Acks;
use contract::{Faults, SimDisk};
use market::{Engine as _, EngineError};

type Engine = <Chapter as runner::Chapter>::Engine;

/// The stack of a thread. Nothing is written to it, so it takes room and no memory.
const STACK_BYTES: u64 = 1 << 30;

#[test]
fn no_thread_is_left_behind() {
    let mut refused = Vec::new();
    for room in (STACK_BYTES / 2..10 * STACK_BYTES).step_by(STACK_BYTES as usize / 4) {
        let mut shell = Process::new("sh");
        shell.args(["-c", "ulimit -v $1 || exit 99; shift; exec \"$@\"", "sh", &(room / 1024).to_string()]);
        shell.arg(std::env::current_exe().unwrap());
        shell.args(["--exact", "with_little_room", "--ignored", "--nocapture", "--test-threads=1"]);
        let output = shell.env("RUST_MIN_STACK", STACK_BYTES.to_string()).output().unwrap();
        let words = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!words.contains("went on"), "with {room} bytes: {words}");
        refused.extend(words.lines().find_map(|line| line.split_once("refused: ")).map(|(_, role)| role.to_string()));
        if words.contains("all threads started") {
            break;
        }
    }
    assert!(refused.contains(&"matching".to_string()), "only these threads were ever refused: {refused:?}");
}

/// What the test above starts.
#[test]
#[ignore = "it is started with little room by the test above"]
fn with_little_room() {
    // A journal that was left behind ends the log, and does so late.
    let disk = SimDisk::new(0, Faults { sync_delay: Duration::from_millis(100), ..Faults::default() });
    let folder = Folder::new(disk.clone());
    match Engine::open(&folder.options, &mut Acks::default().receivers()) {
        Ok(_) => println!("all threads started"),
        Err(EngineError::ThreadStopped { role, .. }) => {
            let before = disk.counts();
            std::thread::sleep(Duration::from_millis(400));
            println!("refused: {role}");
            if disk.counts() != before {
                println!("a thread went on: {before:?}, then {:?}", disk.counts());
            }
        }
        Err(error) => println!("refused otherwise: {error}"),
    }
}
