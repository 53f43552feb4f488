//! The ring that never waits, under `loom`: every interleaving of a small one and every stale value that the orderings
//! permit. To show that these scenarios miss nothing, each ordering and fence is weakened in turn, and then a scenario
//! has to fail.

#[allow(dead_code)]
#[path = "../src/ring.rs"]
mod ring;
#[path = "weakened/mod.rs"]
mod weakened;

use weakened::memory;

use ring::ring;
use std::sync::{Mutex, MutexGuard, PoisonError};

const WORDS: usize = 2;

/// Runs one test at a time. loom allocates new stacks for every execution, hundreds of thousands of them: with two such
/// threads, the kernel has to notify every core of each stack that is unmapped, and both take twice as long as one
/// after the other.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A record whose words belong together.
fn record(n: u64) -> [u64; WORDS] {
    [n, n + 100]
}

/// One thread overwrites while the other reads: a read returns the record that was asked for, intact, or reports it
/// gone.
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

/// A record that is still there is read.
#[test]
fn a_record_that_is_there_is_not_reported_gone() {
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
