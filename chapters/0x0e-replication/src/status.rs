//! What a machine reports about its part in replication.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use gateway::layer::Metric;
use market::{Event, Ticket};
use serde_json::{Value, json};

use crate::beat::Beat;
use crate::digest::{Digest, Stretch};
use crate::durable::Durable;
use crate::publisher::{Publisher, State};
use crate::watched::{Shown, common, counter, metric};

/// What a primary knows of its streams.
pub struct Status {
    name: String,
    durable: Durable,
    publishers: Vec<Publisher>,
    told: Vec<Mutex<Told>>,
}

/// What a shard's clients were told, as a digest.
#[derive(Default)]
struct Told {
    digest: Digest,
    /// A stretch that waits until the stream has it.
    waits: Option<Stretch>,
    /// The last stretch that the stream had when a beat was sent.
    confirmed: Option<Stretch>,
}

impl Status {
    /// The status of a primary.
    pub fn new(name: &str, durable: Durable, publishers: Vec<Publisher>) -> Status {
        let told = publishers.iter().map(|_| Mutex::default()).collect();
        Status { name: name.to_owned(), durable, publishers, told }
    }

    /// Takes note of the events of a command, which its client is about to be told.
    pub fn observe(&self, ticket: Ticket, events: &[Event]) {
        let Some(told) = self.told.get(usize::from(ticket.shard)) else { return };
        let told = &mut *told.lock().unwrap_or_else(PoisonError::into_inner);
        let stretch = told.digest.add(ticket.sequence, events);
        told.waits = told.waits.or(stretch);
    }

    /// A stretch of each shard. With `local`, a client may be told what the stream never gets, so a stretch waits for the stream.
    fn stretches(&self, states: &[State]) -> Vec<Option<Stretch>> {
        let of = |(told, state): (&Mutex<Told>, &State)| {
            let told = &mut *told.lock().unwrap_or_else(PoisonError::into_inner);
            if told.waits.is_some_and(|stretch| stretch.last <= state.last.0) {
                told.confirmed = told.waits.take();
            }
            told.confirmed
        };
        self.told.iter().zip(states).map(of).collect()
    }

    /// A beat; none when this machine was replaced.
    pub fn beat(&self) -> Option<Beat> {
        let states: Vec<State> = self.publishers.iter().map(Publisher::state).collect();
        let is_alive = states.iter().all(|state| state.ended.is_none());
        let epoch = states.first().map_or(0, |state| state.epoch);
        let confirmed = states.iter().map(|state| state.last.0).collect();
        let stretches = self.stretches(&states);
        is_alive.then(|| Beat { name: self.name.clone(), epoch, confirmed, stretches })
    }

    /// As Prometheus reads it.
    pub fn metrics(&self) -> Vec<Metric> {
        let (now, states) = (Instant::now(), self.publishers.iter().map(Publisher::state).collect::<Vec<_>>());
        let of_shard = |(state, told): (&State, &Mutex<Told>)| Shown {
            is_primary: state.ended.is_none(),
            epoch: state.epoch,
            place: state.place,
            command: state.last.0,
            behind: state.behind.since(now),
            told: told.lock().unwrap_or_else(PoisonError::into_inner).confirmed.map_or(0, |stretch| stretch.last),
        };
        let mut metrics = common(&states.iter().zip(&self.told).map(of_shard).collect::<Vec<_>>());
        metrics.extend([
            metric(
                "venue_replication_behind_frames",
                "Frames of this primary that the stream has not confirmed yet.",
                &states,
                |state| state.handed - state.confirmed,
            ),
            counter(
                "venue_replication_refused_appends",
                "Appends of this primary that the stream refused, because another machine's message came first.",
                &states,
                |state| state.refused,
            ),
        ]);
        metrics
    }

    /// As an operator reads it.
    pub fn shown(&self) -> Value {
        let shards = self.publishers.iter().map(|publisher| {
            let state = publisher.state();
            json!({
                "epoch": state.epoch,
                "place": state.place,
                "last": state.last.0,
                "frames": state.confirmed,
                "behind": state.handed - state.confirmed,
                "ended": state.ended.as_deref(),
            })
        });
        let durable = format!("{:?}", self.durable).to_lowercase();
        json!({ "role": "primary", "name": self.name, "durable": durable, "shards": shards.collect::<Vec<_>>() })
    }
}
