//! What a machine says of its part in replication.

use serde_json::{Value, json};

use crate::beat::Beat;
use crate::durable::Durable;
use crate::publisher::{Publisher, State};

/// What a primary knows of its streams.
pub struct Status {
    name: String,
    durable: Durable,
    publishers: Vec<Publisher>,
}

impl Status {
    /// That of a primary.
    pub fn new(name: &str, durable: Durable, publishers: Vec<Publisher>) -> Status {
        Status { name: name.to_owned(), durable, publishers }
    }

    /// A beat; none when this machine was replaced.
    pub fn beat(&self) -> Option<Beat> {
        let states: Vec<State> = self.publishers.iter().map(Publisher::state).collect();
        let is_alive = states.iter().all(|state| state.ended.is_none());
        let epoch = states.first().map_or(0, |state| state.epoch);
        let confirmed = states.iter().map(|state| state.last.0).collect();
        is_alive.then(|| Beat { name: self.name.clone(), epoch, confirmed })
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
