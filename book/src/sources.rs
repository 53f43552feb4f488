//! Everything that a directive may use when it is expanded.

use crate::problem::Failure;
use crate::project::Project;
use crate::record::Records;
use catalogue::Catalogue;

/// The repository, its chapters and its two folders of records.
#[derive(Debug)]
pub struct Sources {
    /// The repository.
    pub project: Project,
    /// The chapters.
    pub chapters: Catalogue,
    /// The committed records.
    pub reference: Records,
    /// The reader's own records.
    pub own: Records,
}

impl Sources {
    /// The sources of `project`.
    pub fn new(project: &Project) -> Result<Self, Failure> {
        Ok(Self {
            project: project.clone(),
            chapters: project.chapters()?,
            reference: Records::reference(project),
            own: Records::own(project),
        })
    }
}
