//! `{{table glossary}}`, `{{table glossary GROUP}}`: English, Chinese, meaning.

use crate::glossary::{Term, terms};
use crate::html::escape;
use crate::project::Project;
use results::language::Language;

/// The terms of a group, or all of them.
pub(super) fn table(project: &Project, group: Option<&str>, lang: Language) -> Result<String, String> {
    let terms = terms(project)?;
    let chosen: Vec<&Term> = terms.iter().filter(|term| group.is_none_or(|group| term.group == group)).collect();
    if chosen.is_empty() {
        return Err(format!("book/glossary.toml has no terms in the group `{}`", group.unwrap_or("")));
    }
    let mut out = String::from("<dl class=\"glossary\">");
    for term in chosen {
        let id = format!("term-{}", term.en.replace(' ', "-"));
        let (en, zh, means) = (escape(&term.en), escape(&term.zh), escape(lang.pick(&term.means, &term.zh_means)));
        out += &format!("<div><dt id=\"{id}\" lang=\"en\">{en}</dt><dt lang=\"zh-CN\">{zh}</dt><dd>{means}</dd></div>");
    }
    out += "</dl>\n";
    Ok(out)
}
