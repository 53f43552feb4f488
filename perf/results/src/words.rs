//! The same words in both languages, and the names of the engine's stages, which tables and charts
//! share.

use serde::{Deserialize, Serialize};

use market::engine::Stage;

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

/// The name of a stage.
pub fn stage_words(stage: Stage, language: Language) -> &'static str {
    match stage {
        Stage::LogAppend => language.pick("log append", "日志追加"),
        Stage::LogSync => language.pick("log sync", "日志落盘"),
        Stage::BalanceCheck => language.pick("balance check", "余额检查"),
        Stage::Matching => language.pick("matching", "撮合"),
        Stage::Settlement => language.pick("settlement", "结算"),
        Stage::Ledger => language.pick("ledger", "账本"),
    }
}
