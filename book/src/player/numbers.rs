//! The picture of a window of numbers: a cell for each of its 256 numbers, the highest last, and the table's answer
//! to the number that came.

use crate::html::escape;
use crate::player::frame::{Frame, Part};
use crate::words::Words;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The step of the still picture: a number that was overtaken by many is carried out.
pub(super) const STILL: usize = 15;

/// How many answers the table keeps, according to the words.
const ANSWERS: usize = 128;

/// The window's size, and how many numbers are in a row: a row is a word of the mask.
const NUMBERS: usize = 256;
const ROW: usize = 64;

/// The left edge of a row's first cell, the distance to the next, a cell's width and height, the first row's top and
/// the distance to the next.
const LEFT: f64 = 18.0;
const NEXT: f64 = 5.7;
const CELL: (f64, f64) = (4.7, 16.0);
const TOP: f64 = 54.0;
const DOWN: f64 = 46.0;

/// What came, the table's answer, and what the window then holds.
#[derive(Debug, Deserialize)]
struct Step {
    /// The table's answer; `done`, `many` or `venue` if nothing was asked.
    found: String,
    /// Which of the sentences for that answer.
    scene: String,
    detail: Detail,
    highest: u64,
    /// For each number of the window, from the highest down, `1` where it was used.
    used: String,
    under_way: Vec<u64>,
    carried_out: u64,
    answered: u64,
    refused: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Detail {
    number: Option<u64>,
    sequence: Option<u64>,
    from: Option<u64>,
}

/// The steps of a recording.
pub(super) fn frames(recording: &Value, words: &Words) -> Result<Vec<Frame>, String> {
    let steps: Vec<Step> = serde_json::from_value(recording["steps"].clone()).map_err(|e| e.to_string())?;
    if recording["numbers"] != NUMBERS || recording["answers"] != ANSWERS {
        return Err(format!("the picture has room for {NUMBERS} numbers, and the words say {ANSWERS} answers"));
    }
    let frame = |step: &Step| Ok(Frame { said: said(step, words)?, parts: parts(step, words)? });
    steps.iter().map(frame).collect()
}

/// 1000 as 1,000.
fn grouped(number: u64) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", number / 1_000, number % 1_000) }
}

impl Step {
    /// Its sentence, with its numbers. The answer selects the group, so a table that answered something else would
    /// find no words.
    fn words(&self, words: &Words, group: &str, key: &str) -> Result<String, String> {
        let Detail { number, sequence, from } = self.detail;
        let fills = [
            ("number", number),
            ("sequence", sequence),
            ("from", from),
            ("highest", Some(self.highest)),
            ("lowest", Some(self.lowest())),
            ("ahead", number.and_then(|number| self.highest.checked_sub(number))),
        ];
        let fills = fills.map(|(name, value)| (name, value.map(grouped).unwrap_or_default()));
        let fills: Vec<(&str, &str)> = fills.iter().map(|(name, value)| (*name, &**value)).collect();
        words.say(group, key, &fills)
    }

    /// The number that came.
    fn came(&self) -> Option<u64> {
        self.detail.number.filter(|_| self.found != "venue")
    }

    fn lowest(&self) -> u64 {
        (self.highest + 1).saturating_sub(NUMBERS as u64).max(1)
    }

    /// The number of a cell; `None` if it would be below 1.
    fn number(&self, cell: usize) -> Option<u64> {
        self.highest.checked_sub((NUMBERS - 1 - cell) as u64).filter(|number| *number > 0)
    }
}

fn said(step: &Step, words: &Words) -> Result<String, String> {
    step.words(words, &step.found, &step.scene)
}

fn text(text: String) -> Part {
    Part { text: Some(text), ..Part::default() }
}

fn parts(step: &Step, words: &Words) -> Result<BTreeMap<String, Part>, String> {
    let mut parts = BTreeMap::new();
    let came = if step.came().is_some() { "came" } else { &*step.found };
    parts.insert("came".into(), text(step.words(words, "picture", came)?));
    let (key, class) = match &*step.found {
        "venue" | "many" => ("nothing", "name"),
        "new" | "joined" => (&*step.found, "name accent"),
        "done" | "answered" => (&*step.found, "name good"),
        _ => ("refused", "name bad"),
    };
    let found = format!("{}{}", words.get("verdict", key)?, if key == "refused" { &step.found } else { "" });
    parts.insert("found".into(), Part { class: Some(class.into()), ..text(found) });
    for cell in 0..NUMBERS {
        let number = step.number(cell);
        let is_used = step.used.as_bytes().get(NUMBERS - 1 - cell) == Some(&b'1');
        let class = match number {
            None => "cell none",
            Some(number) if step.under_way.contains(&number) => "cell under-way",
            Some(_) if is_used => "cell used",
            Some(_) => "cell",
        };
        parts.insert(cell_name(cell), Part { class: Some(class.into()), ..Part::default() });
    }
    for row in 0..NUMBERS / ROW {
        for (name, cell) in [("low", row * ROW), ("high", row * ROW + ROW - 1)] {
            let number = step.number(cell).map(grouped).unwrap_or_default();
            parts.insert(format!("{name}-{row}"), text(number));
        }
    }
    parts.insert("mark".into(), Part { at: Some(mark(step)), ..Part::default() });
    for (name, count) in
        [("highest", step.highest), ("done", step.carried_out), ("again", step.answered), ("refused", step.refused)]
    {
        parts.insert(name.into(), text(grouped(count)));
    }
    Ok(parts)
}

fn cell_name(cell: usize) -> String {
    format!("cell-{cell:03}")
}

/// The place of a cell: its left edge and its top.
fn place(cell: usize) -> (f64, f64) {
    (LEFT + NEXT * (cell % ROW) as f64, TOP + DOWN * (cell / ROW) as f64)
}

/// The place of the mark: under the number that came, or beyond the end of the window that it lies behind.
fn mark(step: &Step) -> String {
    let (last, middle) = (NUMBERS - 1, CELL.0 / 2.0);
    let (x, y) = match step.came() {
        // Nothing came.
        None => return format!("translate({:.1} {:.1}) scale(0)", place(last).0, place(last).1),
        Some(number) if number > step.highest => (place(last).0 + NEXT + middle, place(last).1),
        Some(number) if number < step.lowest() => (place(0).0 - NEXT + middle, place(0).1),
        Some(number) => {
            let (x, y) = place(last - (step.highest - number) as usize);
            (x + middle, y)
        }
    };
    format!("translate({x:.1} {:.1}) scale(1)", y + CELL.1)
}

/// The picture of one step, with the name of each part that another step may change.
pub(super) fn picture(frame: &Frame, words: &Words) -> Result<String, String> {
    let label = escape(words.get("picture", "label")?);
    let mut out = format!("<svg viewBox=\"0 0 400 224\" role=\"img\" aria-label=\"{label}: {}\">", escape(&frame.said));
    let right = LEFT + NEXT * (ROW - 1) as f64 + CELL.0;
    let _ = write!(
        out,
        "<text data-part=\"came\" class=\"name\" x=\"{LEFT}\" y=\"18\">{}</text>\
         <text data-part=\"found\" class=\"{}\" x=\"{right:.1}\" y=\"18\" text-anchor=\"end\">{}</text>",
        frame.text("came"),
        frame.class("found"),
        frame.text("found")
    );
    for row in 0..NUMBERS / ROW {
        let y = place(row * ROW).1 - 5.0;
        for (name, x, anchor) in [("low", LEFT, "start"), ("high", right, "end")] {
            let _ = write!(
                out,
                "<text data-part=\"{name}-{row}\" class=\"soft\" x=\"{x:.1}\" y=\"{y}\" text-anchor=\"{anchor}\" \
                 font-size=\"12\">{}</text>",
                frame.text(&format!("{name}-{row}"))
            );
        }
    }
    for cell in 0..NUMBERS {
        let (name, (x, y)) = (cell_name(cell), place(cell));
        let _ = write!(
            out,
            "<rect data-part=\"{name}\" class=\"{}\" x=\"{x:.1}\" y=\"{y}\" width=\"{}\" height=\"{}\"/>",
            frame.class(&name),
            CELL.0,
            CELL.1
        );
    }
    let _ = write!(
        out,
        "<path data-part=\"mark\" class=\"mark\" d=\"M0 2 l-4.5 8 h9 z\" transform=\"{}\"/></svg>",
        frame.place("mark")
    );
    let word = |name| words.get("picture", name).map(escape);
    out.push_str("<dl class=\"facts\">");
    for name in ["highest", "done", "again", "refused"] {
        let _ = write!(out, "<div><dt>{}</dt><dd data-part=\"{name}\">{}</dd></div>", word(name)?, frame.text(name));
    }
    out.push_str("</dl><ul class=\"legend\">");
    for (name, class) in [("used", "cell used"), ("under-way", "cell under-way"), ("new", "cell")] {
        let _ = write!(out, "<li><i class=\"{class}\"></i> {}</li>", word(name)?);
    }
    let _ = write!(out, "<li>{}</li></ul>", word("answers")?);
    Ok(out)
}
