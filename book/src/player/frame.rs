//! What a step of a recording shows: its sentence, and how each part of the picture looks.

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
