//! The two trees of a race: which they are, and their programs.
//!
//! A commit is checked out into its own folder under `target/race` and built there; its programs stay for the next
//! time. Dependencies are compiled once for all commits. A folder is built in its own `target`: the build of one tree
//! is newer than files of another tree that were written before it, so cargo would think that those are built. A
//! failure leaves nothing behind.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use catalogue::Chapter;
use program::tell;
use results::chapters::repository;
use results::error::MeasureError;
use results::programs::{self, Program};

/// A tree to race.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tree {
    /// A folder with the book's chapters, as it is now.
    Folder(PathBuf),
    /// A commit of this repository: its whole hash.
    Commit(String),
}

impl Tree {
    /// The tree that a user names: a folder, or anything that git accepts as a commit. Without a name, the current
    /// tree.
    ///
    /// # Errors
    /// [`MeasureError::Unusable`] when it is neither.
    pub fn named(name: Option<&str>) -> Result<Tree, MeasureError> {
        let Some(name) = name else { return Ok(Tree::Folder(repository())) };
        if let Ok(folder) = fs::canonicalize(name)
            && folder.is_dir()
        {
            let is_root = program::repository::find(&folder).as_ref() == Some(&folder);
            let no_root =
                || MeasureError::Unusable(format!("{name} is a folder, but not one with this book's chapters"));
            return is_root.then_some(Tree::Folder(folder)).ok_or_else(no_root);
        }
        let commit = format!("{name}^{{commit}}");
        // A name that looks like a flag is not a commit.
        let hash = git(&repository(), ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit], &[]);
        let unknown = |_| {
            MeasureError::Unusable(format!(
                "{name} is neither a folder nor a commit, branch or tag of this repository; `git log --oneline` lists commits"
            ))
        };
        Ok(Tree::Commit(hash.map_err(unknown)?))
    }

    /// Refuses a folder with uncommitted changes: a later reader of the record could not find out what was raced.
    ///
    /// # Errors
    /// [`MeasureError::Unusable`], with what to do.
    pub fn must_be_a_commit(&self) -> Result<(), MeasureError> {
        match self {
            Tree::Folder(folder) if self.label().ends_with("-dirty") => Err(MeasureError::Unusable(format!(
                "{} has uncommitted changes, so what was raced could not be found again; commit them there, or \
                 give the folder as the second of the two",
                folder.display()
            ))),
            _ => Ok(()),
        }
    }

    /// The commit in 12 digits, with `-dirty` when a folder has changes.
    pub fn label(&self) -> String {
        match self {
            Tree::Folder(folder) => program::repository::commit(folder),
            Tree::Commit(hash) => hash.chars().take(12).collect(),
        }
    }

    /// Builds the programs of these chapters and copies those that the tree has into `folder`.
    ///
    /// # Errors
    /// [`MeasureError::Unusable`] when something does not build, [`MeasureError::Disk`] when there is not
    /// enough space.
    pub fn programs(&self, chapters: &[Chapter], folder: &Path) -> Result<(), MeasureError> {
        let built = match self {
            Tree::Folder(own) if *own == repository() => {
                programs::build(&chapters.iter().map(Program::from).collect::<Vec<_>>())?;
                return chapters.iter().try_for_each(|chapter| copy(&Program::from(chapter).path(), folder));
            }
            Tree::Folder(other) => {
                let has = has_them(other, chapters);
                let target = other.join("target");
                build(other, &has, &self.label(), &target)?;
                return has.iter().try_for_each(|chapter| copy(&built_program(chapter, &target), folder));
            }
            Tree::Commit(hash) => commit(hash, chapters)?,
        };
        let programs = fs::read_dir(&built).map_err(|error| MeasureError::disk("read", &built, &error))?;
        programs.flatten().try_for_each(|program| copy(&program.path(), folder))
    }
}

/// Beside a commit's programs: the chapters that were asked for but that it does not have, so that they are not
/// built for again.
const ABSENT: &str = "absent.txt";

/// Where races keep what they build.
pub fn folder() -> PathBuf {
    repository().join("target").join("race")
}

/// The programs of a commit, built if they do not exist yet.
fn commit(hash: &str, chapters: &[Chapter]) -> Result<PathBuf, MeasureError> {
    let built = folder().join(hash);
    let absent = fs::read_to_string(built.join(ABSENT)).unwrap_or_default();
    let is_known = |chapter: &Chapter| {
        built.join(program_name(chapter)).is_file() || absent.lines().any(|folder| folder == chapter.folder)
    };
    if chapters.iter().all(is_known) {
        return Ok(built);
    }
    let unfinished = folder().join(format!("{hash}.new"));
    let made = check_out(hash, &unfinished.join("tree")).and_then(|()| {
        let tree = unfinished.join("tree");
        let has = has_them(&tree, chapters);
        // Its files are newer than what was built there before them.
        let shared = folder().join("build");
        build(&tree, &has, &hash[..hash.len().min(12)], &shared)?;
        let programs = unfinished.join("programs");
        has.iter().try_for_each(|chapter| copy(&built_program(chapter, &shared), &programs))?;
        let lacks = chapters.iter().filter(|chapter| !has.contains(chapter)).map(|chapter| chapter.folder.as_str());
        let absent: BTreeSet<&str> = absent.lines().chain(lacks).collect();
        keep_others(&built, &programs)?;
        let list = programs.join(ABSENT);
        let text: String = absent.into_iter().map(|folder| folder.to_owned() + "\n").collect();
        fs::write(&list, text).map_err(|error| MeasureError::disk("write", &list, &error))?;
        remove(&built)?;
        fs::rename(&programs, &built).map_err(|error| MeasureError::disk("rename", &programs, &error))
    });
    remove(&unfinished)?;
    made.map(|()| built)
}

/// Copies the programs that only `built` has: races of other chapters built them.
fn keep_others(built: &Path, programs: &Path) -> Result<(), MeasureError> {
    let Ok(before) = fs::read_dir(built) else { return Ok(()) };
    let others = before.flatten().filter(|program| !programs.join(program.file_name()).exists());
    others.map(|program| program.path()).try_for_each(|program| copy(&program, programs))
}

fn check_out(hash: &str, tree: &Path) -> Result<(), MeasureError> {
    fs::create_dir_all(tree).map_err(|error| MeasureError::disk("make the folder", tree, &error))?;
    let root = repository();
    let git_dir = git(&root, ["rev-parse", "--absolute-git-dir"], &[]);
    let cannot = |words: String| MeasureError::Unusable(format!("git cannot check out {hash}: {words}"));
    let git_dir = git_dir.map_err(cannot)?;
    // A separate index: what is staged in the repository stays.
    let index = tree.with_extension("index");
    let own =
        [("GIT_DIR", git_dir.as_ref()), ("GIT_WORK_TREE", tree.as_os_str()), ("GIT_INDEX_FILE", index.as_os_str())];
    git(tree, ["checkout", "--quiet", "--force", hash, "--", "."], &own).map(drop).map_err(cannot)
}

/// The chapters that a tree has.
fn has_them<'a>(tree: &Path, chapters: &'a [Chapter]) -> Vec<&'a Chapter> {
    chapters.iter().filter(|chapter| tree.join("chapters").join(&chapter.folder).join("Cargo.toml").is_file()).collect()
}

fn build(tree: &Path, chapters: &[&Chapter], label: &str, target: &Path) -> Result<(), MeasureError> {
    if chapters.is_empty() {
        return Err(MeasureError::Unusable(format!("{label} has none of these chapters; name others with --chapters")));
    }
    tell(format_args!("building {label}"));
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(tree).args(["build", "--release", "--quiet", "--target-dir"]).arg(target);
    chapters.iter().for_each(|chapter| {
        command.args(["-p", &chapter.package]);
    });
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => {
            Err(MeasureError::Unusable(format!("{label} could not be built ({status}); its message is above")))
        }
        Err(error) => Err(MeasureError::Unusable(format!("cannot start cargo: {error}; is Rust installed?"))),
    }
}

/// The name of a chapter's program as a file.
pub fn program_name(chapter: &Chapter) -> String {
    format!("{}{}", chapter.package, std::env::consts::EXE_SUFFIX)
}

fn built_program(chapter: &Chapter, target: &Path) -> PathBuf {
    target.join("release").join(program_name(chapter))
}

fn copy(program: &Path, folder: &Path) -> Result<(), MeasureError> {
    fs::create_dir_all(folder).map_err(|error| MeasureError::disk("make the folder", folder, &error))?;
    let to = folder.join(program.file_name().unwrap_or_default());
    fs::copy(program, &to).map(drop).map_err(|error| MeasureError::disk("copy a program to", &to, &error))
}

fn remove(folder: &Path) -> Result<(), MeasureError> {
    match fs::remove_dir_all(folder) {
        Err(error) if folder.exists() => Err(MeasureError::disk("remove", folder, &error)),
        _ => Ok(()),
    }
}

/// The first line of git's output, or its error.
fn git<const N: usize>(folder: &Path, arguments: [&str; N], own: &[(&str, &OsStr)]) -> Result<String, String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(arguments).envs(own.iter().copied());
    let ended = command.output().map_err(|error| format!("cannot start git: {error}"))?;
    if !ended.status.success() {
        return Err(String::from_utf8_lossy(&ended.stderr).trim().to_owned());
    }
    Ok(String::from_utf8_lossy(&ended.stdout).lines().next().unwrap_or_default().to_owned())
}
