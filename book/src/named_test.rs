//! `{{test ch01::contract::simulation}}`: a test that a page names is there, or the page does not build.
//!
//! A name is a package, one of its files under `tests` (or a folder there), and a function with `#[test]`: just what
//! stands behind `cargo test -p`, behind `--test`, and behind that. The tests of the contract stand in a list, from
//! which each chapter's one line makes them.

use crate::html::escape;
use crate::pattern::regex;
use crate::project::{Project, sorted};
use std::fs;
use std::path::{Path, PathBuf};

/// The package that holds the contract, and the list of its tests there.
const CONTRACT: (&str, &str) = ("contract", "src/list.rs");
/// Where that list goes on with what chapters without shards are asked as well.
const ONE_SHARD: &str = "(@one_shard $chapter:ty) => {";
/// How deep in the repository there may be a crate.
const DEPTH: usize = 3;

/// The test's name, with the command that runs it as its title.
pub fn named_test(project: &Project, path: &str, fenced: bool) -> Result<String, String> {
    let [package, target, name] = parts(path)?;
    find(project, package, target, name)?;
    if fenced {
        return Ok(path.to_owned());
    }
    let command = escape(&format!("cargo test -p {package} --test {target} {name} -- --exact"));
    // A long name may go on in the next line of a narrow column.
    let shown = escape(path).replace("::", "::<wbr>").replace('_', "_<wbr>");
    Ok(format!("<code class=\"test\" title=\"{command}\">{shown}</code>"))
}

fn parts(path: &str) -> Result<[&str; 3], String> {
    let parts: Vec<&str> = path.split("::").collect();
    <[&str; 3]>::try_from(parts).map_err(|_| format!("`{path}` is not of the form package::file::test"))
}

/// Whether there is such a test; the error says what there is instead.
fn find(project: &Project, package: &str, target: &str, name: &str) -> Result<(), String> {
    let folder = package_folder(project.root(), package, DEPTH)
        .ok_or_else(|| format!("no crate of this repository is called `{package}`"))?;
    let mut texts = vec![];
    collect(&folder.join("tests").join(format!("{target}.rs")), &mut texts);
    collect(&folder.join("tests").join(target), &mut texts);
    if texts.is_empty() {
        return Err(format!("`{package}` has no tests/{target}.rs"));
    }
    let test = regex(&format!(r"#\[test\]\n((?:[ \t]*(?:#\[|//).*\n)*)[ \t]*fn {}\(", regex::escape(name)));
    for text in &texts {
        if let Some(found) = test.captures(text) {
            let ignored = found[1].contains("#[ignore");
            return if ignored { Err(format!("`{name}` is ignored, so it shows nothing")) } else { Ok(()) };
        }
    }
    let contract = texts.iter().find(|text| text.contains("contract::contract!("));
    if contract.is_some_and(|text| in_contract(project, text.contains("in shards"), name)) {
        return Ok(());
    }
    Err(format!("there is no test `{name}` in tests/{target}.rs of `{package}`"))
}

/// Whether the contract has a test of this name, for a chapter in shards or without.
fn in_contract(project: &Project, shards: bool, name: &str) -> bool {
    let list = package_folder(project.root(), CONTRACT.0, DEPTH).map(|folder| folder.join(CONTRACT.1));
    let list = list.and_then(|list| fs::read_to_string(list).ok()).unwrap_or_default();
    let (in_shards, for_all) = list.split_once(ONE_SHARD).unwrap_or(("", &list));
    let entry = regex(&format!(r"(?m)^\s*{} is \w+::\w+ of ", regex::escape(name)));
    entry.is_match(for_all) || shards && entry.is_match(in_shards)
}

fn package_folder(folder: &Path, package: &str, depth: usize) -> Option<PathBuf> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).ok();
    // Only one that has the word is worth parsing.
    let manifest = manifest.filter(|text| text.contains(package)).and_then(|text| text.parse::<toml::Table>().ok());
    if manifest.is_some_and(|table| table.get("package").and_then(|p| p.get("name")?.as_str()) == Some(package)) {
        return Some(folder.to_path_buf());
    }
    if depth == 0 {
        return None;
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.is_dir() && !name.starts_with('.') && !["target", "output", "exercises", "node_modules"].contains(&&*name)
    };
    sorted(entries.filter(is_ours)).iter().find_map(|folder| package_folder(folder, package, depth - 1))
}

/// The text of a source file, or of all in a folder.
fn collect(path: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        collect(&entry.path(), texts);
    }
    if path.extension().is_some_and(|extension| extension == "rs") {
        texts.extend(fs::read_to_string(path));
    }
}
