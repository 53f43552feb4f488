//! Every link, anchor and picture of the built pages leads somewhere, and no directive is left in braces.

use crate::check::built::{Built, read};
use crate::check::input::Input;
use crate::page::Page;
use crate::problem::{Failure, Problem};
use crate::project::sorted;
use results::language::Language;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// mdBook's own pages, made from the others.
const MADE: [&str; 2] = ["toc.html", "print.html"];

/// `expanded` says that every directive was expanded; a failed one has been reported already, so its braces
/// are not reported again.
pub(super) fn check(
    input: &Input<'_>,
    dist: &Path,
    expanded: bool,
    problems: &mut Vec<Problem>,
) -> Result<(), Failure> {
    let mut pages = BTreeMap::new();
    for lang in Language::ALL {
        let folder = dist.join(lang.tag());
        let entries = fs::read_dir(&folder).map_err(|e| Failure::disk(&folder, e))?;
        for path in sorted(entries.flatten().map(|entry| entry.path())) {
            if path.extension().is_some_and(|e| e == "html") {
                let html = fs::read_to_string(&path).map_err(|e| Failure::disk(&path, e))?;
                pages.insert(path, read(&html));
            }
        }
    }
    for (path, built) in &pages {
        let name = path.file_stem().map(|stem| format!("{}.md", stem.to_string_lossy())).unwrap_or_default();
        let made = path.file_name().is_some_and(|name| MADE.iter().any(|made| name == *made));
        let source = input.pages().find(|page| page.name() == name && path.starts_with(dist.join(page.lang.tag())));
        // `index.html` repeats the first page; its problems are reported for that page.
        if let (Some(source), false) = (source, made) {
            let broken = built.targets.iter().filter_map(|target| Some((target, leads(path, target, &pages)?)));
            problems
                .extend(broken.map(|(target, why)| {
                    Problem::new(&source.file, line(source, target), format!("`{target}` {why}"))
                }));
            problems.extend(built.braces.iter().filter(|_| expanded).map(|left| {
                Problem::new(&source.file, line(source, left), format!("`{left}` is left in the built page"))
            }));
        }
    }
    Ok(())
}

/// Why a target leads nowhere; `None` when it leads somewhere or is external.
fn leads(from: &Path, target: &str, pages: &BTreeMap<PathBuf, Built>) -> Option<String> {
    if target.contains("://") || ["mailto:", "data:", "#fa-"].iter().any(|start| target.starts_with(start)) {
        return None;
    }
    let (file, fragment) = target.split_once('#').map_or((target, None), |(file, id)| (file, Some(id)));
    let file = file.split('?').next().unwrap_or_default();
    let path = if file.is_empty() { from.to_path_buf() } else { normal(&from.parent()?.join(file)) };
    let Some(built) = pages.get(&path) else {
        // The start page is written last and does not belong to a language's pages.
        return (!path.exists()).then(|| "leads to no file".to_owned());
    };
    let id = fragment.filter(|id| !id.is_empty() && !built.ids.contains(*id))?;
    Some(format!("leads to `{}`, which has no `{id}`", path.file_name()?.to_string_lossy()))
}

/// The path without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// The source line that contains the target, in its built or its written form; the first line if none
/// does.
fn line(source: &Page, target: &str) -> usize {
    let written = target.replacen(".html", ".md", 1);
    let found = source.text.lines().position(|line| line.contains(target) || line.contains(&written));
    found.map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(pages: &[(&str, &str)]) -> BTreeMap<PathBuf, Built> {
        pages.iter().map(|(name, html)| (PathBuf::from(name), read(html))).collect()
    }

    #[test]
    fn a_link_needs_its_file_and_its_id() {
        let pages = built(&[("d/en/a.html", "<main><h1 id=\"x\"></h1></main>"), ("d/en/b.html", "")]);
        let from = Path::new("d/en/b.html");
        assert_eq!(leads(from, "a.html#x", &pages), None);
        assert_eq!(leads(from, "../en/a.html", &pages), None);
        assert_eq!(leads(from, "https://example.org/", &pages), None);
        assert!(leads(from, "a.html#y", &pages).unwrap().contains("no `y`"));
        assert!(leads(from, "c.html", &pages).unwrap().contains("no file"));
        assert!(leads(from, "#z", &pages).is_some());
    }
}
