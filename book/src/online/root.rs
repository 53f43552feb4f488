//! The files beside the languages: the page that chooses a language, the page for missing addresses, the sitemap,
//! and the pictures for links.

use crate::online::address::Address;
use crate::online::files::{read, theme, write};
use crate::online::head::Head;
use crate::online::pages::Pages;
use crate::online::picture::Picture;
use crate::problem::Failure;
use crate::project::Project;
use results::language::Language;
use std::fmt::Write as _;
use std::path::Path;

/// Hosts answer with this file when an address has none.
pub(super) const MISSING: &str = "404.html";
/// The list of all pages, for search engines.
pub(super) const MAP: &str = "sitemap.xml";
/// What search engines read first. They look for it only at a host's root.
pub(super) const ROBOTS: &str = "robots.txt";

/// Writes everything beside the languages, except the worker.
pub(super) fn write_all(project: &Project, dist: &Path, pages: &Pages, site: &Address) -> Result<(), Failure> {
    for lang in Language::ALL {
        Picture::read(project, lang)?.copy(dist)?;
    }
    let start = dist.join("index.html");
    let picture = Picture::read(project, Language::English)?;
    let first = |lang| pages.in_language(lang).next().map(|(name, _)| (lang, format!("{}/{name}.html", lang.tag())));
    let alternates = Language::ALL.into_iter().filter_map(first).collect();
    let head = Head { site, lang: Language::English, canonical: "", alternates, picture: &picture };
    write(&start, head.put(&read(&start)?))?;
    // It is shown at any depth, so its links start at the host's root.
    write(&dist.join(MISSING), project.read(theme("missing.html"))?.replace("@site@", &site.path()))?;
    write(&dist.join(MAP), map(pages, site))?;
    if site.is_root() {
        write(&dist.join(ROBOTS), format!("User-agent: *\nAllow: /\nSitemap: {}\n", site.of(MAP)))?;
    }
    Ok(())
}

/// Every page once, each with its languages.
fn map(pages: &Pages, site: &Address) -> String {
    let mut map = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n",
    );
    for lang in Language::ALL {
        for (name, langs) in pages.in_language(lang) {
            let address = |lang: Language| site.of(&format!("{}/{name}.html", lang.tag()));
            // Writing to a string cannot fail.
            let _ = write!(map, "<url><loc>{}</loc>", address(lang));
            for &lang in langs {
                let (tag, href) = (lang.html_tag(), address(lang));
                let _ = write!(map, "<xhtml:link rel=\"alternate\" hreflang=\"{tag}\" href=\"{href}\"/>");
            }
            map.push_str("</url>\n");
        }
    }
    map + "</urlset>\n"
}
