//! Which candles are watched: each line once, however many clients watch it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rustc_hash::FxHashMap;
use tokio::sync::{Notify, watch};

use super::line::{Line, Which};

/// All lines that are watched.
pub struct Live {
    /// A line that no client holds any more is gone.
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

    /// Changes whenever lines have changed.
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

    /// Wakes the connections that watch, because lines have changed.
    pub fn have_changed(&self) {
        self.news.send_replace(());
    }

    /// Tells these connections that nothing more will come.
    pub fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
        self.have_changed();
    }

    /// The lines that are watched, once there is at least one.
    pub async fn wanted(&self) -> Vec<Arc<Line>> {
        loop {
            let watched = self.watched();
            if !watched.is_empty() {
                return watched;
            }
            self.is_wanted.notified().await;
        }
    }
}
