//! A file that takes the place of another only when it is whole.
//!
//! It is written under a name of its own. Until it is finished, what it will replace is as it was; and
//! if it never is, nothing of it stays. What a crash leaves of it, the next one overwrites.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A file in the making. It is removed with this value, unless it was finished.
pub struct Draft {
    path: PathBuf,
    finished: bool,
}

impl Draft {
    /// Makes an empty file that will be `path`.
    ///
    /// # Errors
    /// What the system says.
    pub fn create(path: &Path) -> io::Result<(Draft, File)> {
        let draft = Draft { path: path.to_path_buf(), finished: false };
        let file = File::create(draft.name())?;
        Ok((draft, file))
    }

    /// Gives the file its name, and so replaces the one that had it.
    ///
    /// # Errors
    /// What the system says.
    pub fn finish(&mut self) -> io::Result<()> {
        fs::rename(self.name(), &self.path)?;
        self.finished = true;
        Ok(())
    }

    /// The name that the file will have, or has.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name that it has until then.
    fn name(&self) -> PathBuf {
        self.path.with_extension("draft")
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.finished {
            // Whoever failed has said why; a file that stays is overwritten by the next one.
            let _ = fs::remove_file(self.name());
        }
    }
}
