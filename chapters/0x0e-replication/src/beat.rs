//! Beats: a primary says several times a second that it is alive.
//!
//! No server keeps them, and nothing follows from them but speed. A beat that is lost or late makes a standby begin an epoch that
//! need not have begun; a beat of a primary that was replaced says nothing false, for its appends are refused all the same.

use std::time::Duration;

use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::digest::Stretch;
use crate::link::Link;

/// How often a primary beats.
pub const EVERY: Duration = Duration::from_millis(100);

/// A beat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Beat {
    /// The primary's name.
    pub name: String,
    /// The place of its first shard's epoch.
    pub epoch: u64,
    /// The last command of each shard that the stream has.
    pub confirmed: Vec<u64>,
    /// What a stretch of each shard's log led to, if the stream has it: one of the last.
    #[serde(default)]
    pub stretches: Vec<Option<Stretch>>,
}

/// Beats as long as there is something to say.
pub fn begin(link: &Link, stream: &str, next: impl Fn() -> Option<Beat> + Send + 'static) {
    let (client, subject) = (link.client().clone(), subject(stream));
    link.spawn(async move {
        let mut ticks = interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        while let Some(beat) = next() {
            ticks.tick().await;
            let beat = serde_json::to_vec(&beat).unwrap_or_default();
            // The next one will do as well.
            let _ = client.publish(subject.clone(), beat.into()).await;
        }
    });
}

/// Hears the beats of a primary.
pub struct Beats(async_nats::Subscriber);

impl Beats {
    /// From now on.
    pub fn hear(link: &Link, stream: &str) -> Option<Beats> {
        let (client, subject) = (link.client().clone(), subject(stream));
        link.wait(async move {
            let beats = client.subscribe(subject).await.ok()?;
            client.flush().await.ok()?;
            Some(Beats(beats))
        })
    }

    /// The next one within a time; none where none comes.
    pub async fn within(&mut self, time: Duration) -> Option<Beat> {
        let beat = timeout(time, self.0.next()).await.ok()??;
        serde_json::from_slice(&beat.payload).ok()
    }

    /// The last of those that have come.
    pub fn last(&mut self) -> Option<Beat> {
        let mut last = None;
        while let Some(Some(beat)) = futures_util::FutureExt::now_or_never(self.0.next()) {
            last = serde_json::from_slice(&beat.payload).ok().or(last);
        }
        last
    }
}

fn subject(stream: &str) -> String {
    format!("{stream}.beat")
}
