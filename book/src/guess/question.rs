//! The questions, their pages and their answers: `book/guesses/guesses.toml`.

use crate::project::Project;
use serde::Deserialize;
use std::fs;

/// The file of all guesses, relative to the root.
pub const FILE: &str = "book/guesses/guesses.toml";

/// All guesses, in the book's order.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Guesses {
    guess: Vec<Guess>,
}

/// One question, asked on one page.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guess {
    /// Its name, under which a reader's guess is stored.
    pub id: String,
    /// The page that asks, without `.md`.
    pub page: String,
    /// The question in English.
    pub(super) en: String,
    /// The question in Chinese.
    pub(super) zh: String,
    pub(super) kind: Kind,
    /// Its answer, as in the page's `<!-- answer: … -->`.
    pub answer: String,
    /// The options to choose from.
    #[serde(default)]
    pub(super) options: Vec<Choice>,
    /// What to order, divide or choose for.
    #[serde(default)]
    pub(super) items: Vec<Item>,
}

/// What to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// How many times as much.
    Factor,
    /// How many.
    Count,
    /// How long; the record's value is in nanoseconds.
    Time,
    /// Which part of a whole.
    Percent,
    /// All parts of a whole.
    Shares,
    /// One option for each item.
    Choice,
    /// The items, the smallest first.
    Ranking,
}

/// The options to choose from.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Choice {
    pub(super) en: String,
    pub(super) zh: String,
    /// It is right if an item's value is below this, and no earlier option is right.
    pub(super) below: Option<f64>,
    /// It is right if this is the largest value of all options.
    pub(super) value: Option<String>,
}

/// What to order, divide or choose for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Item {
    pub(super) en: String,
    pub(super) zh: String,
    /// The directive that gives its value.
    pub(super) value: Option<String>,
    /// The option that is right, counted from 0.
    pub(super) right: Option<usize>,
    /// The section that answers in prose.
    pub(super) see: Option<String>,
}

impl Guess {
    /// Every answer that the page's `<!-- answer: … -->` may name for it.
    pub fn answers(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.answer.as_str()).chain(self.items.iter().filter_map(|item| item.see.as_deref()))
    }
}

/// All guesses; empty if the book has no file of them.
pub fn read(project: &Project) -> Result<Vec<Guess>, String> {
    let Ok(text) = fs::read_to_string(project.path(FILE)) else { return Ok(Vec::new()) };
    toml::from_str::<Guesses>(&text).map(|guesses| guesses.guess).map_err(|e| format!("{FILE}: {e}"))
}
