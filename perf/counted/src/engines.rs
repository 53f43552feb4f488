//! Engines over the classic flow: what an order costs each of them.
//!
//! `exchange` is the state machine alone: balance check, matching and settlement in memory. `engine` is the
//! whole engine, from the command to its acknowledgement, with a log that no disk slows down.
//!
//! Some engines are left out, for a reason. An `engine` of 0x01 and 0x02 allocates several times for each
//! order, in a sequence that depends on the hash maps' random keys, and the allocator's cost for that differs
//! by 5% from run to run; their parts are counted one by one. The exchange of 0x06 and 0x07 is 0x05's, file by
//! file, as the check of neighbours makes sure. An engine with threads spins while it waits, so its
//! instructions count how long it waited. The part of it that can be counted, the ring, is a layer.

use std::hint::black_box;
use std::time::Duration;

use market::flow::{DEFAULT_SEED, Flow, FlowName, generate};
use market::{Acknowledge, Command, Engine, Event, Options, Stamp};

use crate::disk::NoDisk;
use crate::work::{TIMES_MAX, Work};

/// The engines, in the ladder's order.
pub const WORKS: &[Work] = &[
    Work { name: "0x01 exchange", unit: "order", rounds: 1, run: exchange_0x01 },
    Work { name: "0x02 exchange", unit: "order", rounds: 1, run: exchange_0x02 },
    Work { name: "0x03 exchange", unit: "order", rounds: 1, run: exchange_0x03 },
    Work { name: "0x04 exchange", unit: "order", rounds: 1, run: exchange_0x04 },
    Work { name: "0x05 exchange", unit: "order", rounds: 1, run: exchange_0x05 },
    Work { name: "0x03 engine", unit: "order", rounds: 1, run: engine::<ch03::Engine<ch03::metrics::Unmeasured>> },
    Work { name: "0x04 engine", unit: "order", rounds: 1, run: engine::<ch04::Engine<ch04::metrics::Unmeasured>> },
    Work { name: "0x05 engine", unit: "order", rounds: 1, run: engine::<ch05::Engine<ch05::metrics::Unmeasured>> },
];

fn flow() -> Flow {
    generate(FlowName::Classic, TIMES_MAX, DEFAULT_SEED)
}

/// Applies the setup, then the numbered orders. The exchange is never freed: that would be counted
/// too, although no order needs it.
fn exchange(numbers: &[usize], mut apply: impl FnMut(&Command)) {
    let Flow { setup, body, .. } = flow();
    setup.iter().for_each(&mut apply);
    numbers.iter().for_each(|&n| apply(&body[n]));
}

fn exchange_0x01(numbers: &[usize]) {
    let mut state = ch01::exchange::Exchange::default();
    exchange(numbers, |command| drop(black_box(state.apply(command))));
    std::mem::forget(state);
}

fn exchange_0x02(numbers: &[usize]) {
    let (mut state, mut metrics) = (ch02::exchange::Exchange::default(), ch02::metrics::Unmeasured);
    exchange(numbers, |command| drop(black_box(state.apply(command, &mut metrics))));
    std::mem::forget(state);
}

fn exchange_0x03(numbers: &[usize]) {
    let (mut state, mut metrics) = (ch03::exchange::Exchange::default(), ch03::metrics::Unmeasured);
    exchange(numbers, |command| drop(black_box(state.apply(command, &mut metrics))));
    std::mem::forget(state);
}

/// From 0x04 on events go to a list that is reused.
fn into_list(numbers: &[usize], mut apply: impl FnMut(&Command, &mut Vec<Event>)) {
    let mut events = Vec::new();
    exchange(numbers, |command| {
        events.clear();
        apply(command, &mut events);
        black_box(&events);
    });
}

fn exchange_0x04(numbers: &[usize]) {
    let (mut state, mut metrics) = (ch04::exchange::Exchange::default(), ch04::metrics::Unmeasured);
    into_list(numbers, |command, events| state.apply(command, events, &mut metrics));
    std::mem::forget(state);
}

fn exchange_0x05(numbers: &[usize]) {
    let (mut state, mut metrics) = (ch05::exchange::Exchange::default(), ch05::metrics::Unmeasured);
    into_list(numbers, |command, events| state.apply(command, events, &mut metrics));
    std::mem::forget(state);
}

/// Counts acknowledgements.
struct Acks(u64);

impl Acknowledge for Acks {
    fn acknowledge(&mut self, _stamp: Stamp, events: &[Event]) {
        self.0 += black_box(events).len() as u64;
    }
}

fn engine<E: Engine>(numbers: &[usize]) {
    let folder = tempfile::tempdir().expect("a folder for the ledger");
    let Flow { setup, body, .. } = flow();
    let mut engine = open::<E>(folder.path(), NoDisk::default());
    for &command in setup.iter().chain(numbers.iter().map(|&n| &body[n])) {
        engine.submit(command).expect("this disk accepts everything");
    }
    engine.flush().expect("this disk accepts everything");
    std::mem::forget(engine);
}

/// Opens an engine whose batches end only by their number of commands: a slow valgrind must not end
/// one.
pub fn open<E: Engine>(folder: &std::path::Path, disk: NoDisk) -> E {
    let options =
        Options { disk: std::sync::Arc::new(disk), batch_interval: Duration::from_secs(3_600), ..Options::new(folder) };
    E::open(&options, &mut |_| Box::new(Acks(0))).expect("an empty folder").0
}
