//! The book's two languages, and one of two values picked by them.

use std::path::Path;

/// A language of the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lang {
    /// English, the language the sections' hashes are taken from.
    En,
    /// Simplified Chinese.
    Zh,
}

impl Lang {
    /// Both languages, the source first.
    pub const ALL: [Lang; 2] = [Lang::En, Lang::Zh];

    /// The folder's name, and the short form used in file names.
    pub fn dir(self) -> &'static str {
        self.pick("en", "zh")
    }

    /// The value of `lang` and `hreflang`.
    pub fn tag(self) -> &'static str {
        self.pick("en", "zh-CN")
    }

    /// One of two values, by language.
    pub fn pick<T>(self, en: T, zh: T) -> T {
        match self {
            Lang::En => en,
            Lang::Zh => zh,
        }
    }

    /// The language of a page tree such as `book/zh`.
    pub fn of_source(src: &Path) -> Lang {
        if src.ends_with("zh") { Lang::Zh } else { Lang::En }
    }
}
