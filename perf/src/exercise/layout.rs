//! Laying an exercise out: the sources of the chapter before, the tests of the chapter, and a documented
//! stub for whatever the tests call by name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use catalogue::Chapter;
use results::error::MeasureError;

use super::files::{below, copy_sources, names, read, without_marks, write};
use super::plan::Plan;

/// Where an exercise comes from: the folder of chapters, the chapter to write, and the one before it.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The repository.
    pub root: &'a Path,
    /// The chapter to write.
    pub chapter: &'a Chapter,
    /// The chapter that it begins with. A service or a study is not a copy of the one before it: its exercise begins
    /// with itself, and stubs mark what is to be written.
    pub before: &'a Chapter,
}

impl Source<'_> {
    /// Whether the chapter itself is laid out, with stubs in it.
    pub fn is_itself(&self) -> bool {
        self.chapter.number == self.before.number
    }

    /// The stubs, laid out like the chapter's own files.
    pub fn stubs(&self) -> PathBuf {
        self.to().join("exercise")
    }

    /// The folder of the chapter before.
    pub fn from(&self) -> PathBuf {
        self.chapters().join(&self.before.folder)
    }

    /// The folder of the chapter itself.
    pub fn to(&self) -> PathBuf {
        self.chapters().join(&self.chapter.folder)
    }

    /// The folder of all chapters.
    pub fn chapters(&self) -> PathBuf {
        self.root.join("chapters")
    }

    /// Writes the engine's sources as they are before the reader starts.
    ///
    /// # Errors
    /// When a file can't be read, or an edit's text is not found.
    pub fn lay_out(&self, plan: &Plan, folder: &Path) -> Result<(), MeasureError> {
        copy_sources(&self.from().join("src"), &folder.join("src"))?;
        self.lay_tests(plan, &folder.join("tests"))?;
        for name in &plan.copies {
            copy(&self.to().join(name), &folder.join(name))?;
        }
        let stubs = self.stubs();
        if stubs.is_dir() {
            copy_sources(&stubs, folder)?;
        }
        self.edit(plan, folder)?;
        let renamed = |path: &str, from: &str, to: &str| {
            let path = folder.join(path);
            write(&path, &read(&path)?.replace(from, to))
        };
        renamed("src/main.rs", &self.before.package, &self.chapter.package)?;
        renamed("src/lib.rs", &format!("{:?}", self.before.folder), &format!("{:?}", self.name()))?;
        write(&folder.join("Cargo.toml"), &self.manifest(folder)?)?;
        // The versions that the repository is tested with.
        write(&folder.join("Cargo.lock"), &read(&self.root.join("Cargo.lock"))?)
    }

    fn lay_tests(&self, plan: &Plan, to: &Path) -> Result<(), MeasureError> {
        let from = self.to().join("tests");
        if plan.tests.is_empty() {
            return copy_sources(&from, to);
        }
        for name in &plan.tests {
            copy(&from.join(name), &to.join(name))?;
        }
        // A file that a test includes from another chapter's tests stays there.
        let chapters = self.chapters().display().to_string().replace('\\', "/");
        for name in below(to)? {
            let up = "../".repeat(2 + name.matches('/').count());
            let path = to.join(name);
            let text = read(&path)?.replace(&format!("#[path = \"{up}0x"), &format!("#[path = \"{chapters}/0x"));
            write(&path, &text)?;
        }
        Ok(())
    }

    /// The name of the exercise's program.
    pub fn name(&self) -> String {
        format!("{}-exercise", self.chapter.folder)
    }

    fn edit(&self, plan: &Plan, folder: &Path) -> Result<(), MeasureError> {
        for edit in &plan.edits {
            let path = folder.join(&edit.file);
            let text = read(&path)?;
            if text.matches(&edit.find).count() != 1 {
                return Err(MeasureError::Unusable(format!(
                    "{}/exercise.toml: {:?} does not occur exactly once in {} of {}; fix `find` there",
                    self.to().display(),
                    edit.find,
                    edit.file,
                    self.before.folder
                )));
            }
            write(&path, &text.replace(&edit.find, &edit.put))?;
        }
        Ok(())
    }

    /// The chapter's manifest as a separate workspace, without the parts that only benches, other chapters' tests and
    /// the list of changes need.
    fn manifest(&self, folder: &Path) -> Result<String, MeasureError> {
        let own = read(&self.to().join("Cargo.toml"))?;
        let shared = read(&self.root.join("Cargo.toml"))?;
        let tail = shared.find("[workspace.package]").map_or("", |at| &shared[at..]);
        let mut used = String::new();
        for tests in ["src", "tests"] {
            collect(&folder.join(tests), &mut used)?;
        }
        let mut kept = String::new();
        let mut section = "";
        for line in own.lines() {
            if line.starts_with('[') {
                section = line;
            }
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default().replace('-', "_");
            let is_dependency = section == "[dev-dependencies]" && line != section && !name.is_empty();
            let is_unused = is_dependency && !used.contains(&format!("{name}::"));
            if !["[package.metadata.chapter]", "[[bench]]", "[[test]]"].contains(&section) && !is_unused {
                kept.push_str(line);
                kept.push('\n');
            }
        }
        // The workspace's own crates stay where they are.
        let root = self.root.display().to_string().replace('\\', "/");
        let tail = tail.replace("path = \"", &format!("path = \"{root}/"));
        // A service reaches crates whose features are off here, which the lock file does not show: so no named
        // profile is kept.
        let lock = if self.is_itself() { String::new() } else { read(&self.root.join("Cargo.lock"))? };
        let tail = without_unused_profiles(&tail, &lock, &self.chapter.package);
        let kept = kept.replace("path = \"../", &format!("path = \"{root}/chapters/"));
        Ok(format!("{kept}\n[workspace]\nresolver = \"3\"\n\n{tail}"))
    }
}

/// A manifest without the profiles of packages that `package` does not reach: cargo would warn about
/// each.
fn without_unused_profiles(manifest: &str, lock: &str, package: &str) -> String {
    // The dependencies of each package in the lock file, by name.
    let mut needs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut name = "";
    for line in lock.lines() {
        if let Some(quoted) = line.strip_prefix("name = ") {
            name = quoted.trim_matches('"');
        } else if let Some(needed) = line.strip_prefix(" \"") {
            needs.entry(name).or_default().push(needed.split(['"', ' ']).next().unwrap_or_default());
        }
    }
    let mut reached = BTreeSet::from([package, "\"*\""]);
    let mut open = vec![package];
    while let Some(name) = open.pop() {
        open.extend(needs.get(name).into_iter().flatten().filter(|needed| reached.insert(needed)));
    }
    let mut keeps = true;
    let is_kept = |line: &&str| {
        if line.starts_with('[') {
            let of = line.strip_prefix("[profile.").and_then(|rest| rest.split_once(".package."));
            keeps = of.is_none_or(|(_, name)| reached.contains(name.trim_end_matches(']')));
        }
        keeps
    };
    manifest.lines().filter(is_kept).map(|line| format!("{line}\n")).collect()
}

/// Copies a file, or a folder.
fn copy(from: &Path, to: &Path) -> Result<(), MeasureError> {
    if from.is_dir() { copy_sources(from, to) } else { write(to, &without_marks(&read(from)?)) }
}

/// The text of all files of a folder, one after another.
fn collect(folder: &Path, all: &mut String) -> Result<(), MeasureError> {
    for name in names(folder)? {
        let path = folder.join(name);
        if path.is_dir() {
            collect(&path, all)?;
        } else {
            all.push_str(&read(&path)?);
        }
    }
    Ok(())
}

/// The test files of an exercise that is laid out, by the names that `--test` takes: unit tests first.
///
/// # Errors
/// When the folder can't be read.
pub fn test_files(folder: &Path) -> Result<Vec<String>, MeasureError> {
    let names = names(&folder.join("tests"))?;
    let files = names.iter().filter_map(|name| name.strip_suffix(".rs")).map(str::to_owned);
    Ok([super::plan::UNIT_TESTS.to_owned()].into_iter().chain(files).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_of_what_is_not_reached_go() {
        let lock = "[[package]]\nname = \"ch09\"\ndependencies = [\n \"a\",\n \"b 1.0\",\n]\n\n[[package]]\nname = \"a\"\n\
                    dependencies = [\n \"c\",\n]\n\n[[package]]\nname = \"d\"\n";
        let section = |name: &str| format!("[profile.dev.package.{name}]\nopt-level = 1\n");
        let with = |names: &[&str]| {
            format!("[profile.dev]\ndebug = 1\n{}", names.iter().map(|name| section(name)).collect::<String>())
        };
        let all = with(&["\"*\"", "a", "b", "c", "d"]) + "\n[profile.bench]\nlto = true\n";
        let kept = with(&["\"*\"", "a", "b", "c"]) + "[profile.bench]\nlto = true\n";
        assert_eq!(without_unused_profiles(&all, lock, "ch09"), kept);
    }
}
