//! The diff between two neighbouring chapters: the lesson itself, made from the crates.
//!
//! It compares `Cargo.toml` and everything under `src`, without the anchors' marks, which only the book reads.
//! Each changed file needs a sentence in `book/diffs/<after>.toml` that says what the change is for.

use crate::code::without_anchors;
use crate::html::escape;
use crate::project::{Project, sorted};
use crate::sentences::{self, Sentences};
use catalogue::{Chapter, Number};
use results::language::Language;
use similar::{ChangeTag, TextDiff};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// Files with a chapter's names and its list of modules: they come last, and folded.
const ROOTS: [&str; 3] = ["src/lib.rs", "src/main.rs", "Cargo.toml"];

/// One file's change.
#[derive(Debug, Clone)]
pub struct FileDiff {
    /// Relative to the chapter's folder, with `/`.
    pub path: String,
    /// The hunks, each a header and its lines.
    pub hunks: Vec<Hunk>,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
}

/// A run of changes with its context.
#[derive(Debug, Clone)]
pub struct Hunk {
    /// `@@ -1,4 +1,6 @@`.
    pub header: String,
    /// The lines, with their sign and without a newline.
    pub lines: Vec<(char, String)>,
}

/// The changed files between two chapters, in the order of their paths.
pub fn chapters(project: &Project, before: &Chapter, after: &Chapter) -> Result<Vec<FileDiff>, String> {
    let old = files(&project.path(project.chapter(before)))?;
    let new = files(&project.path(project.chapter(after)))?;
    let empty = String::new();
    let paths: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let changed = paths
        .into_iter()
        .filter_map(|path| file(path, old.get(path).unwrap_or(&empty), new.get(path).unwrap_or(&empty)));
    Ok(changed.collect())
}

fn file(path: &str, old: &str, new: &str) -> Option<FileDiff> {
    let diff = TextDiff::from_lines(old, new);
    let mut unified = diff.unified_diff();
    let hunks: Vec<Hunk> = unified
        .context_radius(CONTEXT)
        .iter_hunks()
        .map(|hunk| Hunk {
            header: hunk.header().to_string(),
            lines: hunk
                .iter_changes()
                .map(|change| (sign(change.tag()), change.value().trim_end_matches('\n').to_owned()))
                .collect(),
        })
        .collect();
    let count = |sign| hunks.iter().flat_map(|hunk| &hunk.lines).filter(|(s, _)| *s == sign).count();
    let (added, removed) = (count('+'), count('-'));
    (!hunks.is_empty()).then(|| FileDiff { path: path.to_owned(), hunks, added, removed })
}

fn sign(tag: ChangeTag) -> char {
    match tag {
        ChangeTag::Equal => ' ',
        ChangeTag::Delete => '-',
        ChangeTag::Insert => '+',
    }
}

/// The texts of `Cargo.toml` and `src/**`, without anchors.
fn files(chapter: &Path) -> Result<BTreeMap<String, String>, String> {
    let mut found = vec![chapter.join("Cargo.toml")];
    collect(&chapter.join("src"), &mut found)?;
    let mut texts = BTreeMap::new();
    for path in found {
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let name = path.strip_prefix(chapter).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        texts.insert(name, without_anchors(&text));
    }
    Ok(texts)
}

fn collect(dir: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    for path in sorted(entries.flatten().map(|entry| entry.path())) {
        if path.is_dir() {
            collect(&path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

/// The changes in the order of their sentences, the roots last.
fn in_order(mut diffs: Vec<FileDiff>, sentences: &Sentences) -> Vec<FileDiff> {
    let root = |path: &str| ROOTS.iter().position(|root| *root == path).map_or(0, |place| place + 1);
    diffs.sort_by_key(|diff| (root(&diff.path), sentences.place(&diff.path)));
    diffs
}

/// Where the sentences and the diff disagree.
pub fn unexplained(diffs: &[FileDiff], sentences: &Sentences, after: Number) -> Vec<String> {
    let file = sentences::file(after);
    let file = file.display();
    let missing =
        diffs.iter().filter(|diff| sentences.get(&diff.path).is_none_or(|s| s.en.is_empty() || s.zh.is_empty()));
    let idle = sentences.0.iter().map(|(path, _)| path).filter(|path| diffs.iter().all(|diff| diff.path != **path));
    missing
        .map(|diff| format!("`{}` changed, but {file} has no sentence for it in both languages", diff.path))
        .chain(idle.map(|path| format!("{file} explains `{path}`, which did not change")))
        .collect()
}

/// `{{length 0x02 0x03}}`: how many lines in how many files.
pub fn length(project: &Project, lang: Language, before: &Chapter, after: &Chapter) -> Result<String, String> {
    let diffs = chapters(project, before, after)?;
    let ((added, removed), files) = (totals(&diffs), diffs.len());
    let lines = added + removed;
    Ok(lang.pick(
        format!("{lines} lines in {files} files, {added} of them added and {removed} removed"),
        format!("{lines} 行，在 {files} 个文件里：新增 {added} 行，删除 {removed} 行"),
    ))
}

/// `{{diff 0x02 0x03}}`: the files in the order of their reading, then each file under its sentence.
pub fn page(project: &Project, lang: Language, before: &Chapter, after: &Chapter) -> Result<String, String> {
    let sentences = sentences::of(project, after)?;
    let diffs = in_order(chapters(project, before, after)?, &sentences);
    let unexplained = unexplained(&diffs, &sentences, after.number);
    if !unexplained.is_empty() {
        return Err(unexplained.join("; "));
    }
    let contents: Vec<String> = diffs.iter().map(in_contents).collect();
    let mut out = contents.join(lang.pick(", ", "、")) + lang.pick(".\n", "。\n");
    for diff in &diffs {
        let id = id(diff);
        let sentence = sentences.get(&diff.path).map(|s| lang.pick(&s.en, &s.zh)).map_or("", String::as_str);
        // The sentence stays visible while the lines under it scroll by, to the section's end.
        out += &format!(
            "\n<section class=\"file\">\n\n## <code>{}</code> {{#diff-{id}}}\n\n<div class=\"said\">\n\n{sentence}\n\n</div>\n\n{}\n</section>\n",
            escape(&diff.path),
            html(diff, lang)
        );
    }
    Ok(out)
}

/// A file with the number of its lines, linked to where it stands.
fn in_contents(diff: &FileDiff) -> String {
    format!("[`{}`](#diff-{}) ({})", diff.path.trim_start_matches("src/"), id(diff), diff.added + diff.removed)
}

fn id(diff: &FileDiff) -> String {
    diff.path.replace(|c: char| !c.is_ascii_alphanumeric(), "-")
}

fn totals(diffs: &[FileDiff]) -> (usize, usize) {
    (diffs.iter().map(|diff| diff.added).sum(), diffs.iter().map(|diff| diff.removed).sum())
}

fn html(diff: &FileDiff, lang: Language) -> String {
    let label = lang.pick("Changes in", "改动：");
    let mut out =
        format!("<pre class=\"diff\" tabindex=\"0\" role=\"region\" aria-label=\"{label} {}\">", escape(&diff.path));
    for hunk in &diff.hunks {
        out += &format!("<span class=\"at\">{}\n</span>", escape(hunk.header.trim_end()));
        // Removed lines and their replacement are one run, so that a wide window can show them side by side.
        for run in hunk.lines.chunk_by(|(one, _), (other, _)| (*one == ' ') == (*other == ' ')) {
            let lines: String = run.iter().map(|(sign, text)| line(*sign, text)).collect();
            out += &if run[0].0 == ' ' { lines } else { format!("<span class=\"run\">{lines}</span>") };
        }
    }
    out += "</pre>\n";
    if !ROOTS.contains(&diff.path.as_str()) {
        return out;
    }
    let (added, removed) = (diff.added, diff.removed);
    let lines =
        lang.pick(format!("Lines added: {added}; removed: {removed}"), format!("新增 {added} 行，删除 {removed} 行"));
    format!("<details><summary>{lines}</summary>\n{out}</details>\n")
}

fn line(sign: char, text: &str) -> String {
    let tag = match sign {
        '+' => "ins",
        '-' => "del",
        _ => "span",
    };
    format!("<{tag}>{sign}{}\n</{tag}>", escape(text))
}

/// The diff for a terminal, with colours if asked for.
pub fn terminal(
    project: &Project,
    lang: Language,
    before: &Chapter,
    after: &Chapter,
    colour: bool,
) -> Result<String, String> {
    let sentences = sentences::of(project, after)?;
    let diffs = in_order(chapters(project, before, after)?, &sentences);
    let paint = |code: &str, text: &str| if colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() };
    let (old, new) = (project.chapter(before), project.chapter(after));
    let mut out = String::new();
    for diff in &diffs {
        out += &paint("1", &format!("--- {}/{}\n+++ {}/{}", old.display(), diff.path, new.display(), diff.path));
        out.push('\n');
        if let Some(sentence) = sentences.get(&diff.path) {
            out += &format!("# {}\n", lang.pick(&sentence.en, &sentence.zh));
        }
        for hunk in &diff.hunks {
            out += &format!("{}\n", paint("36", hunk.header.trim_end()));
            for (sign, line) in &hunk.lines {
                let text = format!("{sign}{line}");
                out += &match sign {
                    '+' => paint("32", &text),
                    '-' => paint("31", &text),
                    _ => text,
                };
                out.push('\n');
            }
        }
    }
    let (added, removed) = totals(&diffs);
    out += &format!("{} {}, +{added} -{removed}\n", diffs.len(), lang.pick("files changed", "个文件有改动"));
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentences::Sentence;

    #[test]
    fn the_files_come_in_the_order_of_their_sentences() {
        let diffs = ["Cargo.toml", "src/a.rs", "src/b.rs", "src/c.rs", "src/lib.rs"]
            .map(|path| file(path, "", "x\n").unwrap())
            .to_vec();
        let sentence = Sentence { en: "a".into(), zh: "甲".into() };
        let told = ["Cargo.toml", "src/c.rs", "src/a.rs"].map(|path| (path.to_owned(), sentence.clone()));
        let paths: Vec<String> = in_order(diffs, &Sentences(told.to_vec())).into_iter().map(|diff| diff.path).collect();
        assert_eq!(paths, ["src/c.rs", "src/a.rs", "src/b.rs", "src/lib.rs", "Cargo.toml"]);
    }

    #[test]
    fn a_file_diff_counts_and_keeps_context() {
        let diff = file("src/a.rs", "1\n2\n3\n4\n5\n6\n", "1\n2\n3\nfour\n5\n6\n").unwrap();
        assert_eq!((diff.added, diff.removed, diff.hunks.len()), (1, 1, 1));
        assert_eq!(diff.hunks[0].lines[3], ('-', "4".to_owned()));
        assert!(file("a", "x\n", "x\n").is_none());
    }

    #[test]
    fn a_changed_file_without_a_sentence_and_an_idle_sentence_are_both_reported() {
        let diffs = [file("src/a.rs", "", "x\n").unwrap()];
        let said = |path: &str| Sentences(vec![(path.to_owned(), Sentence { en: "a".into(), zh: "甲".into() })]);
        assert!(unexplained(&diffs, &said("src/a.rs"), Number(3)).is_empty());
        let told = unexplained(&diffs, &said("src/b.rs"), Number(3));
        assert_eq!(told.len(), 2);
        assert!(told[0].contains("book/diffs/0x03.toml has no sentence"), "{told:?}");
    }
}
