//! Where results go, the same in every program: the folder that `--output` names, relative to the current folder,
//! like any path on a command line; without the flag, `output` in the repository.

use std::path::PathBuf;

use crate::chapters::repository;

/// The flag. Each program writes its own files into the folder.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct OutputArgs {
    /// The folder for records and charts, relative to the current folder [default: output in the
    /// repository]
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

impl OutputArgs {
    /// The folder.
    pub fn folder(&self) -> PathBuf {
        self.output.clone().unwrap_or_else(|| repository().join("output"))
    }
}
