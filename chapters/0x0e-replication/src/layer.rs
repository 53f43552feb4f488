//! The layer: what this chapter adds to the venue.

use std::sync::Arc;
use std::time::Duration;

use gateway::front::{Front, Routes};
use gateway::layer::{Layer, Metric};
use gateway::log_disk::LogDisk;
use gateway::names::change::Witness;
use gateway::projection::Projection;
use gateway::venue::Venue;
use market::log::ShardOf;
use market::log_chain::identity;
use market::{Event, LogError, Options, Stamp, Ticket};
use program::lines::tell_event;
use tokio::sync::watch;

use crate::args::ReplicaArgs;
use crate::beat;
use crate::disk::Streams;
use crate::durable::Durable;
use crate::ends::Ends;
use crate::error::ReplicaError;
use crate::http;
use crate::join::Joined;
use crate::link::Link;
use crate::mark::{Marking, Whose};
use crate::names::NamesWitness;
use crate::publisher::Publisher;
use crate::status::Status;

/// The largest batch: the stream takes a large message in little more time than a small one.
const BATCH_MAX: usize = 16_384;

/// How long connections may take to end when this machine was replaced.
const DRAIN: Duration = Duration::from_millis(500);

/// Replication, at a primary.
pub struct Replication {
    publishers: Vec<Publisher>,
    names: Arc<NamesWitness>,
    durable: Durable,
    status: Arc<Status>,
    ended: watch::Receiver<Option<Arc<str>>>,
    /// Hears whether a machine that was a standby is to end, before it serves.
    ends: Option<Ends>,
    /// It serves the publishers as long as there is a venue.
    _link: Arc<Link>,
}

impl Replication {
    /// The layer of a machine that has become the primary of these shards.
    ///
    /// # Errors
    /// When a mark can't be made.
    pub fn new(
        link: Arc<Link>,
        options: &Options,
        joined: Vec<Joined>,
        names: NamesWitness,
        args: &ReplicaArgs,
        ends: Option<Ends>,
    ) -> Result<Arc<Replication>, ReplicaError> {
        let durable = args.durable;
        let (ended_sender, ended) = watch::channel(None);
        let mut publishers = Vec::new();
        for (shard, joined) in (0..options.shards).zip(joined) {
            let shard = ShardOf { shard, shards: options.shards };
            let (disk, folder) = (&*options.disk, &options.data_dir);
            let whose = Whose::of(identity(disk, folder, shard)?, joined.stream.name());
            let marking = Marking::open(disk, folder, shard, whose, durable);
            let path = folder.join(shard.file_name());
            let marking = marking.map_err(|source| LogError::Io { what: "mark", path, source })?;
            publishers.push(Publisher::start(&link, joined, durable, marking, ended_sender.clone()));
        }
        let status = Status::new(&args.name, durable, publishers.clone());
        let status = Arc::new(status);
        let beating = Arc::clone(&status);
        beat::begin(&link, &args.stream, move || beating.beat());
        Ok(Arc::new(Replication { names: Arc::new(names), publishers, durable, status, ended, ends, _link: link }))
    }
}

impl Layer for Replication {
    fn options(&self, options: Options) -> Options {
        let around = Streams { publishers: self.publishers.clone(), durable: self.durable };
        let disk = LogDisk::new(Arc::clone(&options.disk), around);
        Options { disk: Arc::new(disk), batch_max: BATCH_MAX, ..options }
    }

    fn witness(&self) -> Option<Arc<dyn Witness>> {
        Some(Arc::clone(&self.names) as Arc<dyn Witness>)
    }

    fn observe(&self, ticket: Ticket, _: Stamp, events: &[Event], _: &Projection) {
        self.status.observe(ticket, events);
    }

    fn metrics(&self) -> Vec<Metric> {
        self.status.metrics()
    }
}

impl Front for Replication {
    fn routes(self: Arc<Self>) -> Routes {
        http::routes(&self.status)
    }

    fn describe(&self, openapi: &mut serde_json::Value) {
        http::describe(openapi);
    }

    fn serving(self: Arc<Self>, venue: &Arc<Venue>) {
        self.ends.iter().for_each(Ends::leave_to_venue);
        let (venue, mut ended) = (Arc::clone(venue), self.ended.clone());
        tokio::spawn(async move {
            let why = ended.wait_for(Option::is_some).await.map(|why| why.clone());
            let Ok(Some(why)) = why else { return };
            // An engine that has a frame to sync ends by itself. An idle one would go on showing a state that is out of date.
            venue.engine_door.drain();
            venue.over.send_replace(());
            tell_event("replaced", &[], format_args!("error: {why}"));
            tokio::time::sleep(DRAIN).await;
            std::process::exit(REPLACED);
        });
    }
}

/// The exit code of a machine that was replaced.
const REPLACED: i32 = 3;
