//! What this chapter answers over HTTP: `GET /v1/path`, for the operator.

use std::sync::Arc;

use axum::Json;
use axum::routing::get;
use gateway::front::Routes;
use gateway::http::extract::Operator;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::clock::now;
use crate::collector::Collected;
use crate::distribution::Distribution;
use crate::notices::{self, Notice};
use crate::shared::Shared;
use crate::stage::{MOMENTS, NAMES, Stamps};
use crate::syncs::{ROWS, bounds};

/// The addresses.
pub fn routes(shared: &Arc<Shared>) -> Routes {
    let shared = Arc::clone(shared);
    vec![("/v1/path", get(move |_: Operator| async move { Json(PathReport::of(&shared)) }))]
}

/// Adds this chapter's address to the description.
pub fn describe(openapi: &mut Value) {
    let Some(Value::Object(paths)) = openapi.pointer_mut("/paths") else { return };
    let summary = "Where the time of requests goes: each stage's times, and the slowest requests. For the operator.";
    let answered = json!({ "description": "Stages, slowest and sampled requests.",
        "content": { "application/json": { "schema": { "type": "object" } } } });
    paths.insert("/v1/path".into(), json!({ "get": { "summary": summary, "responses": { "200": answered } } }));
}

/// Times of a stage, in nanoseconds.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Times {
    /// The stage.
    pub name: String,
    /// How many.
    pub count: u64,
    /// Their exact mean.
    pub mean_ns: f64,
    /// Half of them take no longer.
    pub p50_ns: u64,
    /// Ninety-nine in a hundred take no longer.
    pub p99_ns: u64,
    /// 999 in a thousand take no longer.
    pub p999_ns: u64,
}

impl Times {
    /// Of a distribution.
    pub fn of(name: &str, times: &Distribution) -> Times {
        let [p50_ns, p99_ns, p999_ns] = [0.5, 0.99, 0.999].map(|part| times.quantile(part));
        Times { name: name.into(), count: times.count(), mean_ns: times.mean(), p50_ns, p99_ns, p999_ns }
    }
}

/// One request.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Request {
    /// The client's name for it, as in `traceparent`; empty if it gave none.
    pub id: String,
    /// The shard of its last command.
    pub shard: u16,
    /// The number of its last command.
    pub sequence: u64,
    /// Its moments, in nanoseconds of the machine's clock.
    pub at_ns: [u64; MOMENTS],
}

impl Request {
    fn of(stamps: &Stamps) -> Request {
        let id = if stamps.id == 0 { String::new() } else { format!("{:032x}", stamps.id) };
        let shard = stamps.ticket.map_or(0, |ticket| ticket.shard);
        Request { id, shard, sequence: stamps.sequence().0, at_ns: stamps.at }
    }

    /// From the moment when it was read until its answer was written, in nanoseconds.
    pub fn whole_ns(&self) -> u64 {
        self.at_ns[MOMENTS - 1] - self.at_ns[0]
    }
}

/// Syncs of the last minute, by second and by how long they took.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Heat {
    /// The longest times of the rows but for the last, which has no end, in nanoseconds.
    pub up_to_ns: Vec<u64>,
    /// For each second, the oldest first, how many syncs of each row ended in it.
    pub seconds: Vec<[u32; ROWS]>,
}

/// What `GET /v1/path` answers.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct PathReport {
    /// Each stage, in their order.
    pub stages: Vec<Times>,
    /// The whole way.
    pub whole: Times,
    /// From the disk to the socket of an account that a command concerned.
    pub notice: Times,
    /// The same in its stages: until the notice is queued for the account's connection, and until that is written.
    pub notice_stages: Vec<Times>,
    /// Syncs of the log.
    pub sync: Times,
    /// Those of the last minute.
    pub heat: Heat,
    /// Commands for each sync.
    pub commands_each: f64,
    /// Sampled requests that did not go through the engine.
    pub incomplete: u64,
    /// Requests that were slow.
    pub slow: u64,
    /// The slowest of the last minute, the slowest first.
    pub slowest: Vec<Request>,
    /// The last sampled requests, in the order in which they were through.
    pub sampled: Vec<Request>,
    /// The last notices of sampled commands, in the order in which they were written.
    pub told: Vec<Notice>,
}

impl PathReport {
    /// Of what was collected so far.
    pub fn of(shared: &Shared) -> PathReport {
        let Collected { stages, whole, incomplete, slow, sampled, slowest } = shared.collector.read();
        let (syncs, told) = (shared.syncs.read(), shared.told.read());
        let told_stages = notices::NAMES.iter().zip(&told.stages);
        PathReport {
            stages: NAMES.iter().zip(&stages).map(|(name, times)| Times::of(name, times)).collect(),
            whole: Times::of("whole", &whole),
            notice: Times::of("notice", &told.whole),
            notice_stages: told_stages.map(|(name, times)| Times::of(name, times)).collect(),
            sync: Times::of("sync", &syncs.times),
            heat: Heat { up_to_ns: bounds().to_vec(), seconds: syncs.minute(now()) },
            commands_each: syncs.commands as f64 / syncs.times.count().max(1) as f64,
            incomplete,
            slow,
            slowest: slowest.iter().map(Request::of).collect(),
            sampled: sampled.iter().map(Request::of).collect(),
            told: told.last.into(),
        }
    }
}
