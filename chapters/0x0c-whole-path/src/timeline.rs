//! Requests as a timeline that Perfetto and Chrome open: the JSON of the Trace Event Format.
//!
//! Each request is a bar with its stages below it. Requests that were under way at the same time stand in different rows. One more
//! row shows the syncs that they waited for.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::http::{PathReport, Request};
use crate::notices::{NAMES as NAMED, Notice};
use crate::stage::{MOMENTS, Moment, NAMES};

/// The process of the requests, that of the disk, and that of the notices.
const REQUESTS: u32 = 1;
const DISK: u32 = 2;
const NOTICES: u32 = 3;

/// A bar: what, from when and for how long, in microseconds.
#[derive(Serialize)]
struct Bar {
    name: String,
    cat: &'static str,
    ph: &'static str,
    ts: f64,
    dur: f64,
    pid: u32,
    tid: usize,
    args: BTreeMap<&'static str, u64>,
}

/// A row's or a process's name.
#[derive(Serialize)]
struct Name {
    name: &'static str,
    ph: &'static str,
    pid: u32,
    args: BTreeMap<&'static str, &'static str>,
}

/// The sampled requests of a venue as one file.
pub fn timeline(report: &PathReport) -> String {
    let mut requests: Vec<&Request> = report.sampled.iter().collect();
    requests.sort_by_key(|request| request.at_ns[0]);
    let begin = requests.first().map_or(0, |request| request.at_ns[0]);
    let us = |ns: u64| (ns - begin.min(ns)) as f64 / 1e3;
    let (mut rows, mut bars) = (Vec::new(), Vec::new());
    let mut syncs = BTreeMap::new();
    for request in requests {
        let (from, to) = (request.at_ns[0], request.at_ns[MOMENTS - 1]);
        let row = row(&mut rows, from, to);
        let args = BTreeMap::from([("sequence", request.sequence), ("shard", request.shard.into())]);
        let mut bar = |name: &str, cat, from: u64, to: u64| {
            let (ts, dur, args) = (us(from), (to - from) as f64 / 1e3, args.clone());
            bars.push(Bar { name: name.into(), cat, ph: "X", ts, dur, pid: REQUESTS, tid: row, args });
        };
        bar(&format!("command {}", request.sequence), "request", from, to);
        for (name, moments) in NAMES.iter().zip(request.at_ns.windows(2)) {
            bar(name, "stage", moments[0], moments[1]);
        }
        let [sealed, synced] = [Moment::Sealed, Moment::Synced].map(|moment| request.at_ns[moment as usize]);
        *syncs.entry((request.shard, sealed, synced)).or_insert(0) += 1;
    }
    for ((shard, sealed, synced), sampled) in syncs {
        let (ts, dur, args) = (us(sealed), (synced - sealed) as f64 / 1e3, BTreeMap::from([("sampled", sampled)]));
        let name = "sync".to_owned();
        bars.push(Bar { name, cat: "disk", ph: "X", ts, dur, pid: DISK, tid: usize::from(shard), args });
    }
    bars.extend(notices(report, us));
    let name = |pid, name| Name { name: "process_name", ph: "M", pid, args: BTreeMap::from([("name", name)]) };
    let names = [name(REQUESTS, "requests"), name(DISK, "disk"), name(NOTICES, "notices")];
    // Numbers and words: nothing here can fail.
    let events = [serde_json::to_string(&names), serde_json::to_string(&bars)].map(Result::unwrap_or_default);
    let [names, bars] = events.each_ref().map(|list| list.trim_matches(['[', ']']));
    let separator = if bars.is_empty() { "" } else { ",\n" };
    format!("{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{names}{separator}{bars}\n]}}\n")
}

/// The notices, from the disk to the socket, each with its stages.
fn notices(report: &PathReport, us: impl Fn(u64) -> f64) -> Vec<Bar> {
    let mut told = report.told.clone();
    told.sort_by_key(|notice| notice.synced_ns);
    let (mut rows, mut bars) = (Vec::new(), Vec::new());
    for Notice { shard, sequence, synced_ns, queued_ns, written_ns } in told {
        let tid = row(&mut rows, synced_ns, written_ns);
        let args = BTreeMap::from([("sequence", sequence), ("shard", shard.into())]);
        let [whole, tell, send] = [(synced_ns, written_ns), (synced_ns, queued_ns), (queued_ns, written_ns)];
        for (name, cat, (from, to)) in
            [("notice", "notice", whole), (NAMED[0], "notice stage", tell), (NAMED[1], "notice stage", send)]
        {
            let (ts, dur) = (us(from), to.saturating_sub(from) as f64 / 1e3);
            bars.push(Bar { name: name.into(), cat, ph: "X", ts, dur, pid: NOTICES, tid, args: args.clone() });
        }
    }
    bars
}

/// The first row that is free from `from` on; it is taken until `to`.
fn row(rows: &mut Vec<u64>, from: u64, to: u64) -> usize {
    let free = rows.iter().position(|until| *until <= from).unwrap_or(rows.len());
    if free == rows.len() {
        rows.push(0);
    }
    rows[free] = to;
    free
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::collector::Collector;
    use crate::frames::Frames;
    use crate::shared::Shared;
    use crate::stage::Stamps;

    #[test]
    fn requests_at_the_same_time_stand_in_different_rows_and_stages_below_their_request() {
        let collector = Collector::new(1, u64::MAX);
        for start in [1_000, 2_000, 50_000] {
            let at = std::array::from_fn(|moment| start + 1_000 * moment as u64);
            let ticket = Some(market::Ticket { shard: 0, sequence: market::Sequence(start) });
            collector.finish(&Stamps { at, ticket, id: 0 }, true);
        }
        let frames = vec![std::sync::Arc::<Frames>::default()];
        let (syncs, snapshots, responses, notices, told) = Default::default();
        let shared = Shared { frames, collector, syncs, snapshots, responses, notices, told };
        let text = timeline(&PathReport::of(&shared));
        let file: Value = serde_json::from_str(&text).expect("JSON");
        let bars: Vec<&Value> = file["traceEvents"].as_array().unwrap().iter().filter(|bar| bar["ph"] == "X").collect();
        let of = |cat: &str| bars.iter().filter(|bar| bar["cat"] == cat).copied().collect::<Vec<_>>();
        let rows: Vec<_> = of("request").iter().map(|bar| bar["tid"].as_u64().unwrap()).collect();
        assert_eq!(rows, [0, 1, 0]);
        assert_eq!((of("stage").len(), of("disk").len()), (30, 3));
        for request in of("request") {
            let own = |bar: &&Value| bar["args"]["sequence"] == request["args"]["sequence"];
            let sum: f64 = of("stage").iter().filter(|bar| own(bar)).map(|bar| bar["dur"].as_f64().unwrap()).sum();
            assert!((sum - request["dur"].as_f64().unwrap()).abs() < 1e-6);
        }
    }
}
