//! The pictures of the time lines: when the disk and the processor were at work, and how long each order waited.
//!
//! Two players show runs of one recording. All runs of a player have the same number of steps, one for each order,
//! and the same scale, so that a reader can switch from one run to another and stay at the same step.

use crate::format::duration;
use crate::player::frame::{Frame, Part};
use crate::player::lanes::{DISK, FIRST, LEFT, NEXT, PROCESSOR, RIGHT, bottom};
use crate::words::Words;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The runs that a player shows: the engine, and how many commands a batch may hold.
type Shown = [(&'static str, Option<usize>)];

/// Taxis, and a bus with more and more seats.
const BATCHES: &Shown = &[("0x01", None), ("0x03", Some(1)), ("0x03", Some(4)), ("0x03", Some(12))];

/// Taxis, a bus, and the disk beside the processor.
const AT_ONCE: &Shown = &[("0x01", None), ("0x03", Some(4)), ("0x06", None)];

/// The step of both still pictures: the end of the third run.
pub(super) const STILL: usize = 41;

/// The narrowest mark of the processor.
const MARK: f64 = 2.0;

/// The most lines of the scale.
const TICKS: u64 = 6;

/// From its begin to its end, in nanoseconds after the first order was due.
type Span = (u64, u64);

/// A whole run.
#[derive(Debug, Deserialize)]
struct Run {
    engine: String,
    batch_max: Option<usize>,
    interval_ns: u64,
    orders: Vec<Order>,
    frames: Vec<Journaled>,
}

/// When an order came, when the engine received it, when it was applied and acknowledged.
#[derive(Debug, Deserialize)]
struct Order {
    came: u64,
    taken: u64,
    applied: Span,
    acknowledged: u64,
}

/// A frame of the log: how many orders, when it was written, and when it was synced.
#[derive(Debug, Deserialize)]
struct Journaled {
    orders: usize,
    written: Span,
    synced: Span,
}

/// What the runs of a player share.
struct Scale {
    /// When the last order of the longest run was acknowledged.
    end: u64,
    gap: u64,
    machine: String,
}

/// The steps of the player on the page of 0x03.
pub(super) fn batches(recording: &Value, words: &Words) -> Result<Vec<Frame>, String> {
    frames(recording, BATCHES, words)
}

/// The steps of the player on the page of 0x06.
pub(super) fn at_once(recording: &Value, words: &Words) -> Result<Vec<Frame>, String> {
    frames(recording, AT_ONCE, words)
}

fn frames(recording: &Value, shown: &Shown, words: &Words) -> Result<Vec<Frame>, String> {
    let steps = &recording["steps"];
    let mut runs: Vec<Run> = serde_json::from_value(steps["runs"].clone()).map_err(|e| e.to_string())?;
    runs.retain(|run| shown.contains(&(&*run.engine, run.batch_max)));
    let ends = runs.iter().filter_map(|run| Some(run.orders.last()?.acknowledged));
    let end = ends.max().filter(|_| runs.len() == shown.len()).ok_or("the recording lacks a run")?;
    let gap = steps["gap_ns"].as_u64().ok_or("the recording does not say how the orders came")?;
    let scale = Scale { end, gap, machine: steps["machine"].as_str().unwrap_or_default().to_owned() };
    let mut frames = Vec::new();
    for run in &runs {
        run.check()?;
        for step in 0..=run.orders.len() {
            frames.push(Frame { said: said(run, step, &scale, words)?, parts: parts(run, step, &scale, words)? });
        }
    }
    Ok(frames)
}

impl Run {
    /// The frame that an order is in: its place, and that of its first order.
    fn frame_of(&self, order: usize) -> Result<(usize, usize), String> {
        let mut first = 0;
        for (at, frame) in self.frames.iter().enumerate() {
            if order < first + frame.orders {
                return Ok((at, first));
            }
            first += frame.orders;
        }
        Err(format!("order {} of {} is in no frame", order + 1, self.engine))
    }

    /// Checks the promise that every picture here has to show.
    fn check(&self) -> Result<(), String> {
        for (at, order) in self.orders.iter().enumerate() {
            if order.acknowledged < self.frames[self.frame_of(at)?.0].synced.1 {
                return Err(format!("order {} of {} is acknowledged before its sync returned", at + 1, self.engine));
            }
        }
        Ok(())
    }

    /// The group of its words.
    fn group(&self) -> &'static str {
        match &*self.engine {
            "0x01" => "naive",
            "0x03" => "batch",
            _ => "ring",
        }
    }

    /// The moment that a step shows: nothing has happened, or its order was just acknowledged.
    fn moment(&self, step: usize) -> Option<u64> {
        Some(self.orders.get(step.checked_sub(1)?)?.acknowledged)
    }
}

/// A time for people, with two digits.
fn time(ns: u64) -> String {
    if ns == 0 { "0".into() } else { duration(ns as f64, 2) }
}

fn said(run: &Run, step: usize, scale: &Scale, words: &Words) -> Result<String, String> {
    let (last, group) = (run.orders.len() - 1, run.group());
    let k = run.batch_max.unwrap_or_default();
    let Some(at) = step.checked_sub(1) else {
        let fills = [
            ("orders", last.to_string()),
            ("lone", run.orders.len().to_string()),
            ("k", k.to_string()),
            ("gap", time(scale.gap)),
            ("interval", time(run.interval_ns)),
        ];
        return fill(words, group, if k == 1 { "begins-one" } else { "begins" }, &fills);
    };
    let (frame, first) = run.frame_of(at)?;
    let (order, Journaled { orders: count, written, synced }) = (&run.orders[at], &run.frames[frame]);
    let fills = [
        ("order", step.to_string()),
        ("came", time(order.came)),
        ("waited", time(order.taken.saturating_sub(order.came))),
        ("gathering", time(written.0.saturating_sub(order.taken))),
        ("sync", time(synced.1 - synced.0)),
        ("apply", time(order.applied.1 - order.applied.0)),
        ("behind", time(order.applied.1.saturating_sub(synced.1))),
        ("latency", time(order.acknowledged - order.came)),
        ("count", count.to_string()),
        ("first", (first + 1).to_string()),
        ("last", (first + count).to_string()),
    ];
    // One thread is at the disk with an earlier frame: an order that arrives has to wait.
    let is_late = group != "ring" && frame > 0 && run.frames[frame - 1].synced.1 > order.came;
    let came = match (at == last, is_late) {
        (true, _) => "alone",
        (false, true) => "late",
        (false, false) => "comes",
    };
    let goes = match group {
        "naive" => "own",
        "ring" => "found",
        _ if k == 1 => "single",
        _ if *count < k => "timed",
        _ if first + count == step => "fills",
        _ => "joins",
    };
    let disk = if *count == 1 { "one" } else { "many" };
    let came = fill(words, "order", came, &fills)?;
    let goes = fill(words, group, goes, &fills)?;
    let disk = fill(words, if group == "ring" { "ring" } else { "order" }, disk, &fills)?;
    fill(words, "order", "joined", &[("came", came), ("goes", goes), ("disk", disk)])
}

fn fill(words: &Words, group: &str, key: &str, fills: &[(&str, String)]) -> Result<String, String> {
    let fills: Vec<_> = fills.iter().map(|(name, value)| (*name, &**value)).collect();
    words.say(group, key, &fills)
}

impl Scale {
    fn x(&self, moment: u64) -> f64 {
        LEFT + (RIGHT - LEFT) * moment as f64 / self.end as f64
    }

    /// A bar over a span, with a minimum width; the picture's bar is one unit wide.
    fn bar(&self, class: String, (from, to): Span, top: f64, least: f64) -> Part {
        let (end, width) = (self.x(to), (self.x(to) - self.x(from)).max(least));
        let at = format!("translate({:.1} {top}) scale({width:.1} 1)", end - width);
        Part { class: Some(class), at: Some(at), ..Part::default() }
    }

    /// The lines of the scale: their times.
    fn ticks(&self) -> impl Iterator<Item = u64> {
        let decades = (0..12).flat_map(|zeros| [1, 2, 5].map(|digit| digit * 10_u64.pow(zeros)));
        let apart = decades.into_iter().find(|apart| self.end / apart < TICKS).unwrap_or(self.end);
        (0..TICKS).map(move |tick| tick * apart).filter(|moment| *moment <= self.end)
    }
}

fn text(text: String) -> Part {
    Part { text: Some(text), ..Part::default() }
}

fn parts(run: &Run, step: usize, scale: &Scale, words: &Words) -> Result<BTreeMap<String, Part>, String> {
    let mut parts = BTreeMap::new();
    let moment = run.moment(step);
    let is_past = |at: u64| moment.is_some_and(|moment| at <= moment);
    let marked = step.checked_sub(1).map(|order| run.frame_of(order)).transpose()?.map(|(frame, _)| frame);
    let look = |kind: &str, begin: u64, is_marked: bool| {
        let state = if is_marked { " now" } else { "" };
        format!("bar {kind}{}", if is_past(begin) { state } else { " later" })
    };
    for at in 0..run.orders.len() {
        let none = Part { class: Some("bar later".into()), at: Some("scale(0)".into()), ..Part::default() };
        let [mut disk, mut write] = [none.clone(), none];
        if let Some(Journaled { written, synced, .. }) = run.frames.get(at) {
            disk = scale.bar(look("disk", synced.0, marked == Some(at)), *synced, DISK, 0.0);
            write = scale.bar(look("write", written.0, false), *written, PROCESSOR, MARK);
        }
        parts.insert(format!("disk-{at}"), disk);
        parts.insert(format!("write-{at}"), write);
    }
    for (at, order) in run.orders.iter().enumerate() {
        let (top, is_now) = (FIRST + NEXT * at as f64, step == at + 1);
        let Order { came, applied, acknowledged, .. } = *order;
        let synced = run.frames[run.frame_of(at)?.0].synced;
        let (apply, sync) = (look("apply", applied.0, false), look("disk", synced.0, false));
        parts.insert(format!("apply-{at}"), scale.bar(apply.clone(), applied, PROCESSOR, MARK));
        parts.insert(format!("wait-{at}"), scale.bar(look("wait", came, is_now), (came, acknowledged), top, 0.0));
        parts.insert(format!("sync-{at}"), scale.bar(sync, synced, top, 0.0));
        parts.insert(format!("done-{at}"), scale.bar(apply, applied, top, MARK));
        let latency = if is_past(acknowledged) { time(acknowledged - came) } else { String::new() };
        let place = format!("translate({:.1} {})", scale.x(acknowledged) + 6.0, top + 10.0);
        parts.insert(format!("latency-{at}"), Part { at: Some(place), ..text(latency) });
        let class = if is_now { "accent" } else { "soft" };
        parts.insert(format!("number-{at}"), Part { class: Some(class.into()), ..text((at + 1).to_string()) });
    }
    parts.extend(facts(run, moment, scale, words)?);
    Ok(parts)
}

/// The scale of time, and the facts beside the lanes.
fn facts(run: &Run, moment: Option<u64>, scale: &Scale, words: &Words) -> Result<Vec<(String, Part)>, String> {
    let is_past = |at: u64| moment.is_some_and(|moment| at <= moment);
    let mut parts = Vec::new();
    for (at, tick) in scale.ticks().enumerate() {
        let place = |y: f64| Some(format!("translate({:.1} {y})", scale.x(tick)));
        parts.push((format!("tick-{at}"), Part { at: place(bottom(run.orders.len()) + 15.0), ..text(time(tick)) }));
        parts.push((format!("line-{at}"), Part { at: place(DISK - 6.0), ..Part::default() }));
    }
    let busy = |spans: Vec<Span>| time(spans.iter().filter(|span| is_past(span.1)).map(|(from, to)| to - from).sum());
    let written = run.frames.iter().map(|frame| frame.written);
    let at_work = written.chain(run.orders.iter().map(|order| order.applied)).collect();
    let synced: Vec<Span> = run.frames.iter().map(|frame| frame.synced).collect();
    let answered = run.orders.iter().filter(|order| is_past(order.acknowledged));
    let longest = answered.map(|order| order.acknowledged - order.came).max().unwrap_or(0);
    let k = run.batch_max.unwrap_or_default().to_string();
    let least = (scale.end as f64 * MARK / (RIGHT - LEFT)) as u64;
    let told = [
        ("run", words.say(run.group(), "name", &[("k", &k)])?),
        ("syncs", synced.iter().filter(|span| is_past(span.1)).count().to_string()),
        ("disk", busy(synced)),
        ("processor", busy(at_work)),
        ("longest", time(longest)),
        ("least", words.say("picture", "least", &[("least", &time(least))])?),
        ("machine", words.say("picture", "machine", &[("machine", &scale.machine)])?),
    ];
    parts.extend(told.map(|(name, told)| (name.to_owned(), text(told))));
    Ok(parts)
}
