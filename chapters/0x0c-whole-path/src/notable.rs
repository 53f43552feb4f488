//! What the venue reports to its operator about the log: slow syncs, and new snapshots.
//!
//! The threads of the log only count, because a line that nothing reads may hold up the thread that writes it. Here the counts are
//! looked at once a second.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use program::lines::{EVERY, Figure, tell_event};

use crate::shared::Shared;
use crate::syncs::Slow;

/// Reports both until it is dropped.
pub async fn watch(shared: Arc<Shared>) {
    let snapshots = || shared.snapshots.load(Ordering::Relaxed);
    let mut before = snapshots();
    loop {
        tokio::time::sleep(EVERY).await;
        let Slow { count, longest } = shared.syncs.take_slow();
        if count > 0 {
            let ms = longest / 1_000_000;
            let figures = [("count", Figure::Count(count)), ("longest_ms", Figure::Count(ms))];
            tell_event(
                "sync-slow",
                &figures,
                format_args!("slow syncs in a second: {count}, the longest took {ms} ms"),
            );
        }
        let count = snapshots() - before;
        if count > 0 {
            before += count;
            tell_event("snapshot", &[("count", Figure::Count(count))], format_args!("snapshots written: {count}"));
        }
    }
}
