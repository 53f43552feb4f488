//! Code in the pages comes from the crates that the tests compile, by anchors, never by copy.
//!
//! `// ANCHOR: name` and `// ANCHOR_END: name` mark a part. mdBook includes a missing anchor as nothing,
//! silently; here a missing, unclosed or empty one is an error.

use crate::pattern::regex;
use crate::sources::Sources;
use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The longest line that a page may show, in characters: this fits a window of 1,280 pixels beside the contents.
/// The page's style sheet gives listings that space.
const LINE_CHARS_MAX: usize = 115;

static ANCHOR_LINE: LazyLock<Regex> = LazyLock::new(|| regex(r"ANCHOR(_END)?:\s*([\w-]+)"));

/// Whether the line is an anchor's mark, which readers need not see.
pub fn is_anchor_line(line: &str) -> bool {
    ANCHOR_LINE.is_match(line)
}

/// `text` without its anchor lines.
pub fn without_anchors(text: &str) -> String {
    text.lines().filter(|line| !is_anchor_line(line)).map(|line| format!("{line}\n")).collect()
}

/// The lines between an anchor and its end, without other anchors' marks.
pub fn anchored(text: &str, anchor: &str) -> Result<String, String> {
    let mut found = false;
    let mut closed = false;
    let mut lines = vec![];
    for line in text.lines() {
        if let Some(mark) = ANCHOR_LINE.captures(line) {
            if &mark[2] == anchor {
                closed = mark.get(1).is_some();
                found |= !closed;
            }
        } else if found && !closed {
            lines.push(line);
        }
    }
    match (found, closed, lines.iter().all(|line| line.trim().is_empty())) {
        (false, ..) => Err(format!("there is no `ANCHOR: {anchor}`")),
        (_, false, _) => Err(format!("`ANCHOR: {anchor}` has no `ANCHOR_END: {anchor}`")),
        (.., true) => Err(format!("`ANCHOR: {anchor}` is empty")),
        _ => Ok(lines.join("\n") + "\n"),
    }
}

/// `text` moved left by the indentation that all its lines share.
pub fn dedent(text: &str) -> String {
    let indents = text.lines().filter(|l| !l.trim().is_empty()).map(|l| l.len() - l.trim_start_matches(' ').len());
    let shared = indents.min().unwrap_or(0);
    text.lines().map(|line| format!("{}\n", line.get(shared..).unwrap_or_default())).collect()
}

/// The file that `0x03/src/engine.rs` (a chapter's) or `perf/src/main.rs` (any other) means, relative to the root.
pub fn resolve(s: &Sources, path: &str) -> Result<PathBuf, String> {
    match path.split_once('/') {
        Some((name, rest)) if name.starts_with("0x") => {
            let chapter = s.chapters.find(name).map_err(|e| e.to_string())?;
            Ok(s.project.chapter(chapter).join(rest))
        }
        _ => Ok(PathBuf::from(path)),
    }
}

/// The part of a file between an anchor and its end, or all of it. `file` is relative to the root.
pub fn part(s: &Sources, file: &Path, anchor: Option<&str>) -> Result<String, String> {
    let text = fs::read_to_string(s.project.path(file)).map_err(|e| format!("{}: {e}", file.display()))?;
    match anchor {
        Some(anchor) => anchored(&text, anchor).map_err(|e| format!("{}: {e}", file.display())),
        None => Ok(without_anchors(&text)),
    }
}

/// `{{code 0x03/src/engine.rs:submit}}`: the file, its part and its language, as a captioned block.
pub fn listing(s: &Sources, path: &str, anchor: Option<&str>) -> Result<String, String> {
    let file = resolve(s, path)?;
    let part = dedent(&part(s, &file, anchor)?);
    if let Some(line) = part.lines().find(|line| line.chars().count() > LINE_CHARS_MAX) {
        return Err(format!(
            "{}: a line of more than {LINE_CHARS_MAX} characters would be cut off; break it: `{}`",
            file.display(),
            line.trim()
        ));
    }
    let shown = file.to_string_lossy().replace('\\', "/");
    let fence = "`".repeat(longest_backticks(&part).max(2) + 1);
    Ok(format!(
        "<p class=\"listing\">{shown}</p>\n\n{fence}{}\n{}{fence}\n",
        language(&file),
        part.trim_start_matches('\n')
    ))
}

fn language(file: &Path) -> &'static str {
    match file.extension().and_then(|e| e.to_str()) {
        Some("rs") => "rust,ignore",
        Some("toml") => "toml",
        Some("csv" | "txt") => "text",
        _ => "text",
    }
}

fn longest_backticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "a\n    // ANCHOR: x\n    one\n    // ANCHOR: y\n    two\n    // ANCHOR_END: y\n    // ANCHOR_END: x\n// ANCHOR: e\n\n// ANCHOR_END: e\n// ANCHOR: open\nz\n";

    #[test]
    fn an_anchor_gives_its_lines_without_other_marks() {
        assert_eq!(dedent(&anchored(FILE, "x").unwrap()), "one\ntwo\n");
        assert_eq!(anchored(FILE, "y").unwrap(), "    two\n");
    }

    #[test]
    fn an_absent_empty_or_unclosed_anchor_is_an_error() {
        assert!(anchored(FILE, "nope").unwrap_err().contains("no `ANCHOR: nope`"));
        assert!(anchored(FILE, "e").unwrap_err().contains("is empty"));
        assert!(anchored(FILE, "open").unwrap_err().contains("no `ANCHOR_END: open`"));
    }
}
