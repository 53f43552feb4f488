//! What a built book also needs to be found and read online: `build --site-url URL --repository URL`.
//!
//! It works on the files that the build wrote, so the book in a folder does not change. With `--repository` each page
//! names its source file; with `--site-url` any static host can serve the folder: pages declare their address and
//! languages, and load only the scripts that they use; there is a page that chooses the language, one for missing
//! pages, a sitemap for search engines, and a service worker that keeps the book for offline reading.

mod address;
mod files;
mod head;
mod page;
mod pages;
mod picture;
mod root;
mod worker;

pub use address::{Address, Unusable};

use crate::problem::Failure;
use crate::project::Project;
use pages::Pages;
use results::language::Language;
use std::path::Path;

/// The files that only a book online has, beside its languages' folders.
pub const FILES: [&str; 7] = [
    root::MISSING,
    root::MAP,
    root::ROBOTS,
    worker::REGISTER,
    worker::WORKER,
    "throughput.en.png",
    "throughput.zh.png",
];

/// Where the book will be, and where its sources are.
#[derive(Debug, Clone, Default)]
pub struct Online {
    /// The folder that will be served.
    pub site: Option<Address>,
    /// The repository, on a forge with GitHub's addresses.
    pub repository: Option<Address>,
}

/// Makes the book that was built into `dist` ready for the web; with neither address it stays unchanged.
///
/// # Errors
/// [`Failure::Disk`] when a file of the book, its theme or its chart for links cannot be read or written.
pub fn publish(project: &Project, dist: &Path, online: &Online) -> Result<(), Failure> {
    let pages = Pages::of(project)?;
    for lang in Language::ALL {
        page::finish(project, dist, &pages, lang, (online.site.as_ref(), online.repository.as_ref()))?;
    }
    if let Some(site) = &online.site {
        root::write_all(project, dist, &pages, site)?;
        // Last, because its version is the digest of everything else.
        worker::write_both(project, dist)?;
    }
    Ok(())
}
