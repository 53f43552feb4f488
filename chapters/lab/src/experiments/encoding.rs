//! An event as JSON, with `rkyv`, and as the fixed binary record.
//!
//! **Expected:** JSON is slower, but a good library makes it nearly free, and people can read it. `rkyv` is read in
//! place, so it costs nothing.
//!
//! **Compared:** trades, as an engine reports them, written into a buffer and read back: with `serde_json`, with
//! `rkyv`, which checks what it reads, and with the contract's own record of fixed size. `write` and `read` are one
//! message of many events, `write_one` and `read_one` a message for each event.
//!
//! **Left out:** compression, schemas that change, and what `rkyv` does without its check: that is `unsafe`, and only
//! for bytes from a trusted source.

use std::hint::black_box;
use std::sync::Arc;

use market::{AccountId, Event, Intent, MarketId, OrderId, Price, Quantity};
use rkyv::rancor::Error;
use rkyv::util::AlignedVec;
use rkyv::vec::ArchivedVec;
use serde::{Deserialize, Serialize};

use crate::error::LabError;
use crate::experiment::{Case, Experiment, Prepared, Sample, Setting, timed};
use crate::pattern::Pattern;
use crate::words::{Words, words};

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "encoding",
    title: ("How much dearer are JSON and rkyv than a fixed binary record?", "JSON 和 rkyv 比定长二进制记录贵多少？"),
    per: ("an event", "每个事件"),
    on_request: false,
    prepare,
};

// ANCHOR: json
/// A trade as JSON and rkyv represent it.
#[derive(Serialize, Deserialize, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
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

impl ArchivedTrade {
    fn event(&self) -> Option<Event> {
        let trade = Trade {
            market: self.market.into(),
            maker: self.maker.into(),
            maker_account: self.maker_account.into(),
            taker: self.taker.into(),
            taker_account: self.taker_account.into(),
            price: self.price,
            quantity: self.quantity.into(),
            maker_intent: self.maker_intent,
            taker_intent: self.taker_intent,
        };
        trade.event()
    }
}

/// A way to write events and to read them.
trait Format: 'static {
    type Bytes: Default + AsRef<[u8]>;
    /// Its name in the record.
    const NAME: &'static str;
    /// Its name for people.
    fn label() -> Words;
    /// Writes a message, replacing the contents of `to`.
    fn write(events: &[Event], to: &mut Self::Bytes);
    /// Reads a message, and computes a sum over its events.
    fn read(bytes: &[u8]) -> u64;
}

struct Json;

impl Format for Json {
    type Bytes = Vec<u8>;
    const NAME: &'static str = "json";

    fn label() -> Words {
        words("JSON", "JSON")
    }

    fn write(events: &[Event], to: &mut Vec<u8>) {
        to.clear();
        for trade in events.iter().filter_map(Trade::of) {
            // Writing into memory can't fail; if it did, the answers would not agree.
            let _ = serde_json::to_writer(&mut *to, &trade);
            to.push(b'\n');
        }
    }

    fn read(bytes: &[u8]) -> u64 {
        let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        weigh(lines.filter_map(|line| serde_json::from_slice::<Trade>(line).ok()?.event()))
    }
}

struct Rkyv;

// ANCHOR: rkyv
impl Format for Rkyv {
    type Bytes = AlignedVec;
    const NAME: &'static str = "rkyv";

    fn label() -> Words {
        words("rkyv", "rkyv")
    }

    fn write(events: &[Event], to: &mut AlignedVec) {
        to.clear();
        let trades: Vec<Trade> = events.iter().filter_map(Trade::of).collect();
        let _ = rkyv::api::high::to_bytes_in::<_, Error>(&trades, to);
    }

    fn read(bytes: &[u8]) -> u64 {
        let trades = rkyv::access::<ArchivedVec<ArchivedTrade>, Error>(bytes);
        weigh(trades.into_iter().flat_map(|trades| trades.iter()).filter_map(ArchivedTrade::event))
    }
}
// ANCHOR_END: rkyv

struct Binary;

impl Format for Binary {
    type Bytes = Vec<u8>;
    const NAME: &'static str = "binary";

    fn label() -> Words {
        words("fixed binary record", "定长二进制记录")
    }

    fn write(events: &[Event], to: &mut Vec<u8>) {
        to.clear();
        events.iter().for_each(|event| to.extend_from_slice(&event.encode()));
    }

    fn read(bytes: &[u8]) -> u64 {
        weigh(bytes.as_chunks().0.iter().filter_map(Event::decode))
    }
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

fn written<F: Format>(events: &[Event]) -> F::Bytes {
    let mut bytes = F::Bytes::default();
    F::write(events, &mut bytes);
    bytes
}

/// Messages with this many events each.
fn write<F: Format>(events: &[Event], each: usize, bytes: &mut F::Bytes) -> Sample {
    let mut sample = timed(events.len(), || {
        for message in events.chunks(each) {
            F::write(black_box(message), bytes);
            black_box(&mut *bytes);
        }
        0
    });
    sample.answer =
        events.chunks(each).map(|message| F::read(written::<F>(message).as_ref())).fold(0, u64::wrapping_add);
    sample
}

fn read<F: Format>(messages: &[F::Bytes], events: usize) -> Sample {
    let read = |message: &F::Bytes| F::read(black_box(message.as_ref()));
    timed(events, || messages.iter().map(read).fold(0, u64::wrapping_add))
}

/// Adds a format to the cases of writing and reading messages with this many events each.
fn with<F: Format>([writes, reads]: [Case; 2], events: &Arc<Vec<Event>>, each: usize) -> [Case; 2] {
    let (count, events) = (events.len(), Arc::clone(events));
    let messages: Vec<F::Bytes> = events.chunks(each).map(written::<F>).collect();
    let bytes: usize = messages.iter().map(|message| message.as_ref().len()).sum();
    let mut buffer = F::Bytes::default();
    let mut writes = writes.with(F::NAME, F::label(), move || Ok(write::<F>(&events, each, &mut buffer)));
    writes.figures.insert(format!("{}_bytes", F::NAME), (bytes / count) as f64);
    [writes, reads.with(F::NAME, F::label(), move || Ok(read::<F>(&messages, count)))]
}

fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    let count = setting.size.of(400_000);
    let events = Arc::new(trades(count));
    let many = [Case::new("write", words("write many", "写许多个")), Case::new("read", words("read many", "读许多个"))];
    let one = [
        Case::new("write_one", words("write one by one", "逐个写")),
        Case::new("read_one", words("read one by one", "逐个读")),
    ];
    let mut cases = Vec::new();
    for (two, each) in [(many, count), (one, 1)] {
        let two = with::<Rkyv>(with::<Json>(two, &events, each), &events, each);
        cases.extend(with::<Binary>(two, &events, each));
    }
    Ok(Prepared { cases, left_out: Vec::new() })
}
