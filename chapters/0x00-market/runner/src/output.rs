//! Where a run writes its output, and where its engine keeps the log meanwhile.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::RunError;

/// The folder that a run writes to.
pub struct OutputFolder {
    path: PathBuf,
}

/// A data directory: the reader's, which stays, or a fresh one, which is removed.
pub enum DataDir {
    /// Named with `--data-dir`.
    Kept(PathBuf),
    /// Removed when the pass is over.
    Fresh(tempfile::TempDir),
}

impl DataDir {
    /// The folder.
    pub fn path(&self) -> &Path {
        match self {
            DataDir::Kept(path) => path,
            DataDir::Fresh(folder) => folder.path(),
        }
    }
}

impl OutputFolder {
    /// The folder that was asked for, or `output/0x01` in the repository that contains the current folder, or
    /// else in the current folder.
    pub fn find(chapter: &str, asked: Option<&Path>) -> Result<OutputFolder, RunError> {
        let number = chapter.split('-').next().unwrap_or(chapter);
        let path = asked.map_or_else(|| repository().join("output").join(number), Path::to_path_buf);
        no_file("--output", &path)?;
        fs::create_dir_all(&path).map_err(|source| error("make the folder", &path, source))?;
        Ok(OutputFolder { path })
    }

    /// Where the engine keeps its log. A fresh folder is beside the output, not in the system's
    /// folder for temporary files: that one is often memory, and a sync there costs nothing.
    pub fn data_dir(&self, kept: Option<&Path>) -> Result<DataDir, RunError> {
        if let Some(path) = kept {
            no_file("--data-dir", path)?;
            return Ok(DataDir::Kept(path.to_path_buf()));
        }
        let fresh = tempfile::Builder::new().prefix("run-").tempdir_in(&self.path);
        fresh.map(DataDir::Fresh).map_err(|source| error("create a folder for the log", &self.path, source))
    }

    /// Writes a file of this name.
    pub fn write(&self, name: &str, text: &str) -> Result<(), RunError> {
        let path = self.path.join(name);
        fs::write(&path, text).map_err(|source| error("write", &path, source))
    }
}

/// Refuses a path that is a file where a folder is needed.
fn no_file(flag: &str, path: &Path) -> Result<(), RunError> {
    match path.is_file() {
        true => Err(RunError::Usage(format!(
            "{flag} {}: this is a file; name a folder; if it does not exist, it is created",
            path.display()
        ))),
        false => Ok(()),
    }
}

fn error(what: &'static str, path: &Path, source: std::io::Error) -> RunError {
    RunError::Output { what, path: path.to_path_buf(), source }
}

/// The repository that contains the current folder, or else the current folder.
fn repository() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    program::repository::find(&here).unwrap_or(here)
}
