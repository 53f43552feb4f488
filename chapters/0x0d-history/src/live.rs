//! The candles that clients watch: read once for all of them, a few times a second, while at least one is watched.
//!
//! They come from the rows, behind the engine's back, so watching costs trading nothing. A client has no queue here: it takes
//! what its [`line`] has when it is ready for it, so one that is slow costs no more than one that is fast. Cost: one row a
//! tick for each watched market, and one short range of keys for each line that has changed.

pub mod line;
pub mod part;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use market::MarketId;
use rustc_hash::FxHashMap;
use tokio::sync::{Notify, watch};
use tokio::time::sleep;

use crate::error::HistoryError;
use crate::history::{History, Opened};
use crate::key;
use crate::rows::MarketRow;
use crate::width::Width;
use line::Line;

/// How long to wait between two looks at the rows: a client gets a candle at most four times a second.
pub const EVERY: Duration = Duration::from_millis(250);

/// Which candles.
pub type Which = (MarketId, Width);

/// All lines that are watched.
pub struct Live {
    /// Those of which no client holds one any more are gone.
    lines: Mutex<FxHashMap<Which, Weak<Line>>>,
    news: watch::Sender<()>,
    is_wanted: Notify,
    has_ended: AtomicBool,
}

impl Default for Live {
    fn default() -> Live {
        Live {
            lines: Mutex::default(),
            news: watch::Sender::new(()),
            is_wanted: Notify::new(),
            has_ended: AtomicBool::new(false),
        }
    }
}

impl Live {
    /// A line. It is kept up as long as this is held.
    pub fn line(&self, which: Which) -> Arc<Line> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = lines.get(&which).and_then(Weak::upgrade) {
            return line;
        }
        let line = Arc::new(Line::new(which));
        lines.insert(which, Arc::downgrade(&line));
        drop(lines);
        self.is_wanted.notify_one();
        line
    }

    /// Changes when lines have.
    pub fn news(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    /// Whether the rows could not be read, so that nothing more will come.
    pub fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }

    /// The lines that are watched, each market's together.
    fn watched(&self) -> Vec<Arc<Line>> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.retain(|_, line| line.strong_count() > 0);
        let mut watched: Vec<_> = lines.values().filter_map(Weak::upgrade).collect();
        watched.sort_by_key(|line| line.which());
        watched
    }

    /// The same, once there is at least one.
    async fn wanted(&self) -> Vec<Arc<Line>> {
        loop {
            let watched = self.watched();
            if !watched.is_empty() {
                return watched;
            }
            self.is_wanted.notified().await;
        }
    }
}

/// Keeps all lines up until the venue is over, or the rows can't be read.
pub async fn keep(history: Arc<History>, mut over: watch::Receiver<()>) {
    loop {
        let watched = tokio::select! {
            watched = history.live().wanted() => watched,
            _ = over.changed() => return,
        };
        // The rows are closed when the venue is over.
        let Some(opened) = history.opened() else { return };
        match tokio::task::spawn_blocking(move || refresh(&opened, &watched)).await {
            Ok(Ok(false)) => {}
            Ok(Ok(true)) => {
                history.live().news.send_replace(());
            }
            ended => {
                let why = ended.map_or_else(
                    |ended| ended.to_string(),
                    |read| read.err().map_or_else(String::new, |error| error.to_string()),
                );
                program::tell(format_args!("candles are not sent over the stream any more: {why}"));
                history.live().has_ended.store(true, Ordering::Relaxed);
                history.live().news.send_replace(());
                return;
            }
        }
        tokio::select! {
            () = sleep(EVERY) => {}
            _ = over.changed() => return,
        }
    }
}

// ANCHOR: refresh
/// Reads what has changed in these lines. Says whether anything has.
///
/// # Errors
/// When the rows can't be read.
pub fn refresh(opened: &Opened, watched: &[Arc<Line>]) -> Result<bool, HistoryError> {
    // First, because the follower goes on while the rows are read.
    let through = opened.progress.through();
    let mut any = false;
    for lines in watched.chunk_by(|one, other| one.which().0 == other.which().0) {
        let Some(market) = lines.first().map(|line| line.which().0) else { continue };
        // A market that has not opened, as far as the rows go, has no candles.
        let Some(row) = opened.store.get::<MarketRow>(&key::market(market))? else { continue };
        for line in lines {
            any |= line.refresh(&opened.store, &row, &through)?;
        }
    }
    Ok(any)
}
// ANCHOR_END: refresh
