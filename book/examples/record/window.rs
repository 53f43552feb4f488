//! The window's recording: one side of the ladder of 0x0f, step by step while its market moves.
//!
//! The levels, the tree, the window and each of its steps are the chapter's own. The position of the window is found
//! by asking for every price whether its level would be in the array. Steps that only wait are combined.

use crate::digest::{hex, sources};
use any_price::contract::{Price, Side};
use any_price::ladder::side::{Levels, rank};
use serde_json::{Value, json};

const CHAPTER: &str = "0x0f-any-price";
const SOURCES: [&str; 3] = ["src/ladder/side.rs", "src/ladder/window.rs", "src/ladder/far.rs"];

/// The prices that are drawn, in ticks.
const DRAWN: std::ops::Range<Price> = 0..16_000;

/// A side of bids, with one order of ten lots at each level.
struct Bids {
    levels: Levels,
    prices: Vec<Price>,
    steps: Vec<Value>,
}

impl Bids {
    fn add(&mut self, price: Price) {
        self.levels.add(rank(Side::Bid, price), 10).first = 0;
        self.prices.push(price);
    }

    fn cancel(&mut self, price: Price) {
        let level = self.levels.sub(rank(Side::Bid, price), 10);
        (level.first, level.last) = (u32::MAX, u32::MAX);
        self.levels.close(rank(Side::Bid, price));
        self.prices.retain(|&there| there != price);
    }

    fn is_in_array(&self, price: Price) -> bool {
        self.levels.is_in_window(rank(Side::Bid, price))
    }

    /// The lowest and the highest price whose level would be in the array.
    fn window(&self) -> Option<[Price; 2]> {
        let held = |price: &Price| self.is_in_array(*price);
        Some([DRAWN.clone().find(held)?, DRAWN.clone().rev().find(held)?])
    }

    fn in_array(&self) -> Vec<Price> {
        self.prices.iter().copied().filter(|&price| self.is_in_array(price)).collect()
    }

    /// Lets it take steps until something is visible, or this many have been taken.
    fn wait(&mut self, most: u32) {
        let before = (self.window(), self.in_array(), self.levels.window_moves());
        for steps in 1..=most {
            self.levels.advance(1);
            let after = (self.window(), self.in_array(), self.levels.window_moves());
            if after.2 != before.2 {
                return self.note("sets-out", json!({ "steps": steps }));
            }
            if after != before {
                let moved = |from: &[Price], to: &[Price]| from.iter().copied().find(|price| !to.contains(price));
                let (out, into) = (moved(&before.1, &after.1), moved(&after.1, &before.1));
                let does = if out.is_some() {
                    "out"
                } else if into.is_some() {
                    "in"
                } else {
                    "skips"
                };
                return self.note(does, json!({ "price": out.or(into) }));
            }
            if !self.levels.is_moving() {
                return self.note("settles", json!({ "steps": steps }));
            }
        }
        self.note("waits", json!({ "steps": most }));
    }

    /// Notes what was done and the state after it.
    fn note(&mut self, does: &str, detail: Value) {
        let levels: Vec<Value> =
            self.prices.iter().map(|&price| json!({ "price": price, "array": self.is_in_array(price) })).collect();
        let best = self.prices.iter().max();
        self.steps.push(json!({
            "does": does, "detail": detail, "window": self.window(), "levels": levels, "best": best,
            "moving": self.levels.is_moving(),
        }));
    }
}

/// The recording, with the files that made it.
pub fn record() -> Value {
    let mut bids = Bids { levels: Levels::default(), prices: Vec::new(), steps: Vec::new() };
    for price in [1_000, 2_800, 4_300, 4_700, 5_100, 5_500, 5_900] {
        bids.add(price);
    }
    while bids.levels.is_moving() {
        bids.levels.advance(1);
    }
    bids.note("begins", json!({}));
    // An order arrives from far out, and is gone before the window follows it.
    bids.add(12_000);
    bids.note("lone", json!({ "price": 12_000 }));
    bids.wait(40);
    bids.cancel(12_000);
    bids.note("leaves", json!({ "price": 12_000 }));
    bids.wait(40);
    // The market moves, and stays.
    for price in [8_300, 8_700, 9_000] {
        bids.add(price);
    }
    bids.note("market", json!({ "price": 9_000 }));
    bids.wait(1_000);
    while bids.levels.is_moving() {
        bids.wait(1_000);
    }
    let steps = Value::Array(bids.steps);
    let digest = hex(steps.to_string().as_bytes());
    let drawn = [DRAWN.start, DRAWN.end];
    json!({ "chapter": CHAPTER, "drawn": drawn, "sources": sources(CHAPTER, &SOURCES), "digest": digest, "steps": steps })
}
