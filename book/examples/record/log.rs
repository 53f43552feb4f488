//! The log's recording: a frame is written byte by byte, and at each byte the power fails once.
//!
//! The bytes are in the log's own format, and the start is `read_log`, which every engine opens its log with, over a
//! disk in memory. Then the whole frame rots in three ways.

use crate::digest::{hex, sources};
use contract::faults::Faults;
use contract::sim_disk::SimDisk;
use market::log::{FILE_NAME, LogHeader, RECORD_BYTES, ShardOf, encode_command, seal_frame};
use market::watermark::{self, Mark};
use market::{
    AccountId, Cents, Command, Intent, LogError, LogId, MarketId, Options, Place, Sequence, Stamp, TimeInForce, UnixMs,
    read_log,
};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

const CHAPTER: &str = "0x00-market";
const SOURCES: [&str; 6] =
    ["src/log.rs", "src/log_open.rs", "src/log_reader.rs", "src/log_tail.rs", "src/frame.rs", "src/watermark.rs"];

const FOLDER: &str = "data";
const LOG: LogId = LogId(0x99);
const TIME: UnixMs = UnixMs(1_800_000_000_000);

/// The fields of a frame, each with the byte after it.
const FIELDS: [(&str, usize); 6] =
    [("mark", 1), ("length", 4), ("checksum", 8), ("sequence", 16), ("time", 24), ("command", 48)];

/// The two frames, one command each.
fn frames() -> [Vec<u8>; 2] {
    let market = MarketId(1);
    let account = AccountId(7);
    let deposit = Command::Deposit { market, account, amount: Cents(5_000), request: 0 };
    let (intent, time_in_force) = (Intent::BuyYes, TimeInForce::Gtc);
    let client_order_id = 0x1234_5678_9abc_def1;
    let place = Place { intent, time_in_force, price: 40, market, account, quantity: 100, client_order_id };
    [(1, deposit), (2, Command::Place(place))].map(|(sequence, command)| {
        let mut frame = [[0; RECORD_BYTES], encode_command(&command)].concat();
        seal_frame(&mut frame, LOG, Stamp { sequence: Sequence(sequence), time: TIME });
        frame
    })
}

/// A log of these frames, as it is on the disk.
fn log(frames: &[&[u8]]) -> Vec<u8> {
    let header = LogHeader::new(ShardOf::ONLY, LOG).encode();
    [&header, &frames.concat()[..]].concat()
}

/// The result of a start on these bytes, with a watermark for a number of commands, or none.
fn start(bytes: &[u8], durable: Option<u64>) -> Value {
    let disk = SimDisk::new(0, Faults::default());
    let path = Path::new(FOLDER).join(FILE_NAME);
    disk.put(&path, bytes);
    if let Some(last) = durable {
        let end = log(&[]).len() as u64 + last * 2 * RECORD_BYTES as u64;
        watermark::write(&disk, &path, LOG, Mark { end, last: Sequence(last) }).unwrap();
    }
    let options = Options { disk: Arc::new(disk), ..Options::new(FOLDER) };
    match read_log::<LogError>(&options, ShardOf::ONLY, |_, _| Ok(())) {
        Ok(judged) => {
            let recovery = judged.recovery();
            let says = if recovery.torn_bytes > 0 { "torn" } else { "whole" };
            json!({ "says": says, "commands": recovery.commands, "cut": recovery.torn_bytes })
        }
        Err(LogError::Corrupt { offset, reason, .. }) => json!({ "says": "damaged", "at": offset, "reason": reason }),
        Err(LogError::Short { found, durable, .. }) => {
            json!({ "says": "short", "found": found.0, "durable": durable.0 })
        }
        Err(error) => panic!("nothing else is refused here: {error}"),
    }
}

/// A step: what happened, the bytes that it left, and the result of a start on them.
fn step(does: &str, bytes: &[u8], written: usize, rotten: Option<usize>, durable: Option<u64>) -> Value {
    json!({
        "does": does, "written": written, "rotten": rotten, "watermark": durable,
        "byte": written.checked_sub(1).map(|last| bytes[log(&[]).len() + 2 * RECORD_BYTES + last]),
        "start": start(bytes, durable),
    })
}

/// The recording, with the files that made it.
pub fn record() -> Value {
    let [first, second] = frames();
    let mut steps = vec![step("begins", &log(&[&first]), 0, None, Some(1))];
    for written in 1..=second.len() {
        let field = FIELDS.iter().find(|(_, end)| written <= *end).map_or("command", |(field, _)| field);
        let does = if written == second.len() { "last" } else { field };
        steps.push(step(does, &log(&[&first, &second[..written]]), written, None, Some(1)));
    }
    let whole = log(&[&first, &second]);
    steps.push(step("synced", &whole, second.len(), None, Some(2)));
    // One bit of a byte, counted from the log's first frame: the last frame's command, the first one's, a length.
    let rots = [
        ("command-rots", 90, None),
        ("command-rots-marked", 90, Some(2)),
        ("first-rots", 40, None),
        ("length-rots", 49, None),
    ];
    for (does, at, durable) in rots {
        let mut bytes = whole.clone();
        bytes[log(&[]).len() + at] ^= 1;
        steps.push(step(does, &bytes, second.len(), Some(at), durable));
    }
    let steps = Value::Array(steps);
    let digest = hex(steps.to_string().as_bytes());
    json!({ "chapter": CHAPTER, "sources": sources(CHAPTER, &SOURCES), "digest": digest, "steps": steps })
}
