//! Books: the public view of every market, and the feed that publishes it.
//!
//! The feed has its own thread. If it fails or panics, trading goes on: orders are durable without it, and their
//! answers take another path. But its last books are outdated from then on, and readers learn since when. A new feed
//! starts from snapshot and log, as a lapped one does, and replaces the old one when it has caught up. Until then the
//! old books stay up, because an old book marked as old is better than none.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use market::{Clock, EngineError, Step};
use market_data::board::Board;
use market_data::feed::{Feed, Settings};
use market_data::past::Source;
use program::lines::{Figure, tell_event};

/// How long the feed sleeps when there was nothing to do. A change in a quiet market can be this late.
const REST: Duration = Duration::from_micros(500);

/// How often it retries before it sleeps.
const LOOKS: u32 = 4;

/// How long to wait before starting a new feed: at first, and at most.
const WAIT: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));

/// How often a wait checks whether the venue has ended.
const SLICE: Duration = Duration::from_millis(50);

/// The published books, from whichever feed is current.
pub struct Books {
    board: RwLock<Arc<Board>>,
    life: AtomicU64,
    /// 0 while a feed is running.
    stale_since_ms: AtomicU64,
}

impl Books {
    fn new(board: &Arc<Board>) -> Books {
        let board = RwLock::new(Arc::clone(board));
        Books { board, life: AtomicU64::new(1), stale_since_ms: AtomicU64::new(0) }
    }

    /// The board of the current feed, or of the last one.
    pub fn board(&self) -> Arc<Board> {
        Arc::clone(&self.board.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The number of that feed, counted from 1. A caller that caches a market compares this to see whether a new feed
    /// has replaced it.
    pub fn life(&self) -> u64 {
        self.life.load(Ordering::Acquire)
    }

    /// Since when the books are outdated, in milliseconds since 1970; none while a feed is running.
    pub fn stale_since_ms(&self) -> Option<u64> {
        Some(self.stale_since_ms.load(Ordering::Relaxed)).filter(|since| *since > 0)
    }

    fn show(&self, board: &Arc<Board>) {
        *self.board.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(board);
        self.life.fetch_add(1, Ordering::Release);
        self.stale_since_ms.store(0, Ordering::Relaxed);
    }

    /// Marks the books as outdated. If they already were, the time stays.
    fn stand_still(&self, now_ms: u64) {
        let _ = self.stale_since_ms.compare_exchange(0, now_ms.max(1), Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// The feed thread, which runs one feed after another as long as the engine lives.
pub struct FeedKeeper {
    books: Arc<Books>,
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl FeedKeeper {
    /// Starts a feed for an engine that is being opened. `sources` makes the inputs of each new feed.
    ///
    /// # Errors
    /// If the system can't create a thread.
    pub fn start(
        shards: u16,
        clock: Clock,
        sources: impl Fn() -> Vec<Source> + Send + 'static,
    ) -> std::io::Result<FeedKeeper> {
        let feed = Feed::new(Settings::default(), sources());
        let (books, is_over) = (Arc::new(Books::new(feed.board())), Arc::new(AtomicBool::new(false)));
        let keeping =
            Keeping { shards: shards.into(), clock, books: Arc::clone(&books), is_over: Arc::clone(&is_over) };
        let thread = thread::Builder::new().name("feed".into()).spawn(move || keeping.keep(feed, &sources))?;
        Ok(FeedKeeper { books, is_over, thread })
    }

    /// The published books.
    pub fn books(&self) -> &Arc<Books> {
        &self.books
    }

    /// Waits until everything the engine published is on the board, once the engine is gone. If a feed could not be
    /// started, this does not retry.
    pub fn end(self) {
        self.is_over.store(true, Ordering::Relaxed);
        // The thread itself catches panics of feeds.
        let _ = self.thread.join();
    }
}

/// The thread's state besides the feed.
struct Keeping {
    shards: usize,
    clock: Clock,
    books: Arc<Books>,
    is_over: Arc<AtomicBool>,
}

impl Keeping {
    // ANCHOR: keep
    fn keep(&self, mut feed: Feed, sources: &dyn Fn() -> Vec<Source>) {
        let (first, most) = WAIT;
        let mut wait = first;
        loop {
            // Nothing of a panicked feed is reused: the next one gets its own board and past.
            let ended = catch_unwind(AssertUnwindSafe(|| self.follow(feed)));
            let why = match ended {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error.to_string(),
                Err(_) => "it panicked".into(),
            };
            if self.books.stale_since_ms().is_none() {
                wait = first;
            }
            self.books.stand_still(self.clock.now().0);
            say_why(&why, wait);
            if !self.is_still_there_after(wait) {
                return;
            }
            wait = (2 * wait).min(most);
            feed = Feed::join(Settings::default(), sources());
        }
    }
    // ANCHOR_END: keep

    /// Follows the engine until it is gone. Any feed but the first publishes its board only once it has caught up.
    fn follow(&self, mut feed: Feed) -> Result<(), EngineError> {
        let mut looks = 0;
        loop {
            match feed.step()? {
                Step::Worked => looks = 0,
                Step::Idle if looks < LOOKS => {
                    looks += 1;
                    thread::yield_now();
                }
                Step::Idle => thread::sleep(REST),
                Step::Ended => return Ok(()),
            }
            if self.books.stale_since_ms().is_some() && (0..self.shards).all(|shard| feed.is_following(shard)) {
                self.books.show(feed.board());
                tell_event("books-fresh", &[], format_args!("the feed is running again: books are fresh"));
            }
        }
    }

    /// Waits; returns whether the venue is still running.
    fn is_still_there_after(&self, wait: Duration) -> bool {
        let mut left = wait;
        while !left.is_zero() && !self.is_over.load(Ordering::Relaxed) {
            let slice = left.min(SLICE);
            thread::sleep(slice);
            left -= slice;
        }
        !self.is_over.load(Ordering::Relaxed)
    }
}

fn say_why(why: &str, wait: Duration) {
    let ms = wait.as_millis() as u64;
    let words = format_args!(
        "error: the feed has ended: {why}\nbooks are stale and marked so; orders are still accepted and durable. It restarts \
         in {ms} ms from snapshot and log. If it does not recover, look at the data directory, and restart the venue"
    );
    tell_event("books-stale", &[("wait_ms", Figure::Count(ms))], words);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;
    use std::time::Instant;

    use market::state::{ExchangeState, MarketState};
    use market::{Acknowledge, Event, MarketId, OrderId, Quantity, Sequence, Stamp, UnixMs};
    use market_data::past::Past;
    use market_data::reader::Reader;
    use market_data::tap::{Opened, taps};
    use market_data::{Cursor, Summary};

    use super::*;

    const MARKET: MarketId = MarketId(1);

    /// A past that can't be read the first few times: an error, then a panic, then an error again.
    struct Broken(Arc<AtomicU32>);

    impl Past for Broken {
        fn begin(&mut self) -> Result<Opened, EngineError> {
            // A feed retries three times before it fails.
            match self.0.fetch_add(1, Ordering::Relaxed) {
                3 => panic!("planted"),
                0..7 => Err(EngineError::ThreadStopped { role: "disk", reason: "planted".into() }),
                _ => {
                    let markets = [(MARKET, MarketState::default())].into_iter().collect();
                    Ok(Opened { next: Sequence(3), state: ExchangeState { markets } })
                }
            }
        }

        fn follow(&mut self, _: &mut dyn FnMut(Stamp, &[Event])) -> Result<u64, EngineError> {
            Ok(0)
        }

        fn end(&mut self) {}
    }

    fn until(what: &str, is_so: impl Fn() -> bool) {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < Duration::from_secs(60), "{what}");
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn summary(books: &Books) -> Option<Summary> {
        let shown = books.board().market(MARKET)?;
        Reader::default().book(&shown, &mut Cursor::default()).map(|book| book.summary)
    }

    #[test]
    fn a_feed_that_ends_or_panics_is_followed_by_another() {
        let (mut taps, ends) = taps(1, 8);
        let tries = Arc::<AtomicU32>::default();
        let past = Arc::clone(&tries);
        let sources = move || {
            let past = Box::new(Broken(Arc::clone(&past))) as Box<dyn Past>;
            vec![(ends[0].clone(), past)]
        };
        let keeper = FeedKeeper::start(1, Clock::system(), sources).expect("a thread");
        let books = Arc::clone(keeper.books());
        let tap = &mut taps[0];
        let stamp = |sequence| Stamp { sequence: Sequence(sequence), time: UnixMs(1) };
        tap.recovered(Sequence(1), &ExchangeState::default);
        tap.acknowledge(stamp(1), &[Event::Opened { market: MARKET }]);
        let is_fresh = || summary(&books).is_some_and(|summary| summary.is_fresh);
        until("the first feed is running", is_fresh);
        assert_eq!((books.life(), books.stale_since_ms()), (1, None));

        // More than the ring holds.
        let cancelled = Event::Cancelled {
            market: MARKET,
            account: market::AccountId(1),
            order: OrderId(1),
            quantity: Quantity(1),
            reason: market::CancelReason::Requested,
        };
        tap.acknowledge(stamp(2), &[cancelled; 100]);
        until("it has ended", || books.stale_since_ms().is_some());
        let since = books.stale_since_ms();
        assert!(!is_fresh() && books.board().market(MARKET).is_some(), "the old book stays, and is marked stale");
        until("the second has panicked, and the third has ended", || tries.load(Ordering::Relaxed) > 6);
        assert!(books.stale_since_ms() == since || tries.load(Ordering::Relaxed) > 7, "its age is unchanged");
        until("the last one is running", || books.stale_since_ms().is_none());
        assert!(is_fresh() && books.life() == 2, "{:?}, life {}", summary(&books), books.life());
        assert_eq!(tries.load(Ordering::Relaxed), 3 + 1 + 3 + 1);

        tap.acknowledge(stamp(3), &[Event::Opened { market: MarketId(2) }]);
        until("it follows", || books.board().market(MarketId(2)).is_some());
        drop(taps);
        keeper.end();
        assert!(!is_fresh(), "the engine is gone");
    }
}
