//! The picture of a slate and two readers: for each price, what is on the slate, what each reader has, and which
//! prices each has missed.

use crate::html::escape;
use crate::player::frame::{Frame, Part};
use crate::words::Words;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The step of the still picture: five changes at one price, and the slow reader has taken none of them.
pub(super) const STILL: usize = 11;

/// The rows, each with the top of its boxes.
const ROWS: [(&str, f64); 3] = [("slate", 48.0), ("fast", 140.0), ("slow", 212.0)];

/// A box's width and height, the place of the first, and the distance from one to the next.
const BOX: (f64, f64) = (51.0, 28.0);
const FIRST: f64 = 8.0;
const NEXT: f64 = 55.0;

/// What a step did, and the state after it. Amounts are in shares, asks negative.
#[derive(Debug, Deserialize)]
struct Step {
    who: String,
    does: String,
    detail: Detail,
    slate: Slate,
    watchers: [Watcher; 2],
    changes: u64,
}

/// What was published or taken.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Detail {
    /// How many prices.
    prices: u64,
    /// The price in question, in cents, with its amounts before and after.
    price: u64,
    was: i64,
    now: i64,
    whole: bool,
    bytes: u64,
    /// The version that the reader had, how many were published since, and in how many of them `price`
    /// changed.
    from: u64,
    versions: u64,
    most: u64,
    taken: Vec<bool>,
}

#[derive(Debug, Deserialize)]
struct Slate {
    epoch: u64,
    version: u64,
    fresh: bool,
    amounts: Vec<i64>,
    changed: Vec<u64>,
}

#[derive(Debug, Deserialize)]
struct Watcher {
    epoch: u64,
    version: u64,
    amounts: Vec<i64>,
    missed: Vec<bool>,
    misses: u64,
    fresh: bool,
    told: u64,
}

/// The steps of a recording.
pub(super) fn frames(recording: &Value, words: &Words) -> Result<Vec<Frame>, String> {
    let steps: Vec<Step> = serde_json::from_value(recording["steps"].clone()).map_err(|e| e.to_string())?;
    let prices: Vec<u64> = serde_json::from_value(recording["prices"].clone()).map_err(|e| e.to_string())?;
    let frame = |step: &Step| {
        let mut parts = parts(step, words)?;
        for (at, price) in prices.iter().enumerate() {
            parts.insert(format!("price-{at}"), text(price.to_string()));
        }
        Ok(Frame { said: said(step, words)?, parts })
    };
    steps.iter().map(frame).collect()
}

fn said(step: &Step, words: &Words) -> Result<String, String> {
    let Detail { prices, price, was, now, whole, bytes, from, versions, most, .. } = step.detail;
    let key = match &*step.does {
        "takes" if whole && from > 0 => "takes-anew",
        "takes" if whole => "takes-all",
        "takes" if !step.slate.fresh && prices == 0 => "takes-mark",
        "takes" if !step.slate.fresh => "takes-stale",
        "takes" if most > 1 => "takes-over",
        does => does,
    };
    let Slate { epoch, version, .. } = step.slate;
    let numbers = [
        ("prices", prices),
        ("price", price),
        ("bytes", bytes),
        ("from", from),
        ("versions", versions),
        ("changes", most),
        ("epoch", epoch),
        ("version", version),
        ("misses", step.watchers[1].misses),
    ];
    let numbers = numbers.map(|(name, number)| (name, number.to_string()));
    let amounts = [("was", was), ("now", now)].map(|(name, amount)| (name, signed(amount)));
    let fills: Vec<(&str, &str)> = numbers.iter().chain(&amounts).map(|(name, value)| (*name, &**value)).collect();
    words.say(&step.who, key, &fills)
}

/// Bids with a plus, asks with a minus.
fn signed(amount: i64) -> String {
    match amount {
        0 => "0".into(),
        bid @ 1.. => format!("+{bid}"),
        ask => format!("−{}", ask.unsigned_abs()),
    }
}

fn text(text: String) -> Part {
    Part { text: Some(text), ..Part::default() }
}

fn parts(step: &Step, words: &Words) -> Result<BTreeMap<String, Part>, String> {
    let mut parts = BTreeMap::new();
    let rows = [&step.slate.amounts, &step.watchers[0].amounts, &step.watchers[1].amounts];
    for ((row, _), amounts) in ROWS.iter().zip(rows) {
        for (at, &amount) in amounts.iter().enumerate() {
            parts.insert(format!("{row}-{at}"), text(signed(amount)));
            parts.insert(format!("{row}-box-{at}"), Part { class: Some(look(step, row, at)), ..Part::default() });
        }
    }
    for (at, version) in step.slate.changed.iter().enumerate() {
        let said = words.say("picture", "changed", &[("version", &version.to_string())])?;
        parts.insert(format!("changed-{at}"), text(said));
    }
    let title = |row: &str, epoch: u64, version: u64, fresh: bool| {
        let fills = [("epoch", &*epoch.to_string()), ("version", &*version.to_string())];
        let state = match (version, fresh) {
            (0, _) => "nothing",
            (_, true) => "has",
            (_, false) => "stale",
        };
        let said = format!("{}{}", words.get("picture", row)?, words.say("picture", state, &fills)?);
        let class = Some(if fresh || version == 0 { "name" } else { "name bad" }.to_owned());
        Ok::<_, String>(Part { class, ..text(said) })
    };
    let Slate { epoch, version, fresh, .. } = step.slate;
    parts.insert("slate-title".into(), title("slate", epoch, version, fresh)?);
    for ((row, _), watcher) in ROWS[1..].iter().zip(&step.watchers) {
        let Watcher { epoch, version, misses, told, fresh, .. } = *watcher;
        parts.insert(format!("{row}-title"), title(row, epoch, version, fresh)?);
        let misses = words.say("picture", "misses", &[("misses", &misses.to_string())])?;
        parts.insert(format!("{row}-misses"), text(misses));
        parts.insert(format!("{row}-told"), text(told.to_string()));
    }
    parts.insert("changes".into(), text(step.changes.to_string()));
    Ok(parts)
}

/// How the box of a price looks: just published or taken, missed, or neither.
fn look(step: &Step, row: &str, at: usize) -> String {
    let watcher = match row {
        "fast" => &step.watchers[0],
        "slow" => &step.watchers[1],
        _ => {
            let is_new = step.who == "feed" && step.detail.prices > 0 && step.slate.changed[at] == step.slate.version;
            return if is_new { "box-good at-disk" } else { "box" }.into();
        }
    };
    let is_taken = step.who == row && step.detail.taken.get(at) == Some(&true);
    match (is_taken, watcher.missed.get(at) == Some(&true)) {
        (true, _) => "box-good at-disk",
        (false, true) => "box-accent",
        (false, false) => "box",
    }
    .into()
}

/// The picture of one step, with the name of each part that another step may change.
pub(super) fn picture(frame: &Frame, words: &Words) -> Result<String, String> {
    let label = escape(words.get("picture", "label")?);
    let mut out = format!("<svg viewBox=\"0 0 400 248\" role=\"img\" aria-label=\"{label}: {}\">", escape(&frame.said));
    let prices = frame.parts.keys().filter(|name| name.starts_with("price-")).count();
    for (row, top) in ROWS {
        let title = format!("{row}-title");
        let (class, y) = (frame.class(&title), if row == "slate" { 16.0 } else { top - 9.0 });
        let _ = write!(
            out,
            "<text data-part=\"{title}\" class=\"{class}\" x=\"{FIRST}\" y=\"{y}\">{}</text>",
            frame.text(&title)
        );
        if row != "slate" {
            let _ = write!(
                out,
                "<text data-part=\"{row}-misses\" x=\"389\" y=\"{y}\" text-anchor=\"end\">{}</text>",
                frame.text(&format!("{row}-misses"))
            );
        }
        for at in 0..prices {
            let (name, look, x) = (format!("{row}-{at}"), format!("{row}-box-{at}"), FIRST + at as f64 * NEXT);
            let middle = x + BOX.0 / 2.0;
            let _ = write!(
                out,
                "<rect data-part=\"{look}\" class=\"{}\" x=\"{x}\" y=\"{top}\" width=\"{}\" height=\"{}\"/>\
                 <text data-part=\"{name}\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                frame.class(&look),
                BOX.0,
                BOX.1,
                top + 19.0,
                frame.text(&name)
            );
            for (name, y) in [("price", top - 8.0), ("changed", top + BOX.1 + 14.0)] {
                if row == "slate" {
                    let _ = write!(
                        out,
                        "<text data-part=\"{name}-{at}\" class=\"soft\" x=\"{middle}\" y=\"{y}\" text-anchor=\"middle\" \
                         font-size=\"12\">{}</text>",
                        frame.text(&format!("{name}-{at}"))
                    );
                }
            }
        }
    }
    out.push_str("</svg>");
    facts(&mut out, frame, words)?;
    Ok(out)
}

/// The text under the slate: the counts, and what the boxes' looks mean.
fn facts(out: &mut String, frame: &Frame, words: &Words) -> Result<(), String> {
    let word = |name| words.get("picture", name).map(escape);
    out.push_str("<dl class=\"facts\">");
    for (name, part) in [("changes", "changes"), ("told-fast", "fast-told"), ("told-slow", "slow-told")] {
        let _ = write!(out, "<div><dt>{}</dt><dd data-part=\"{part}\">{}</dd></div>", word(name)?, frame.text(part));
    }
    out.push_str("</dl><ul class=\"legend\">");
    for (name, class) in [("missed", "box-accent"), ("new", "box-good at-disk")] {
        let _ = write!(out, "<li><i class=\"{class}\"></i> {}</li>", word(name)?);
    }
    let _ = write!(out, "<li>{}</li></ul>", word("amounts")?);
    Ok(())
}
