//! Where results go, the same in every program: the folder that `--output` names, seen from where the program was
//! started, as any path on a command line is; without the flag, `output` in the repository, from wherever.

use std::path::PathBuf;

use crate::chapters::repository;

/// The flag. Each program writes files of its own names into the folder.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct OutputArgs {
    /// The folder for records and charts, seen from here [default: output in the repository]
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

impl OutputArgs {
    /// The folder.
    pub fn folder(&self) -> PathBuf {
        self.output.clone().unwrap_or_else(|| repository().join("output"))
    }
}
