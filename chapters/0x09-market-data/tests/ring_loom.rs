//! The ring that never waits, under `loom`: every interleaving of a small one and every stale value that the orderings
//! permit. And to show that the net has no hole, each ordering and fence is weakened in turn, and a scenario has to fail.

#[allow(dead_code)]
#[path = "../src/ring.rs"]
mod ring;
#[path = "weakened/mod.rs"]
mod weakened;

use weakened::memory;

use ring::ring;
use std::sync::{Mutex, MutexGuard, PoisonError};

const WORDS: usize = 2;

/// One test at a time. loom gives every execution new stacks, and makes hundreds of thousands of them: beside another thread
/// that does the same, the kernel has each core told of every stack that goes, and both take twice as long as one by one.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A record whose words belong together.
fn record(n: u64) -> [u64; WORDS] {
    [n, n + 100]
}

/// One overwrites while the other reads: what is read is whole and the one that was asked for, or it is said to be gone.
fn what_is_read_is_whole(records_written: u64, batch: u64) {
    loom::model(move || {
        let (mut writer, records) = ring::<WORDS>(2);
        let reading = loom::thread::spawn(move || {
            let head = records.head();
            for position in 0..head {
                if let Some(words) = records.read(position) {
                    assert_eq!(words, record(position), "at {position} of {head}");
                }
            }
        });
        for n in 0..records_written {
            writer.push(record(n));
            if n % batch == batch - 1 {
                writer.publish();
            }
        }
        reading.join().expect("the reader ends");
    });
}

#[test]
fn a_lapped_reader_notices() {
    let _turn = turn();
    what_is_read_is_whole(4, 1);
    what_is_read_is_whole(4, 2);
}

/// What is still there is read.
#[test]
fn nothing_is_said_to_be_gone_that_is_there() {
    let _turn = turn();
    loom::model(|| {
        let (mut writer, records) = ring::<WORDS>(2);
        let reading = loom::thread::spawn(move || {
            let head = records.head();
            (0..head).for_each(|position| assert_eq!(records.read(position), Some(record(position))));
        });
        for n in 0..2 {
            writer.push(record(n));
            writer.publish();
        }
        reading.join().expect("the reader ends");
    });
}

#[test]
fn every_ordering_is_needed() {
    let _turn = turn();
    weakened::assert_each_is_needed("ring.rs", || what_is_read_is_whole(4, 1));
}
