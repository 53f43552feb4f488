//! Programs to measure: how to build them, run one and read its figures. Nothing here links an engine: what is
//! measured is what a reader runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use catalogue::Chapter;

use crate::chapters::repository;
use crate::error::MeasureError;
use crate::figures::{Figures, read_figures};

/// A program of this workspace, such as a chapter's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its name for people: a chapter's folder, such as `0x01-naive`.
    pub name: String,
    /// Its package, such as `ch01`.
    pub package: String,
    /// The profile that it is built with: `release`, or `whole` for programs that take an engine from
    /// another crate.
    pub profile: &'static str,
}

/// Builds programs of one profile as a reader does, optimised.
///
/// # Errors
/// [`MeasureError::Unusable`] when the compiler reports an error.
pub fn build(programs: &[Program]) -> Result<(), MeasureError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--profile", programs.first().map_or("release", |program| program.profile)]);
    command.current_dir(repository());
    for program in programs {
        command.args(["-p", &program.package]);
    }
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => {
            Err(MeasureError::Unusable(format!("cargo could not build the programs ({status}); its message is above")))
        }
        Err(error) => Err(MeasureError::Unusable(format!("cannot start cargo: {error}; is Rust installed?"))),
    }
}

impl From<&Chapter> for Program {
    fn from(chapter: &Chapter) -> Self {
        Program { name: chapter.folder.clone(), package: chapter.package.clone(), profile: "release" }
    }
}

impl Program {
    /// The program of a package that is not a chapter, with whole-program optimisation.
    pub fn of_package(package: &str) -> Program {
        Program { name: package.into(), package: package.into(), profile: "whole" }
    }

    /// Its path: in the folder of its profile, beside that of this program, where cargo puts both. If this program
    /// was built in another tree than the current one, that tree's programs are beside it, and they are not the ones
    /// to measure.
    pub fn path(&self) -> PathBuf {
        let here = std::env::current_exe().ok().and_then(|path| path.parent().map(Path::to_path_buf));
        let here = here.filter(|folder| program::repository::find(folder).is_none_or(|root| root == repository()));
        // Tests run from `deps`, and a debug build of this tool still measures release builds.
        let optimised = here.filter(|folder| folder.ends_with("release") || folder.ends_with("whole"));
        let beside = optimised.and_then(|folder| folder.parent().map(Path::to_path_buf));
        let name = format!("{}{}", self.package, std::env::consts::EXE_SUFFIX);
        let named = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        let folders = beside.into_iter().chain([named.unwrap_or_else(|| repository().join("target"))]);
        let paths = folders.map(|folder| folder.join(self.profile).join(&name));
        paths.into_iter().find(|path| path.is_file()).unwrap_or_else(|| name.into())
    }

    /// Runs it with `args` and its output in `output`.
    ///
    /// # Errors
    /// [`MeasureError::Unusable`] or [`MeasureError::Disk`], with the program's own message, by its exit
    /// code.
    pub fn run(&self, args: &[String], output: &Path) -> Result<(), MeasureError> {
        self.run_program(&self.path(), args, output)
    }

    fn run_program(&self, program: &Path, args: &[String], output: &Path) -> Result<(), MeasureError> {
        let mut command = Command::new(program);
        command.args(args).arg("--quiet").arg("--output").arg(output).stdin(Stdio::null());
        let ended = command.output().map_err(|error| {
            MeasureError::Unusable(format!(
                "cannot start {}: {error}; build it with `cargo build --profile {} --package {}`",
                self.name, self.profile, self.package
            ))
        })?;
        if ended.status.success() {
            return Ok(());
        }
        let words = String::from_utf8_lossy(&ended.stderr);
        let message = format!("{} {}: {}", self.name, args.join(" "), words.trim());
        Err(if ended.status.code() == Some(3) { MeasureError::Disk(message) } else { MeasureError::Unusable(message) })
    }

    /// Runs it and reads the figures that it wrote.
    ///
    /// # Errors
    /// As [`Program::run`].
    pub fn measure(&self, args: &[String], output: &Path) -> Result<Figures, MeasureError> {
        self.measure_program(&self.path(), args, output)
    }

    /// The same with another program that takes the same flags.
    ///
    /// # Errors
    /// As [`Program::run`].
    pub fn measure_program(&self, program: &Path, args: &[String], output: &Path) -> Result<Figures, MeasureError> {
        self.run_program(program, args, output)?;
        read_figures(&output.join("figures.txt"))
    }
}
