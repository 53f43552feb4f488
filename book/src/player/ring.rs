//! The picture of a ring: its slots in a circle, a disc for each cursor, and the counts beside it.

use crate::html::escape;
use crate::player::frame::{Frame, Part};
use crate::words::Words;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The step of the still picture: durable and not matched, at the disk, and over the circle's end.
pub(super) const STILL: usize = 12;

/// The circle's middle and the radii of a slot and of the discs.
const MIDDLE: (f64, f64) = (150.0, 152.0);
const RADII: (f64, f64, f64) = (66.0, 108.0, 130.0);

/// The cursors, each with the letter on its disc.
const CURSORS: [(&str, &str); 3] = [("head", "H"), ("matching", "M"), ("journal", "J")];

/// The state after a step. Positions and counts are of commands.
#[derive(Debug, Deserialize)]
struct Step {
    who: String,
    does: String,
    count: u64,
    head: u64,
    journal: u64,
    matching: u64,
    waiting: u64,
    frame: u64,
    acknowledged: u64,
    left: bool,
}

/// The steps of a recording.
pub(super) fn frames(recording: &Value, words: &Words) -> Result<Vec<Frame>, String> {
    let capacity = recording["capacity"].as_u64().ok_or("the recording has no capacity")?;
    let steps: Vec<Step> = serde_json::from_value(recording["steps"].clone()).map_err(|e| e.to_string())?;
    steps
        .iter()
        .map(|step| Ok(Frame { said: said(step, capacity, words)?, parts: parts(step, capacity, words)? }))
        .collect()
}

fn said(step: &Step, capacity: u64, words: &Words) -> Result<String, String> {
    // Do the published commands wrap around to slot 0?
    let wraps = step.count > 0
        && step.head > step.count
        && (step.head - 1) / capacity > (step.head - step.count - 1) / capacity;
    let key = match (&*step.does, step.count) {
        ("applies", 0) => "applies-none",
        ("publishes", _) if wraps => "publishes-over",
        (does, _) => does,
    };
    let fills = [
        ("count", step.count),
        ("head", step.head),
        ("journal", step.journal),
        ("matching", step.matching),
        ("waiting", step.waiting),
    ];
    let fills = fills.map(|(name, value)| (name, value.to_string()));
    words.say(&step.who, key, &fills.each_ref().map(|(name, value)| (*name, &**value)))
}

fn parts(step: &Step, capacity: u64, words: &Words) -> Result<BTreeMap<String, Part>, String> {
    let mut parts = BTreeMap::new();
    let mut set = |name: String, part: Part| drop(parts.insert(name, part));
    let text = |text: String| Part { text: Some(text), ..Part::default() };
    for slot in 0..capacity {
        let held = (step.matching..step.head).find(|position| position % capacity == slot);
        let state = match held {
            None => "box",
            Some(position) if position >= step.journal => "box-good",
            Some(_) => "box-accent",
        };
        let at_disk = held.is_some_and(|position| (step.journal..step.journal + step.frame).contains(&position));
        let class = if at_disk { format!("{state} at-disk") } else { state.to_owned() };
        set(format!("slot-{slot}"), Part { class: Some(class), ..Part::default() });
        set(format!("position-{slot}"), text(held.map(|position| position.to_string()).unwrap_or_default()));
    }
    for (name, position, aside) in
        [("head", step.head, -13.0), ("matching", step.matching, 0.0), ("journal", step.journal, 13.0)]
    {
        let (x, y) = on_circle(RADII.2, middle_of(position % capacity, capacity) + aside);
        set(name.into(), Part { at: Some(format!("translate({x:.1} {y:.1})")), ..Part::default() });
        set(format!("{name}-count"), text(position.to_string()));
    }
    for (name, count) in [("acknowledged", step.acknowledged), ("waiting", step.waiting)] {
        set(format!("{name}-count"), text(count.to_string()));
    }
    set("gone".into(), text(if step.left { words.get("picture", "gone")?.to_owned() } else { String::new() }));
    Ok(parts)
}

/// The angle of a slot's middle in degrees, clockwise from the right; slot 0 begins at the top.
fn middle_of(slot: u64, capacity: u64) -> f64 {
    -90.0 + 360.0 * (slot as f64 + 0.5) / capacity as f64
}

fn on_circle(radius: f64, degrees: f64) -> (f64, f64) {
    let (sin, cos) = degrees.to_radians().sin_cos();
    (MIDDLE.0 + radius * cos, MIDDLE.1 + radius * sin)
}

/// The picture of one step and its counts, with the name of each part that another step may change.
pub(super) fn picture(frame: &Frame, words: &Words) -> Result<String, String> {
    Ok(format!("{}<div class=\"beside\">{}</div>", svg(frame, words)?, facts(frame, words)?))
}

fn svg(frame: &Frame, words: &Words) -> Result<String, String> {
    let label = escape(words.get("picture", "label")?);
    let mut out = format!("<svg viewBox=\"0 0 300 304\" role=\"img\" aria-label=\"{label}: {}\">", escape(&frame.said));
    let slots = frame.parts.keys().filter(|name| name.starts_with("slot-")).count() as u64;
    for slot in 0..slots {
        let half = 180.0 / slots as f64;
        let middle = middle_of(slot, slots);
        let [a, b] = [middle - half, middle + half].map(|angle| on_circle(RADII.1, angle));
        let [c, d] = [middle + half, middle - half].map(|angle| on_circle(RADII.0, angle));
        let class = frame.class(&format!("slot-{slot}"));
        let _ = write!(
            out,
            "<path data-part=\"slot-{slot}\" class=\"{class}\" d=\"M{:.1} {:.1} A{r} {r} 0 0 1 {:.1} {:.1} L{:.1} {:.1} A{s} {s} 0 0 0 {:.1} {:.1} Z\"/>",
            a.0,
            a.1,
            b.0,
            b.1,
            c.0,
            c.1,
            d.0,
            d.1,
            r = RADII.1,
            s = RADII.0
        );
        let (x, y) = on_circle((RADII.0 + RADII.1) / 2.0, middle);
        let _ = write!(
            out,
            "<text data-part=\"position-{slot}\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            y + 5.0,
            frame.text(&format!("position-{slot}"))
        );
    }
    for (name, letter) in CURSORS {
        let at = frame.parts.get(name).and_then(|part| part.at.clone()).unwrap_or_default();
        let _ = write!(
            out,
            "<g data-part=\"{name}\" transform=\"{at}\"><circle r=\"11\" class=\"disc {name}\"/>\
             <text y=\"5\" text-anchor=\"middle\">{letter}</text></g>"
        );
    }
    let _ = write!(
        out,
        "<text data-part=\"gone\" class=\"bad\" x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"12\">{}</text></svg>",
        MIDDLE.0,
        MIDDLE.1 + 4.0,
        frame.text("gone")
    );
    Ok(out)
}

/// The text beside the ring: the cursors, the counts, and what the slots' looks mean.
fn facts(frame: &Frame, words: &Words) -> Result<String, String> {
    let word = |name| words.get("picture", name).map(escape);
    let mut out = String::from("<dl class=\"facts\">");
    let cursors = CURSORS.map(|(name, letter)| (name, format!("<i class=\"disc {name}\">{letter}</i> ")));
    let counts = ["acknowledged", "waiting"].map(|name| (name, String::new()));
    for (name, mark) in cursors.iter().chain(&counts) {
        let count = frame.text(&format!("{name}-count"));
        let _ = write!(out, "<div><dt>{mark}{}</dt><dd data-part=\"{name}-count\">{count}</dd></div>", word(name)?);
    }
    out.push_str("</dl><ul class=\"legend\">");
    for (name, class) in
        [("free", "box"), ("published", "box-good"), ("durable", "box-accent"), ("frame", "box at-disk")]
    {
        let _ = write!(out, "<li><i class=\"{class}\"></i> {}</li>", word(name)?);
    }
    out.push_str("</ul>");
    Ok(out)
}
