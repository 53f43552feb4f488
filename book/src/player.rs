//! `{{player ring}}`: a recording of an engine at work, to be stepped through.
//!
//! `book/recordings/NAME.json` holds what the engine did (`cargo run -p book --example record` makes it), and
//! `NAME.toml` the words; `trace` shows what a record holds. What is drawn in each step is decided here: the page carries one picture, every step's
//! sentence, and for the script `book/theme/player.js` what changes in the picture from step to step.

mod books;
mod frame;
mod lanes;
mod log;
mod mask;
mod numbers;
mod ordering;
mod ring;
mod takeover;
mod timelines;
mod trace;
mod window;

use crate::html::escape;
use crate::player::frame::{Frame, Part};
use crate::project::{Project, sorted};
use crate::sources::Sources;
use crate::words::Words;
use results::language::Language;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = "book/recordings";

/// How a recording is drawn.
struct Drawing {
    name: &'static str,
    /// What each step shows.
    frames: fn(&Value, &Words) -> Result<Vec<Frame>, String>,
    /// The picture of one step.
    picture: fn(&Frame, &Words) -> Result<String, String>,
    /// Which step the page shows before a script runs.
    still: usize,
}

const DRAWINGS: [Drawing; 11] = [
    Drawing { name: "books", frames: books::frames, picture: books::picture, still: books::STILL },
    Drawing { name: "ring", frames: ring::frames, picture: ring::picture, still: ring::STILL },
    Drawing { name: "ordering", frames: ordering::frames, picture: ordering::picture, still: ordering::STILL },
    Drawing { name: "mask", frames: mask::frames, picture: mask::picture, still: mask::STILL },
    Drawing { name: "window", frames: window::frames, picture: window::picture, still: window::STILL },
    Drawing { name: "numbers", frames: numbers::frames, picture: numbers::picture, still: numbers::STILL },
    Drawing { name: "trace", frames: trace::frames, picture: trace::picture, still: trace::STILL },
    Drawing { name: "log", frames: log::frames, picture: log::picture, still: log::STILL },
    Drawing { name: "takeover", frames: takeover::frames, picture: takeover::picture, still: takeover::STILL },
    Drawing { name: "batches", frames: timelines::batches, picture: lanes::picture, still: timelines::STILL },
    Drawing { name: "at-once", frames: timelines::at_once, picture: lanes::picture, still: timelines::STILL },
];

/// The recording of a player; two players share one.
fn recording_of(player: &str) -> &str {
    if matches!(player, "batches" | "at-once") { "timelines" } else { player }
}

/// `{{player NAME}}`.
pub fn player(s: &Sources, lang: Language, name: &str) -> Result<String, String> {
    let file = recording_of(name);
    // Two real orders stand in a record as they were measured.
    let recording = if file == "trace" { (*s.reference.record("path")?).clone() } else { read(&s.project, file)? };
    let words = Words::read(&s.project, &Path::new(FOLDER).join(format!("{file}.toml")), lang)?;
    let drawing = DRAWINGS.iter().find(|drawing| drawing.name == name);
    let &Drawing { frames, picture, still, .. } = drawing.ok_or_else(|| format!("there is no drawing for `{name}`"))?;
    let frames = frames(&recording, &words)?;
    let shown = frames.get(still).ok_or("the recording is too short for its still picture")?;
    let picture = picture(shown, &words)?;
    let ui: BTreeMap<_, _> = words.groups.get("ui").into_iter().flatten().collect();
    let data = json!({ "frames": changes(&frames), "still": still, "ui": ui }).to_string();
    let label = escape(words.get("picture", "label")?);
    let position = [("step", &*still.to_string()), ("steps", &(frames.len() - 1).to_string())];
    let caption = format!("{} {}", words.say("ui", "position", &position)?, shown.said);
    let told: String = frames.iter().map(|frame| format!("<li>{}</li>", escape(&frame.said))).collect();
    Ok(format!(
        "<section class=\"player\" id=\"player-{name}\" aria-label=\"{label}\" data-player=\"{}\">\
         <figure class=\"drawing\"><div class=\"{name}\">{picture}</div><figcaption>{}</figcaption></figure>\
         <details open><summary>{}</summary><ol start=\"0\">{told}</ol></details></section>\n\n",
        escape(&data),
        escape(&caption),
        escape(words.get("ui", "all")?)
    ))
}

/// What the script needs for each step: its sentence, and the parts that look different from the step
/// before.
fn changes(frames: &[Frame]) -> Vec<Frame> {
    let mut before: BTreeMap<&str, &Part> = BTreeMap::new();
    let change = |frame: &'_ Frame, before: &BTreeMap<&str, &Part>| {
        let parts = frame.parts.iter().filter(|(name, part)| before.get(&***name) != Some(part));
        Frame { said: frame.said.clone(), parts: parts.map(|(name, part)| (name.clone(), part.clone())).collect() }
    };
    let mut changes = Vec::new();
    for frame in frames {
        changes.push(change(frame, &before));
        before.extend(frame.parts.iter().map(|(name, part)| (&**name, part)));
    }
    changes
}

/// The words of all recordings in Chinese, each with its file.
pub fn chinese(project: &Project) -> Result<Vec<(PathBuf, String)>, String> {
    let entries = fs::read_dir(project.path(FOLDER)).into_iter().flatten().flatten();
    let files = sorted(entries.map(|entry| Path::new(FOLDER).join(entry.file_name())));
    let mut found = Vec::new();
    for file in files.into_iter().filter(|file| file.extension().is_some_and(|e| e == "toml")) {
        let words = Words::read(project, &file, Language::Chinese)?;
        found.extend(words.all().map(|text| (file.clone(), text.to_owned())));
    }
    Ok(found)
}

/// A recording that was made by the current code of its chapter.
fn read(project: &Project, name: &str) -> Result<Value, String> {
    let file = Path::new(FOLDER).join(format!("{name}.json"));
    let text = fs::read_to_string(project.path(&file)).map_err(|_| format!("there is no {}", file.display()))?;
    let recording: Value = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))?;
    let again = "record it again: cargo run -p book --example record";
    if recording["digest"] != hex(recording["steps"].to_string().as_bytes()) {
        return Err(format!("{}: the steps are not those that were recorded; {again}", file.display()));
    }
    let chapter = Path::new("chapters").join(recording["chapter"].as_str().unwrap_or_default());
    let sources = recording["sources"].as_object().filter(|sources| !sources.is_empty());
    for (source, digest) in sources.ok_or_else(|| format!("{} names no sources; {again}", file.display()))? {
        let source = chapter.join(source);
        let text = fs::read_to_string(project.path(&source)).map_err(|e| format!("{}: {e}", source.display()))?;
        if *digest != code_digest(&text) {
            return Err(format!("{} was recorded with another {}; {again}", file.display(), source.display()));
        }
    }
    Ok(recording)
}

/// The SHA-256 of a source's code. Lines that hold only a comment are left out: they change no step.
pub fn code_digest(source: &str) -> String {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    hex(code.flat_map(|line| [line, "\n"]).collect::<String>().as_bytes())
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_of_other_code_is_refused() {
        let folder = tempfile::TempDir::new().unwrap();
        let project = Project::at(folder.path());
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let steps = json!([{ "head": 1 }]);
        let recording = |digest: &str| {
            let digest = if digest.is_empty() { hex(steps.to_string().as_bytes()) } else { digest.to_owned() };
            json!({ "chapter": "0x06-x", "sources": { "a.rs": code_digest("one") }, "digest": digest, "steps": steps })
        };
        write("chapters/0x06-x/a.rs", "one");
        write("book/recordings/r.json", &recording("").to_string());
        assert!(read(&project, "r").is_ok());
        write("chapters/0x06-x/a.rs", "//! Why.\none\n    // How.\n");
        assert!(read(&project, "r").is_ok(), "only comments have changed");
        write("book/recordings/r.json", &recording("00").to_string());
        assert!(read(&project, "r").unwrap_err().contains("not those that were recorded"));
        write("book/recordings/r.json", &recording("").to_string());
        write("chapters/0x06-x/a.rs", "two");
        let error = read(&project, "r").unwrap_err();
        assert!(
            error.contains("was recorded with another chapters/0x06-x/a.rs; record it again: cargo run"),
            "{error}"
        );
    }
}
