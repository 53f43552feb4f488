//! The picture for links to the book: the reference record's chart, as PNG.

use crate::online::files::read;
use crate::pattern::regex;
use crate::problem::Failure;
use crate::project::Project;
use regex::Regex;
use results::language::Language;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

static SVG_TITLE: LazyLock<Regex> = LazyLock::new(|| regex(r"<title[^>]*>([^<]*)</title>"));

/// The chart that a link shows.
const CHART: &str = "throughput";

/// A picture for links.
pub(super) struct Picture {
    /// Its name in the site.
    pub(super) file: String,
    /// In pixels.
    pub(super) width: u32,
    /// In pixels.
    pub(super) height: u32,
    /// What it shows, safe in an attribute.
    pub(super) words: String,
    source: PathBuf,
}

impl Picture {
    /// The reference record's chart, in the words of a language.
    pub(super) fn read(project: &Project, lang: Language) -> Result<Self, Failure> {
        let name = |ending: &str| format!("{CHART}.{}.{ending}", lang.tag());
        let source = project.reference().join("charts").join(name("png"));
        let bytes = fs::read(&source).map_err(|e| Failure::disk(&source, e))?;
        let (width, height) = size(&bytes).ok_or_else(|| {
            let no_png = std::io::Error::new(std::io::ErrorKind::InvalidData, "it is not a PNG");
            Failure::disk(&source, no_png)
        })?;
        let svg = read(&source.with_extension("svg"))?;
        let words = SVG_TITLE.captures(&svg).map_or(String::new(), |found| found[1].replace('"', "&quot;"));
        Ok(Self { file: name("png"), width, height, words, source })
    }

    /// Puts the picture into the site.
    pub(super) fn copy(&self, dist: &Path) -> Result<(), Failure> {
        let target = dist.join(&self.file);
        fs::copy(&self.source, &target).map(drop).map_err(|e| Failure::disk(&target, e))
    }
}

/// Width and height, at their fixed place in a PNG.
fn size(png: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u32::from_be_bytes(png.get(at..at + 4)?.try_into().ok()?));
    (png.get(1..4)? == b"PNG").then_some((number(16)?, number(20)?))
}
