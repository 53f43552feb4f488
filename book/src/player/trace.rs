//! The picture of two real orders on their way through the venue, side by side: the usual one and a slow one, stage by stage.
//!
//! What is drawn is the record `path` itself, so it needs no recording of its own. Each way is drawn over its own whole, for the
//! usual one would be a line beside the slow one; a row at the end has both on one scale.

use crate::html::escape;
use crate::player::frame::{Frame, Part};
use crate::words::Words;
use results::language::Language::English;
use results::units::duration_text;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The step of the still picture: both are through.
pub(super) const STILL: usize = 11;

/// The two orders: their names, and where their ways begin from left to right.
const ORDERS: [(&str, f64); 2] = [("usual", 66.0), ("slow", 236.0)];

/// How wide a whole way is drawn, and that of both on one scale.
const WIDTH: f64 = 108.0;
const ONE_SCALE: f64 = 220.0;

/// The first row's top, the way to the next, and how high a bar is.
const TOP: f64 = 30.0;
const NEXT: f64 = 19.0;
const HIGH: f64 = 12.0;

/// What is always seen of a bar.
const LEAST: f64 = 1.0;

/// An order's moments, in nanoseconds from its first.
struct Order(Vec<u64>);

impl Order {
    fn whole(&self) -> u64 {
        self.0.last().copied().unwrap_or(0).max(1)
    }

    fn took(&self, stage: usize) -> u64 {
        self.0[stage + 1] - self.0[stage]
    }

    /// The stage that took longest.
    fn longest(&self) -> usize {
        (0..self.0.len() - 1).max_by_key(|stage| self.took(*stage)).unwrap_or(0)
    }

    fn part(&self, stage: usize) -> String {
        format!("{:.0}%", 100.0 * self.took(stage) as f64 / self.whole() as f64)
    }
}

/// What the picture needs of the record.
struct Two {
    names: Vec<String>,
    orders: [Order; 2],
    rate: String,
}

impl Two {
    fn of(record: &Value) -> Result<Two, String> {
        let load = &record["loads"][0];
        let stages = load["stages"].as_array().ok_or("the record `path` has no stages")?;
        let names: Vec<String> = stages.iter().filter_map(|stage| Some(stage["name"].as_str()?.to_owned())).collect();
        let order = |name: &str| {
            let moments = serde_json::from_value::<Vec<u64>>(record[name].clone()).map_err(|e| e.to_string())?;
            let is_whole = moments.len() == names.len() + 1 && moments.is_sorted();
            is_whole.then_some(Order(moments)).ok_or_else(|| format!("the moments of `{name}` in `path` are not whole"))
        };
        let orders = [order("usual_ns")?, order("slow_ns")?];
        let rate = load["offered_per_s"].as_f64().ok_or("the record `path` has no rate")?;
        let rate = format!("{},{:03}", rate as u64 / 1_000, rate as u64 % 1_000);
        Ok(Two { names, orders, rate })
    }
}

fn time(ns: u64) -> String {
    duration_text(ns as f64, English)
}

/// The steps: nothing, one for each stage, and the comparison.
pub(super) fn frames(record: &Value, words: &Words) -> Result<Vec<Frame>, String> {
    let two = Two::of(record)?;
    let steps = 0..two.names.len() + 2;
    steps.map(|step| Ok(Frame { said: said(&two, step, words)?, parts: parts(&two, step, words)? })).collect()
}

fn said(two: &Two, step: usize, words: &Words) -> Result<String, String> {
    let [usual, slow] = &two.orders;
    if let Some(stage) = step.checked_sub(1).filter(|stage| *stage < two.names.len()) {
        let name = &*two.names[stage];
        let [usual, slow] = [usual, slow].map(|order| time(order.took(stage)));
        let what = words.get("stages", name)?;
        return words.say("step", "stage", &[("name", name), ("what", what), ("usual", &usual), ("slow", &slow)]);
    }
    let [most, slow_most] = [usual, slow].map(Order::longest);
    let same = if most == slow_most { "same" } else { "other" };
    let (took, slow_took) = (time(usual.whole()), time(slow.whole()));
    let (part, slow_part) = (usual.part(most), slow.part(slow_most));
    let factor = format!("{:.0}", slow.whole() as f64 / usual.whole() as f64);
    let fills = [
        ("rate", &*two.rate),
        ("usual", &took),
        ("slow", &slow_took),
        ("factor", &factor),
        ("stage", &two.names[most]),
        ("part", &part),
        ("slow-stage", &two.names[slow_most]),
        ("slow-part", &slow_part),
    ];
    words.say("step", if step == 0 { "begin" } else { same }, &fills)
}

fn bar(class: &str, from: f64, width: f64, y: f64) -> Part {
    let at = format!("translate({from:.1} {y}) scale({width:.1} 1)");
    Part { class: Some(class.into()), at: Some(at), ..Part::default() }
}

fn parts(two: &Two, step: usize, words: &Words) -> Result<BTreeMap<String, Part>, String> {
    let mut parts = BTreeMap::new();
    let text = |text: String, class: &str| Part { text: Some(text), class: Some(class.into()), ..Part::default() };
    let (count, is_end) = (two.names.len(), step > two.names.len());
    for (stage, name) in two.names.iter().enumerate() {
        let is_now = step == stage + 1;
        parts.insert(format!("stage-{stage}"), text(name.clone(), if is_now { "name accent" } else { "name" }));
    }
    let longest = two.orders.iter().map(Order::whole).max().unwrap_or(1);
    for (order, (name, left)) in two.orders.iter().zip(ORDERS) {
        let scale = WIDTH / order.whole() as f64;
        for stage in 0..count {
            let is_longest = is_end && stage == order.longest();
            let class = match stage + 1 {
                _ if is_longest => "bar longest",
                now if now == step => "bar now",
                _ => "bar",
            };
            let width = if step > stage { (order.took(stage) as f64 * scale).max(LEAST) } else { 0.0 };
            let from = left + (order.0[stage] as f64 * scale).min(WIDTH - LEAST);
            parts.insert(format!("{name}-{stage}"), bar(class, from, width, TOP + NEXT * stage as f64));
            let took = if step > stage { time(order.took(stage)) } else { String::new() };
            parts.insert(format!("{name}-took-{stage}"), text(took, if is_longest { "bad" } else { "soft" }));
        }
        // Where it is after this step, of the whole of the slower one.
        let until = order.0[step.min(count)];
        let row = ORDERS.iter().position(|one| one.0 == name).unwrap_or(0);
        let (width, y) = (ONE_SCALE * until as f64 / longest as f64, one_scale_row(count, row));
        parts
            .insert(format!("{name}-whole"), bar("bar", ORDERS[0].1, if step > 0 { width.max(LEAST) } else { 0.0 }, y));
        let so_far = if step > 0 { time(until) } else { String::new() };
        parts.insert(format!("{name}-so-far"), text(so_far, "name"));
    }
    parts.insert("rate".into(), text(words.say("picture", "rate", &[("rate", &two.rate)])?, ""));
    Ok(parts)
}

/// The top of a row in which both stand on one scale.
fn one_scale_row(stages: usize, row: usize) -> f64 {
    TOP + NEXT * (stages as f64 + 0.6 + row as f64)
}

/// The picture of one step, with the name of each part that another step may change.
pub(super) fn picture(frame: &Frame, words: &Words) -> Result<String, String> {
    let word = |name| words.get("picture", name).map(escape);
    let stages = frame.parts.keys().filter(|name| name.starts_with("stage-")).count();
    let (high, label) = (one_scale_row(stages, 2), word("label")?);
    let mut out =
        format!("<svg viewBox=\"0 0 400 {high:.0}\" role=\"img\" aria-label=\"{label}: {}\">", escape(&frame.said));
    let rect = |out: &mut String, name: &str| {
        let (class, place) = (frame.class(name), frame.place(name));
        let _ = write!(
            out,
            "<rect data-part=\"{name}\" class=\"{class}\" transform=\"{place}\" width=\"1\" height=\"{HIGH}\"/>"
        );
    };
    let text = |out: &mut String, name: &str, x: f64, y: f64, anchor: &str| {
        let (class, said) = (frame.class(name), frame.text(name));
        let _ = write!(
            out,
            "<text data-part=\"{name}\" class=\"{class}\" x=\"{x}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" \
             font-size=\"12\">{said}</text>"
        );
    };
    for (name, left) in ORDERS {
        let _ = write!(out, "<text class=\"name\" x=\"{left}\" y=\"18\">{}</text>", word(name)?);
        for stage in 0..stages {
            rect(&mut out, &format!("{name}-{stage}"));
            let base = TOP + NEXT * stage as f64 + HIGH - 2.0;
            text(&mut out, &format!("{name}-took-{stage}"), left + WIDTH + 52.0, base, "end");
        }
    }
    for stage in 0..stages {
        let base = TOP + NEXT * stage as f64 + HIGH - 2.0;
        text(&mut out, &format!("stage-{stage}"), ORDERS[0].1 - 6.0, base, "end");
    }
    for (row, (name, left)) in ORDERS.into_iter().enumerate() {
        let base = one_scale_row(stages, row) + HIGH - 2.0;
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{base:.1}\" text-anchor=\"end\" font-size=\"12\">{}</text>",
            ORDERS[0].1 - 6.0,
            escape(words.get("picture", &format!("{name}-short"))?)
        );
        rect(&mut out, &format!("{name}-whole"));
        let right = ORDERS[1].1 + WIDTH + 52.0;
        text(&mut out, &format!("{name}-so-far"), right.max(left), base, "end");
    }
    let _ = write!(out, "</svg><ul class=\"legend\"><li data-part=\"rate\">{}</li></ul>", frame.text("rate"));
    Ok(out)
}
