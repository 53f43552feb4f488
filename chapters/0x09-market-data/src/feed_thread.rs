//! The thread that the feed has.
//!
//! It never blocks the engine, so it need not be fast; it rests when there is nothing to do, because the engine's threads
//! want the cores. How long it rests is how late a quiet market's change may be.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use market::{EngineError, Step};
use runner::thread_time;

use crate::board::Board;
use crate::feed::Feed;

/// How long it rests when there was nothing to do.
const REST: Duration = Duration::from_micros(50);

/// How often it looks again before it rests.
const LOOKS: u32 = 32;

/// What a feed leaves, and the processor time of its thread, where the system tells.
pub type Ended = (Feed, Option<Duration>);

/// A feed at work.
pub struct FeedThread {
    board: Arc<Board>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<Ended, EngineError>>>,
}

impl FeedThread {
    /// Puts a feed to work, until its engine is gone.
    ///
    /// # Errors
    /// When the system gives no thread.
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

    /// What it shows.
    pub fn board(&self) -> &Arc<Board> {
        &self.board
    }

    /// Waits until the engine is gone and all that it said is shown, and gives the feed back.
    ///
    /// # Errors
    /// Why the feed ended, if that was not the reason.
    pub fn join(self) -> Result<Feed, EngineError> {
        Ok(self.join_timed()?.0)
    }

    /// The same, with what its thread has worked.
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
            // What it had to say, nobody wants to know any more.
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
