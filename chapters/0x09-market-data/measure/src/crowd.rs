//! The readers in a measurement: on one thread, all on one market, one in a hundred of them stalled for good.
//!
//! A sweep visits every active reader. Whatever the first reader finds at the start of the sweep, the last one has by
//! its end. So the end of a sweep is the moment when the *last* reader has everything up to that point.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use market::{Acknowledge, Event, MarketId, Sequence, Stamp};
use runner::thread_time;

use market_data::reader::{Reader, trades_from_now};
use market_data::record::{Record, encode};
use market_data::shown::Shown;
use market_data::update::Cursor;

/// One in this many readers never reads.
pub const STALLED_ONE_IN: usize = 100;

/// How long the thread sleeps when nothing was new.
const REST: Duration = Duration::from_micros(50);

/// What all readers received.
#[derive(Default)]
pub struct Swept {
    /// Books and trades, or messages.
    pub deliveries: u64,
    /// When every reader had everything up to this command, in nanoseconds since the start, in order.
    pub had: Vec<(Sequence, u64)>,
    /// Processor time of the readers' thread, where the system reports it.
    pub processor: Option<Duration>,
}

impl Swept {
    fn note(&mut self, sequence: Sequence, began: Instant) {
        if self.had.last().is_none_or(|(last, _)| *last < sequence) {
            self.had.push((sequence, began.elapsed().as_nanos() as u64));
        }
    }

    /// When every reader had this command, in nanoseconds since the start.
    pub fn when(&self, sequence: Sequence) -> Option<u64> {
        let at = self.had.partition_point(|(had, _)| *had < sequence);
        self.had.get(at).map(|(_, ns)| *ns)
    }
}

fn reads(at: usize) -> bool {
    at % STALLED_ONE_IN != STALLED_ONE_IN - 1
}

// ANCHOR: mask
/// Readers with a cursor each, until `is_over`.
pub fn sweep_shown(shown: &Arc<Shown>, readers: usize, began: Instant, is_over: &AtomicBool) -> Swept {
    let mut reader = Reader::default();
    let first = Cursor { trades: trades_from_now(shown), ..Cursor::default() };
    // All state per reader: its market and its cursor.
    let mut all: Vec<(Arc<Shown>, Cursor)> = (0..readers).map(|_| (Arc::clone(shown), first)).collect();
    let mut swept = Swept::default();
    let mut known = Sequence(0);
    loop {
        let is_last = is_over.load(Ordering::Relaxed);
        let before = swept.deliveries;
        for (at, (shown, cursor)) in all.iter_mut().enumerate().filter(|(at, _)| reads(*at)) {
            if let Some(update) = reader.book(shown, cursor) {
                swept.deliveries += 1;
                if at == 0 {
                    known = update.summary.sequence;
                }
            }
            swept.deliveries += reader.trades(shown, &mut cursor.trades).len() as u64;
        }
        // A reader that found the book being written has an older one, so this sweep does not count.
        let oldest = all[0].1.book.counter;
        if all.iter().enumerate().all(|(at, (_, cursor))| !reads(at) || cursor.book.counter >= oldest) {
            swept.note(known, began);
        }
        if is_last {
            swept.processor = thread_time();
            return swept;
        }
        if swept.deliveries == before {
            thread::sleep(REST);
        }
    }
}
// ANCHOR_END: mask

// ANCHOR: channels
/// The obvious first design: a channel per reader, and a clone per message.
pub struct Channels {
    market: MarketId,
    senders: Vec<Sender<Record>>,
    /// How many messages were sent to all readers together.
    pub sent: u64,
}

/// Makes the channels for this many readers of a market.
pub fn channels(market: MarketId, readers: usize) -> (Channels, Vec<Receiver<Record>>) {
    let (senders, receivers) = (0..readers).map(|_| channel()).unzip();
    (Channels { market, senders, sent: 0 }, receivers)
}

impl Acknowledge for Channels {
    fn acknowledge(&mut self, stamp: Stamp, events: &[Event]) {
        let records = events.iter().filter_map(|event| Record::decode(encode(stamp, event)?));
        for record in records.filter(|record| record.market == self.market) {
            for sender in &self.senders {
                // The reader may be gone; then the message is not needed.
                let _ = sender.send(record);
            }
            self.sent += self.senders.len() as u64;
        }
    }
}
// ANCHOR_END: channels

/// Readers with a channel each, until all senders are gone.
pub fn sweep_channels(receivers: Vec<Receiver<Record>>, began: Instant) -> Swept {
    let mut swept = Swept::default();
    let mut had = vec![Sequence(0); receivers.len()];
    loop {
        let (before, mut is_over) = (swept.deliveries, true);
        for (at, receiver) in receivers.iter().enumerate().filter(|(at, _)| reads(*at)) {
            is_over &= loop {
                match receiver.try_recv() {
                    Ok(record) => {
                        swept.deliveries += 1;
                        had[at] = record.stamp.sequence;
                    }
                    Err(error) => break error == TryRecvError::Disconnected,
                }
            };
        }
        let readers = had.iter().enumerate().filter(|(at, _)| reads(*at));
        swept.note(readers.map(|(_, sequence)| *sequence).min().unwrap_or_default(), began);
        if is_over {
            swept.processor = thread_time();
            return swept;
        }
        if swept.deliveries == before {
            thread::sleep(REST);
        }
    }
}
