//! Writes under each Chinese heading the hash of the English section that it translates.
//!
//! Run it after the translation has been reviewed: the hash says "this Chinese text translates that English
//! text", and `check` compares it with today's English.

use crate::page::{Page, Section};
use crate::problem::Failure;
use crate::project::Project;
use results::language::Language;
use std::fs;

/// Stamps the named Chinese pages, or all if none is named, and returns what it stamped.
pub fn stamp(project: &Project, only: &[String]) -> Result<Vec<String>, Failure> {
    let english = project.pages(Language::English)?;
    let mut chinese = project.pages(Language::Chinese)?;
    chinese.retain(|page| page.name() != "SUMMARY.md");
    let is_called = |page: &Page, wanted: &String| page.name() == *wanted || page.name() == format!("{wanted}.md");
    if let Some(wanted) = only.iter().find(|wanted| !chinese.iter().any(|page| is_called(page, wanted))) {
        let names: Vec<String> = chinese.iter().map(|page| page.name().trim_end_matches(".md").to_owned()).collect();
        return Err(Failure::Usage(format!("there is no page `{wanted}`; there are {}", names.join(", "))));
    }
    let mut told = vec![];
    for page in chinese {
        if !only.is_empty() && !only.iter().any(|wanted| is_called(&page, wanted)) {
            continue;
        }
        let name = page.name();
        let Some(twin) = english.iter().find(|twin| twin.name() == name) else { continue };
        let (text, stamped) = stamped(&page, twin);
        if !stamped.is_empty() {
            let path = project.path(&page.file);
            fs::write(&path, text).map_err(|e| Failure::disk(&path, e))?;
        }
        told.extend(stamped);
    }
    Ok(told)
}

/// The page's text with today's hashes, and what changed.
fn stamped(page: &Page, english: &Page) -> (String, Vec<String>) {
    let twins = english.sections();
    let mut lines: Vec<String> = page.text.lines().map(str::to_owned).collect();
    let mut told = vec![];
    // From the end, so that an added line does not move the sections still to be done.
    for section in page.sections().iter().rev() {
        let Some(twin) = section.id.as_ref().and_then(|_| twins.iter().find(|twin| twin.id == section.id)) else {
            continue;
        };
        let hash = twin.hash();
        if section.stamp.as_ref().is_some_and(|(_, old)| *old == hash) {
            continue;
        }
        told.push(format!("{}:{}: {}", page.file.display(), section.line, what(section, &hash)));
        let mark = format!("<!-- en:{hash} -->");
        match &section.stamp {
            Some((line, _)) => lines[line - 1] = mark,
            None => lines.insert(section.line, mark),
        }
    }
    told.reverse();
    (lines.join("\n") + "\n", told)
}

fn what(section: &Section, hash: &str) -> String {
    let was = section.stamp.as_ref().map_or("unstamped", |(_, old)| old.as_str());
    format!("`{}` {was} -> {hash}", section.title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamping_puts_in_and_renews_and_then_rests() {
        let en = Page::new("book/en/a.md", Language::English, "# A {#a}\n\nnew text\n\n## B {#b}\n\nb\n");
        let zh =
            Page::new("book/zh/a.md", Language::Chinese, "# 甲 {#a}\n<!-- en:00000000 -->\n\n文\n\n## 乙 {#b}\n\n乙\n");
        let (text, told) = stamped(&zh, &en);
        assert_eq!(told.len(), 2);
        assert!(told[0].contains("00000000 -> "), "{told:?}");
        let again = Page::new("book/zh/a.md", Language::Chinese, text);
        assert!(again.sections().iter().all(|section| section.stamp.is_some()));
        assert!(stamped(&again, &en).1.is_empty());
    }
}
