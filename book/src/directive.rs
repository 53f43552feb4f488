//! What a page may write in double braces, parsed before anything is looked up.
//!
//! A malformed directive is reported here, with its correct form; a missing record, chapter or file is reported
//! where the directive is expanded. The rules for page authors are in `book/AUTHORING.md`.

use crate::format::Format;
use crate::pattern::regex;
use crate::pointer::Pointer;
use regex::Regex;
use std::sync::LazyLock;

/// A directive in double braces: a backslash that keeps it as it is, the word, the rest.
pub(crate) static BRACES: LazyLock<Regex> = LazyLock::new(|| regex(r"(\\)?\{\{\s*([a-z][\w-]*)\b([^{}]*)\}\}"));

/// The words that may open a directive, each with the form that follows it.
const FORMS: [(&str, &str); 15] = [
    ("num", "{{num RECORD:PATH | FORMAT}}"),
    ("ratio", "{{ratio RECORD:PATH RECORD:PATH | FORMAT}}"),
    ("table", "{{table NAME …}}"),
    ("chart", "{{chart NAME | other words}}"),
    ("drawing", "{{drawing NAME | what it shows}}"),
    ("code", "{{code 0x03/src/engine.rs:submit}}"),
    ("diff", "{{diff 0x02 0x03}}"),
    ("length", "{{length 0x02 0x03}}"),
    ("minutes", "{{minutes}} or {{minutes without SECTION …}}"),
    ("test", "{{test ch01::contract::simulation}}"),
    ("sandbox", "{{sandbox NAME}}"),
    ("player", "{{player NAME}}"),
    ("guess", "{{guess ID}}"),
    ("guesses", "{{guesses}}"),
    ("yours", "{{yours}}"),
];

/// The tables, each in the form in which it is written.
const TABLES: [(&str, &str); 8] = [
    ("ladder", "{{table ladder}} or {{table ladder to=0x03}}"),
    ("stages", "{{table stages 0x02}}"),
    ("machine", "{{table machine}}"),
    ("numbers", "{{table numbers}}"),
    ("lab", "{{table lab EXPERIMENT}}"),
    ("community", "{{table community}}"),
    ("history-of-figures", "{{table history-of-figures}}"),
    ("glossary", "{{table glossary}} or {{table glossary GROUP}}"),
];

/// The words that may open a directive.
pub fn words() -> impl Iterator<Item = &'static str> {
    FORMS.iter().map(|(word, _)| *word)
}

/// One directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directive<'t> {
    /// A number from a record.
    Num {
        /// The value.
        of: Pointer<'t>,
        /// How it is shown.
        format: Format,
    },
    /// The first number divided by the second.
    Ratio {
        /// The number divided.
        above: Pointer<'t>,
        /// The number that divides it.
        below: Pointer<'t>,
        /// How the result is shown.
        format: Format,
    },
    /// A table drawn from records, or from the glossary.
    Table(Table<'t>),
    /// A chart of the measuring tool.
    Chart {
        /// Its name.
        name: &'t str,
        /// Other alternative text than its own, for screen readers.
        alt: Option<&'t str>,
    },
    /// A drawing made by hand.
    Drawing {
        /// Its name.
        name: &'t str,
        /// What it shows, for screen readers.
        alt: Option<&'t str>,
    },
    /// A part of a file, or all of it.
    Code {
        /// `0x03/src/engine.rs` in a chapter, or a path from the root.
        file: &'t str,
        /// The part's anchor.
        anchor: Option<&'t str>,
    },
    /// The diff between two chapters.
    Diff {
        /// The chapter before.
        before: &'t str,
        /// The chapter after.
        after: &'t str,
    },
    /// How long the diff between two chapters is.
    Length {
        /// The chapter before.
        before: &'t str,
        /// The chapter after.
        after: &'t str,
    },
    /// How many minutes the page takes to read.
    Minutes {
        /// The sections that are left out.
        without: Vec<&'t str>,
    },
    /// A test that must exist.
    Test {
        /// `package::file::test`.
        path: &'t str,
    },
    /// A recording to step through.
    Player {
        /// Its name.
        name: &'t str,
    },
    /// A market to play with.
    Sandbox {
        /// Its name.
        name: &'t str,
    },
    /// A place to write a guess.
    Guess {
        /// Its name.
        id: &'t str,
    },
    /// All guesses of the reader.
    Guesses,
    /// The place for a reader's own records.
    Yours,
}

/// Which table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table<'t> {
    /// Throughput, gain and latency of the chapters.
    Ladder {
        /// The last chapter shown; all if none is named.
        to: Option<&'t str>,
    },
    /// One chapter's stage breakdown.
    Stages {
        /// The chapter.
        chapter: &'t str,
    },
    /// The machine of the reference record.
    Machine,
    /// The latency numbers worth memorizing.
    Numbers,
    /// An experiment of the lab.
    Lab {
        /// The experiment's name.
        experiment: &'t str,
    },
    /// The machines of readers.
    Community,
    /// The ladder at each commit that measured it.
    HistoryOfFigures,
    /// Terms of the glossary.
    Glossary {
        /// Their group; all if none is named.
        group: Option<&'t str>,
    },
}

/// Why text in braces is not a valid directive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// No directive opens with the word.
    #[error("no directive `{0}` (there are: {list})", list = words().collect::<Vec<_>>().join(", "))]
    Word(String),
    /// Too few words follow, or too many.
    #[error("it has the form {form}")]
    Form {
        /// The form that it should have.
        form: &'static str,
    },
    /// Something follows `|` where nothing can.
    #[error("nothing can follow `|` here: it has the form {form}")]
    Tail {
        /// The form that it should have.
        form: &'static str,
    },
    /// No table has the name.
    #[error("no table `{0}` (there are: {list})", list = TABLES.map(|(name, _)| name).join(", "))]
    Table(String),
    /// The path of a record's value is malformed.
    #[error("{0}")]
    Pointer(String),
    /// There is no such format for a number.
    #[error("{0}")]
    Format(String),
}

impl<'t> Directive<'t> {
    /// Parses the directive that `word` opens; `rest` is what follows up to the closing braces.
    pub fn parse(word: &str, rest: &'t str) -> Result<Self, Malformed> {
        let form = form(&FORMS, word).ok_or_else(|| Malformed::Word(word.to_owned()))?;
        let (subject, tail) = rest.split_once('|').map_or((rest, None), |(a, b)| (a, Some(b.trim())));
        let arguments: Vec<&str> = subject.split_whitespace().collect();
        let alt = tail.filter(|alt| !alt.is_empty());
        if tail.is_some() && !matches!(word, "num" | "ratio" | "chart" | "drawing") {
            return Err(Malformed::Tail { form });
        }
        Ok(match (word, arguments.as_slice()) {
            ("num", [of]) => Self::Num { of: pointer(of)?, format: format(tail.unwrap_or("si2"))? },
            ("ratio", [above, below]) => {
                Self::Ratio { above: pointer(above)?, below: pointer(below)?, format: format(tail.unwrap_or("x2"))? }
            }
            ("table", [name, options @ ..]) => Self::Table(Table::parse(name, options)?),
            ("chart", [name]) => Self::Chart { name, alt },
            ("drawing", [name]) => Self::Drawing { name, alt },
            ("code", [part]) => match part.split_once(':') {
                Some((file, anchor)) => Self::Code { file, anchor: Some(anchor) },
                None => Self::Code { file: part, anchor: None },
            },
            ("diff", [before, after]) => Self::Diff { before, after },
            ("length", [before, after]) => Self::Length { before, after },
            ("minutes", []) => Self::Minutes { without: vec![] },
            ("minutes", ["without", sections @ ..]) if !sections.is_empty() => {
                Self::Minutes { without: sections.to_vec() }
            }
            ("test", [path]) => Self::Test { path },
            ("sandbox", [name]) => Self::Sandbox { name },
            ("player", [name]) => Self::Player { name },
            ("guess", [id]) => Self::Guess { id },
            ("guesses", []) => Self::Guesses,
            ("yours", []) => Self::Yours,
            _ => return Err(Malformed::Form { form }),
        })
    }
}

impl<'t> Table<'t> {
    fn parse(name: &str, options: &[&'t str]) -> Result<Self, Malformed> {
        let form = form(&TABLES, name).ok_or_else(|| Malformed::Table(name.to_owned()))?;
        let wrong = Malformed::Form { form };
        Ok(match (name, options) {
            ("ladder", []) => Self::Ladder { to: None },
            ("ladder", [to]) => Self::Ladder { to: Some(to.strip_prefix("to=").ok_or(wrong)?) },
            ("stages", [chapter]) => Self::Stages { chapter },
            ("machine", []) => Self::Machine,
            ("numbers", []) => Self::Numbers,
            ("lab", [experiment]) => Self::Lab { experiment },
            ("community", []) => Self::Community,
            ("history-of-figures", []) => Self::HistoryOfFigures,
            ("glossary", []) => Self::Glossary { group: None },
            ("glossary", [group]) => Self::Glossary { group: Some(group) },
            _ => return Err(wrong),
        })
    }
}

fn form(forms: &[(&str, &'static str)], word: &str) -> Option<&'static str> {
    forms.iter().find(|(name, _)| *name == word).map(|(_, form)| *form)
}

fn pointer(text: &str) -> Result<Pointer<'_>, Malformed> {
    Pointer::parse(text).map_err(Malformed::Pointer)
}

fn format(name: &str) -> Result<Format, Malformed> {
    Format::parse(name).map_err(Malformed::Format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_has_its_parts() {
        let parsed = Directive::parse("code", " 0x03/src/engine.rs:submit ");
        assert_eq!(parsed, Ok(Directive::Code { file: "0x03/src/engine.rs", anchor: Some("submit") }));
        let parsed = Directive::parse("drawing", " ring | a ring, seen from above ");
        assert_eq!(parsed, Ok(Directive::Drawing { name: "ring", alt: Some("a ring, seen from above") }));
        let parsed = Directive::parse("table", "ladder to=0x03");
        assert_eq!(parsed, Ok(Directive::Table(Table::Ladder { to: Some("0x03") })));
        let parsed = Directive::parse("minutes", " without log ring");
        assert_eq!(parsed, Ok(Directive::Minutes { without: vec!["log", "ring"] }));
        let parsed = Directive::parse("num", "ladder:rounds");
        assert!(matches!(parsed, Ok(Directive::Num { of, format: Format::Si(2) }) if of.record == "ladder"));
    }

    #[test]
    fn each_mistake_is_reported_with_its_solution() {
        for (word, rest, told) in [
            (
                "tabel",
                "",
                "no directive `tabel` (there are: num, ratio, table, chart, drawing, code, diff, length, minutes, test, sandbox, player, guess, guesses, yours)",
            ),
            ("num", "", "it has the form {{num RECORD:PATH | FORMAT}}"),
            ("num", "ladder", "`ladder` is not of the form record:path"),
            ("num", "ladder:a[b", "`a[b` has an unclosed `[`"),
            ("num", "ladder:a | miles", "no format `miles` (there are: si ns us ms s x pct bytes gib int raw)"),
            ("ratio", "ladder:a", "it has the form {{ratio RECORD:PATH RECORD:PATH | FORMAT}}"),
            ("table", "", "it has the form {{table NAME …}}"),
            (
                "table",
                "stairs",
                "no table `stairs` (there are: ladder, stages, machine, numbers, lab, community, history-of-figures, glossary)",
            ),
            ("table", "ladder 0x03", "it has the form {{table ladder}} or {{table ladder to=0x03}}"),
            ("table", "glossary a b", "it has the form {{table glossary}} or {{table glossary GROUP}}"),
            ("diff", "0x01", "it has the form {{diff 0x02 0x03}}"),
            ("minutes", "log", "it has the form {{minutes}} or {{minutes without SECTION …}}"),
            ("minutes", "without", "it has the form {{minutes}} or {{minutes without SECTION …}}"),
            ("test", "a b", "it has the form {{test ch01::contract::simulation}}"),
            ("code", "a b", "it has the form {{code 0x03/src/engine.rs:submit}}"),
            ("diff", "0x01 0x02 | zh", "nothing can follow `|` here: it has the form {{diff 0x02 0x03}}"),
        ] {
            assert_eq!(Directive::parse(word, rest).unwrap_err().to_string(), told);
        }
    }
}
