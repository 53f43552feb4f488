//! The layer: what this chapter adds to the venue.

use std::sync::{Arc, Mutex, PoisonError};

use ch08::shadow::Shadow;
use gateway::door::Door;
use gateway::front::{Front, Routes};
use gateway::layer::Layer;
use market::companion::Companion;
use market::log::ShardOf;
use market::{EngineError, Options, Sequence};

use crate::http;
use crate::memory::{Carried, Memory};
use crate::once_door::{OnceDoor, Shared};
use crate::table::Table;

/// Exactly once.
pub struct Once {
    table: Shared,
}

impl Once {
    /// The layer of a venue with so many shards.
    pub fn new(shards: u16) -> Arc<Once> {
        let shards = (0..shards).map(|shard| Memory::new(ShardOf { shard, shards }));
        Arc::new(Once { table: Arc::new(Mutex::new(Table::new(shards.collect()))) })
    }

    /// What is known of numbers.
    pub fn table(&self) -> &Shared {
        &self.table
    }
}

impl Layer for Once {
    fn door(self: Arc<Self>, inner: Arc<dyn Door>) -> Arc<dyn Door> {
        Arc::new(OnceDoor::new(inner, Arc::clone(&self.table)))
    }

    fn companions(&self, shard: ShardOf) -> Vec<Box<dyn Companion>> {
        vec![Box::new(Carried::new(shard))]
    }

    fn opened(&self, options: &Options, next: &[Sequence]) -> Result<(), EngineError> {
        let shards =
            (0..).zip(next).map(|(shard, &next)| recover(options, ShardOf { shard, shards: options.shards }, next));
        *self.table.lock().unwrap_or_else(PoisonError::into_inner) = Table::new(shards.collect::<Result<_, _>>()?);
        Ok(())
    }
}

// ANCHOR: recover
/// What the log of a shard says of numbers before command `next`: a shadow begins with the last snapshot and replays what
/// came after it, whichever engine wrote the log.
fn recover(options: &Options, shard: ShardOf, next: Sequence) -> Result<Memory, EngineError> {
    let carried = Carried::new(shard);
    if next > Sequence::FIRST {
        let companion = carried.clone();
        let companions = move |_| vec![Box::new(companion.clone()) as Box<dyn Companion>];
        let options = Options { companions: Some(Arc::new(companions)), ..options.clone() };
        let mut shadow = Shadow::begin(&options, shard)?;
        while shadow.next() < next {
            let before = shadow.next();
            shadow.follow(Sequence(next.0 - 1), |_, _| ())?;
            if shadow.next() == before {
                let reason =
                    format!("the engine has read the log up to command {next}, and it can be read to {before}");
                return Err(EngineError::Unsound { path: options.data_dir.join(shard.file_name()), reason });
            }
        }
    }
    let memory = carried.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(memory)
}
// ANCHOR_END: recover

impl Front for Once {
    fn routes(self: Arc<Self>) -> Routes {
        http::routes(&self)
    }
}
