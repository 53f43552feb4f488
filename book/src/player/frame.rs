//! What a step of a recording shows: its sentence, and how each part of the picture looks.

use crate::html::escape;
use serde::Serialize;
use std::collections::BTreeMap;

/// How a part of the picture looks in one step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Part {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) class: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// Its place, as SVG's `transform`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) at: Option<String>,
}

/// One step: its sentence, and the parts of the picture by their names.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Frame {
    pub(super) said: String,
    pub(super) parts: BTreeMap<String, Part>,
}

impl Frame {
    /// What a part shows, for a page; nothing where it is a shape.
    pub(super) fn text(&self, part: &str) -> String {
        self.parts.get(part).and_then(|part| part.text.as_deref()).map(escape).unwrap_or_default()
    }

    /// How a part looks.
    pub(super) fn class(&self, part: &str) -> &str {
        self.parts.get(part).and_then(|part| part.class.as_deref()).unwrap_or_default()
    }

    /// Where a part stands.
    pub(super) fn place(&self, part: &str) -> &str {
        self.parts.get(part).and_then(|part| part.at.as_deref()).unwrap_or_default()
    }
}
