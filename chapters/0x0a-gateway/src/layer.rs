//! A layer: what a later chapter adds to the venue.
//!
//! 0x0a's own venue has no layers. A later chapter's crate implements [`Layer`], and [`Front`](crate::front::Front) for what
//! clients see of it, and its program starts the venue with it: one crate, and one line where a venue is put together. Each
//! method is a seam at which a layer may add something, and adds nothing unless it says so. What a layer adds never runs on
//! the matching thread, but for a [`receiver`](Layer::receiver), which may only copy.

use std::sync::Arc;

use market::companion::Companion;
use market::log::ShardOf;
use market::{Acknowledge, EngineError, Event, Options, Sequence, Stamp, Ticket};

use crate::door::Door;
use crate::names::change::Witness;
use crate::projection::Projection;

/// All layers of a venue, the innermost first.
pub type Layers = Vec<Arc<dyn Layer>>;

/// What an operator watches of a layer: one figure a shard.
#[derive(Clone, Debug)]
pub struct Metric {
    /// Its name, which says the unit. A counter is shown with `_total` behind its name.
    pub name: &'static str,
    /// What it means.
    pub help: &'static str,
    /// Whether it counts what has happened since the program was started, and so never falls.
    pub is_counter: bool,
    /// The value at each shard.
    pub shards: Vec<f64>,
}

/// What a later chapter adds to the venue.
pub trait Layer: Send + Sync {
    /// A door around the door. The limits stand around all of them.
    fn door(self: Arc<Self>, inner: Arc<dyn Door>) -> Arc<dyn Door> {
        inner
    }

    /// A receiver behind a shard's acknowledgements. It runs on the matching thread, and only copies there.
    fn receiver(&self, _shard: u16) -> Option<Box<dyn Acknowledge>> {
        None
    }

    /// The options that the engine is opened with. A layer may put a disk around the disk here.
    fn options(&self, options: Options) -> Options {
        options
    }

    /// Is told of each change of the names before it is made, and may keep it elsewhere.
    fn witness(&self) -> Option<Arc<dyn Witness>> {
        None
    }

    /// What the shadow of 0x08 carries along for this layer, and writes into each snapshot.
    fn companions(&self, _shard: ShardOf) -> Vec<Box<dyn Companion>> {
        Vec::new()
    }

    /// The engine is open, `next` is the next command of each shard, and no request has entered. A layer reads here what
    /// it needs of the log.
    ///
    /// # Errors
    /// When it can't. The venue does not start then.
    fn opened(&self, _options: &Options, _next: &[Sequence]) -> Result<(), EngineError> {
        Ok(())
    }

    /// A command is durable and these are its events. It runs on the thread that hands out answers, before the answer is
    /// given and before the projection holds the events.
    fn observe(&self, _ticket: Ticket, _stamp: Stamp, _events: &[Event], _before: &Projection) {}

    /// What an operator watches of this layer, as it is now.
    fn metrics(&self) -> Vec<Metric> {
        Vec::new()
    }
}

/// The options of an engine whose shadow carries what the layers hand in.
pub fn carried(options: &Options, layers: &Layers) -> Options {
    if layers.is_empty() {
        return options.clone();
    }
    let layers = layers.clone();
    let make = move |shard| layers.iter().flat_map(|layer| layer.companions(shard)).collect();
    Options { companions: Some(Arc::new(make)), ..options.clone() }
}
