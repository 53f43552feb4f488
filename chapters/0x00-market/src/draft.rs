//! A file that replaces another only when it is complete.
//!
//! It is written under its own name. Until it is finished, the file that it will replace is unchanged;
//! and if it is never finished, nothing of it stays. What a crash leaves of it, the next draft
//! overwrites.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A file that is being written. It is removed with this value, unless it was finished.
pub struct Draft {
    path: PathBuf,
    finished: bool,
}

impl Draft {
    /// Creates an empty file that will become `path`.
    ///
    /// # Errors
    /// The system's error.
    pub fn create(path: &Path) -> io::Result<(Draft, File)> {
        let draft = Draft { path: path.to_path_buf(), finished: false };
        let file = File::create(draft.name())?;
        Ok((draft, file))
    }

    /// Renames the file to its final name, and so replaces the file that had it.
    ///
    /// # Errors
    /// The system's error.
    pub fn finish(&mut self) -> io::Result<()> {
        fs::rename(self.name(), &self.path)?;
        self.finished = true;
        Ok(())
    }

    /// The name that the file will have, or has.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name that it has until it is finished.
    fn name(&self) -> PathBuf {
        self.path.with_extension("draft")
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.finished {
            // The failed caller has reported why; a file that stays is overwritten by the next
            // draft.
            let _ = fs::remove_file(self.name());
        }
    }
}
