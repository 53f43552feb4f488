//! An exercise that is laid out: its folder, and its name on the command line.

use std::fs;
use std::path::{Path, PathBuf};

use results::error::MeasureError;
use results::language::Language;

use super::layout::test_files;
use super::report::Place;

/// An exercise in its folder.
#[derive(Debug, Clone)]
pub struct LaidOut {
    folder: PathBuf,
    root: PathBuf,
    /// The chapter's number, and the flags that name the exercise, such as `0x03 --folder DIR`.
    call: String,
}

impl LaidOut {
    /// The exercise in `folder`, of the repository at `root`. `call` is what a reader types to name it.
    pub fn new(folder: PathBuf, root: &Path, call: String) -> LaidOut {
        LaidOut { folder, root: root.to_path_buf(), call }
    }

    /// The same, if it exists.
    ///
    /// # Errors
    /// [`MeasureError::Unusable`] when it does not.
    pub fn there(self, language: Language) -> Result<LaidOut, MeasureError> {
        if self.folder.join("Cargo.toml").is_file() {
            return Ok(self);
        }
        let (folder, lay_out) = (self.folder.display(), self.typed(""));
        Err(MeasureError::Unusable(language.pick(
            format!("{folder} does not exist; lay it out first: {lay_out}"),
            format!("{folder} 不存在；先建好练习：{lay_out}"),
        )))
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The command for doing something with it.
    pub fn typed(&self, flags: &str) -> String {
        format!("scripts/exercise {} {flags}", self.call).trim_end().to_owned()
    }

    /// Its test files.
    ///
    /// # Errors
    /// When its folder can't be read.
    pub fn test_files(&self) -> Result<Vec<String>, MeasureError> {
        test_files(&self.folder)
    }

    /// A file's path in a short form: relative to the repository, if it is in it.
    pub fn short(&self, file: &str) -> String {
        let shorter = Path::new(file).strip_prefix(&self.folder).or_else(|_| Path::new(file).strip_prefix(&self.root));
        shorter.map_or(file.to_owned(), |path| path.display().to_string())
    }

    /// The text of a line, where the file is at hand.
    pub fn line(&self, place: &Place) -> Option<String> {
        let text = fs::read_to_string(self.folder.join(&place.file)).ok()?;
        Some(text.lines().nth(place.line.checked_sub(1)?)?.to_owned())
    }
}
