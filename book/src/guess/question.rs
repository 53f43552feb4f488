//! What is asked where, and what answers it: `book/guesses/guesses.toml`.

use crate::project::Project;
use serde::Deserialize;
use std::fs;

/// Where all guesses stand, relative to the root.
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
    /// Its name; what a reader wrote is kept under it.
    pub id: String,
    /// The page that asks, without `.md`.
    pub page: String,
    /// The question in English.
    pub(super) en: String,
    /// The question in Chinese.
    pub(super) zh: String,
    pub(super) kind: Kind,
    /// What answers it, as the page's `<!-- answer: … -->` says it.
    pub answer: String,
    /// What can be chosen.
    #[serde(default)]
    pub(super) options: Vec<Choice>,
    /// What is ordered, divided or chosen for.
    #[serde(default)]
    pub(super) items: Vec<Item>,
}

/// What is to be written.
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

/// What can be chosen.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Choice {
    pub(super) en: String,
    pub(super) zh: String,
    /// It is right where an item's value is below this, and no option before it is.
    pub(super) below: Option<f64>,
    /// It is right where this is the largest of all options'.
    pub(super) value: Option<String>,
}

/// What is ordered, divided or chosen for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Item {
    pub(super) en: String,
    pub(super) zh: String,
    /// The directive that gives its value.
    pub(super) value: Option<String>,
    /// The option that is right, counted from 0.
    pub(super) right: Option<usize>,
    /// The section that answers in words.
    pub(super) see: Option<String>,
}

impl Guess {
    /// Everything that the page's `<!-- answer: … -->` may say for it.
    pub fn answers(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.answer.as_str()).chain(self.items.iter().filter_map(|item| item.see.as_deref()))
    }
}

/// All guesses; none if the book has no file of them.
pub fn read(project: &Project) -> Result<Vec<Guess>, String> {
    let Ok(text) = fs::read_to_string(project.path(FILE)) else { return Ok(Vec::new()) };
    toml::from_str::<Guesses>(&text).map(|guesses| guesses.guess).map_err(|e| format!("{FILE}: {e}"))
}
