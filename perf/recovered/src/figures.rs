//! The results of a run, as `figures.txt` has them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use market::Options;
use market::log::FRAME_COMMANDS_MAX;
use runner::RunError;

/// Figures by their names, in the order in which they came.
#[derive(Default)]
pub struct Figures(String);

impl Figures {
    /// Adds a number.
    pub fn number(&mut self, key: &str, value: f64) {
        self.0 += &format!("{key}={value}\n");
    }

    /// Adds a count, if it is known.
    pub fn count(&mut self, key: &str, value: impl Into<Option<u64>>) {
        if let Some(value) = value.into() {
            self.0 += &format!("{key}={value}\n");
        }
    }

    /// Adds a time in nanoseconds, if it is known.
    pub fn time(&mut self, key: &str, time: impl Into<Option<Duration>>) {
        self.count(key, time.into().map(|time| time.as_nanos() as u64));
    }

    /// Writes `figures.txt`.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn write(&self, folder: &Path) -> Result<(), RunError> {
        let path = folder.join("figures.txt");
        fs::write(&path, &self.0).map_err(|source| error("write", &path, source))
    }
}

/// How the chapter's program opens its engine by default.
pub fn options(data_dir: &Path) -> Options {
    Options {
        batch_max: FRAME_COMMANDS_MAX,
        pin_threads: true,
        segment_commands: Some(16_777_216),
        ..Options::new(data_dir)
    }
}

/// An error of the disk.
pub fn error(what: &'static str, path: &Path, source: std::io::Error) -> RunError {
    RunError::Output { what, path: PathBuf::from(path), source }
}
