//! Where the time goes at a rate.

use std::path::Path;

use clap::Parser;
use load::open_loop::Protocol;
use results::error::MeasureError;
use results::output::OutputArgs;
use results::record::venue::LateRecord;
use whole_path::collector::KEPT;
use whole_path::http::{Request, Times};
use whole_path::path::{self, PathToolArgs};
use whole_path::show::Found;
use whole_path::way::{Way, Ways};

use crate::record::{Load, Stage};

/// A load.
#[derive(Clone, Copy)]
pub struct Offered {
    /// Its name in the record.
    pub name: &'static str,
    protocol: Protocol,
    /// Orders a second.
    pub rate: u64,
    /// Whether the accounts read their notices too.
    notices: bool,
}

/// What is offered, in this order. Without readers of notices first: they need the same two cores.
pub const LOADS: [Offered; 6] = [
    Offered { name: "http-5000", protocol: Protocol::Http, rate: 5_000, notices: false },
    Offered { name: "http-20000", protocol: Protocol::Http, rate: 20_000, notices: false },
    Offered { name: "websocket-5000", protocol: Protocol::Websocket, rate: 5_000, notices: false },
    Offered { name: "websocket-20000", protocol: Protocol::Websocket, rate: 20_000, notices: false },
    Offered { name: "notices-5000", protocol: Protocol::Http, rate: 5_000, notices: true },
    Offered { name: "notices-20000", protocol: Protocol::Http, rate: 20_000, notices: true },
];

/// The arguments that are left at their defaults.
#[derive(Parser)]
struct Defaults {
    #[command(flatten)]
    path: PathToolArgs,
}

/// Loads a venue.
pub fn find(program: &Path, output: &OutputArgs, offered: Offered, seconds: u64) -> Result<Found, MeasureError> {
    let Offered { protocol, rate, notices, .. } = offered;
    let defaults = Defaults::try_parse_from(["path"]).map_err(|error| MeasureError::Unusable(error.to_string()))?;
    // So few that all of them are kept, and the slowest are those of the whole run.
    let sample = (rate * seconds).div_ceil(KEPT as u64);
    let args = PathToolArgs { protocol, rate, notices, seconds, sample, output: output.clone(), ..defaults.path };
    path::find(program, &args, &[], |_| {})
}

/// The part of the requests that counts as the slowest.
const SLOWEST: usize = 100;

/// The slowest of these, by the time that each took.
fn slowest<T>(all: &[T], took: impl Fn(&T) -> u64) -> Vec<&T> {
    let mut sorted: Vec<&T> = all.iter().collect();
    sorted.sort_by_key(|one| std::cmp::Reverse(took(one)));
    sorted.truncate(all.len().div_ceil(SLOWEST));
    sorted
}

/// The mean of a time over these.
fn mean<T>(of: &[&T], time: impl Fn(&T) -> u64) -> f64 {
    of.iter().map(|one| time(one)).sum::<u64>() as f64 / of.len().max(1) as f64
}

/// A stage, with its mean over the slowest, as a part of the whole way: of all, and of the slowest.
fn stage(times: &Times, slowest_ns: f64, whole: (&Times, f64)) -> Stage {
    Stage {
        name: times.name.clone(),
        mean_ns: times.mean_ns,
        p50_ns: times.p50_ns as f64,
        p99_ns: times.p99_ns as f64,
        slowest_ns,
        slowest_part: slowest_ns / whole.1.max(1.0),
        part: times.mean_ns / whole.0.mean_ns.max(1.0),
    }
}

/// The result, as the record stores it; `bare` is the engine's own at the same rate.
pub fn load(offered: Offered, found: &Found, bare: &LateRecord) -> Load {
    let (client, path) = (&found.client, &found.path);
    let slow = slowest(&path.sampled, Request::whole_ns);
    let whole = (&path.whole, mean(&slow, Request::whole_ns));
    let stages = path.stages.iter().enumerate();
    let stages =
        stages.map(|(at, times)| stage(times, mean(&slow, |request| request.at_ns[at + 1] - request.at_ns[at]), whole));
    let stages: Vec<Stage> = stages.collect();
    Load {
        name: offered.name.into(),
        offered_per_s: offered.rate as f64,
        achieved_per_s: client.achieved_per_s,
        client_p50_ns: client.p50_ms * 1e6,
        client_p99_ns: client.p99_ms * 1e6,
        is_void: client.load.as_ref().is_some_and(|load| load.is_void),
        means_ns: stages.iter().map(|stage| stage.mean_ns).sum(),
        p99s_ns: stages.iter().map(|stage| stage.p99_ns).sum(),
        stages,
        whole: stage(&path.whole, whole.1, whole),
        client: clients(&found.ways),
        notice: found.notices.as_ref().map(|times| stage(times, 0.0, whole)),
        bare_p50_ns: bare.p50_ms * 1e6,
        bare_p99_ns: bare.p99_ms * 1e6,
        sync: stage(&path.sync, 0.0, whole),
        orders_each: path.commands_each,
    }
}

/// The parts of the orders' way from due to received, and that whole way.
fn clients(ways: &Ways) -> Vec<Stage> {
    let (parts, times) = ways.parts();
    let slow = slowest(&ways.sampled, Way::whole_ns);
    let whole = (&times, mean(&slow, Way::whole_ns));
    let parts = parts.iter().enumerate().map(|(part, times)| stage(times, mean(&slow, |way| way.parts()[part]), whole));
    parts.chain([stage(&times, whole.1, whole)]).collect()
}

/// A usual request and a slow one: the one in the middle, and the one that a hundredth exceed. Moments from the first.
pub fn two(found: &Found) -> (Vec<u64>, Vec<u64>) {
    let mut sampled: Vec<&Request> = found.path.sampled.iter().collect();
    sampled.sort_by_key(|request| request.whole_ns());
    let at = |place: usize| {
        let moments = sampled.get(place).map(|request| request.at_ns);
        moments.into_iter().flatten().map(|moment| moment - sampled[place].at_ns[0]).collect()
    };
    (at(sampled.len() / 2), at(sampled.len() - sampled.len().div_ceil(SLOWEST)))
}
