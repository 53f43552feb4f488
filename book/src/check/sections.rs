//! Both languages have the same pages, the same headings, and each Chinese section translates today's
//! English.

use crate::check::input::Input;
use crate::page::{Page, Section};
use crate::problem::Problem;
use crate::project::sorted;
use results::language::Language;
use std::fs;

pub(super) fn check(input: &Input<'_>, problems: &mut Vec<Problem>) {
    summaries(input, problems);
    for lang in Language::ALL {
        unlisted(input, lang, problems);
    }
    for page in input.pages() {
        ids(page, problems);
    }
    for (en, zh) in input.pairs() {
        twins(en, zh, problems);
    }
}

fn summaries(input: &Input<'_>, problems: &mut Vec<Problem>) {
    let (Some(en), Some(zh)) = (input.en.first(), input.zh.first()) else { return };
    let names = |page: &Page| page.summary_links().into_iter().map(|(_, name)| name).collect::<Vec<_>>();
    let (ours, theirs) = (names(en), names(zh));
    for (page, other, missing) in [(en, zh, &theirs), (zh, en, &ours)] {
        for (line, name) in page.summary_links().into_iter().filter(|(_, name)| !missing.contains(name)) {
            problems.push(Problem::new(&page.file, line, format!("`{name}` is not in {}", other.file.display())));
        }
    }
    if sorted(ours.iter()) == sorted(theirs.iter()) && ours != theirs {
        problems.push(Problem::new(&zh.file, 1, "lists the pages in a different order from the English one"));
    }
}

/// A page that readers can't reach.
fn unlisted(input: &Input<'_>, lang: Language, problems: &mut Vec<Problem>) {
    let pages = lang.pick(&input.en, &input.zh);
    let source = input.project.source(lang);
    let entries = fs::read_dir(input.project.path(&source)).into_iter().flatten().flatten();
    for name in sorted(entries.map(|entry| entry.file_name().to_string_lossy().into_owned())) {
        if name.ends_with(".md") && pages.iter().all(|page| page.name() != name) {
            problems.push(Problem::new(source.join(&name), 1, "the page is not in SUMMARY.md"));
        }
    }
}

fn ids(page: &Page, problems: &mut Vec<Problem>) {
    let sections = page.sections();
    for (index, section) in sections.iter().enumerate() {
        let reason = match &section.id {
            None => format!("the heading `{}` needs an explicit id, e.g. `{{#tail}}`", section.title),
            Some(id) if sections[..index].iter().any(|other| other.id.as_ref() == Some(id)) => {
                format!("the id `{id}` is used twice")
            }
            Some(_) => continue,
        };
        problems.push(Problem::new(&page.file, section.line, reason));
    }
    if sections.first().is_none_or(|section| section.level != 1) {
        problems.push(Problem::new(&page.file, 1, "the page does not open with a heading of level 1"));
    }
}

fn twins(en: &Page, zh: &Page, problems: &mut Vec<Problem>) {
    let (english, chinese) = (en.sections(), zh.sections());
    let twin = |section: &Section, others: &[Section]| {
        others.iter().position(|other| other.id == section.id && other.id.is_some())
    };
    for section in &english {
        if twin(section, &chinese).is_none() {
            let reason = format!("the section `{}` has no twin in {}", section.title, zh.file.display());
            problems.push(Problem::new(&en.file, section.line, reason));
        }
    }
    let mut last = 0;
    for section in &chinese {
        let Some(at) = twin(section, &english) else {
            let reason = format!("the section `{}` has no twin in {}", section.title, en.file.display());
            problems.push(Problem::new(&zh.file, section.line, reason));
            continue;
        };
        if let Some(reason) = behind(section, &english[at], at < last) {
            problems.push(Problem::new(&zh.file, section.line, reason));
        }
        last = at;
    }
}

/// Why a Chinese section is out of step with its English twin.
fn behind(section: &Section, twin: &Section, moved: bool) -> Option<String> {
    let title = &section.title;
    let stamp = section.stamp.as_ref().map(|(_, hash)| hash);
    if moved {
        Some(format!("`{title}` is in a different place from its English twin"))
    } else if section.level != twin.level {
        Some(format!("`{title}` is a heading of level {}, its English twin of level {}", section.level, twin.level))
    } else if section.body.trim().is_empty() != twin.body.trim().is_empty() {
        Some(format!("`{title}` is empty on one side only"))
    } else {
        match stamp {
            None => Some(format!("`{title}` has no hash of its English section; review it, then run `stamp`")),
            Some(hash) if *hash != twin.hash() => Some(format!(
                "`{title}` translates an older English section ({hash}, now {}); bring it up to date, then run `stamp`",
                twin.hash()
            )),
            Some(_) => None,
        }
    }
}
