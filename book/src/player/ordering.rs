//! The picture of a weakened ordering: what each of two threads sees, or may see, of four slots and the head.

use crate::html::escape;
use crate::player::frame::{Frame, Part};
use crate::words::Words;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The step of the still picture: the new head has been read, but the old command may still be
/// read.
pub(super) const STILL: usize = 3;

const THREADS: [&str; 2] = ["caller", "matching"];

/// A box's width and height, the place of the first one of each thread, and the distance from one to the
/// next.
const BOX: (f64, f64) = (74.0, 34.0);
const FIRST: [(f64, f64); 2] = [(8.0, 50.0), (8.0, 148.0)];
const NEXT: f64 = 78.0;

/// What a step did, and what each thread sees of each place after it: one value, or an old one and a new one.
#[derive(Debug, Deserialize)]
struct Step {
    variant: String,
    does: String,
    value: u64,
    #[serde(default)]
    ways: u64,
    #[serde(default)]
    old: u64,
    sees: [BTreeMap<String, Vec<u64>>; 2],
}

/// The steps of a recording.
pub(super) fn frames(recording: &Value, words: &Words) -> Result<Vec<Frame>, String> {
    let steps: Vec<Step> = serde_json::from_value(recording["steps"].clone()).map_err(|e| e.to_string())?;
    steps.iter().map(|step| Ok(Frame { said: said(step, words)?, parts: parts(step, words)? })).collect()
}

fn said(step: &Step, words: &Words) -> Result<String, String> {
    let [value, ways, old] = [step.value, step.ways, step.old].map(|number| number.to_string());
    words.say(&step.variant, &step.does, &[("value", &value), ("ways", &ways), ("old", &old)])
}

fn parts(step: &Step, words: &Words) -> Result<BTreeMap<String, Part>, String> {
    let mut parts = BTreeMap::new();
    let text = |text: String| Part { text: Some(text), ..Part::default() };
    let touched = match &*step.does {
        "writes" => "caller-slot-0",
        "stores" => "caller-head",
        "loads" => "matching-head",
        "reads" | "ends-old" | "ends-new" => "matching-slot-0",
        _ => "",
    };
    for (thread, seen) in THREADS.iter().zip(&step.sees) {
        for (place, values) in seen {
            let name = format!("{thread}-{place}");
            // Once it is read, a place with two possible values has shown one.
            let got = matches!(&*step.does, "reads" | "ends-old" | "ends-new") && name == touched;
            let shown = match values.as_slice() {
                _ if got => step.value.to_string(),
                [old, .., new] => {
                    words.say("picture", "or", &[("old", &old.to_string()), ("new", &new.to_string())])?
                }
                [only] => only.to_string(),
                [] => return Err(format!("{name} has no value")),
            };
            let state = match values.as_slice() {
                [_, .., new] if got && step.value != *new => "box-bad",
                [_, _, ..] if !got => "box-accent",
                _ => "box-good",
            };
            let class = if name == touched { format!("{state} at-disk") } else { state.to_owned() };
            parts.insert(format!("{name}-box"), Part { class: Some(class), ..Part::default() });
            parts.insert(name, text(shown));
        }
    }
    parts.insert("orderings".into(), text(words.get("picture", &step.variant)?.to_owned()));
    Ok(parts)
}

/// The picture of one step, with the name of each part that another step may change.
pub(super) fn picture(frame: &Frame, words: &Words) -> Result<String, String> {
    let label = escape(words.get("picture", "label")?);
    let mut out = format!("<svg viewBox=\"0 0 400 196\" role=\"img\" aria-label=\"{label}: {}\">", escape(&frame.said));
    let _ =
        write!(out, "<text data-part=\"orderings\" class=\"mono\" x=\"8\" y=\"16\">{}</text>", frame.text("orderings"));
    let places = (0..4).map(|slot| format!("slot-{slot}")).chain(["head".to_owned()]);
    let places: Vec<String> = places.collect();
    for (thread, (left, top)) in THREADS.iter().zip(FIRST) {
        let who = escape(words.get("picture", thread)?);
        let _ = write!(out, "<text x=\"{left}\" y=\"{}\">{who}</text>", top - 12.0);
        for (at, place) in places.iter().enumerate() {
            let (name, x) = (format!("{thread}-{place}"), left + at as f64 * NEXT);
            let middle = x + BOX.0 / 2.0;
            let _ = write!(
                out,
                "<rect data-part=\"{name}-box\" class=\"{}\" x=\"{x}\" y=\"{top}\" width=\"{}\" height=\"{}\"/>\
                 <text data-part=\"{name}\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                frame.class(&format!("{name}-box")),
                BOX.0,
                BOX.1,
                top + 22.0,
                frame.text(&name)
            );
            let label = match place.strip_prefix("slot-") {
                Some(slot) => words.say("picture", "slot", &[("slot", slot)])?,
                None => words.get("picture", "head")?.to_owned(),
            };
            let below = top + BOX.1 + 13.0;
            let _ = write!(
                out,
                "<text class=\"soft\" x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\" font-size=\"11\">{}</text>",
                escape(&label)
            );
        }
    }
    out.push_str("</svg><ul class=\"legend\">");
    for (name, class) in [("one", "box-good"), ("old-too", "box-accent"), ("old", "box-bad"), ("got", "box at-disk")] {
        let _ = write!(out, "<li><i class=\"{class}\"></i> {}</li>", escape(words.get("picture", name)?));
    }
    out.push_str("</ul>");
    Ok(out)
}
