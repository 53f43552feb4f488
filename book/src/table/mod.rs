//! Tables made from the records and from the glossary: one kind in each file.

mod cells;
mod community;
mod glossary;
mod history_of_figures;
mod lab;
mod ladder;
mod machine;
mod numbers;
mod stages;

use crate::directive::Table;
use crate::sources::Sources;
use results::language::Language;

/// The table, as one line of HTML.
pub fn table(s: &Sources, lang: Language, which: Table<'_>) -> Result<String, String> {
    match which {
        Table::Ladder { to } => ladder::table(s, lang, to),
        Table::Stages { chapter } => stages::table(s, lang, chapter),
        Table::Machine => machine::table(s, lang),
        Table::Numbers => numbers::table(s, lang),
        Table::Lab { experiment } => lab::table(s, lang, experiment),
        Table::Community => community::table(s, lang),
        Table::HistoryOfFigures => history_of_figures::table(s, lang),
        Table::Glossary { group } => glossary::table(&s.project, group, lang),
    }
}
