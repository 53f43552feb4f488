//! The arguments of `exercise` on the command line.

use std::path::PathBuf;

use results::language::Language;

/// The arguments of `exercise`.
#[derive(Debug, Clone, clap::Args)]
pub struct ExerciseArgs {
    /// The chapter to write, 0x02 or later; it may be left out when one exercise is laid out and the flag is
    /// --check, --hint, --race or --diff
    pub chapter: Option<String>,
    /// Run the chapter's tests on what was written, step by step, up to the first step that fails
    #[arg(long, conflicts_with = "force")]
    pub check: bool,
    /// With --check: run every step
    #[arg(long, requires = "check", conflicts_with = "test")]
    pub all: bool,
    /// With --check: run only these tests. A file under tests, such as lesson, or lib for the tests beside the code;
    /// after :: a part of their names, such as lesson::a_lone_command
    #[arg(long, value_name = "FILE[::PART]", requires = "check")]
    pub test: Option<String>,
    /// Say where to look for the mistake that the last check found; 2 says what to look for
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1",
        value_parser = clap::value_parser!(u8).range(1..=2), conflicts_with_all = ["check", "force"])]
    pub hint: Option<u8>,
    /// Race what was written against the chapter before; with --check, only when all tests pass
    #[arg(long, conflicts_with_all = ["test", "hint", "force"])]
    pub race: bool,
    /// Print what you changed in each file beside what the book changed, once all tests pass
    #[arg(long, conflicts_with_all = ["check", "hint", "race"])]
    pub diff: bool,
    /// The folder that holds the exercises, relative to the current folder [default: exercises in
    /// the repository]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Lay it out again over what is there, or beside an exercise that is not finished; show the book's diff before
    /// all tests pass
    #[arg(long)]
    pub force: bool,
    /// Print messages in English or in Chinese, 中文 [default: according to the locale]
    #[arg(long)]
    pub lang: Option<Language>,
}

impl ExerciseArgs {
    /// Whether an existing exercise is to be used.
    pub fn uses(&self) -> bool {
        self.check || self.hint.is_some() || self.race || self.diff
    }
}
