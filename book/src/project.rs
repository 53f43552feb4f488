//! Where things are: the repository's root, the two page trees, the chapters, the records, the built site.
//!
//! Everything else asks here, so that a test can use a copy of the tree.

use crate::page::Page;
use crate::problem::{Failure, Problem};
use catalogue::{Catalogue, Chapter};
use results::language::Language;
use std::fs;
use std::path::{Path, PathBuf};

const CHAPTERS: &str = "chapters";

/// The repository, seen from the book.
#[derive(Debug, Clone)]
pub struct Project {
    root: PathBuf,
    own_output: PathBuf,
}

impl Project {
    /// The project at `root`.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        let own_output = root.join("output");
        Self { root, own_output }
    }

    /// The same, with the reader's own runs in another folder, which need not exist.
    pub fn with_own_output(self, folder: impl Into<PathBuf>) -> Self {
        Self { own_output: folder.into(), ..self }
    }

    /// The nearest folder at or above `start` that holds a `book.toml`.
    pub fn find(start: &Path) -> Result<Self, Failure> {
        start.ancestors().find(|dir| dir.join("book.toml").is_file()).map(Self::at).ok_or_else(|| {
            Failure::Usage(format!("no book.toml in {} or above: run this inside the repository", start.display()))
        })
    }

    /// The repository's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path inside the repository.
    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// A language's page tree, relative to the root.
    pub fn source(&self, lang: Language) -> PathBuf {
        Path::new("book").join(lang.tag())
    }

    /// The built site.
    pub fn dist(&self) -> PathBuf {
        self.path("book/dist")
    }

    /// The committed records of the named machine.
    pub fn reference(&self) -> PathBuf {
        self.path("output/reference")
    }

    /// The records of the reader's own runs.
    pub fn own_output(&self) -> PathBuf {
        self.own_output.clone()
    }

    /// Reads a file inside the repository.
    pub fn read(&self, relative: impl AsRef<Path>) -> Result<String, Failure> {
        let path = self.path(relative);
        fs::read_to_string(&path).map_err(|e| Failure::disk(&path, e))
    }

    /// All chapters.
    pub fn chapters(&self) -> Result<Catalogue, Failure> {
        Ok(Catalogue::read(&self.path(CHAPTERS))?)
    }

    /// A chapter's folder, relative to the root.
    pub fn chapter(&self, chapter: &Chapter) -> PathBuf {
        Path::new(CHAPTERS).join(&chapter.folder)
    }

    /// The pages of a language, in the order of its `SUMMARY.md`, which itself comes first.
    pub fn pages(&self, lang: Language) -> Result<Vec<Page>, Failure> {
        let source = self.source(lang);
        let summary = Page::new(source.join("SUMMARY.md"), lang, self.read(source.join("SUMMARY.md"))?);
        let mut pages = vec![];
        let mut problems = vec![];
        for (line, name) in summary.summary_links() {
            let file = source.join(&name);
            match fs::read_to_string(self.path(&file)) {
                Ok(text) => pages.push(Page::new(file, lang, text)),
                Err(e) => problems.push(Problem::new(&summary.file, line, format!("`{name}` cannot be read: {e}"))),
            }
        }
        if !problems.is_empty() {
            return Err(Failure::Problems(problems));
        }
        pages.insert(0, summary);
        Ok(pages)
    }
}

/// Sorted into a vector, for stable output.
pub fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort();
    items
}
