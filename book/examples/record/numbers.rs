//! The recording of a window of numbers: what 0x0b's table answers to the requests of one lane, and what its window
//! then holds.
//!
//! Table, memory and window are the chapter's own, the market is the model, and one thread plays client, network and
//! log in a fixed order. The contents of the window are found by asking it for each of its numbers.

use crate::digest::{hex, sources};
use exactly_once::lane::{Kind, Lane, Numbered};
use exactly_once::memory::Memory;
use exactly_once::outcome::reply;
use exactly_once::table::{Found, Table, Waiter};
use exactly_once::window::{NUMBERS, Seen, Window};
use gateway::reply::{Answer, Refusal};
use market::log::ShardOf;
use market::model::Model;
use market::{AccountId, Cents, Command, Event, Intent, MarketId, Place, Sequence, Stamp, Ticket, TimeInForce, UnixMs};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

const CHAPTER: &str = "0x0b-exactly-once";
const SOURCES: [&str; 7] = [
    "src/window.rs",
    "src/table.rs",
    "src/memory.rs",
    "src/lane.rs",
    "src/lanes.rs",
    "src/outcome.rs",
    "src/outcomes.rs",
];

const MARKET: MarketId = MarketId(1);
const ACCOUNT: AccountId = AccountId(7);
const LANE: Lane = Lane { account: ACCOUNT, kind: Kind::Orders, lane: 3 };

/// How many answers this table keeps, so that some are forgotten within the recording. A venue keeps a million.
const ANSWERS: usize = 128;

/// A command of the log, and its events.
struct Entry {
    stamp: Stamp,
    command: Command,
    events: Vec<Event>,
}

struct Venue {
    model: Model,
    log: Vec<Entry>,
    memory: Memory,
    table: Table,
    /// Requests that entered and are not yet in the log.
    under_way: BTreeMap<u64, Command>,
    carried_out: u64,
    answered: u64,
    refused: u64,
    steps: Vec<Value>,
}

/// An order with this number.
fn order(number: u64, price: u8) -> Command {
    let (market, account, intent, time_in_force) = (MARKET, ACCOUNT, Intent::BuyYes, TimeInForce::Gtc);
    let client_order_id = u64::from(LANE.lane) << 56 | number;
    Command::Place(Place { market, account, intent, time_in_force, price, quantity: 1, client_order_id })
}

/// The numbers that a log contains.
fn memory_of(log: &[Entry]) -> Memory {
    let mut memory = Memory::new(ShardOf::ONLY, ANSWERS);
    log.iter().for_each(|entry| memory.observe(entry.stamp, &entry.command, &entry.events));
    memory
}

impl Venue {
    /// A venue with a market, and an account with cash in it.
    fn new() -> Venue {
        let memory = memory_of(&[]);
        let table = Table::new(vec![memory.clone()], ANSWERS);
        let (under_way, steps) = (BTreeMap::new(), Vec::new());
        let (carried_out, answered, refused) = (0, 0, 0);
        let (model, log) = (Model::default(), Vec::new());
        let mut venue = Venue { model, log, memory, table, under_way, carried_out, answered, refused, steps };
        let deposit = Command::Deposit { market: MARKET, account: ACCOUNT, amount: Cents(100_000), request: 0 };
        for command in [Command::Open { market: MARKET }, deposit] {
            venue.write(command);
        }
        venue
    }

    /// A command is in the log and durable: it is carried out, and the windows are updated.
    fn write(&mut self, command: Command) -> Stamp {
        let events = self.model.apply(&command);
        assert!(!events.iter().any(|event| matches!(event, Event::Rejected { .. })), "{command:?} is taken");
        let sequence = Sequence(self.log.len() as u64 + 1);
        let stamp = Stamp { sequence, time: UnixMs(sequence.0) };
        self.memory.observe(stamp, &command, &events);
        self.log.push(Entry { stamp, command, events });
        stamp
    }

    /// A request reaches the door: the table's answer, and the sequence under which it was done before.
    fn enter(&mut self, command: Command) -> (&'static str, Option<u64>) {
        let numbered = Numbered::of(&command).unwrap();
        let answer = Arc::new(Mutex::new(Answer::new(1, |_| {})));
        match self.table.enter(numbered, &command, || Waiter { answer, place: 0 }) {
            Found::New => {
                self.under_way.insert(numbered.number, command);
                ("new", None)
            }
            Found::Joined => ("joined", None),
            Found::Given(Ok(reply)) => {
                self.answered += 1;
                ("answered", Some(reply.ticket.sequence.0))
            }
            Found::Given(Err(Refusal::Layer(refused, sequence))) => {
                self.refused += 1;
                (refused.word, sequence.map(|sequence| sequence.0))
            }
            Found::Given(Err(other)) => panic!("the table does not refuse like this: {other:?}"),
        }
    }

    /// A request arrives.
    fn comes(&mut self, scene: &str, number: u64, price: u8) {
        let (found, sequence) = self.enter(order(number, price));
        self.note(found, scene, json!({ "number": number, "sequence": sequence }));
    }

    /// The log carries out the request under way with this number; returns its sequence, and how many
    /// joined it.
    fn carry_out(&mut self, number: u64) -> (u64, usize) {
        let command = self.under_way.remove(&number).unwrap();
        let stamp = self.write(command);
        let ticket = Ticket { shard: 0, sequence: stamp.sequence };
        let given = Ok(reply(ticket, stamp, &self.log[self.log.len() - 1].events));
        let joined = self.table.settle(Numbered::of(&command).unwrap(), &command, &given).len();
        self.carried_out += 1;
        self.answered += joined as u64;
        (stamp.sequence.0, joined)
    }

    fn done(&mut self, scene: &str, number: u64) {
        let (sequence, joined) = self.carry_out(number);
        self.note("done", scene, json!({ "number": number, "sequence": sequence, "joined": joined }));
    }

    /// Many requests arrive and are carried out, each before the next.
    fn many(&mut self, scene: &str, numbers: impl Iterator<Item = u64>) {
        let before = self.window().highest();
        for number in numbers {
            assert_eq!(self.enter(order(number, 40)), ("new", None), "{number}");
            self.carry_out(number);
        }
        self.note("many", scene, json!({ "from": before + 1 }));
    }

    /// The venue is killed and starts again: requests under way are gone, and everything else follows from the
    /// log.
    fn crash(&mut self) {
        let lost = self.under_way.keys().next().copied();
        self.under_way.clear();
        self.memory = memory_of(&self.log);
        self.table = Table::new(vec![self.memory.clone()], ANSWERS);
        self.note("venue", "crash", json!({ "number": lost }));
    }

    fn window(&self) -> Window {
        self.memory.lanes.get(LANE).map(|row| row.window).unwrap_or_default()
    }

    /// Notes what came and what the table answered, and what the window then holds.
    fn note(&mut self, found: &str, scene: &str, detail: Value) {
        let window = self.window();
        let of_table = self.table.lanes_of(ACCOUNT).first().map_or(0, |(_, highest)| *highest);
        assert_eq!(window.highest(), of_table, "the table has the same window as the log's memory");
        let ages = 0..NUMBERS.min(window.highest());
        let is_used = |age: u64| window.look(window.highest() - age) == Seen::Used;
        let used: String = ages.map(|age| if is_used(age) { '1' } else { '0' }).collect();
        let under_way: Vec<u64> = self.under_way.keys().copied().collect();
        self.steps.push(json!({
            "found": found, "scene": scene, "detail": detail, "highest": window.highest(), "used": used,
            "under_way": under_way, "carried_out": self.carried_out, "answered": self.answered, "refused": self.refused,
        }));
    }
}

/// The recording, with the files that made it.
pub fn record() -> Value {
    let mut venue = Venue::new();
    venue.note("venue", "begins", json!({}));
    venue.comes("first", 1, 40);
    venue.done("first", 1);
    venue.comes("overtakes", 3, 40);
    venue.done("overtakes", 3);
    venue.comes("overtaken", 2, 40);
    venue.comes("repeats", 2, 40);
    venue.done("both", 2);
    venue.comes("repeats", 3, 40);
    venue.comes("other", 3, 41);
    venue.many("but-one", (4..=250).filter(|number| *number != 100));
    venue.many("moves", 251..=259);
    venue.comes("fallen", 2, 40);
    venue.comes("forgotten", 50, 40);
    venue.comes("late", 100, 40);
    venue.done("late", 100);
    venue.comes("jumps", 1_000, 40);
    venue.done("jumps", 1_000);
    venue.comes("kept", 259, 40);
    venue.comes("skipped", 600, 40);
    venue.comes("before-the-kill", 1_001, 40);
    venue.crash();
    venue.comes("after-the-kill", 1_001, 40);
    venue.done("after-the-kill", 1_001);
    venue.comes("last", 1_001, 40);
    let steps = Value::Array(venue.steps);
    let digest = hex(steps.to_string().as_bytes());
    let (numbers, sources) = (NUMBERS, sources(CHAPTER, &SOURCES));
    json!({
        "chapter": CHAPTER, "numbers": numbers, "answers": ANSWERS, "sources": sources, "digest": digest, "steps": steps
    })
}
