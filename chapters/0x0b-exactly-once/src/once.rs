//! What this chapter keeps for a venue: the table of numbers, and the notices.

use std::sync::{Arc, Mutex};

use market::log::ShardOf;

use crate::memory::Memory;
use crate::notices::archive::{Archive, NoArchive};
use crate::notices::reader::Notices;
use crate::once_door::Shared;
use crate::outcome::OUTCOMES_MAX;
use crate::table::Table;

/// Exactly once.
pub struct Once {
    table: Shared,
    notices: Arc<Notices>,
}

impl Once {
    /// The layer of a venue with so many shards.
    pub fn new(shards: u16) -> Arc<Once> {
        Once::with_archive(shards, Arc::new(NoArchive))
    }

    /// The same, with an archive of the notices that its ring no longer has.
    pub fn with_archive(shards: u16, archive: Arc<dyn Archive>) -> Arc<Once> {
        let shards = (0..shards).map(|shard| Memory::new(ShardOf { shard, shards }, OUTCOMES_MAX));
        let table = Arc::new(Mutex::new(Table::new(shards.collect(), OUTCOMES_MAX)));
        Arc::new(Once { table, notices: Arc::new(Notices::new(archive)) })
    }

    /// What is known of numbers.
    pub fn table(&self) -> &Shared {
        &self.table
    }

    /// What happened to accounts.
    pub fn notices(&self) -> &Arc<Notices> {
        &self.notices
    }
}
