//! The picture of two books side by side: the cells of 0x01's and of 0x05's, and which of them a command has read and
//! written.

mod layout;

use crate::html::escape;
use crate::player::frame::{Frame, Part};
use crate::words::Words;
use layout::{Spot, spots};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The step of the still picture: an order leaves the middle of its queue.
pub(super) const STILL: usize = 6;

/// The engines, as their parts are named here.
const ENGINES: [&str; 2] = ["naive", "array"];

/// The picture of one engine: its width and height.
const SIZE: (f64, f64) = (340.0, 338.0);

/// A command, its numbers, and what it touched in each engine.
#[derive(Debug, Deserialize)]
struct Step {
    does: String,
    detail: Detail,
    engines: [Engine; 2],
}

#[derive(Debug, Deserialize)]
struct Detail {
    #[serde(default)]
    order: u64,
    /// In YES cents.
    #[serde(default)]
    price: u64,
    #[serde(default)]
    quantity: u64,
    fills: Vec<Fill>,
}

#[derive(Debug, Deserialize)]
struct Fill {
    maker: u64,
    quantity: u64,
}

/// What was touched, and the contents of every cell afterwards.
#[derive(Debug, Deserialize)]
struct Engine {
    read: BTreeSet<String>,
    written: BTreeSet<String>,
    lines: u64,
    so_far: u64,
    different: u64,
    holds: BTreeMap<String, String>,
}

/// The steps of a recording.
pub(super) fn frames(recording: &Value, words: &Words) -> Result<Vec<Frame>, String> {
    let steps: Vec<Step> = serde_json::from_value(recording["steps"].clone()).map_err(|e| e.to_string())?;
    steps.iter().map(|step| Ok(Frame { said: said(step, words)?, parts: parts(step, words)? })).collect()
}

fn said(step: &Step, words: &Words) -> Result<String, String> {
    let Detail { order, price, quantity, fills } = &step.detail;
    let [naive, array] = &step.engines;
    let elements = naive.read.iter().filter(|cell| cell.contains("-element-")).count() as u64;
    let mut numbers = vec![
        ("order", *order),
        ("price", *price),
        ("level", 100_u64.saturating_sub(*price)),
        ("quantity", *quantity),
        ("elements", elements),
        ("naive", naive.lines),
        ("array", array.lines),
        ("naive-all", naive.so_far),
        ("array-all", array.so_far),
        ("naive-different", naive.different),
        ("array-different", array.different),
    ];
    for (fill, [maker, taken]) in fills.iter().zip([["maker", "taken"], ["other", "other-taken"]]) {
        numbers.extend([(maker, fill.maker), (taken, fill.quantity)]);
    }
    let numbers: Vec<(&str, String)> = numbers.into_iter().map(|(name, number)| (name, number.to_string())).collect();
    let fills: Vec<(&str, &str)> = numbers.iter().map(|(name, number)| (*name, &**number)).collect();
    words.say("step", &step.does, &fills)
}

fn parts(step: &Step, words: &Words) -> Result<BTreeMap<String, Part>, String> {
    let mut parts = BTreeMap::new();
    for (name, engine) in ENGINES.iter().zip(&step.engines) {
        let spots = spots(name);
        let [read, written] = [&engine.read, &engine.written].map(|cells| drawn(cells, &spots));
        let (read, written) = (read?, written?);
        for Spot { cell, .. } in &spots {
            let class = match (read.contains(cell), written.contains(cell)) {
                (false, false) => "box",
                (true, false) => "box-accent read",
                (false, true) => "box-good at-disk",
                (true, true) => "box-good at-disk read",
            };
            parts.insert(format!("{name}-{cell}-box"), Part { class: Some(class.into()), ..Part::default() });
            let mut shown = shown(cell, engine.holds.get(cell).map_or("–", |holds| holds), words)?.into_iter();
            let class = if is_left(cell, &engine.holds) { "soft" } else { "" };
            let text = |text| Part { class: Some(class.into()), text: Some(text), at: None };
            parts.insert(format!("{name}-{cell}"), text(shown.next().unwrap_or_default()));
            parts.extend(shown.next().map(|links| (format!("{name}-{cell}-links"), text(links))));
        }
        let counts = [("lines", engine.lines), ("so-far", engine.so_far), ("different", engine.different)];
        let text = |text| Part { text: Some(text), ..Part::default() };
        parts.extend(counts.map(|(count, number)| (format!("{name}-{count}"), text(number.to_string()))));
    }
    Ok(parts)
}

/// The cells as drawn. A freed queue is one cell; a queue's header in a tree's node stays in its node.
fn drawn(cells: &BTreeSet<String>, spots: &[Spot]) -> Result<BTreeSet<String>, String> {
    let at = |cell: &String| {
        let spot = match cell.strip_prefix("gone-") {
            Some(gone) if gone.contains("-element-") => "gone",
            Some(gone) => gone,
            None => cell,
        };
        let is_drawn = spots.iter().any(|other| other.cell == spot);
        is_drawn.then(|| spot.to_owned()).ok_or_else(|| format!("`{cell}` was touched, but it is not in the picture"))
    };
    cells.iter().map(at).collect()
}

/// Whether a cell is a node whose slot is free: no place of the id table leads there, directly or by
/// links.
fn is_left(cell: &str, holds: &BTreeMap<String, String>) -> bool {
    let Some(slot) = cell.strip_prefix("node-") else { return false };
    let link = |slot: &str| holds.get(&format!("node-{slot}")).and_then(|node| node.rsplit(' ').next());
    let mut heads = holds.iter().filter(|(name, _)| name.starts_with("place-")).map(|(_, first)| first.as_str());
    // No list is longer than there are nodes.
    !heads
        .any(|first| std::iter::successors(Some(first), |slot| link(slot)).take(holds.len()).any(|other| other == slot))
}

/// What a cell shows: a line of text, for a node two.
fn shown(cell: &str, holds: &str, words: &Words) -> Result<Vec<String>, String> {
    let fields: Vec<&str> = holds.split(' ').collect();
    let said = |key: &str, fills: &[(&str, &str)]| Ok(vec![words.say("cell", key, fills)?]);
    if holds == "–" && cell != "gone" {
        return Ok(vec!["–".into()]);
    }
    match (cell.rsplit('-').next().unwrap_or_default(), fields.as_slice()) {
        ("bids" | "asks", [levels, ..]) => said("levels", &[("levels", levels)]),
        ("count", [count]) => said("count", &[("count", count)]),
        ("queue", [elements, _, _, _, _, room]) => said("queue", &[("orders", elements), ("room", room)]),
        ("map", [orders, _, places]) => said("map", &[("orders", orders), ("places", places)]),
        ("bits", [bits]) => said("bits", &[("bits", &set(bits))]),
        (key @ ("best" | "free" | "table"), [number]) => said(key, &[("number", number)]),
        (key @ ("marks" | "gone" | "slab" | "chunks" | "slots"), _) => said(key, &[]),
        (_, [first, last]) if cell.starts_with("bids") || cell.starts_with("asks") => {
            Ok(vec![format!("{first} … {last}")])
        }
        (_, [id]) if cell.contains("element") => Ok(vec![format!("#{id}")]),
        (_, [id, quantity]) => Ok(vec![format!("#{id} × {quantity}")]),
        (slot, ["0", "0", ..]) => Ok(vec![format!("{slot}: –"), String::new()]),
        (slot, [id, quantity, previous, next, link]) => {
            Ok(vec![format!("{slot}: #{id} × {quantity}"), format!("←{previous} →{next} ↳{link}")])
        }
        (_, [number]) => Ok(vec![(*number).to_owned()]),
        _ => Err(format!("there is no way to show `{holds}` in `{cell}`")),
    }
}

/// The numbers of the bits that are set, the highest first.
fn set(bits: &str) -> String {
    let highest = bits.len().saturating_sub(1);
    let set: Vec<String> =
        bits.chars().enumerate().filter(|(_, bit)| *bit == '1').map(|(at, _)| (highest - at).to_string()).collect();
    if set.is_empty() { "–".into() } else { set.join(" ") }
}

/// The picture of one step, with the name of each part that another step may change.
pub(super) fn picture(frame: &Frame, words: &Words) -> Result<String, String> {
    let word = |name: &str| words.get("picture", name).map(escape);
    let mut out = String::new();
    for name in ENGINES {
        let title = word(name)?;
        // The first picture's label describes the step for both.
        let label =
            if name == ENGINES[0] { format!("{}: {}", word("label")?, escape(&frame.said)) } else { title.clone() };
        let (width, height) = SIZE;
        let _ = write!(
            out,
            "<div><svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{label}\">\
             <text x=\"2\" y=\"14\">{title}</text>"
        );
        for layout::Label { x, y, text, is_word } in layout::labels(name) {
            let text = if is_word { word(&text)? } else { text };
            let _ = write!(out, "<text class=\"soft\" x=\"{x}\" y=\"{y}\" font-size=\"12\">{text}</text>");
        }
        spots(name).iter().for_each(|spot| draw(&mut out, frame, name, spot));
        out.push_str("</svg><dl class=\"facts\">");
        for count in ["lines", "so-far", "different"] {
            let part = format!("{name}-{count}");
            let _ =
                write!(out, "<div><dt>{}</dt><dd data-part=\"{part}\">{}</dd></div>", word(count)?, frame.text(&part));
        }
        out.push_str("</dl></div>");
    }
    out.push_str("<ul class=\"legend\">");
    for (name, class) in
        [("read", "box-accent read"), ("written", "box-good at-disk"), ("both", "box-good at-disk read")]
    {
        let _ = write!(out, "<li><i class=\"{class}\"></i> {}</li>", word(name)?);
    }
    let _ = write!(out, "<li>{}</li></ul>", word("signs")?);
    Ok(out)
}

/// A cell's box with its text.
fn draw(out: &mut String, frame: &Frame, engine: &str, spot: &Spot) {
    let Spot { cell, x, y, width, height } = spot;
    let part = format!("{engine}-{cell}");
    let (class, middle, links) = (frame.class(&format!("{part}-box")), x + width / 2.0, format!("{part}-links"));
    let _ = write!(
        out,
        "<rect data-part=\"{part}-box\" class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>"
    );
    let lines = [(&part, 15.0), (&links, 30.0)];
    for (part, below) in lines.into_iter().filter(|(part, _)| frame.parts.contains_key(*part)) {
        let _ = write!(
            out,
            "<text data-part=\"{part}\" class=\"{}\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" font-size=\"12\">{}</text>",
            frame.class(part),
            y + below,
            frame.text(part)
        );
    }
}
