//! The words of interactive elements, in one language, from a file with both: `[group]`, `key = { en = "…", zh = "…"
//! }`.

use crate::project::Project;
use crate::sentences::Sentence;
use results::language::Language;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The words by group and key.
#[derive(Debug)]
pub(crate) struct Words {
    pub(crate) groups: BTreeMap<String, BTreeMap<String, String>>,
}

impl Words {
    /// Reads the words of a language.
    pub(crate) fn read(project: &Project, file: &Path, lang: Language) -> Result<Self, String> {
        let text = fs::read_to_string(project.path(file)).map_err(|_| format!("there is no {}", file.display()))?;
        let both: BTreeMap<String, BTreeMap<String, Sentence>> =
            toml::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))?;
        let pick = |(key, Sentence { en, zh }): (String, Sentence)| (key, lang.pick(en, zh));
        let groups = both.into_iter().map(|(group, words)| (group, words.into_iter().map(pick).collect())).collect();
        Ok(Words { groups })
    }

    /// The words as they are.
    pub(crate) fn get(&self, group: &str, key: &str) -> Result<&str, String> {
        let found = self.groups.get(group).and_then(|words| words.get(key));
        found.map(String::as_str).ok_or_else(|| format!("the words have no `{key}` under [{group}]"))
    }

    /// The words with each `{name}` filled in.
    pub(crate) fn say(&self, group: &str, key: &str, with: &[(&str, &str)]) -> Result<String, String> {
        let fill = |text: String, (name, value): &(&str, &str)| text.replace(&format!("{{{name}}}"), value);
        Ok(with.iter().fold(self.get(group, key)?.to_owned(), fill))
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        self.groups.values().flat_map(BTreeMap::values).map(String::as_str)
    }
}
