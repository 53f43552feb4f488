//! Errors that an author can act on: a place, a reason, and an exit code.

use catalogue::CatalogueError;
use program::Unprinted;
use std::fmt;
use std::path::{Path, PathBuf};

/// One thing that is wrong in the book's sources, with the place to fix it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file, relative to the repository's root.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong and what to do about it.
    pub reason: String,
}

impl Problem {
    /// A problem at `file:line`.
    pub fn new(file: impl Into<PathBuf>, line: usize, reason: impl Into<String>) -> Self {
        Self { file: file.into(), line, reason: reason.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file.display(), self.line, self.reason)
    }
}

/// Why a command stopped.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The book's sources are wrong: each problem names its place.
    #[error("the book can't be built completely; fix each of these:\n{}", lines(.0))]
    Problems(Vec<Problem>),
    /// An argument cannot be used.
    #[error("{0}")]
    Usage(String),
    /// The chapters' manifests cannot be used.
    #[error(transparent)]
    Chapters(#[from] CatalogueError),
    /// mdBook refused to render.
    #[error("mdBook could not render the pages: {0}; fix book.toml or book/theme, which it reads")]
    Render(String),
    /// The disk did not do what was asked.
    #[error("{}: {source}; check that it exists, that its permissions allow this, and that the disk has space", path.display())]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The output could not be printed.
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
}

fn lines(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl Failure {
    /// A disk failure at `path`.
    pub fn disk(path: &Path, source: std::io::Error) -> Self {
        Self::Disk { path: path.to_path_buf(), source }
    }
}

impl program::Failure for Failure {
    /// 1: the book is wrong; 2: bad arguments or settings; 3: the disk.
    fn exit_code(&self) -> u8 {
        match self {
            Self::Problems(_) => 1,
            Self::Chapters(CatalogueError::Unreadable { .. }) | Self::Disk { .. } => 3,
            Self::Usage(_) | Self::Chapters(_) | Self::Render(_) => 2,
            Self::Unprinted(unprinted) => unprinted.exit_code(),
        }
    }

    fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Unprinted(unprinted) if unprinted.is_closed_pipe())
    }
}
