//! The feed's thread.
//!
//! The feed never blocks the engine, so it need not be fast; it sleeps when there is nothing to do, because the
//! engine's threads need the cores. A change in a quiet market can be late by one such sleep.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use market::{EngineError, Step};
use runner::thread_time;

use crate::board::Board;
use crate::feed::Feed;

/// How long the thread sleeps when there is nothing to do.
const REST: Duration = Duration::from_micros(50);

/// How many times it yields and retries before it sleeps.
const LOOKS: u32 = 32;

/// The feed when its thread ends, and the thread's processor time where the system reports it.
pub type Ended = (Feed, Option<Duration>);

/// A running feed.
pub struct FeedThread {
    board: Arc<Board>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<Ended, EngineError>>>,
}

impl FeedThread {
    /// Runs a feed on its own thread until its engine is gone.
    ///
    /// # Errors
    /// If the system can't create a thread.
    pub fn start(mut feed: Feed) -> Result<FeedThread, EngineError> {
        let (board, stop) = (Arc::clone(feed.board()), Arc::new(AtomicBool::new(false)));
        let stopped = Arc::clone(&stop);
        let work = move || {
            follow(&mut feed, &stopped)?;
            Ok((feed, thread_time()))
        };
        let thread = thread::Builder::new().name("feed".into()).spawn(work);
        let failed = |error: std::io::Error| EngineError::ThreadStopped { role: "feed", reason: error.to_string() };
        Ok(FeedThread { board, stop, thread: Some(thread.map_err(failed)?) })
    }

    /// The board with all markets.
    pub fn board(&self) -> &Arc<Board> {
        &self.board
    }

    /// Waits until the engine is gone and everything it published is on the board; returns the feed.
    ///
    /// # Errors
    /// Why the feed ended, if the engine was not gone.
    pub fn join(self) -> Result<Feed, EngineError> {
        Ok(self.join_timed()?.0)
    }

    /// The same, with the thread's processor time.
    ///
    /// # Errors
    /// As [`join`](FeedThread::join).
    pub fn join_timed(mut self) -> Result<Ended, EngineError> {
        let panicked = || EngineError::ThreadStopped { role: "feed", reason: "it panicked".into() };
        self.thread.take().ok_or_else(panicked)?.join().map_err(|_| panicked())?
    }
}

impl Drop for FeedThread {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // The owner drops the feed, so the result no longer matters.
            let _ = thread.join();
        }
    }
}

fn follow(feed: &mut Feed, stopped: &AtomicBool) -> Result<(), EngineError> {
    let mut looks = 0;
    while !stopped.load(Ordering::Relaxed) {
        match feed.step()? {
            Step::Worked => looks = 0,
            Step::Idle if looks < LOOKS => {
                looks += 1;
                thread::yield_now();
            }
            Step::Idle => thread::sleep(REST),
            Step::Ended => break,
        }
    }
    Ok(())
}
