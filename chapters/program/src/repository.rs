//! The repository that a program is started in, and its commit.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The repository that contains `start`: the nearest folder at or above it with the book's settings and the
/// chapters.
pub fn find(start: &Path) -> Option<PathBuf> {
    let is_root = |folder: &&Path| folder.join("book.toml").is_file() && folder.join("chapters").is_dir();
    start.ancestors().find(is_root).map(Path::to_path_buf)
}

/// The commit of the tree that `folder` is in, 12 digits, with `-dirty` when tracked files other than `output/`
/// differ from it: a run's own record should not make the next run look changed. "unknown" without git.
pub fn commit(folder: &Path) -> String {
    let Some(commit) = git(folder, &["rev-parse", "--short=12", "HEAD"]) else {
        return "unknown".into();
    };
    let changes = ["status", "--porcelain", "--untracked-files=no", "--", ":/", ":(top,exclude)output"];
    match git(folder, &changes) {
        Some(_) => format!("{commit}-dirty"),
        None => commit,
    }
}

/// The first line of git's output, if there is any.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let ended = Command::new("git").arg("-C").arg(folder).args(arguments).output().ok()?;
    let said = String::from_utf8(ended.stdout).ok().filter(|_| ended.status.success())?;
    said.lines().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commit_is_a_commit_or_unknown() {
        let commit = commit(Path::new(env!("CARGO_MANIFEST_DIR")));
        let digits = commit.trim_end_matches("-dirty");
        let is_commit = digits.len() >= 12 && digits.chars().all(|c| c.is_ascii_hexdigit());
        assert!(commit == "unknown" || is_commit, "{commit}");
        assert_eq!(super::commit(Path::new("/")), "unknown");
    }
}
