//! The two languages of the results.

use serde::{Deserialize, Serialize};

/// A language of the charts and tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
pub enum Language {
    /// English.
    #[serde(rename = "en")]
    #[value(name = "en")]
    English,
    /// Simplified Chinese, 简体中文.
    #[serde(rename = "zh")]
    #[value(name = "zh")]
    Chinese,
}

impl Language {
    /// Both, in the order in which files are written.
    pub const ALL: [Self; 2] = [Self::English, Self::Chinese];

    /// The language of the reader's system: Chinese where the locale says so, English elsewhere.
    pub fn of_the_locale() -> Self {
        let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(set);
        if locale.is_some_and(|locale| locale.starts_with("zh")) { Self::Chinese } else { Self::English }
    }

    /// The tag in file names: `throughput.en.svg`, `throughput.zh.svg`.
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }

    /// The tag in an SVG's or a page's `lang` attribute.
    pub fn html_tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-CN",
        }
    }

    /// Picks one of two texts.
    pub fn pick<T>(self, english: T, chinese: T) -> T {
        match self {
            Self::English => english,
            Self::Chinese => chinese,
        }
    }
}
