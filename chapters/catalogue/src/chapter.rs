//! A chapter, as the other crates see it.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;

/// A chapter's number, written `0x03`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(transparent)]
pub struct Number(pub u8);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("0x{:02x}", self.0))
    }
}

/// What a chapter is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// What every engine has to satisfy. It has no engine of its own.
    Contract,
    /// A rung of the ladder: a near-copy of the engine before it, with the same answers.
    Engine,
    /// Something built around an engine. It is not part of the ladder, and not a copy of anything.
    Service,
    /// Something independent, with its own contract and engines. It is not part of the ladder, and not a copy of
    /// anything; the chapter that it is `after` is the one that it is compared with.
    Study,
}

/// A chapter's title, without its number: "group commit", "组提交".
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Title {
    /// In English.
    pub en: String,
    /// In Chinese.
    pub zh: String,
}

/// How an engine differs from the one before it. Paths are relative to the chapter's folder, with `/`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Step {
    /// Files that the engine before does not have.
    pub adds: BTreeSet<String>,
    /// Files that differ.
    pub changes: BTreeSet<String>,
    /// Files that only the engine before has.
    pub removes: BTreeSet<String>,
    /// How many lines under `src` may change, added and removed ones together.
    pub budget: usize,
}

/// A chapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chapter {
    /// Its number.
    pub number: Number,
    /// Its folder's name, such as `0x03-group-commit`.
    pub folder: String,
    /// Its package, such as `ch03`.
    pub package: String,
    /// The book's part that it belongs to, 1 or 2.
    pub part: u8,
    /// What it is made of.
    pub kind: Kind,
    /// The chapter that it comes after. Only the first has none.
    pub after: Option<Number>,
    /// Its title.
    pub title: Title,
    /// Whether its program measures the pipeline's stages: `--pass breakdown`.
    pub measures: bool,
    /// Whether its program takes `--batch`.
    pub batches: bool,
    /// Whether its program takes `--shards`.
    pub shards: bool,
    /// The verb of the tool that measures it: `venue` for `cargo run --release -- venue`.
    pub verb: Option<String>,
    /// The file that the lesson is about, relative to the chapter's folder.
    pub lesson: String,
    /// The test that its exercise begins with, relative to the chapter's folder. It fails on the chapter before.
    pub lesson_test: Option<String>,
    /// How it differs from the engine before, if it is an engine.
    pub step: Step,
}

impl Chapter {
    /// Whether it is a rung of the ladder.
    pub fn is_engine(&self) -> bool {
        self.kind == Kind::Engine
    }

    /// Whether `name` means this chapter: `0x03`, `0x03-group-commit` or `ch03`.
    pub fn is_called(&self, name: &str) -> bool {
        self.folder == name || self.package == name || self.number.to_string() == name
    }

    /// The name of its lesson's test, as `cargo test --test` takes it: `lesson` for `tests/lesson.rs`.
    pub fn lesson_test_name(&self) -> Option<&str> {
        self.lesson_test.as_deref()?.strip_prefix("tests/")?.strip_suffix(".rs")
    }
}
