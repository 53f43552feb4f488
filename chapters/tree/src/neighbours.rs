//! Each engine compared with the one before it. A service is not a copy of anything, and has no step.
//!
//! A manifest's `[package.metadata.chapter]` lists the files that its step `adds`, `changes` and `removes`, and the
//! `budget` of changed lines (added and removed together, under `src`). A file that no list names is the same, byte
//! for byte, as in the chapter before. The crate's own name may differ where a file has to say it: in `src/main.rs`,
//! in tests and benches, and in `Cargo.toml`, of which the description and the lists themselves are left out.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::Path;

use catalogue::{Catalogue, Chapter, Step};
use similar::{ChangeTag, TextDiff};

use crate::files::{Files, read};

/// One engine, as far as this comparison needs it.
struct Engine<'a> {
    /// Its folder's name, such as `0x03-group-commit`.
    name: &'a str,
    files: Files,
    step: &'a Step,
}

/// How many steps there are in this folder of chapters, and everything that is wrong with them.
pub fn check(chapters: &Path) -> (usize, Vec<String>) {
    let catalogue = match Catalogue::read(chapters) {
        Ok(catalogue) => catalogue,
        Err(error) => return (0, vec![error.to_string()]),
    };
    let (mut steps, mut problems) = (0, Vec::new());
    for (before, after) in catalogue.steps() {
        steps += 1;
        match (Engine::read(chapters, before), Engine::read(chapters, after)) {
            (Ok(before), Ok(after)) => problems.extend(step(&before, &after)),
            (Err(error), _) | (_, Err(error)) => problems.push(error),
        }
    }
    (steps, problems)
}

impl<'a> Engine<'a> {
    fn read(chapters: &Path, chapter: &'a Chapter) -> Result<Engine<'a>, String> {
        let folder = chapters.join(&chapter.folder);
        let mut files = read(&folder, &["src", "tests", "benches", "examples"]);
        let wrong = |error: &dyn Display| format!("{}/Cargo.toml: {error}", chapter.folder);
        let text = std::fs::read_to_string(folder.join("Cargo.toml")).map_err(|error| wrong(&error))?;
        let mut manifest: toml::Table = text.parse().map_err(|error: toml::de::Error| wrong(&error))?;
        let package = manifest.get_mut("package").and_then(|package| package.as_table_mut());
        let package = package.ok_or_else(|| wrong(&"no [package]"))?;
        package.remove("metadata");
        package.remove("description");
        files.insert("Cargo.toml".into(), manifest.to_string());
        for (path, text) in &mut files {
            if path == "src/main.rs" || !path.starts_with("src/") {
                *text = text.replace(&chapter.package, "chNN");
            }
        }
        Ok(Engine { name: &chapter.folder, files, step: &chapter.step })
    }
}

/// What is wrong with the step from one chapter to the next.
fn step(before: &Engine<'_>, after: &Engine<'_>) -> Vec<String> {
    let mut problems = lists(before, after);
    let paths: BTreeSet<&String> = before.files.keys().chain(after.files.keys()).collect();
    for path in paths {
        let here = format!("chapters/{}/{path}", after.name);
        let there = format!("chapters/{}/{path}", before.name);
        let manifest = format!("chapters/{}/Cargo.toml", after.name);
        let problem = match (before.files.get(path), after.files.get(path)) {
            (None, Some(_)) if !after.step.adds.contains(path) => {
                format!("{here} is new.\n  Name it under `adds` in {manifest}, or remove it.")
            }
            (Some(_), None) if !after.step.removes.contains(path) => {
                format!("{there} has no counterpart.\n  Name it under `removes` in {manifest}, or copy it to {here}.")
            }
            (Some(old), Some(new)) if old != new && !after.step.changes.contains(path) => format!(
                "{here} differs from {there}{}.\n  A fix belongs in the first chapter that needs it \
                 and in all later ones, the same everywhere.\n  If the lesson needs the difference, name the file \
                 under `changes` in {manifest}.",
                first_difference(path, old, new)
            ),
            (Some(old), Some(new)) if old == new && after.step.changes.contains(path) => {
                format!("{here} is the same as {there}.\n  Take it off `changes` in {manifest}.")
            }
            _ => continue,
        };
        problems.push(problem);
    }
    let lines = changed_lines(before, after);
    if lines > after.step.budget {
        problems.push(format!(
            "From {} to {} {lines} lines under src change; the budget is {}.\n  Make the step smaller. If the lesson \
             needs it, raise `budget` in chapters/{}/Cargo.toml.",
            before.name, after.name, after.step.budget, after.name
        ));
    }
    problems
}

/// Entries of the manifest's lists that match no file.
fn lists(before: &Engine<'_>, after: &Engine<'_>) -> Vec<String> {
    let wrong = |key: &str, paths: &BTreeSet<String>, in_before: bool, in_after: bool| -> Vec<String> {
        let fits = |path: &&String| {
            before.files.contains_key(*path) == in_before && after.files.contains_key(*path) == in_after
        };
        let wrong = paths.iter().filter(|path| !fits(path));
        let place = |there: bool| if there { "there" } else { "absent" };
        let say = |path: &String| {
            format!(
                "chapters/{}/Cargo.toml: `{key}` names {path}, which should be {} in {} and {} in {}, but is \
                 not.\n  Take it off the list, or correct its name.",
                after.name,
                place(in_before),
                before.name,
                place(in_after),
                after.name
            )
        };
        wrong.map(say).collect()
    };
    [
        wrong("adds", &after.step.adds, false, true),
        wrong("changes", &after.step.changes, true, true),
        wrong("removes", &after.step.removes, true, false),
    ]
    .concat()
}

/// Where two texts first differ. A manifest is compared without its formatting, so its line numbers mean
/// nothing.
fn first_difference(path: &str, old: &str, new: &str) -> String {
    if path == "Cargo.toml" {
        return " in more than its name, its description and its lists".into();
    }
    let same = old.split('\n').zip(new.split('\n')).take_while(|(old, new)| old == new);
    format!(", first at line {}", same.count() + 1)
}

/// Lines under `src` that a reader of the diff sees marked, added and removed ones together.
fn changed_lines(before: &Engine<'_>, after: &Engine<'_>) -> usize {
    let paths: BTreeSet<&String> = before.files.keys().chain(after.files.keys()).collect();
    let sources = paths.into_iter().filter(|path| path.starts_with("src/"));
    sources.map(|path| line_diff(before.files.get(path), after.files.get(path))).sum()
}

fn line_diff(old: Option<&String>, new: Option<&String>) -> usize {
    // The book's marks are not part of the lesson; its own diff leaves them out too.
    let lines = |text: Option<&String>| -> String {
        let lines = text.map_or("", String::as_str).split_inclusive('\n');
        lines.filter(|line| !line.trim_start().starts_with("// ANCHOR")).collect()
    };
    let (old, new) = (lines(old), lines(new));
    TextDiff::from_lines(&old, &new).iter_all_changes().filter(|change| change.tag() != ChangeTag::Equal).count()
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::files::write;

    const MAIN: &str = "fn main() {\n    ch01::run()\n}\n";

    /// The problems of two chapters, given the `lists` and `files` of the second.
    fn problems(lists: &str, files: &[(&str, &str)]) -> String {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let manifest = |number: u8, kind: &str, after: &str, lists: &str| {
            format!(
                "[package]\nname = \"ch0{number}\"\ndescription = \"{number}'s own\"\n[package.metadata.chapter]\n\
                 number = 0x0{number}\npart = 1\nkind = \"{kind}\"\ntitle = {{ en = \"a\", zh = \"b\" }}\n\
                 lesson = \"src/main.rs\"\n{after}{lists}"
            )
        };
        write(
            dir.path(),
            &[
                ("0x00-market/Cargo.toml", &manifest(0, "contract", "", "")),
                ("0x00-market/src/main.rs", "other"),
                ("0x01-one/Cargo.toml", &manifest(1, "engine", "after = 0x00\n", "budget = 0")),
                ("0x01-one/src/main.rs", MAIN),
                ("0x01-one/src/book.rs", "one\ntwo\nthree\n"),
                ("0x02-two/Cargo.toml", &manifest(2, "engine", "after = 0x01\n", lists)),
                ("0x02-two/src/main.rs", &MAIN.replace("ch01", "ch02")),
                ("0x02-two/src/book.rs", "one\ntwo\nthree\n"),
                ("0x08-door/Cargo.toml", &manifest(8, "service", "after = 0x02\n", "")),
                ("0x08-door/src/main.rs", "no engine"),
                ("lab/Cargo.toml", "not a chapter"),
            ],
        );
        write(&dir.path().join("0x02-two"), files);
        let (steps, problems) = check(dir.path());
        assert_eq!(steps, 1);
        problems.join("\n")
    }

    #[test]
    fn a_copy_is_in_step() {
        assert_eq!(problems("budget = 0", &[]), "");
    }

    #[test]
    fn a_listed_step_within_its_budget_is_fine() {
        let lists = "adds = [\"src/slab.rs\", \"tests/slab.rs\"]\nchanges = [\"src/book.rs\"]\nbudget = 3";
        let files =
            [("src/slab.rs", "new\n"), ("src/book.rs", "one\n2\nthree\n"), ("tests/slab.rs", "tests\nare\nfree\n")];
        assert_eq!(problems(lists, &files), "");
    }

    #[test]
    fn a_difference_that_no_list_names() {
        let found = problems("budget = 9", &[("src/book.rs", "one\ntwo\n3\n")]);
        assert!(found.contains("0x02-two/src/book.rs differs from chapters/0x01-one/src/book.rs, first at line 3"));
    }

    #[test]
    fn a_main_that_differs_in_more_than_its_name() {
        let found = problems("budget = 9", &[("src/main.rs", "fn main() {\n    ch02::start()\n}\n")]);
        assert!(found.contains("src/main.rs differs"), "{found}");
    }

    #[test]
    fn a_dependency_that_no_list_names() {
        let found = problems("budget = 0\n[dependencies]\nloom = \"1\"\n", &[]);
        assert!(found.contains("Cargo.toml differs from chapters/0x01-one/Cargo.toml in more"), "{found}");
    }

    #[test]
    fn a_file_that_no_list_names() {
        assert!(problems("budget = 9", &[("src/extra.rs", "x\n")]).contains("src/extra.rs is new"));
    }

    #[test]
    fn lists_that_name_what_is_not_so() {
        let lists = "adds = [\"src/book.rs\", \"src/nothing.rs\"]\nchanges = [\"src/main.rs\"]\nremoves = [\"src/gone.rs\"]\nbudget = 0";
        let found = problems(lists, &[]);
        assert!(found.contains("`adds` names src/book.rs"), "{found}");
        assert!(found.contains("`adds` names src/nothing.rs"), "{found}");
        assert!(found.contains("src/main.rs is the same as"), "{found}");
        assert!(found.contains("`removes` names src/gone.rs"), "{found}");
    }

    #[test]
    fn a_step_over_its_budget() {
        let lists = "changes = [\"src/book.rs\"]\nbudget = 3";
        let found = problems(lists, &[("src/book.rs", "1\n// ANCHOR: a\n2\nthree\n")]);
        assert!(found.contains("4 lines under src change; the budget is 3"), "{found}");
    }

    #[test]
    fn a_manifest_without_lists() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        write(dir.path(), &[("0x01-one/Cargo.toml", "[package]\nname = \"ch01\"\n")]);
        let found = check(dir.path()).1.join("\n");
        assert!(found.contains("0x01-one/Cargo.toml: it has no `[package.metadata.chapter]`"), "{found}");
    }
}
