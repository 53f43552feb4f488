//! More partitions, each an engine with its own thread, fed through a channel.
//!
//! **Expected:** markets are independent, so eight engines do eight times the work of one.
//!
//! **Compared:** the engine of 0x05 in memory over the flow `venue`, without any thread, and in 1, 2, 4, 8 and 16
//! partitions by market. Commands go through a channel one at a time, or in batches of 100. The flow is short (1,000
//! commands) or long (1,000,000). Threads are started and their accounts funded before the time begins; it ends when
//! the last of them has done its last command.
//!
//! **Left out:** the log, whose sync would hide all of this; and pinned threads that poll a ring and never sleep,
//! which is what 0x06 and 0x07 do.

use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Instant;

use ch05::exchange::Exchange;
use ch05::metrics::Unmeasured;
use crossbeam_channel::{Receiver, Sender, bounded};
use lab_work::Tally;
use market::flow::{DEFAULT_SEED, Flow, FlowName, generate};
use market::{Command, Event};

use crate::error::LabError;
use crate::experiment::{Case, Experiment, Prepared, Sample, Setting, Size, timed};
use crate::words::words;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "partitions",
    title: (
        "Do more partitions bring more throughput when orders come through a channel?",
        "订单经通道送来时，分区越多吞吐量就越高吗？",
    ),
    per: ("a command", "每条命令"),
    on_request: false,
    prepare,
};

const PARTITIONS: [usize; 5] = [1, 2, 4, 8, 16];
const BATCH: usize = 100;
/// Commands that may wait in a channel, alone or in batches.
const WAITING_MAX: usize = 6_400;

/// An engine without its log.
struct Memory {
    exchange: Exchange,
    events: Vec<Event>,
    tally: Tally,
}

impl Memory {
    fn new<'c>(setup: impl Iterator<Item = &'c Command>) -> Memory {
        let (mut exchange, mut events) = (Exchange::default(), Vec::new());
        setup.for_each(|command| exchange.apply(command, &mut events, &mut Unmeasured));
        Memory { exchange, events, tally: Tally::default() }
    }

    fn apply(&mut self, command: &Command) {
        self.events.clear();
        self.exchange.apply(command, &mut self.events, &mut Unmeasured);
        self.tally.add(&self.events);
    }
}

/// The same work on the calling thread.
fn without_threads(flow: &Flow) -> Sample {
    let mut engine = Memory::new(flow.setup.iter());
    timed(flow.body.len(), || {
        flow.body.iter().for_each(|command| engine.apply(command));
        engine.tally.answer()
    })
}

/// What a channel carries.
trait Parcel: Send {
    fn apply(self, engine: &mut Memory);
}

impl Parcel for Command {
    fn apply(self, engine: &mut Memory) {
        engine.apply(&self);
    }
}

impl Parcel for Vec<Command> {
    fn apply(self, engine: &mut Memory) {
        self.iter().for_each(|command| engine.apply(command));
    }
}

// ANCHOR: send
/// The partition of a command. Nothing passes from one market to another, so nothing passes between
/// partitions.
fn partition_of(command: &Command, partitions: usize) -> usize {
    command.market().0 as usize % partitions
}

fn one_by_one(body: &[Command], lanes: &[Sender<Command>]) {
    for command in body {
        // An engine that is gone has panicked, so the answers will not agree.
        let _ = lanes[partition_of(command, lanes.len())].send(*command);
    }
}

fn in_batches(body: &[Command], lanes: &[Sender<Vec<Command>>]) {
    let mut pending = vec![Vec::with_capacity(BATCH); lanes.len()];
    for command in body {
        let lane = partition_of(command, lanes.len());
        pending[lane].push(*command);
        if pending[lane].len() == BATCH {
            let full = std::mem::replace(&mut pending[lane], Vec::with_capacity(BATCH));
            let _ = lanes[lane].send(full);
        }
    }
    for (lane, rest) in lanes.iter().zip(pending) {
        let _ = lane.send(rest);
    }
}
// ANCHOR_END: send

/// Starts the partitions, lets `feed` send the flow to them, and waits until all of it is done.
fn with_threads<P: Parcel>(
    flow: &Flow,
    partitions: usize,
    capacity: usize,
    feed: impl FnOnce(&[Command], &[Sender<P>]),
) -> Sample {
    let start_line = Barrier::new(partitions + 1);
    let (lanes, inboxes): (Vec<Sender<P>>, Vec<Receiver<P>>) = (0..partitions).map(|_| bounded(capacity)).unzip();
    thread::scope(|scope| {
        let start_line = &start_line;
        let start_engine = |(partition, inbox): (usize, Receiver<P>)| {
            scope.spawn(move || {
                let own = |command: &&Command| partition_of(command, partitions) == partition;
                let mut engine = Memory::new(flow.setup.iter().filter(own));
                start_line.wait();
                inbox.iter().for_each(|parcel| parcel.apply(&mut engine));
                (engine.tally.answer(), Instant::now())
            })
        };
        let engines: Vec<_> = inboxes.into_iter().enumerate().map(start_engine).collect();
        start_line.wait();
        let start = Instant::now();
        feed(&flow.body, &lanes);
        drop(lanes);
        let (mut answer, mut end) = (0_u64, start);
        for engine in engines {
            if let Ok((part, done)) = engine.join() {
                answer = answer.wrapping_add(part);
                end = end.max(done);
            }
        }
        Sample { ns: (end - start).as_nanos() as f64 / flow.body.len().max(1) as f64, answer }
    })
}

fn case(commands: usize, name: &str) -> Case {
    let flow = Arc::new(generate(FlowName::Venue, commands, DEFAULT_SEED));
    let alone = Arc::clone(&flow);
    let label = crate::words::counted(commands, ("command", "commands"), "条命令");
    let case =
        Case::new(name, label).with("no_thread", words("no thread, no channel", "不用线程和通道"), move || {
            Ok(without_threads(&alone))
        });
    let names = ["p1", "p2", "p4", "p8", "p16"].into_iter().zip(["b1", "b2", "b4", "b8", "b16"]);
    PARTITIONS.into_iter().zip(names).fold(case, |case, (partitions, (by_one, by_batch))| {
        let (alone, batched) = (Arc::clone(&flow), Arc::clone(&flow));
        let counted = crate::words::counted(partitions, ("partition", "partitions"), "个分区");
        let by = |en: &str, zh: &str| words(format!("{}, {en}", counted.en), format!("{}，{zh}", counted.zh));
        case.with(by_one, by("one by one", "逐条"), move || {
            Ok(with_threads(&alone, partitions, WAITING_MAX, one_by_one))
        })
        .with(by_batch, by("by 100", "每批 100 条"), move || {
            Ok(with_threads(&batched, partitions, WAITING_MAX / BATCH, in_batches))
        })
    })
}

fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    let short = if setting.size == Size::Tiny { 200 } else { 1_000 };
    let cases = vec![case(short, "short"), case(setting.size.of(1_000_000), "long")];
    Ok(Prepared { cases, left_out: Vec::new() })
}
