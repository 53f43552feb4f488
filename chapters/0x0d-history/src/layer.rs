//! The layer: what this chapter adds to the venue.

use std::sync::Arc;

use gateway::front::{Front, PageFile, Part, Routes};
use gateway::layer::{Layer, Metric};
use gateway::venue::Venue;
use market::{EngineError, Options, Sequence};
use serde_json::Value;

use crate::history::History;
use crate::http;
use crate::live::keep::keep;
use crate::live::part::LivePart;

impl Layer for History {
    fn opened(&self, options: &Options, _: &[Sequence]) -> Result<(), EngineError> {
        self.open(options)
    }

    fn metrics(&self) -> Vec<Metric> {
        let behind = self.behind().map(|shards| {
            let help = "Durable commands whose rows are not there yet.";
            Metric { name: "venue_history_behind_commands", help, is_counter: false, shards }
        });
        behind.into_iter().collect()
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
