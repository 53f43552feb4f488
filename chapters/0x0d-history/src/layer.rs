//! The layer: what this chapter adds to the venue.

use std::sync::Arc;

use gateway::front::{Front, PageFile, Part, Routes};
use gateway::layer::{Layer, Metric};
use gateway::venue::Venue;
use market::{EngineError, Options, Sequence};
use serde_json::Value;

use crate::history::{History, Opened};
use crate::http;
use crate::live::keep::keep;
use crate::live::part::LivePart;

impl Layer for History {
    fn opened(&self, options: &Options, next: &[Sequence]) -> Result<(), EngineError> {
        self.open(options, next)
    }

    fn metrics(&self) -> Vec<Metric> {
        let Some(opened) = self.opened() else { return Vec::new() };
        let Opened { options, progress, .. } = &*opened;
        let behind = Metric {
            name: "venue_history_behind_commands",
            help: "Durable commands whose rows are not there yet.",
            is_counter: false,
            shards: progress.behind().map(|commands| commands as f64).collect(),
        };
        let ended = f64::from(u8::from(progress.ended().is_some()));
        let ended = Metric {
            name: "venue_history_ended",
            help: "1 when the history has stopped following the logs: a restart begins again.",
            is_counter: false,
            shards: vec![ended; options.shards.into()],
        };
        vec![behind, ended]
    }
}

/// A module of the page.
const fn module(path: &'static str, content: &'static str) -> PageFile {
    PageFile { path, media_type: "text/javascript; charset=utf-8", content, extends: false }
}

/// What this chapter adds to the page: its first file gives the chart the prices of all days.
const PAGE: &[PageFile] = &[
    PageFile { extends: true, ..module("/page/history.js", include_str!("../page/history.js")) },
    module("/page/profit.js", include_str!("../page/profit.js")),
    module("/page/history_words.js", include_str!("../page/history_words.js")),
];

impl Front for History {
    fn routes(self: Arc<Self>) -> Routes {
        http::routes(&self)
    }

    fn describe(&self, openapi: &mut Value) {
        http::describe(openapi);
    }

    fn part(self: Arc<Self>) -> Option<Box<dyn Part>> {
        Some(Box::new(LivePart::new(self)))
    }

    fn page(&self) -> &'static [PageFile] {
        PAGE
    }

    fn serving(self: Arc<Self>, venue: &Arc<Venue>) {
        tokio::spawn(keep(Arc::clone(&self), venue.over.subscribe()));
        // The venue waits for everything that listens here, so the follower has ended before the folder goes.
        let mut over = venue.over.subscribe();
        tokio::spawn(async move {
            let _ = over.changed().await;
            let _ = tokio::task::spawn_blocking(move || self.close()).await;
            drop(over);
        });
    }
}
