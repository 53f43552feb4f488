//! The picture of a takeover in 0x0e's model: two machines, each with its own log, the stream between them, and what is on
//! its way.

use crate::html::escape;
use crate::player::frame::{Frame, Part};
use crate::words::Words;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The step of the still picture: the end of the first run, where a command is lost.
pub(super) const STILL: usize = 10;

/// How many commands a log has room for, and how many messages the stream has.
const COMMANDS: usize = 2;
const MESSAGES: usize = 4;

/// A box's width and height, the left edge of the first, and the distance from one to the next.
const BOX: (f64, f64) = (74.0, 28.0);
const LEFT: f64 = 8.0;
const NEXT: f64 = 78.0;

/// The tops of the boxes: each machine's log, and the stream.
const LOGS: [f64; 2] = [52.0, 194.0];
const STREAM: f64 = 116.0;

/// What a step did, and what there is after it.
#[derive(Debug, Deserialize)]
struct Step {
    run: String,
    does: String,
    #[serde(default)]
    detail: Detail,
    holds: Holds,
    /// On the last step of a run.
    broken: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Detail {
    machine: usize,
    behind: Option<usize>,
    place: usize,
    command: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Holds {
    machines: [Machine; 2],
    stream: Vec<Message>,
    acknowledged: Vec<Numbered>,
}

#[derive(Debug, Deserialize)]
struct Machine {
    role: String,
    epoch: usize,
    log: Vec<String>,
    sent: Vec<Append>,
    /// What was acknowledged and is not in this primary's log.
    lacks: Vec<Numbered>,
}

#[derive(Debug, Deserialize)]
struct Append {
    behind: usize,
    message: Message,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Message {
    Epoch { epoch_of: usize },
    Frame { command: String },
}

/// A command, and its number in the log from 1.
#[derive(Debug, Deserialize)]
struct Numbered {
    number: usize,
    command: String,
}

/// The steps of a recording.
pub(super) fn frames(recording: &Value, words: &Words) -> Result<Vec<Frame>, String> {
    let steps: Vec<Step> = serde_json::from_value(recording["steps"].clone()).map_err(|e| e.to_string())?;
    let is_drawn = |holds: &Holds| {
        holds.stream.len() <= MESSAGES && holds.machines.iter().all(|machine| machine.log.len() <= COMMANDS)
    };
    if !steps.iter().all(|step| is_drawn(&step.holds)) {
        return Err(format!("the picture has room for {COMMANDS} commands and {MESSAGES} messages"));
    }
    steps.iter().map(|step| Ok(Frame { said: said(step, words)?, parts: parts(step, words)? })).collect()
}

/// A run has words of its own for what its mistake changes.
fn said(step: &Step, words: &Words) -> Result<String, String> {
    let Detail { machine, behind, place, command } = &step.detail;
    let [machine, place] = [machine, place].map(usize::to_string);
    let behind = behind.map(|behind| behind.to_string()).unwrap_or_default();
    let command = command.as_deref().unwrap_or_default();
    let fills = [("machine", &*machine), ("behind", &behind), ("place", &place), ("command", command)];
    let own = words.say(&step.run, &step.does, &fills);
    let said = own.or_else(|_| words.say("step", &step.does, &fills))?;
    match step.broken {
        None => Ok(said),
        Some(_) => words.say("step", "joined", &[("said", &said), ("ends", words.get(&step.run, "ends")?)]),
    }
}

fn parts(step: &Step, words: &Words) -> Result<BTreeMap<String, Part>, String> {
    let mut parts = BTreeMap::new();
    let mut put = |name: String, (class, shown): (&str, String)| {
        parts.insert(format!("{name}-box"), Part { class: Some(class.into()), ..Part::default() });
        parts.insert(name, text(shown));
    };
    let Holds { machines, stream, acknowledged } = &step.holds;
    let is_acknowledged =
        |number, command: &str| acknowledged.iter().any(|a| a.number == number && a.command == command);
    for (of, machine) in machines.iter().enumerate() {
        for number in 1..=COMMANDS {
            let own = machine.log.get(number - 1);
            let look = match (machine.lacks.iter().find(|lacks| lacks.number == number), own) {
                (Some(Numbered { command, .. }), own) => {
                    let key = if own.is_some() { "another" } else { "none" };
                    let own = own.map_or("", String::as_str);
                    ("box-bad at-disk", words.say("picture", key, &[("own", own), ("command", command)])?)
                }
                (None, Some(own)) if is_acknowledged(number, own) => ("box-good", own.clone()),
                (None, Some(own)) => ("box-accent", own.clone()),
                (None, None) => ("box empty", String::new()),
            };
            put(format!("log-{of}-{number}"), look);
        }
    }
    for place in 1..=MESSAGES {
        let look = match stream.get(place - 1) {
            Some(message) => ("box", named(message, "epoch", words)?),
            None => ("box empty", String::new()),
        };
        put(format!("stream-{place}"), look);
    }
    for (of, machine) in machines.iter().enumerate() {
        parts.insert(format!("machine-{of}"), text(title(of, machine, words)?));
        let arrow = ["↓", "↑"][of];
        let sent: Result<Vec<String>, String> = machine.sent.iter().map(|append| sent(arrow, append, words)).collect();
        parts.insert(format!("sent-{of}"), text(sent?.join("\u{2003}")));
    }
    let known: Vec<&str> = acknowledged.iter().map(|known| &*known.command).collect();
    let known = if known.is_empty() { words.get("picture", "nothing")?.to_owned() } else { known.join(", ") };
    parts.insert("acknowledged".into(), text(known));
    parts.insert("run".into(), text(words.get(&step.run, "name")?.to_owned()));
    Ok(parts)
}

fn text(text: String) -> Part {
    Part { text: Some(text), ..Part::default() }
}

fn title(of: usize, machine: &Machine, words: &Words) -> Result<String, String> {
    let key = match &*machine.role {
        "primary" if machine.epoch == 0 => "primary-without",
        role => role,
    };
    words.say("machine", key, &[("machine", &of.to_string()), ("epoch", &machine.epoch.to_string())])
}

fn named(message: &Message, epoch: &str, words: &Words) -> Result<String, String> {
    match message {
        Message::Epoch { epoch_of } => words.say("picture", epoch, &[("machine", &epoch_of.to_string())]),
        Message::Frame { command } => Ok(command.clone()),
    }
}

fn sent(arrow: &str, append: &Append, words: &Words) -> Result<String, String> {
    let message = named(&append.message, "sent-epoch", words)?;
    words.say("picture", "sent", &[("arrow", arrow), ("message", &message), ("behind", &append.behind.to_string())])
}

/// The picture of one step, with the name of each part that another step may change.
pub(super) fn picture(frame: &Frame, words: &Words) -> Result<String, String> {
    let word = |name| words.get("picture", name).map(escape);
    let mut out = format!(
        "<svg viewBox=\"0 0 400 228\" role=\"img\" aria-label=\"{}: {}\">\
         <text data-part=\"run\" class=\"name\" x=\"{LEFT}\" y=\"16\">{}</text>\
         <text x=\"{LEFT}\" y=\"{}\">{}</text>",
        word("label")?,
        escape(&frame.said),
        frame.text("run"),
        STREAM - 8.0,
        word("stream")?
    );
    for (of, top) in LOGS.into_iter().enumerate() {
        let (title, sent) = (format!("machine-{of}"), format!("sent-{of}"));
        let _ = write!(
            out,
            "<text data-part=\"{title}\" x=\"{LEFT}\" y=\"{}\">{}</text>\
             <text data-part=\"{sent}\" x=\"{}\" y=\"{}\" font-size=\"12\">{}</text>",
            top - 8.0,
            frame.text(&title),
            LEFT + NEXT * COMMANDS as f64 + 8.0,
            top + 19.0,
            frame.text(&sent)
        );
        (1..=COMMANDS).for_each(|number| slot(&mut out, frame, &format!("log-{of}-{number}"), (number, top)));
    }
    for place in 1..=MESSAGES {
        slot(&mut out, frame, &format!("stream-{place}"), (place, STREAM));
        let _ = write!(
            out,
            "<text class=\"soft\" x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"11\">{place}</text>",
            middle(place),
            STREAM + BOX.1 + 13.0
        );
    }
    let (known, title) = (frame.text("acknowledged"), word("acknowledged")?);
    let _ = write!(
        out,
        "</svg><dl class=\"facts\"><div><dt>{title}</dt><dd data-part=\"acknowledged\">{known}</dd></div></dl>"
    );
    out.push_str("<ul class=\"legend\">");
    for (name, class) in [("unconfirmed", "box-accent"), ("confirmed", "box-good"), ("lost", "box-bad")] {
        let _ = write!(out, "<li><i class=\"{class}\"></i> {}</li>", word(name)?);
    }
    let _ = write!(out, "<li>{}</li></ul>", word("arrows")?);
    Ok(out)
}

/// The middle of the box with this number, from 1.
fn middle(number: usize) -> f64 {
    LEFT + NEXT * (number as f64 - 1.0) + BOX.0 / 2.0
}

fn slot(out: &mut String, frame: &Frame, name: &str, (number, top): (usize, f64)) {
    let (class, shown) = (frame.class(&format!("{name}-box")).to_owned(), frame.text(name));
    let _ = write!(
        out,
        "<rect data-part=\"{name}-box\" class=\"{class}\" x=\"{}\" y=\"{top}\" width=\"{}\" height=\"{}\"/>\
         <text data-part=\"{name}\" x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"12\">{shown}</text>",
        middle(number) - BOX.0 / 2.0,
        BOX.0,
        BOX.1,
        middle(number),
        top + 19.0
    );
}
