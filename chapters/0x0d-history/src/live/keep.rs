//! Reads the lines that are watched, a few times a second.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use super::line::Line;
use crate::error::HistoryError;
use crate::history::{History, Opened};
use crate::key;
use crate::rows::MarketRow;

/// How long to wait between two looks at the rows: a client gets a candle at most four times a second.
pub const EVERY: Duration = Duration::from_millis(250);

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
            Ok(Ok(true)) => history.live().have_changed(),
            ended => {
                let why = ended.map_or_else(
                    |ended| ended.to_string(),
                    |read| read.err().map_or_else(String::new, |error| error.to_string()),
                );
                program::tell(format_args!("candles are no longer sent over the stream: {why}"));
                history.live().end();
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
