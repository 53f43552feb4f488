//! The pages of a language, made ready for the web.

use crate::online::address::Address;
use crate::online::files::{read, write};
use crate::online::head::Head;
use crate::online::pages::Pages;
use crate::online::picture::Picture;
use crate::online::worker;
use crate::pattern::regex;
use crate::problem::Failure;
use crate::project::Project;
use regex::Regex;
use results::language::Language;
use std::path::Path;
use std::sync::LazyLock;

/// A script of a page, on its own line.
static SCRIPT: LazyLock<Regex> = LazyLock::new(|| regex(r#"[ \t]*<script src="([^"]*)"></script>\n"#));

/// Optional scripts, by the beginning of their file's name, and the part of a page that needs them.
const NEEDED: [(&str, &str); 9] = [
    ("highlight-", "class=\"language-rust"),
    ("book/theme/market-", "class=\"sandbox\""),
    ("book/theme/telling-", "class=\"sandbox\""),
    ("book/theme/sandbox-", "class=\"sandbox\""),
    ("book/theme/player-", "class=\"player\""),
    ("book/theme/guess-", "class=\"guess"),
    ("book/theme/records-", "data-own"),
    ("book/theme/compare-", "data-own"),
    ("book/theme/charts/", "data-chart="),
];

/// The content security policy of a page, with parts that are only needed when the page is opened
/// from a folder.
static POLICY: LazyLock<Regex> = LazyLock::new(|| regex(r#"<meta http-equiv="Content-Security-Policy"[^>]*>"#));

/// Finishes the pages of a language for a site, and with links to a repository, where there is one.
pub(super) fn finish(
    project: &Project,
    dist: &Path,
    pages: &Pages,
    lang: Language,
    (site, repository): (Option<&Address>, Option<&Address>),
) -> Result<(), Failure> {
    let folder = dist.join(lang.tag());
    let picture = site.map(|_| Picture::read(project, lang)).transpose()?;
    for (index, (name, langs)) in pages.in_language(lang).enumerate() {
        // mdBook shows the first page under a second name.
        let copies = if index == 0 && name != "index" { vec![name, "index"] } else { vec![name] };
        for file in copies {
            let path = folder.join(format!("{file}.html"));
            let mut html = read(&path)?;
            if let Some(repository) = repository {
                html = with_source(&html, repository, lang, name);
            }
            if let (Some(site), Some(picture)) = (site, &picture) {
                let file_in = |lang: Language| format!("{}/{name}.html", lang.tag());
                let alternates = langs.iter().map(|&lang| (lang, file_in(lang))).collect();
                let head = Head { site, lang, canonical: &file_in(lang), alternates, picture };
                html = light(&strict(&head.put(&html)));
                html = with_worker(&html);
            }
            write(&path, html)?;
        }
    }
    if site.is_some() {
        let print = folder.join("print.html");
        write(&print, light(&strict(&read(&print)?)))?;
    }
    Ok(())
}

/// The page with the name of its source file at its end.
fn with_source(html: &str, repository: &Address, lang: Language, name: &str) -> String {
    let file = format!("book/{}/{name}.md", lang.tag());
    // A forge uses HEAD for its default branch, and a clone's address has an ending that pages' addresses do not
    // have.
    let repository = repository.to_string();
    let href = format!("{}/edit/HEAD/{file}", repository.trim_end_matches(".git"));
    let words = lang.pick("Wrong or unclear? Correct this page in", "写错了，或者没讲清楚？在这里改这一页：");
    let space = lang.pick(" ", "");
    let line = format!("<p class=\"source\">{words}{space}<a href=\"{href}\"><code>{file}</code></a></p>\n");
    let at = html.rfind("</main>").unwrap_or(html.len());
    let (before, after) = html.split_at(at);
    format!("{before}{line}{after}")
}

/// The page with the policy for a server: nothing from files, and style attributes only if the page has one.
fn strict(html: &str) -> String {
    let styled = html.contains(" style=\"");
    let tighten = |policy: &regex::Captures<'_>| {
        let policy = policy[0].replace(" file:", "");
        if styled { policy } else { policy.replace(" style-src-attr 'unsafe-inline';", "") }
    };
    POLICY.replace(html, tighten).into_owned()
}

/// The page without the scripts that it does not need.
fn light(html: &str) -> String {
    let keep = |found: &regex::Captures<'_>| {
        let idle = NEEDED.iter().any(|(name, what)| found[1].starts_with(name) && !html.contains(what));
        if idle { String::new() } else { found[0].to_owned() }
    };
    SCRIPT.replace_all(html, keep).into_owned()
}

/// The page with the script that registers the worker.
fn with_worker(html: &str) -> String {
    let script = format!("    <script src=\"../{}\" defer></script>\n</head>", worker::REGISTER);
    html.replacen("</head>", &script, 1)
}
