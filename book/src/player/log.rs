//! The picture of a log whose last frame is being written: every byte of it, and what a start does with the bytes.

use crate::html::escape;
use crate::player::frame::{Frame, Part};
use crate::words::Words;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The step of the still picture: the power fails within the command.
pub(super) const STILL: usize = 31;

/// The size of a frame here, and of a row of the picture (a header, or one command), in bytes.
const FRAME: usize = 48;
const ROW: usize = 24;

/// A byte's width and height, the place of the first one, and the distance from one row to the
/// next.
const BYTE: (f64, f64) = (16.0, 22.0);
const FIRST: (f64, f64) = (8.0, 98.0);
const NEXT: f64 = 48.0;

/// The parts of a header: where each begins, and how many bytes it has.
const FIELDS: [(&str, usize, usize); 4] = [("length", 0, 4), ("checksum", 4, 4), ("sequence", 8, 8), ("time", 16, 8)];

/// The boxes before the frame: their name, left edge and width.
const BEFORE: [(&str, f64, f64); 3] = [("file", 8.0, 128.0), ("header", 136.0, 128.0), ("first", 264.0, 128.0)];

/// The bytes that exist after a step, counted in the frame that is being written, and what a start does with them.
#[derive(Debug, Deserialize)]
struct Step {
    does: String,
    written: usize,
    /// The byte with a bit that has changed, counted from the first frame.
    rotten: Option<usize>,
    /// The last command that is durable according to a file beside the log.
    watermark: Option<u64>,
    start: Start,
}

#[derive(Debug, Deserialize)]
struct Start {
    says: String,
    #[serde(default)]
    commands: u64,
    #[serde(default)]
    cut: u64,
    /// The command that the log ends with, if that is too early.
    #[serde(default)]
    found: u64,
    /// The byte of the file at which the damage begins.
    #[serde(default)]
    at: u64,
}

/// The steps of a recording.
pub(super) fn frames(recording: &Value, words: &Words) -> Result<Vec<Frame>, String> {
    let steps: Vec<Step> = serde_json::from_value(recording["steps"].clone()).map_err(|e| e.to_string())?;
    steps.iter().map(|step| Ok(Frame { said: said(step, words)?, parts: parts(step, words)? })).collect()
}

fn say(step: &Step, words: &Words, group: &str, key: &str) -> Result<String, String> {
    let Start { commands, cut, found, at, .. } = step.start;
    let (written, left) = (step.written as u64, FRAME.saturating_sub(step.written) as u64);
    let watermark = step.watermark.unwrap_or(0);
    let fills = [
        ("written", written),
        ("left", left),
        ("commands", commands),
        ("cut", cut),
        ("found", found),
        ("at", at),
        ("watermark", watermark),
    ];
    let fills = fills.map(|(name, number)| (name, number.to_string()));
    words.say(group, key, &fills.each_ref().map(|(name, number)| (*name, &**number)))
}

fn said(step: &Step, words: &Words) -> Result<String, String> {
    say(step, words, "step", &step.does)
}

fn parts(step: &Step, words: &Words) -> Result<BTreeMap<String, Part>, String> {
    let mut parts = BTreeMap::new();
    let look = |class: &str| Part { class: Some(class.to_owned()), ..Part::default() };
    let text = |text: String| Part { text: Some(text), ..Part::default() };
    let is_refused = matches!(&*step.start.says, "damaged" | "short");
    for at in 0..FRAME {
        let class = match (at < step.written, step.rotten == Some(FRAME + at)) {
            (_, true) => "box-bad at-disk",
            (true, false) if step.start.says == "whole" => "box-good",
            (true, false) if step.start.says == "torn" => "box-accent",
            (true, false) => "box",
            (false, false) => "box empty",
        };
        parts.insert(format!("byte-{at}"), look(class));
    }
    for (name, begins) in [("header", 0), ("first", ROW)] {
        let is_rotten = step.rotten.is_some_and(|at| (begins..begins + ROW).contains(&at));
        let class = match (is_rotten, is_refused) {
            (true, _) => "box-bad at-disk",
            (false, false) => "box-good",
            (false, true) => "box",
        };
        parts.insert(name.into(), look(class));
    }
    // Two commands are acknowledged once the second frame's sync has returned.
    let acknowledged = if step.written < FRAME || step.does == "last" { 1 } else { 2 };
    let is_lost = step.start.commands < acknowledged;
    let verdict = say(step, words, "start", &step.start.says)?;
    parts.insert("verdict".into(), Part { class: Some(if is_lost { "bad" } else { "good" }.into()), ..text(verdict) });
    let none = words.get("picture", "none")?.to_owned();
    parts.insert("written".into(), text(step.written.to_string()));
    parts.insert("acknowledged".into(), text(acknowledged.to_string()));
    parts.insert("watermark".into(), text(step.watermark.map_or(none, |last| last.to_string())));
    Ok(parts)
}

/// The picture of one step, with the name of each part that another step may change.
pub(super) fn picture(frame: &Frame, words: &Words) -> Result<String, String> {
    let word = |name| words.get("picture", name).map(escape);
    let label = word("label")?;
    let mut out = format!("<svg viewBox=\"0 0 400 232\" role=\"img\" aria-label=\"{label}: {}\">", escape(&frame.said));
    let _ = write!(
        out,
        "<text x=\"8\" y=\"16\">{}</text><text x=\"8\" y=\"88\">{}</text>",
        word("before")?,
        word("second")?
    );
    for (name, left, width) in BEFORE {
        let class = if name == "file" { "box" } else { frame.class(name) };
        let _ = write!(
            out,
            "<rect data-part=\"{name}\" class=\"{class}\" x=\"{left}\" y=\"26\" width=\"{width}\" height=\"30\"/>\
             <text x=\"{}\" y=\"46\" text-anchor=\"middle\" font-size=\"12\">{}</text>",
            left + width / 2.0,
            word(name)?
        );
    }
    for at in 0..FRAME {
        let name = format!("byte-{at}");
        let (x, y) = (FIRST.0 + (at % ROW) as f64 * BYTE.0, FIRST.1 + (at / ROW) as f64 * NEXT);
        let _ = write!(
            out,
            "<rect data-part=\"{name}\" data-step=\"{}\" class=\"{}\" x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\"/>",
            // One step for each count of bytes: the power fails after the byte that is clicked.
            at + 1,
            frame.class(&name),
            BYTE.0,
            BYTE.1
        );
    }
    let command = FIRST.1 + NEXT + BYTE.1 + 13.0;
    let fields = FIELDS.map(|(name, at, bytes)| (name, (at as f64 + bytes as f64 / 2.0), FIRST.1 + BYTE.1 + 13.0));
    for (name, at, y) in fields.into_iter().chain([("command", ROW as f64 / 2.0, command)]) {
        let x = FIRST.0 + at * BYTE.0;
        let _ = write!(
            out,
            "<text class=\"soft\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" font-size=\"12\">{}</text>",
            word(name)?
        );
    }
    let _ = write!(
        out,
        "<text data-part=\"verdict\" class=\"{}\" x=\"8\" y=\"220\">{}</text></svg><dl class=\"facts\">",
        frame.class("verdict"),
        frame.text("verdict")
    );
    for name in ["written", "acknowledged", "watermark"] {
        let _ = write!(
            out,
            "<div><dt>{}</dt><dd data-part=\"{name}\">{}</dd></div>",
            escape(words.get("picture", &format!("{name}-count"))?),
            frame.text(name)
        );
    }
    out.push_str("</dl><ul class=\"legend\">");
    for (name, class) in [("kept", "box-good"), ("cut", "box-accent"), ("rotten", "box-bad at-disk")] {
        let _ = write!(out, "<li><i class=\"{class}\"></i> {}</li>", word(name)?);
    }
    out.push_str("</ul>");
    Ok(out)
}
