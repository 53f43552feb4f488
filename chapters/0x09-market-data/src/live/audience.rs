//! The readers: any number of them on one thread, each with only a cursor.
//!
//! One in a hundred is slow and reads once a second. It gets the book as it is at that moment; of the trades it gets
//! those that are still in the ring, and a notice of the gap.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use market::EngineError;
use program::Unprinted;

use crate::live::error::LiveError;
use crate::live::picture::Picture;
use crate::reader::{Reader, trades_from_now};
use crate::shown::Shown;
use crate::trade::Heard;
use crate::update::Cursor;

/// One in this many readers is slow.
const SLOW_ONE_IN: usize = 100;
/// How often the slow ones read.
const SLOW: Duration = Duration::from_secs(1);
/// How long the thread sleeps when nothing is new.
const REST: Duration = Duration::from_micros(200);

/// Counts of what all readers received.
#[derive(Clone, Copy, Default, Debug)]
pub struct Seen {
    /// Updates of the book.
    pub books: u64,
    /// Trades.
    pub trades: u64,
    /// Gaps in the trades that were announced.
    pub gaps: u64,
}

/// The running readers.
pub struct Audience {
    thread: JoinHandle<Result<Seen, Unprinted>>,
}

impl Audience {
    /// Starts this many readers of a market, which run until `is_over`; one of them draws it.
    ///
    /// # Errors
    /// If the system can't create a thread.
    pub fn start(shown: Arc<Shown>, readers: u32, is_over: Arc<AtomicBool>) -> Result<Audience, EngineError> {
        let work = move || watch(&shown, readers as usize, &is_over);
        let failed = |error: std::io::Error| EngineError::ThreadStopped { role: "readers", reason: error.to_string() };
        Ok(Audience { thread: thread::Builder::new().name("readers".into()).spawn(work).map_err(failed)? })
    }

    /// Whether they have ended early: nothing reads the output any more.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// What they received in all.
    ///
    /// # Errors
    /// If the output could not be printed.
    pub fn join(self) -> Result<Seen, LiveError> {
        let panicked = || EngineError::ThreadStopped { role: "readers", reason: "they panicked".into() };
        Ok(self.thread.join().map_err(|_| panicked())??)
    }
}

fn watch(shown: &Shown, readers: usize, is_over: &AtomicBool) -> Result<Seen, Unprinted> {
    let (mut reader, mut seen, mut picture) = (Reader::default(), Seen::default(), Picture::new(shown.market));
    let now = Cursor { trades: trades_from_now(shown), ..Cursor::default() };
    let mut cursors = vec![now; readers];
    let mut slow_came = Instant::now();
    loop {
        // Checked first, so that the last pass reads everything published before it.
        let is_last = is_over.load(Ordering::Relaxed);
        let slow_come = is_last || slow_came.elapsed() >= SLOW;
        if slow_come {
            slow_came = Instant::now();
        }
        let before = seen;
        for (at, cursor) in cursors.iter_mut().enumerate() {
            if at % SLOW_ONE_IN != SLOW_ONE_IN - 1 || slow_come {
                read(shown, &mut reader, cursor, &mut seen, (at == 0).then_some(&mut picture));
            }
        }
        picture.draw(seen.books, is_last)?;
        if is_last {
            return Ok(seen);
        }
        if (seen.books, seen.trades) == (before.books, before.trades) {
            thread::sleep(REST);
        }
    }
}

/// One reader takes everything that is new to it.
fn read(shown: &Shown, reader: &mut Reader, cursor: &mut Cursor, seen: &mut Seen, picture: Option<&mut Picture>) {
    if let Some(update) = reader.book(shown, cursor) {
        seen.books += 1;
        if let Some(picture) = picture {
            picture.apply(update);
        }
    }
    for heard in reader.trades(shown, &mut cursor.trades) {
        match heard {
            Heard::Trade(_) => seen.trades += 1,
            Heard::Missed(_) => seen.gaps += 1,
        }
    }
}
