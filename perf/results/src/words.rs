//! The same words in both languages.

use serde::{Deserialize, Serialize};

use crate::language::Language;

/// The same in English and in Chinese.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Words {
    /// English.
    pub en: String,
    /// Chinese.
    pub zh: String,
}

impl Words {
    /// The words in a language.
    pub fn pick(&self, language: Language) -> &str {
        language.pick(&self.en, &self.zh)
    }
}

/// Words from both languages.
pub fn words(en: impl Into<String>, zh: impl Into<String>) -> Words {
    Words { en: en.into(), zh: zh.into() }
}
