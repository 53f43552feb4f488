//! Ten commands through the books of 0x01 and 0x05, with every cell that each of them reads and writes.
//!
//! The books are the chapters' own files, compiled once more with a note at each read and write (`book/observed`).
//! The answers of each are compared with the reference model, and a cell that changed without a note stops the
//! recorder.

use crate::digest::{hex, sources};
use market::model::Model;
use market::{AccountId, Cents, Command, Event, Intent, MarketId, OrderId, Place, TimeInForce};
use observed::seen::{Access, during};
use observed::{Cells, Touched, array, array_cells, naive, naive_cells, touched, unexplained};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const CHAPTERS: [(&str, &[&str]); 2] = [
    ("0x01-naive", &["src/accounts.rs", "src/book.rs", "src/exchange.rs", "src/trading.rs"]),
    (
        "0x05-array-book",
        &["src/accounts.rs", "src/book.rs", "src/exchange.rs", "src/id_table.rs", "src/slab.rs", "src/trading.rs"],
    ),
];

pub const MARKET: MarketId = MarketId(1);
const ALICE: AccountId = AccountId(1);
const BOB: AccountId = AccountId(2);
const CAROL: AccountId = AccountId(3);

/// Both engines, and the model they are compared with.
#[derive(Default)]
pub struct Books {
    pub naive: naive::exchange::Exchange,
    pub array: array::exchange::Exchange,
    model: Model,
    /// Lines touched so far, counting each as often as a command touched it.
    lines: [usize; 2],
    /// Lines touched so far, each once.
    different: [BTreeSet<(usize, usize)>; 2],
}

impl Books {
    /// The books as the first of the ten commands finds them.
    pub fn new() -> Books {
        let mut books = Books::default();
        prologue().iter().for_each(|command| {
            books.watched(command);
        });
        books
    }

    /// The answers of both, and what each touches.
    fn apply(&mut self, command: &Command) -> ([Vec<Event>; 2], [Option<Touched>; 2]) {
        let before = self.cells();
        let (answers, accesses) = self.watched(command);
        let after = self.cells();
        let touched = [0, 1].map(|engine| {
            let (before, after) = (before[engine].as_ref()?, after[engine].as_ref()?);
            let unexplained = unexplained(&accesses[engine], before, after);
            assert!(unexplained.is_empty(), "{command:?} has changed {unexplained:?}, but no write was noted");
            Some(touched(&accesses[engine], before, after))
        });
        (answers, touched)
    }

    /// The answers of both, and what each reads and writes.
    pub fn watched(&mut self, command: &Command) -> ([Vec<Event>; 2], [Vec<Access>; 2]) {
        let mut events = Vec::new();
        let (answer, of_naive) = during(|| self.naive.apply(command));
        let ((), of_array) = during(|| self.array.apply(command, &mut events, &mut array::metrics::Unmeasured));
        ([answer, events], [of_naive, of_array])
    }

    /// The cells of both, once there is a market with a block of nodes.
    pub fn cells(&self) -> [Option<Cells>; 2] {
        let is_open = !self.naive.state().markets.is_empty();
        let has_nodes = self.array.bytes().0 > 1_024;
        [is_open.then(|| naive_cells::cells(&self.naive, MARKET)), has_nodes.then(|| array_cells::cells(&self.array))]
    }

    /// Applies a command, compares both with the model, and returns the step.
    fn step(&mut self, does: &str, command: &Command) -> Value {
        let (answers, touched) = self.apply(command);
        let right = self.model.apply(command);
        for answer in &answers {
            assert_eq!(*answer, right, "{command:?}");
        }
        assert_eq!([self.naive.state(), self.array.state()], [self.model.state(), self.model.state()], "{command:?}");
        assert!(!right.iter().any(|event| matches!(event, Event::Rejected { .. })), "{command:?} is taken");
        let engines = self.engines(touched.map(|touched| touched.expect("the books existed before")));
        json!({ "does": does, "detail": detail(command, &right), "engines": engines })
    }

    fn engines(&mut self, touched: [Touched; 2]) -> Vec<Value> {
        let cells = self.cells();
        let both = touched.iter().zip(&cells).zip(self.lines.iter_mut().zip(&mut self.different));
        let engine = both.map(|((touched, cells), (lines, different))| {
            *lines += touched.lines.len();
            different.extend(&touched.lines);
            let cells = cells.as_ref().expect("the books exist").holds();
            let is_drawn = |name: &str| !name.ends_with("nodes") && !is_empty_level(name, cells.get(name).copied());
            let holds: Map<String, Value> =
                cells.iter().filter(|(name, _)| is_drawn(name)).map(|(name, holds)| ((*name).into(), (*holds).into())).collect();
            json!({
                "read": touched.read, "written": touched.written, "lines": touched.lines.len(), "so_far": *lines, "different": different.len(),
                "holds": holds,
            })
        });
        engine.collect()
    }
}

/// An empty level or place of a key: there are two hundred of them.
fn is_empty_level(name: &str, holds: Option<&str>) -> bool {
    (name.starts_with("bids-") || name.starts_with("asks-")) && matches!(holds, Some("– –" | "–"))
}

/// The numbers in the events of a command.
fn detail(command: &Command, events: &[Event]) -> Value {
    let mut detail = Map::new();
    let mut makers = Vec::new();
    for event in events {
        match *event {
            Event::Accepted { order, price, quantity, .. } => {
                detail.extend(numbers([
                    ("order", order.0),
                    ("price", price.cents().into()),
                    ("quantity", quantity.0.into()),
                ]));
            }
            Event::Traded { maker, price, quantity, .. } => {
                makers.push(json!({ "maker": maker.0, "price": price.cents(), "quantity": quantity.0 }));
            }
            Event::Cancelled { order, quantity, .. } if matches!(command, Command::Cancel { .. }) => {
                detail.extend(numbers([("order", order.0), ("quantity", quantity.0.into())]));
            }
            _ => {}
        }
    }
    detail.insert("fills".into(), makers.into());
    detail.into()
}

fn numbers<const N: usize>(numbers: [(&str, u64); N]) -> impl Iterator<Item = (String, Value)> {
    numbers.into_iter().map(|(name, number)| (name.to_owned(), number.into()))
}

/// A limit order; `cents` is its limit in YES cents.
fn order(account: AccountId, intent: Intent, cents: u8, quantity: u32) -> Command {
    let price = if intent == Intent::BuyNo { 100 - cents } else { cents };
    let (time_in_force, market) = (TimeInForce::Gtc, MARKET);
    Command::Place(Place { intent, time_in_force, price, market, account, quantity, client_order_id: 0 })
}

fn bid(account: AccountId, cents: u8, quantity: u32) -> Command {
    order(account, Intent::BuyYes, cents, quantity)
}

fn ask(account: AccountId, cents: u8, quantity: u32) -> Command {
    order(account, Intent::BuyNo, cents, quantity)
}

fn cancel(account: AccountId, order: u64) -> Command {
    Command::Cancel { market: MARKET, account, order: OrderId(order), request: 0 }
}

/// The market, its cash, and four orders: orders 1 to 4.
fn prologue() -> Vec<Command> {
    let cash = |account| Command::Deposit { market: MARKET, account, amount: Cents(100_000), request: 0 };
    let orders = [bid(ALICE, 47, 10), ask(BOB, 52, 6), ask(BOB, 54, 9), ask(BOB, 52, 4)];
    [&[Command::Open { market: MARKET }, cash(ALICE), cash(BOB), cash(CAROL)][..], &orders].concat()
}

/// The ten commands, with the keys of their words.
pub fn commands() -> [(&'static str, Command); 10] {
    [
        ("new-level", bid(ALICE, 45, 8)),
        ("same-level", bid(ALICE, 47, 5)),
        ("match", bid(CAROL, 52, 6)),
        ("behind", bid(ALICE, 47, 9)),
        ("partial", ask(CAROL, 47, 4)),
        ("cancel-middle", cancel(ALICE, 6)),
        ("sweep", bid(CAROL, 54, 7)),
        ("new-best", ask(BOB, 50, 5)),
        ("cancel-best", cancel(BOB, 11)),
        ("turn", ask(CAROL, 47, 20)),
    ]
}

/// The recording, with the files that made it.
pub fn record() -> Value {
    let mut books = Books::new();
    prologue().iter().for_each(|command| {
        books.model.apply(command);
    });
    let begins = json!({ "does": "begins", "detail": { "fills": [] }, "engines": books.engines(Default::default()) });
    let steps = commands().into_iter().map(|(does, command)| books.step(does, &command));
    let steps = Value::Array([begins].into_iter().chain(steps).collect());
    let digest = hex(steps.to_string().as_bytes());
    let all: Map<String, Value> = CHAPTERS
        .iter()
        .flat_map(|(chapter, files)| {
            let Value::Object(of_chapter) = sources(chapter, files) else { return Map::new() };
            of_chapter.into_iter().map(|(file, digest)| (format!("../{chapter}/{file}"), digest)).collect()
        })
        .collect();
    json!({ "chapter": CHAPTERS[1].0, "sources": all, "digest": digest, "steps": steps })
}
