//! The ring's recording: what each role does, and the state after it.

use crate::digest::{hex, sources};
use ch06::exchange::Exchange;
use ch06::metrics::Unmeasured;
use ch06::ring::{Closed, Consumer, Producer, ring};
use market::Command;
use market::flow::{self, FlowName};
use serde_json::{Value, json};

/// The chapter, and its files that are at work here.
const CHAPTER: &str = "0x06-pinned-ring";
const SOURCES: [&str; 4] = ["src/ring.rs", "src/memory.rs", "src/journal.rs", "src/matcher.rs"];

/// Small enough to be drawn.
const CAPACITY: usize = 8;

const JOURNAL: usize = 0;

/// The three roles and what they hold. A half that is `None` has left the ring.
struct Engine {
    commands: std::vec::IntoIter<Command>,
    /// Gathered by the caller and not yet in the ring.
    batch: Vec<Command>,
    caller: Option<Producer<Command, 2>>,
    journal: Option<Consumer<Command, 2>>,
    matching: Option<Consumer<Command, 2>>,
    exchange: Exchange,
    head: u64,
    /// In the frame that the disk is syncing.
    frame: usize,
    durable: u64,
    acknowledged: u64,
    steps: Vec<Value>,
}

impl Engine {
    fn new() -> Engine {
        let flow = flow::generate(FlowName::Classic, 16, flow::DEFAULT_SEED);
        let (caller, [journal, matching]) = ring(CAPACITY);
        Engine {
            commands: [flow.setup, flow.body].concat().into_iter(),
            batch: Vec::new(),
            caller: Some(caller),
            journal: Some(journal),
            matching: Some(matching),
            exchange: Exchange::default(),
            head: 0,
            frame: 0,
            durable: 0,
            acknowledged: 0,
            steps: Vec::new(),
        }
    }

    /// Notes what was done and the state after it.
    fn note(&mut self, who: &str, does: &str, count: u64) {
        let matching = self.matching.as_ref();
        let left = matching.is_none_or(|matching| matching.progress(JOURNAL).left);
        self.durable = matching.map_or(self.durable, |matching| matching.progress(JOURNAL).position);
        let step = json!({
            "who": who,
            "does": does,
            "count": count,
            "head": self.head,
            "journal": self.durable,
            "matching": matching.map_or(self.acknowledged, Consumer::position),
            "waiting": self.batch.len(),
            "frame": self.frame,
            "acknowledged": self.acknowledged,
            "left": left,
        });
        self.steps.push(step);
    }

    /// The caller gathers some commands, and publishes as many as there is space for.
    fn publish(&mut self, gathers: usize) {
        self.batch.extend(self.commands.by_ref().take(gathers));
        let pushed = self.caller.as_mut().unwrap().push_slice(&self.batch);
        let (does, count) = match pushed {
            Err(Closed) => ("finds-closed", 0),
            Ok(0) => ("finds-full", 0),
            Ok(count) if count < self.batch.len() => ("publishes-some", count),
            Ok(count) => ("publishes", count),
        };
        self.batch.drain(..count);
        self.head += count as u64;
        self.note("caller", does, count as u64);
    }

    /// The journal writes what it finds as one frame, and begins to wait for the disk.
    fn write(&mut self) {
        let journal = self.journal.as_mut().unwrap();
        journal.look();
        self.frame = journal.peek().unwrap().len();
        self.note("journal", "writes", self.frame as u64);
    }

    /// The sync has returned: the journal moves its tail.
    fn synced(&mut self) {
        let count = std::mem::take(&mut self.frame);
        self.journal.as_mut().unwrap().advance(count);
        self.note("journal", "has-synced", count as u64);
    }

    /// Matching checks how far the journal is, applies what is durable, and acknowledges it.
    fn apply(&mut self) {
        let Some(matching) = &mut self.matching else { return };
        let journal = matching.progress(JOURNAL);
        let durable = (journal.position - matching.position()) as usize;
        let commands = matching.peek().unwrap_or_default();
        let count = commands.len().min(durable);
        for command in &commands[..count] {
            let mut events = Vec::new();
            self.exchange.apply(command, &mut events, &mut Unmeasured);
            assert!(!events.is_empty(), "every command has an answer");
        }
        matching.advance(count);
        self.acknowledged += count as u64;
        match count {
            0 if journal.left => {
                self.matching = None;
                self.note("matching", "leaves", 0);
            }
            _ => self.note("matching", "applies", count as u64),
        }
    }

    /// The journal's thread ends: its disk reported an error.
    fn fail(&mut self) {
        self.journal = None;
        self.frame = 0;
        self.note("journal", "leaves", 0);
    }
}

/// The recording, with the files that made it.
pub fn record() -> Value {
    let mut engine = Engine::new();
    engine.note("caller", "begins", 0);
    engine.publish(3);
    engine.write();
    engine.apply();
    engine.publish(4);
    // The disk is slow, and the ring fills up.
    engine.publish(3);
    engine.publish(0);
    engine.synced();
    engine.write();
    engine.apply();
    engine.publish(0);
    engine.synced();
    engine.write();
    engine.fail();
    engine.apply();
    engine.publish(1);
    engine.apply();
    let steps = Value::Array(engine.steps);
    let digest = hex(steps.to_string().as_bytes());
    json!({ "chapter": CHAPTER, "capacity": CAPACITY, "sources": sources(CHAPTER, &SOURCES), "digest": digest, "steps": steps })
}
