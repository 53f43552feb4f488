//! Requests as a timeline that Perfetto and Chrome open: the JSON of the Trace Event Format.
//!
//! Each request is a bar with its stages below it. Requests that were under way at the same time stand in different rows. One more
//! row shows the syncs that they waited for. Above them stand the orders as their client saw them, from due to received: client
//! and venue run on one machine, and read one clock. Where they do not, no order is [joined](Ways::join) and none stands there.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::http::{PathReport, Request};
use crate::notices::{NAMES as NAMED, Notice};
use crate::stage::{MOMENTS, Moment, NAMES};
use crate::way::{PARTS, Ways};

/// The process of the client's orders, that of the requests, that of the disk, and that of the notices.
const CLIENT: u32 = 1;
const REQUESTS: u32 = 2;
const DISK: u32 = 3;
const NOTICES: u32 = 4;

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

/// The sampled requests of a venue as one file, and the orders that the client knows as well.
pub fn timeline(report: &PathReport, ways: &Ways) -> String {
    let mut requests: Vec<&Request> = report.sampled.iter().collect();
    requests.sort_by_key(|request| request.at_ns[0]);
    let firsts = requests.iter().map(|request| request.at_ns[0]).chain(ways.sampled.iter().map(|way| way.at_ns[0]));
    let begin = firsts.min().unwrap_or(0);
    let us = |ns: u64| (ns - begin.min(ns)) as f64 / 1e3;
    let known = ways.by_number();
    let (mut rows, mut bars) = (Vec::new(), orders(ways, us));
    let mut syncs = BTreeMap::new();
    for request in requests {
        // With the client's word for when its answer was written at the latest.
        let at_ns = known.get(&(request.shard, request.sequence)).map_or(request.at_ns, |way| way.venue());
        let (from, to) = (at_ns[0], at_ns[MOMENTS - 1]);
        let row = row(&mut rows, from, to);
        let args = BTreeMap::from([("sequence", request.sequence), ("shard", request.shard.into())]);
        let mut bar = |name: &str, cat, from: u64, to: u64| {
            let (ts, dur, args) = (us(from), (to - from) as f64 / 1e3, args.clone());
            bars.push(Bar { name: name.into(), cat, ph: "X", ts, dur, pid: REQUESTS, tid: row, args });
        };
        bar(&format!("command {}", request.sequence), "request", from, to);
        for (name, moments) in NAMES.iter().zip(at_ns.windows(2)) {
            bar(name, "stage", moments[0], moments[1]);
        }
        let [sealed, synced] = [Moment::Sealed, Moment::Synced].map(|moment| at_ns[moment as usize]);
        *syncs.entry((request.shard, sealed, synced)).or_insert(0) += 1;
    }
    for ((shard, sealed, synced), sampled) in syncs {
        let (ts, dur, args) = (us(sealed), (synced - sealed) as f64 / 1e3, BTreeMap::from([("sampled", sampled)]));
        let name = "sync".to_owned();
        bars.push(Bar { name, cat: "disk", ph: "X", ts, dur, pid: DISK, tid: usize::from(shard), args });
    }
    bars.extend(notices(report, us));
    let name = |pid, name| Name { name: "process_name", ph: "M", pid, args: BTreeMap::from([("name", name)]) };
    let names = [(CLIENT, "client"), (REQUESTS, "requests"), (DISK, "disk"), (NOTICES, "notices")];
    let names = names.map(|(pid, words)| name(pid, words));
    // Numbers and words: nothing here can fail.
    let events = [serde_json::to_string(&names), serde_json::to_string(&bars)].map(Result::unwrap_or_default);
    let [names, bars] = events.each_ref().map(|list| list.trim_matches(['[', ']']));
    let separator = if bars.is_empty() { "" } else { ",\n" };
    format!("{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{names}{separator}{bars}\n]}}\n")
}

/// The orders as their client saw them, each with the parts of its way.
fn orders(ways: &Ways, us: impl Fn(u64) -> f64) -> Vec<Bar> {
    let mut sampled: Vec<_> = ways.sampled.iter().collect();
    sampled.sort_by_key(|way| way.at_ns[0]);
    let (mut rows, mut bars) = (Vec::new(), Vec::new());
    for way in sampled {
        let (mut from, whole) = (way.at_ns[0], way.whole_ns());
        let tid = row(&mut rows, from, from + whole);
        let args = BTreeMap::from([("sequence", way.sequence), ("shard", way.shard.into())]);
        let mut bar = |name: String, cat, from: u64, ns: u64| {
            let (ts, dur, args) = (us(from), ns as f64 / 1e3, args.clone());
            bars.push(Bar { name, cat, ph: "X", ts, dur, pid: CLIENT, tid, args });
        };
        bar(format!("order {}", way.sequence), "order", from, whole);
        for (name, ns) in PARTS.into_iter().zip(way.parts()) {
            bar(name.to_owned(), "part", from, ns);
            from += ns;
        }
    }
    bars
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
    use crate::way::Way;

    /// A file's bars of this kind.
    fn of<'a>(file: &'a Value, cat: &str) -> Vec<&'a Value> {
        file["traceEvents"].as_array().unwrap().iter().filter(|bar| bar["cat"] == cat).collect()
    }

    /// Three requests, of which the client knows these.
    fn file(ways: &Ways) -> Value {
        let collector = Collector::new(1, u64::MAX);
        for start in [1_000, 2_000, 50_000] {
            let at = std::array::from_fn(|moment| start + 1_000 * moment as u64);
            let ticket = Some(market::Ticket { shard: 0, sequence: market::Sequence(start) });
            collector.finish(&Stamps { at, ticket, id: 0 }, true);
        }
        let frames = vec![std::sync::Arc::<Frames>::default()];
        let (syncs, snapshots, responses, notices, told) = Default::default();
        let shared = Shared { frames, collector, syncs, snapshots, responses, notices, told };
        serde_json::from_str(&timeline(&PathReport::of(&shared), ways)).expect("JSON")
    }

    #[test]
    fn requests_at_the_same_time_stand_in_different_rows_and_stages_below_their_request() {
        let file = file(&Ways::default());
        let rows: Vec<_> = of(&file, "request").iter().map(|bar| bar["tid"].as_u64().unwrap()).collect();
        assert_eq!(rows, [0, 1, 0]);
        assert_eq!((of(&file, "stage").len(), of(&file, "disk").len(), of(&file, "order").len()), (30, 3, 0));
        for request in of(&file, "request") {
            let own = |bar: &&&Value| bar["args"]["sequence"] == request["args"]["sequence"];
            let stages = of(&file, "stage");
            let sum: f64 = stages.iter().filter(own).map(|bar| bar["dur"].as_f64().unwrap()).sum();
            assert!((sum - request["dur"].as_f64().unwrap()).abs() < 1e-6);
        }
    }

    #[test]
    fn an_order_stands_around_its_request_on_the_same_clock() {
        // Due 900 ns before it is read, and received half a stage before the venue noted that it was written.
        let mut at_ns = std::array::from_fn(|moment| 50_000 + 1_000 * moment.saturating_sub(2) as u64);
        (at_ns[0], at_ns[1], at_ns[12], at_ns[13]) = (49_100, 49_700, 59_500, 59_500);
        let file = file(&Ways { sampled: vec![Way { shard: 0, sequence: 50_000, at_ns }], slowest: Vec::new() });
        let spans = |cat: &str| -> Vec<(f64, f64)> {
            let span = |bar: &Value| (bar["ts"].as_f64().unwrap(), bar["dur"].as_f64().unwrap());
            of(&file, cat).into_iter().map(span).collect()
        };
        // From the first request, which was read at 1,000 ns.
        assert_eq!(spans("order"), [(48.1, 10.4)]);
        assert_eq!(spans("part"), [(48.1, 0.6), (48.7, 0.3), (49.0, 9.5), (58.5, 0.0)]);
        assert_eq!(spans("request")[2], (49.0, 9.5), "what the client has read is written");
        assert_eq!(spans("stage")[29], (58.0, 0.5));
    }
}
