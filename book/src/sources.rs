//! Everything that a directive may draw on, handed to whoever expands one.

use crate::project::Project;
use crate::record::Records;

/// The repository and its two folders of records.
#[derive(Debug)]
pub struct Sources {
    /// The repository.
    pub project: Project,
    /// The committed records.
    pub reference: Records,
    /// The reader's own records.
    pub own: Records,
}

impl Sources {
    /// The sources of `project`.
    pub fn new(project: &Project) -> Self {
        Self { project: project.clone(), reference: Records::reference(project), own: Records::own(project) }
    }
}
