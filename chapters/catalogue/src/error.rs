//! What can be wrong with a catalogue, or with a question to it.

use std::path::PathBuf;

/// Why there is no catalogue, or no such chapter in it.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// A file or folder can't be read.
    #[error("cannot read {path}: {error}; run this inside the repository", path = path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// A manifest says something that can't be.
    #[error(
        "{path}: {reason}\n  Mend `[package.metadata.chapter]` there; chapters/catalogue/src/lib.rs says what belongs \
         into it.",
        path = path.display()
    )]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Nothing is called like this.
    #[error("there is no chapter {name:?}; there are {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What could have been.
        known: String,
    },
    /// A verb of the tool is about no chapter.
    #[error("{verb} measures no chapter: none has `verb = {verb:?}` in its `[package.metadata.chapter]`")]
    Unmeasured {
        /// The verb.
        verb: String,
    },
    /// There is a chapter of this name, and it has no engine.
    #[error("{name} has no engine to run; the chapters that have one are {known}")]
    NoEngine {
        /// The chapter's folder.
        name: String,
        /// The engines' folders.
        known: String,
    },
}
