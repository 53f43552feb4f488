//! What was run.

use serde::{Deserialize, Serialize};

/// The commands that a run fed to the engines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// The generator's name (`classic`, `venue`, `burst`), or `input`.
    pub name: String,
    /// The generator's seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How many orders the generator was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orders: Option<u64>,
    /// The file name (not the path) of a flow from the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The version of the log that the engines wrote. Records without it are of version 1.
    #[serde(default = "first_version", skip_serializing_if = "is_first_version")]
    pub log_version: u32,
}

fn is_first_version(version: &u32) -> bool {
    *version == first_version()
}

fn first_version() -> u32 {
    1
}
