//! `{{test ch01::contract::simulation}}`: a test that a page names must exist, or the page does not build.
//!
//! A name is a package, one of its files under `tests` (or a folder with a `main.rs` there), the modules below it if
//! there are any, and a function with `#[test]`: the same parts as in `cargo test -p PACKAGE --test FILE PATH`. The
//! tests of the contract are in a list, from which each chapter's one line makes them.

use crate::html::escape;
use crate::pattern::regex;
use crate::project::{Project, sorted};
use std::fs;
use std::path::{Path, PathBuf};

/// The package with the contract, and the list of its tests there.
const CONTRACT: (&str, &str) = ("contract", "src/list.rs");
/// Where that list continues with tests only for chapters without shards.
const ONE_SHARD: &str = "(@one_shard $chapter:ty) => {";
/// How deep in the repository crates may be.
const DEPTH: usize = 3;

/// The test's name, with the command that runs it as its title.
pub fn named_test(project: &Project, path: &str, fenced: bool) -> Result<String, String> {
    let name = Name::read(path)?;
    name.find(project)?;
    if fenced {
        return Ok(path.to_owned());
    }
    let Name { package, target, within, .. } = name;
    let command = escape(&format!("cargo test -p {package} --test {target} {within} -- --exact"));
    // A long name may continue on the next line of a narrow column.
    let shown = escape(path).replace("::", "::<wbr>").replace('_', "_<wbr>");
    Ok(format!("<code class=\"test\" title=\"{command}\">{shown}</code>"))
}

/// The parts of a name.
struct Name<'n> {
    package: &'n str,
    target: &'n str,
    /// The modules and the test, as the program calls it.
    within: &'n str,
    modules: Vec<&'n str>,
    test: &'n str,
}

impl<'n> Name<'n> {
    fn read(path: &'n str) -> Result<Self, String> {
        let malformed = || format!("`{path}` is not of the form package::file::test or package::file::module::test");
        let (package, rest) = path.split_once("::").ok_or_else(malformed)?;
        let (target, within) = rest.split_once("::").ok_or_else(malformed)?;
        let mut modules: Vec<&str> = within.split("::").collect();
        let test = modules.pop().ok_or_else(malformed)?;
        Ok(Self { package, target, within, modules, test })
    }

    /// Its file, below the package's folder: one of these.
    fn files(&self) -> [String; 2] {
        let path = [&["tests", self.target][..], &self.modules].concat().join("/");
        let of_a_folder = if self.modules.is_empty() { "main" } else { "mod" };
        [format!("{path}.rs"), format!("{path}/{of_a_folder}.rs")]
    }

    /// Whether there is such a test; the error says what there is instead.
    fn find(&self, project: &Project) -> Result<(), String> {
        let Self { package, test, .. } = self;
        let folder = package_folder(project.root(), package, DEPTH)
            .ok_or_else(|| format!("no crate of this repository is called `{package}`"))?;
        let files = self.files();
        let text = files.iter().find_map(|file| fs::read_to_string(folder.join(file)).ok());
        let text = text.ok_or_else(|| format!("`{package}` has no {}", files[0]))?;
        let found = regex(&format!(r"#\[test\]\n((?:[ \t]*(?:#\[|//).*\n)*)[ \t]*fn {}\(", regex::escape(test)));
        if let Some(found) = found.captures(&text) {
            let ignored = found[1].contains("#[ignore");
            return if ignored { Err(format!("`{test}` is ignored, so it shows nothing")) } else { Ok(()) };
        }
        if text.contains("contract::contract!(") && in_contract(project, text.contains("in shards"), test) {
            return Ok(());
        }
        Err(format!("there is no test `{test}` in {} of `{package}`", files[0]))
    }
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
