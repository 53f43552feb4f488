//! Every `{{#include}}` finds its file, and its anchor is not empty. mdBook only logs the one and hides the
//! other.

use crate::check::input::Input;
use crate::code;
use crate::page::Page;
use crate::pattern::regex;
use crate::problem::Problem;
use regex::Regex;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

static INCLUDE: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(\\)?\{\{\s*#(include|rustdoc_include|playground)\s+([^\s}:]+)(?::([^\s}]*))?[^}]*\}\}"));

pub(super) fn check(input: &Input<'_>, problems: &mut Vec<Problem>) {
    for page in input.pages() {
        for (index, line) in page.text.lines().enumerate() {
            for found in INCLUDE.captures_iter(line).filter(|found| found.get(1).is_none()) {
                let part = found.get(4).map(|part| part.as_str());
                if let Err(reason) = include(input, page, &found[3], part) {
                    problems.push(Problem::new(&page.file, index + 1, format!("{}: {reason}", &found[0])));
                }
            }
        }
    }
}

fn include(input: &Input<'_>, page: &Page, path: &str, part: Option<&str>) -> Result<(), String> {
    let folder = page.file.parent().unwrap_or(Path::new(""));
    let text = fs::read_to_string(input.project.path(folder.join(path))).map_err(|e| format!("{path}: {e}"))?;
    match part {
        None | Some("") if text.trim().is_empty() => Err("the file is empty".into()),
        None | Some("") => Ok(()),
        Some(range) if range.starts_with(|c: char| c.is_ascii_digit() || c == ':') => {
            Err("lines move; mark the part with an anchor and include that".into())
        }
        Some(anchor) => code::anchored(&text, anchor).map(drop),
    }
}
