//! An event as JSON against the fixed binary record.
//!
//! **Expected:** JSON is slower, but a good library makes it nearly free, and people can read it.
//!
//! **Compared:** trades, as an engine reports them, written into one buffer and read back: with `serde_json`, and with
//! the contract's own record of fixed size.
//!
//! **Left out:** compression, schemas that change, and formats in between.

use std::hint::black_box;
use std::sync::Arc;

use market::{AccountId, Event, Intent, MarketId, OrderId, Price, Quantity};
use serde::{Deserialize, Serialize};

use crate::error::LabError;
use crate::experiment::{Case, Experiment, Prepared, Setting, timed};
use crate::pattern::Pattern;
use crate::words::words;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "encoding",
    title: ("How much dearer is JSON than a fixed binary record?", "JSON 比定长二进制记录贵多少？"),
    per: ("an event", "每个事件"),
    on_request: false,
    prepare,
};

// ANCHOR: json
/// A trade as JSON has it.
#[derive(Serialize, Deserialize)]
struct Trade {
    market: u32,
    maker: u64,
    maker_account: u32,
    taker: u64,
    taker_account: u32,
    price: u8,
    quantity: u32,
    maker_intent: u8,
    taker_intent: u8,
}
// ANCHOR_END: json

impl Trade {
    fn of(event: &Event) -> Option<Trade> {
        let &Event::Traded {
            market,
            maker,
            maker_account,
            taker,
            taker_account,
            price,
            quantity,
            maker_intent,
            taker_intent,
        } = event
        else {
            return None;
        };
        Some(Trade {
            market: market.0,
            maker: maker.0,
            maker_account: maker_account.0,
            taker: taker.0,
            taker_account: taker_account.0,
            price: price.cents(),
            quantity: quantity.0,
            maker_intent: maker_intent as u8,
            taker_intent: taker_intent as u8,
        })
    }

    fn event(&self) -> Option<Event> {
        Some(Event::Traded {
            market: MarketId(self.market),
            maker: OrderId(self.maker),
            maker_account: AccountId(self.maker_account),
            taker: OrderId(self.taker),
            taker_account: AccountId(self.taker_account),
            price: Price::new(self.price)?,
            quantity: Quantity(self.quantity),
            maker_intent: Intent::from_code(self.maker_intent)?,
            taker_intent: Intent::from_code(self.taker_intent)?,
        })
    }
}

fn trades(count: usize) -> Vec<Event> {
    let mut pattern = Pattern::new(7);
    let trade = |n: usize| Event::Traded {
        market: MarketId(pattern.below(64) as u32 + 1),
        maker: OrderId(n as u64 + 100_000),
        maker_account: AccountId(pattern.below(10_000) as u32),
        taker: OrderId(n as u64 + 101_000),
        taker_account: AccountId(pattern.below(10_000) as u32),
        price: Price::new(pattern.below(99) as u8 + 1).unwrap_or(Price::MIN),
        quantity: Quantity(pattern.below(500) as u32 + 1),
        maker_intent: Intent::BuyYes,
        taker_intent: Intent::BuyNo,
    };
    (0..count).map(trade).collect()
}

fn write_json(events: &[Event], to: &mut Vec<u8>) {
    for trade in events.iter().filter_map(Trade::of) {
        // Writing into memory can't fail; were it to, the answers would not agree.
        let _ = serde_json::to_writer(&mut *to, &trade);
        to.push(b'\n');
    }
}

fn read_json(bytes: &[u8]) -> impl Iterator<Item = Event> + '_ {
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.filter_map(|line| serde_json::from_slice::<Trade>(line).ok()?.event())
}

fn write_binary(events: &[Event], to: &mut Vec<u8>) {
    events.iter().for_each(|event| to.extend_from_slice(&event.encode()));
}

fn read_binary(bytes: &[u8]) -> impl Iterator<Item = Event> + '_ {
    bytes.as_chunks().0.iter().filter_map(Event::decode)
}

/// Depends on every field of every event.
fn weigh(events: impl Iterator<Item = Event>) -> u64 {
    let fields = events.filter_map(|event| Trade::of(&event)).map(|trade| {
        let accounts = u64::from(trade.maker_account) + 3 * u64::from(trade.taker_account);
        let small = u64::from(trade.price) + 5 * u64::from(trade.maker_intent) + 7 * u64::from(trade.taker_intent);
        trade.maker + 11 * trade.taker + 13 * u64::from(trade.quantity) + u64::from(trade.market) + accounts + small
    });
    fields.fold(0, u64::wrapping_add)
}

fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    let count = setting.size.of(400_000);
    let events = Arc::new(trades(count));
    let (mut json, mut binary) = (Vec::new(), Vec::new());
    write_json(&events, &mut json);
    write_binary(&events, &mut binary);
    let sizes = [("json_bytes", json.len()), ("binary_bytes", binary.len())];
    let sizes = sizes.map(|(name, bytes)| (name.to_string(), (bytes / count) as f64));

    let (json_name, binary_name) = (words("JSON", "JSON"), words("fixed binary record", "定长二进制记录"));
    let (one, other) = (Arc::clone(&events), events);
    let mut text = Vec::with_capacity(json.len());
    let mut records = Vec::with_capacity(binary.len());
    let mut write = Case::new("write", words("write", "写"))
        .with("json", json_name.clone(), move || {
            text.clear();
            let mut sample = timed(count, || {
                write_json(black_box(&one), &mut text);
                0
            });
            sample.answer = weigh(read_json(&text));
            Ok(sample)
        })
        .with("binary", binary_name.clone(), move || {
            records.clear();
            let mut sample = timed(count, || {
                write_binary(black_box(&other), &mut records);
                0
            });
            sample.answer = weigh(read_binary(&records));
            Ok(sample)
        });
    write.figures.extend(sizes);
    let read = Case::new("read", words("read", "读"))
        .with("json", json_name, move || Ok(timed(count, || weigh(read_json(black_box(&json))))))
        .with("binary", binary_name, move || Ok(timed(count, || weigh(read_binary(black_box(&binary))))));
    Ok(Prepared { cases: vec![write, read], left_out: Vec::new() })
}
