//! What git knows of the repository.

use std::path::Path;
use std::process::Command;

use results::error::MeasureError;

/// What git prints for these arguments in the repository at `root`.
///
/// # Errors
/// [`MeasureError::Unusable`] when it can't be run, fails, or prints no text.
pub fn git(root: &Path, arguments: &[&str]) -> Result<String, MeasureError> {
    let asked = || format!("git {}", arguments.join(" "));
    let ended = Command::new("git").arg("-C").arg(root).args(arguments).output();
    let ended =
        ended.map_err(|error| MeasureError::Unusable(format!("can't run {}: {error}; install git", asked())))?;
    if !ended.status.success() {
        let said = String::from_utf8_lossy(&ended.stderr);
        return Err(MeasureError::Unusable(format!("{} failed in {}: {}", asked(), root.display(), said.trim())));
    }
    String::from_utf8(ended.stdout).map_err(|_| MeasureError::Unusable(format!("{} printed no text", asked())))
}

/// Whether the repository at `root` has all commits: a shallow clone lacks some.
///
/// # Errors
/// [`MeasureError::Unusable`] without git, or outside of a repository.
pub fn is_whole(root: &Path) -> Result<bool, MeasureError> {
    Ok(git(root, &["rev-parse", "--is-shallow-repository"])?.trim() == "false")
}
