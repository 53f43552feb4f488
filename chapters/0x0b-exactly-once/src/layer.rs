//! The layer: what this chapter adds to the venue.

use std::sync::{Arc, PoisonError};

use ch08::shadow::Shadow;
use gateway::door::Door;
use gateway::front::{Front, PageFile, Part, Routes};
use gateway::layer::Layer;
use gateway::projection::Projection;
use market::companion::Companion;
use market::log::ShardOf;
use market::log_chain::identity;
use market::{EngineError, Event, Options, Sequence, Stamp, Ticket};
use serde_json::Value;

use crate::http;
use crate::memory::{Carried, Memory};
use crate::notices::place::Place;
use crate::notices::reader::{Notices, push};
use crate::notices_part::NoticesPart;
use crate::once::Once;
use crate::once_door::{OnceDoor, lock};
use crate::outcome::{OUTCOMES_MAX, OUTCOMES_SAVED};
use crate::table::Table;

impl Layer for Once {
    fn door(self: Arc<Self>, inner: Arc<dyn Door>) -> Arc<dyn Door> {
        Arc::new(OnceDoor::new(inner, Arc::clone(self.table())))
    }

    fn companions(&self, shard: ShardOf) -> Vec<Box<dyn Companion>> {
        vec![Box::new(Carried::new(shard, OUTCOMES_SAVED))]
    }

    // ANCHOR: opened
    fn opened(&self, options: &Options, next: &[Sequence]) -> Result<(), EngineError> {
        let (mut logs, mut recovered) = (Vec::new(), Vec::new());
        for (shard, &next) in (0..).zip(next) {
            let shard = ShardOf { shard, shards: options.shards };
            logs.push(identity(&*options.disk, &options.data_dir, shard)?);
            recovered.push(Recovered::begin(options, shard, next)?);
        }
        let mut ring = Notices::ring(recovered.iter().map(|recovered| recovered.floor).collect());
        for ((shard, recovered), &next) in (0..).zip(&mut recovered).zip(next) {
            recovered.follow(next, |stamp, events| push(&mut ring, shard, stamp, events))?;
        }
        self.notices().open(ring, options, logs.into_iter());
        let memories = recovered.iter().map(Recovered::memory).collect();
        *lock(self.table()) = Table::new(memories, OUTCOMES_MAX);
        Ok(())
    }
    // ANCHOR_END: opened

    fn observe(&self, ticket: Ticket, stamp: Stamp, events: &[Event], _: &Projection) {
        self.notices().add(ticket.shard, stamp, events);
    }
}

/// A shard's log as far as the engine has read it: a shadow begins with the last snapshot and replays what came after it,
/// whichever engine wrote the log.
struct Recovered {
    shadow: Option<Shadow>,
    carried: Carried,
    /// After which place it sees every event.
    floor: Place,
}

impl Recovered {
    fn begin(options: &Options, shard: ShardOf, next: Sequence) -> Result<Recovered, EngineError> {
        let carried = Carried::new(shard, OUTCOMES_MAX);
        if next == Sequence::FIRST {
            return Ok(Recovered { shadow: None, carried, floor: Place::default() });
        }
        let companion = carried.clone();
        let companions = move |_| vec![Box::new(companion.clone()) as Box<dyn Companion>];
        let options = Options { companions: Some(Arc::new(companions)), ..options.clone() };
        let shadow = Shadow::begin(&options, shard)?;
        let before = Sequence(shadow.next().0 - 1);
        let floor = if before.0 == 0 { Place::default() } else { Place::end_of(before) };
        Ok(Recovered { shadow: Some(shadow), carried, floor })
    }

    // ANCHOR: follow
    fn follow(&mut self, next: Sequence, mut heard: impl FnMut(Stamp, &[Event])) -> Result<(), EngineError> {
        let Some(shadow) = &mut self.shadow else { return Ok(()) };
        while shadow.next() < next {
            let before = shadow.next();
            shadow.follow(Sequence(next.0 - 1), |stamp, _, events| heard(stamp, events))?;
            if shadow.next() == before {
                let reason = format!("the engine read the log up to command {next}, and now it ends before {before}");
                return Err(EngineError::Unsound { path: "log".into(), reason });
            }
        }
        Ok(())
    }
    // ANCHOR_END: follow

    fn memory(&self) -> Memory {
        self.carried.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A module of the page.
const fn module(path: &'static str, content: &'static str) -> PageFile {
    PageFile { path, media_type: "text/javascript; charset=utf-8", content, extends: false }
}

/// What this chapter adds to the page: its first file gives each command a number and sends it again.
const PAGE: &[PageFile] = &[
    PageFile { extends: true, ..module("/page/once.js", include_str!("../page/once.js")) },
    module("/page/lane.js", include_str!("../page/lane.js")),
    module("/page/once_words.js", include_str!("../page/once_words.js")),
];

impl Front for Once {
    fn routes(self: Arc<Self>) -> Routes {
        http::routes(&self)
    }

    fn describe(&self, openapi: &mut Value) {
        http::describe(openapi);
    }

    fn part(self: Arc<Self>) -> Option<Box<dyn Part>> {
        Some(Box::new(NoticesPart::new(self.notices())))
    }

    fn page(&self) -> &'static [PageFile] {
        PAGE
    }
}
