//! The service worker that keeps the book on a reader's device: which files, and under which version.
//!
//! Its version is the digest of everything that is served, so a changed book is fetched again, and an unchanged one
//! is not.

use crate::online::files::{theme, write};
use crate::online::root;
use crate::problem::Failure;
use crate::project::{Project, sorted};
use results::language::Language;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The script that a page loads.
pub(super) const REGISTER: &str = "register.js";
/// The worker; it handles the requests inside its own folder.
pub(super) const WORKER: &str = "worker.js";

/// Files that no page shows: they are fetched only on request.
const NOT_KEPT: [&str; 5] = ["print.html", root::MISSING, root::MAP, root::ROBOTS, WORKER];

/// Writes the worker and the script that registers it.
pub(super) fn write_both(project: &Project, dist: &Path) -> Result<(), Failure> {
    write(&dist.join(REGISTER), project.read(theme(REGISTER))?)?;
    let files = files(dist)?;
    let kept: BTreeMap<&str, Vec<&String>> = Language::ALL
        .iter()
        .map(|lang| (lang.tag(), files.keys().filter(|file| is_kept(file, *lang)).collect()))
        .collect();
    let kept = serde_json::to_string(&kept).map_err(|e| Failure::Render(e.to_string()))?;
    let text = project.read(theme(WORKER))?;
    write(&dist.join(WORKER), text.replace("@version@", &version(&files)).replace("'@kept@'", &kept))
}

/// Whether a file is kept with a language: the language's own files, and the shared ones.
fn is_kept(file: &str, lang: Language) -> bool {
    let (folder, name) = file.split_once('/').unwrap_or(("", file));
    let is_for_links = folder.is_empty() && name.ends_with(".png");
    let hidden = NOT_KEPT.contains(&name) || name.starts_with('.') || is_for_links;
    !hidden && (folder.is_empty() || folder == lang.tag())
}

/// The digest of every file except the worker itself.
fn version(files: &BTreeMap<String, Vec<u8>>) -> String {
    let mut all = Sha256::new();
    for (file, digest) in files {
        all.update(file.as_bytes());
        all.update(digest);
    }
    all.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Every file of the site except the worker, by its path with `/`, and its digest.
fn files(dist: &Path) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    let mut found = BTreeMap::new();
    let mut queue: Vec<(PathBuf, String)> = vec![(dist.to_path_buf(), String::new())];
    while let Some((folder, inside)) = queue.pop() {
        let entries = fs::read_dir(&folder).map_err(|e| Failure::disk(&folder, e))?;
        for path in sorted(entries.flatten().map(|entry| entry.path())) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let file = if inside.is_empty() { name.to_string() } else { format!("{inside}/{name}") };
            if path.is_dir() {
                queue.push((path, file));
            } else if file != WORKER {
                let bytes = fs::read(&path).map_err(|e| Failure::disk(&path, e))?;
                found.insert(file, Sha256::digest(bytes).to_vec());
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_kept_with_what_stands_beside_it() {
        let kept = |file: &str| Language::ALL.map(|lang| is_kept(file, lang));
        assert_eq!(kept("index.html"), [true, true]);
        assert_eq!(kept("en/naive.html"), [true, false]);
        assert_eq!(kept("zh/css/general.css"), [false, true]);
        for file in ["zh/print.html", "worker.js", "404.html", "sitemap.xml", "throughput.en.png", "en/.nojekyll"] {
            assert_eq!(kept(file), [false, false], "{file}");
        }
    }
}
