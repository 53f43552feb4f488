//! What can be wrong with a catalogue, or with a request to it.

use std::path::PathBuf;

/// Why there is no catalogue, or no such chapter in it.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// A file or folder can't be read.
    #[error("cannot read {path}: {error}; run this inside the repository", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// A manifest is invalid.
    #[error(
        "{path}: {reason}\n  Fix `[package.metadata.chapter]` there; chapters/catalogue/src/lib.rs says what \
         belongs in it.",
        path = path.display()
    )]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// No chapter has this name.
    #[error("there is no chapter {name:?}; there are {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The existing names.
        known: String,
    },
    /// No chapter is measured by this subcommand.
    #[error("{verb} measures no chapter: none has `verb = {verb:?}` in its `[package.metadata.chapter]`")]
    Unmeasured {
        /// The verb.
        verb: String,
    },
    /// There is a chapter of this name, but it has no engine.
    #[error("{name} has no engine to run; the chapters that have one are {known}")]
    NoEngine {
        /// The chapter's folder.
        name: String,
        /// The engines' folders.
        known: String,
    },
}
