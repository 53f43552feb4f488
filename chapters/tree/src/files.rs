//! Folders read into memory, so that checks are about texts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Texts by their path relative to the folder, with `/`.
pub type Files = BTreeMap<String, String>;

/// The files in `folders` of `base`, and all below them. A missing folder has none.
///
/// # Panics
/// When a file can't be read: a check that skipped it would prove nothing.
pub fn read(base: &Path, folders: &[&str]) -> Files {
    let mut files = Files::new();
    for folder in folders {
        collect(base, folder, &mut files);
    }
    files
}

fn collect(base: &Path, folder: &str, files: &mut Files) {
    for name in names(&base.join(folder)) {
        let path = format!("{folder}/{name}");
        if base.join(&path).is_dir() {
            collect(base, &path, files);
        } else {
            let bytes = fs::read(base.join(&path)).unwrap_or_else(|error| panic!("{path}: {error}"));
            files.insert(path, String::from_utf8_lossy(&bytes).into_owned());
        }
    }
}

/// What a folder contains, sorted; empty if there is no folder.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The folders of all crates of a repository, relative to its root; a crate may hold another, as the lab does.
pub fn crates(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    find_crates(root, "", 3, &mut found);
    found
}

fn find_crates(root: &Path, folder: &str, depth: usize, found: &mut Vec<String>) {
    // What is built, or laid out as an exercise, is not part of the tree.
    let is_ours = |name: &String| !name.starts_with('.') && !["target", "exercises", "output"].contains(&name.as_str());
    for name in names(&root.join(folder)).into_iter().filter(is_ours) {
        let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        if root.join(&path).join("Cargo.toml").is_file() {
            found.push(path.clone());
        }
        if depth > 1 {
            find_crates(root, &path, depth - 1, found);
        }
    }
}

/// Writes a made-up tree for a check's own test.
#[cfg(test)]
pub(crate) fn write(base: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = base.join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("the temporary folder is writable");
        fs::write(path, text).expect("the temporary folder is writable");
    }
}
