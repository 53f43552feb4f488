//! The picture of a ladder's window: prices from left to right, what the array holds, and each level by where it is
//! stored.

use crate::html::escape;
use crate::player::frame::{Frame, Part};
use crate::words::Words;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The step of the still picture: the window is moving.
pub(super) const STILL: usize = 8;

/// The positions of the lowest and the highest price drawn. Then the tops of the window and of the levels.
const AXIS: (f64, f64) = (14.0, 376.0);
/// The prices are drawn from 0 to this one.
const DRAWN: u64 = 16_000;
const WINDOW_TOP: f64 = 34.0;
const WINDOW_HEIGHT: f64 = 72.0;
const LEVEL_TOP: f64 = 46.0;

/// What a step did, and the state after it. Prices are in ticks.
#[derive(Debug, Deserialize)]
struct Step {
    does: String,
    detail: Detail,
    window: Option<[u64; 2]>,
    levels: Vec<Level>,
    best: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Detail {
    price: Option<u64>,
    steps: u64,
}

#[derive(Debug, Deserialize)]
struct Level {
    price: u64,
    array: bool,
}

/// The steps of a recording.
pub(super) fn frames(recording: &Value, words: &Words) -> Result<Vec<Frame>, String> {
    let steps: Vec<Step> = serde_json::from_value(recording["steps"].clone()).map_err(|e| e.to_string())?;
    if recording["drawn"] != serde_json::json!([0, DRAWN]) {
        return Err(format!("the picture has room for the prices from 0 to {DRAWN}"));
    }
    let prices: BTreeSet<u64> = steps.iter().flat_map(|step| &step.levels).map(|level| level.price).collect();
    let frame = |step: &Step| Ok(Frame { said: said(step, words)?, parts: parts(step, &prices, words)? });
    steps.iter().map(frame).collect()
}

/// The position of a price.
fn x(price: u64) -> f64 {
    AXIS.0 + (AXIS.1 - AXIS.0) * price as f64 / DRAWN as f64
}

fn count(step: &Step, is_in_array: bool) -> usize {
    step.levels.iter().filter(|level| level.array == is_in_array).count()
}

fn said(step: &Step, words: &Words) -> Result<String, String> {
    let [low, high] = step.window.unwrap_or_default();
    let key = if step.window.is_none() { "empty" } else { &step.does };
    let numbers = [
        ("best", step.best),
        ("price", step.detail.price.unwrap_or_default()),
        ("steps", step.detail.steps),
        ("array", count(step, true) as u64),
        ("tree", count(step, false) as u64),
        ("levels", step.levels.len() as u64),
        ("low", low),
        ("high", high),
    ];
    let numbers = numbers.map(|(name, number)| (name, grouped(number)));
    let fills: Vec<(&str, &str)> = numbers.iter().map(|(name, value)| (*name, &**value)).collect();
    words.say("ladder", key, &fills)
}

/// 9000 as 9,000.
fn grouped(number: u64) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", number / 1_000, number % 1_000) }
}

fn parts(step: &Step, prices: &BTreeSet<u64>, words: &Words) -> Result<BTreeMap<String, Part>, String> {
    let mut parts = BTreeMap::new();
    let text = |text: String| Part { text: Some(text), ..Part::default() };
    let title = match step.window {
        Some([low, high]) => words.say("picture", "window", &[("low", &grouped(low)), ("high", &grouped(high))])?,
        None => words.get("picture", "nothing")?.to_owned(),
    };
    parts.insert("title".into(), text(title));
    // One unit wide, and stretched.
    let [low, high] = step.window.unwrap_or_default();
    let at = format!("translate({:.1} 0) scale({:.1} 1)", x(low), (x(high) - x(low)).max(0.0));
    parts.insert("range".into(), Part { at: Some(at), ..Part::default() });
    for &price in prices {
        let there = step.levels.iter().find(|level| level.price == price);
        let is_new = step.detail.price == Some(price) && there.is_some();
        let class = match (there.map(|level| level.array), is_new) {
            (Some(true), true) => "box-good at-disk",
            (Some(true), false) => "box-good",
            (Some(false), true) => "box-accent at-disk",
            (Some(false), false) => "box-accent",
            (None, _) => "box",
        };
        // A missing level is drawn as small as possible.
        let size = if there.is_some() { 1 } else { 0 };
        let at = Some(format!("translate({:.1} {LEVEL_TOP}) scale({size})", x(price)));
        parts.insert(format!("level-{price:05}"), Part { class: Some(class.into()), at, ..Part::default() });
    }
    parts.insert("best".into(), text(grouped(step.best)));
    parts.insert("array".into(), text(count(step, true).to_string()));
    parts.insert("tree".into(), text(count(step, false).to_string()));
    parts.insert("best-mark".into(), Part { at: Some(format!("translate({:.1} 0)", x(step.best))), ..Part::default() });
    Ok(parts)
}

/// The picture of one step, with the name of each part that another step may change.
pub(super) fn picture(frame: &Frame, words: &Words) -> Result<String, String> {
    let label = escape(words.get("picture", "label")?);
    let mut out = format!("<svg viewBox=\"0 0 400 142\" role=\"img\" aria-label=\"{label}: {}\">", escape(&frame.said));
    let _ = write!(
        out,
        "<text data-part=\"title\" class=\"name\" x=\"{}\" y=\"18\">{}</text>\
         <rect data-part=\"range\" class=\"box\" x=\"0\" y=\"{WINDOW_TOP}\" width=\"1\" height=\"{WINDOW_HEIGHT}\" \
         vector-effect=\"non-scaling-stroke\" transform=\"{}\"/>",
        AXIS.0,
        frame.text("title"),
        frame.place("range")
    );
    for name in frame.parts.keys().filter(|name| name.starts_with("level-")) {
        let _ = write!(
            out,
            "<rect data-part=\"{name}\" class=\"{}\" x=\"-3\" y=\"0\" width=\"6\" height=\"48\" transform=\"{}\"/>",
            frame.class(name),
            frame.place(name)
        );
    }
    for price in (0..=DRAWN).step_by(4_000) {
        let _ = write!(
            out,
            "<text class=\"soft\" x=\"{:.1}\" y=\"132\" text-anchor=\"middle\" font-size=\"12\">{}</text>",
            x(price),
            grouped(price)
        );
    }
    let _ = write!(
        out,
        "<path data-part=\"best-mark\" class=\"line\" d=\"M0 116 l-4 -7 h8 z\" transform=\"{}\"/></svg>",
        frame.place("best-mark")
    );
    let word = |name| words.get("picture", name).map(escape);
    out.push_str("<dl class=\"facts\">");
    for (name, part) in [("best", "best"), ("array-count", "array"), ("tree-count", "tree")] {
        let _ = write!(out, "<div><dt>{}</dt><dd data-part=\"{part}\">{}</dd></div>", word(name)?, frame.text(part));
    }
    out.push_str("</dl><ul class=\"legend\">");
    for (name, class) in [("array", "box-good"), ("tree", "box-accent"), ("range", "box")] {
        let _ = write!(out, "<li><i class=\"{class}\"></i> {}</li>", word(name)?);
    }
    let _ = write!(out, "<li>{}</li></ul>", word("ticks")?);
    Ok(out)
}
