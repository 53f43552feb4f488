//! The Chinese in the charts uses the pages' terms: the glossary applies to their labels and to the chapters'
//! titles in them.

use crate::check::input::Input;
use crate::check::terms::{Rule, rendering, rules, unrendered};
use crate::glossary;
use crate::pattern::regex;
use crate::problem::Problem;
use crate::project::sorted;
use regex::Regex;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// A label, a title or a description.
static SAID: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)<(?:text|tspan|title|desc)\b[^>]*>([^<]*)<"));

pub(super) fn check(input: &Input<'_>, problems: &mut Vec<Problem>) {
    let Ok(terms) = glossary::terms(input.project) else { return };
    let rules = rules(terms);
    let charts = input.project.reference().join("charts");
    let names = fs::read_dir(&charts).into_iter().flatten().flatten().map(|entry| entry.file_name());
    for name in sorted(names.map(|name| name.to_string_lossy().into_owned())) {
        let Some(stem) = name.strip_suffix(".zh.svg") else { continue };
        let file = Path::new("output/reference/charts").join(&name);
        let read = |name: &str| fs::read_to_string(charts.join(name)).unwrap_or_default();
        let (chinese, english) = (read(&name), read(&format!("{stem}.en.svg")));
        let (chinese, english) = (labels(&chinese), labels(&english));
        let twins = english.iter().zip(&chinese).filter(|_| english.len() == chinese.len());
        let unlike = twins.flat_map(|(en, zh)| faults(&rules, en, &zh.1).into_iter().map(|fault| (zh.0, fault)));
        let avoided = chinese.iter().filter_map(|(line, zh)| Some((*line, avoided(&rules, zh)?)));
        for (line, reason) in unlike.chain(avoided) {
            problems.push(Problem::new(&file, line, reason));
        }
    }
    for chapter in input.project.chapters().iter().flat_map(|chapters| chapters.all().to_vec()) {
        let file = Path::new("chapters").join(&chapter.folder).join("Cargo.toml");
        let (en, zh) = (&chapter.title.en, &chapter.title.zh);
        let found = faults(&rules, &(1, en.clone()), zh).into_iter().chain(avoided(&rules, zh));
        problems.extend(found.map(|reason| Problem::new(&file, 1, format!("the title `{zh}`: {reason}"))));
    }
}

/// The texts of a picture, each with its line.
fn labels(svg: &str) -> Vec<(usize, String)> {
    let line = |at: usize| 1 + svg[..at].matches('\n').count();
    let found = SAID.captures_iter(svg).filter_map(|found| found.get(1));
    found.map(|text| (line(text.start()), text.as_str().trim().to_owned())).collect()
}

/// The terms of an English label that its Chinese twin does not render.
fn faults(rules: &[Rule], english: &(usize, String), chinese: &str) -> Vec<String> {
    let missing = unrendered(rules, &english.1, chinese, "");
    let say = |term: &crate::glossary::Term| {
        format!("`{chinese}` stands for `{}`, and `{}` is `{}` in this book", english.1, term.en, rendering(term))
    };
    missing.into_iter().map(say).collect()
}

/// A rendering that this book does not use.
fn avoided(rules: &[Rule], chinese: &str) -> Option<String> {
    rules.iter().find_map(|rule| {
        let avoid = rule.term.avoid.iter().find(|avoid| chinese.contains(avoid.as_str()))?;
        Some(format!("`{avoid}`: this book says `{}` for `{}`", rendering(&rule.term), rule.term.en))
    })
}
