//! One ordering of the ring weakened: the chapter's own `ring.rs`, over a memory that permits what the language
//! permits.
//!
//! A ring of four slots has been filled and emptied once. Now the caller pushes command 4, and matching looks. All
//! possible results of its loads are run; the recording shows the worst of those that see the new head.

#[path = "views.rs"]
mod memory;
#[allow(dead_code)]
#[path = "../../../chapters/0x06-pinned-ring/src/ring.rs"]
mod ring;

use crate::digest::{hex, sources};
use memory::{Weakened, as_thread, every_way, settle};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const CHAPTER: &str = "0x06-pinned-ring";
const SOURCES: [&str; 1] = ["src/ring.rs"];

/// Small enough for two circles to be drawn.
const CAPACITY: u64 = 4;

const CALLER: usize = 0;
const MATCHING: usize = 1;

/// What is weakened, in the order in which it is shown.
const VARIANTS: [(&str, Weakened); 3] =
    [("release", Weakened::ReleaseOfHead), ("acquire", Weakened::AcquireOfHead), ("nothing", Weakened::Nothing)];

/// What matching gets when it looks once.
fn push_and_look() -> Vec<u64> {
    let (mut caller, [mut matching]) = ring::ring::<u64, 1>(CAPACITY as usize);
    as_thread(CALLER);
    caller.push_slice(&[0, 1, 2, 3]).unwrap();
    settle();
    as_thread(MATCHING);
    assert_eq!(matching.peek(), Ok(&[0, 1, 2, 3][..]));
    matching.advance(4);
    settle();
    as_thread(CALLER);
    caller.push_slice(&[4]).unwrap();
    as_thread(MATCHING);
    matching.peek().unwrap().to_vec()
}

/// The recording, with the files that made it.
pub fn record() -> Value {
    let steps: Vec<Value> = VARIANTS.into_iter().flat_map(|(name, weakened)| variant(name, weakened)).collect();
    let steps = Value::Array(steps);
    let digest = hex(steps.to_string().as_bytes());
    json!({ "chapter": CHAPTER, "capacity": CAPACITY, "sources": sources(CHAPTER, &SOURCES), "digest": digest, "steps": steps })
}

/// One variant: its beginning, the accesses of its worst outcome, and how many outcomes there were.
fn variant(name: &str, weakened: Weakened) -> Vec<Value> {
    let ways = every_way(weakened, push_and_look);
    let old = ways.iter().filter(|(got, _)| got.iter().any(|&command| command < CAPACITY)).count();
    let worst = ways.iter().filter(|(got, _)| !got.is_empty()).min_by_key(|(got, _)| got.clone());
    let (got, accesses) = worst.expect("the newest head is always a possible outcome");
    let mut steps = vec![json!({ "variant": name, "does": "begins", "value": CAPACITY, "sees": before() })];
    steps.extend(accesses.iter().filter(|access| is_drawn(&access.place)).map(|access| {
        let [caller, matching] = access.seen.each_ref().map(values);
        let value = value(&access.place, access.store);
        json!({ "variant": name, "does": access.does, "value": value, "sees": [caller, matching] })
    }));
    let sees = steps.last().map(|step| step["sees"].clone());
    let does = if old > 0 { "ends-old" } else { "ends-new" };
    steps.push(json!({
        "variant": name, "does": does, "value": got[0], "ways": ways.len(), "old": old, "sees": sees,
    }));
    steps
}

/// The values that a thread may see in each place that is drawn, the oldest first.
fn values(seen: &BTreeMap<String, (usize, usize)>) -> BTreeMap<&str, Vec<u64>> {
    let drawn = seen.iter().filter(|(place, _)| is_drawn(place));
    let values = drawn.map(|(place, &(oldest, newest))| {
        (place.as_str(), (oldest..=newest).map(|store| value(place, store)).collect())
    });
    values.collect()
}

fn is_drawn(place: &str) -> bool {
    place == "head" || place.starts_with("slot-")
}

/// The value of a store by its number: the head begins at 0 and is set to 4 and 5; a slot begins empty and gets
/// every fourth command.
fn value(place: &str, store: usize) -> u64 {
    match place.strip_prefix("slot-").and_then(|slot| slot.parse::<u64>().ok()) {
        Some(slot) => (store as u64 - 1) * CAPACITY + slot,
        None => [0, CAPACITY, CAPACITY + 1][store],
    }
}

/// What both threads see before command 4: the first four commands, and the head after them.
fn before() -> [serde_json::Map<String, Value>; 2] {
    let slots = (0..CAPACITY).map(|slot| (format!("slot-{slot}"), json!([slot])));
    let all: serde_json::Map<_, _> = slots.chain([("head".to_owned(), json!([CAPACITY]))]).collect();
    [all.clone(), all]
}
