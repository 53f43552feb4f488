//! What a step of a recording shows: its sentence, and the look of each part of the picture.

use crate::html::escape;
use serde::Serialize;
use std::collections::BTreeMap;

/// The look of a part of the picture in one step.
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
    /// A part's text, for a page; empty for a shape.
    pub(super) fn text(&self, part: &str) -> String {
        self.parts.get(part).and_then(|part| part.text.as_deref()).map(escape).unwrap_or_default()
    }

    /// A part's class.
    pub(super) fn class(&self, part: &str) -> &str {
        self.parts.get(part).and_then(|part| part.class.as_deref()).unwrap_or_default()
    }

    /// A part's place.
    pub(super) fn place(&self, part: &str) -> &str {
        self.parts.get(part).and_then(|part| part.at.as_deref()).unwrap_or_default()
    }
}
