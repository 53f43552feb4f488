//! What all connections of a venue share.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::collector::Collector;
use crate::frames::Frames;
use crate::notices::Notices;
use crate::responses::Responses;
use crate::syncs::Syncs;

/// What all connections share.
pub struct Shared {
    /// The frames of each shard.
    pub frames: Vec<Arc<Frames>>,
    /// What is kept of finished requests.
    pub collector: Collector,
    /// Syncs of the log.
    pub syncs: Arc<Syncs>,
    /// How many snapshots were written.
    pub snapshots: Arc<AtomicU64>,
    /// Responses over HTTP.
    pub responses: Responses,
    /// How many notices with a cursor were handed to accounts' sockets.
    pub notices: AtomicU64,
    /// Those of sampled commands.
    pub told: Notices,
}
