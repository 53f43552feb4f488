//! `exercise 0x03`: lays out a folder with the chapter before and this chapter's tests, for a reader who
//! wants to write the chapter. `exercise 0x03 --check` runs the tests there and races the result against
//! the chapter before. Neither looks at the solution.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use catalogue::Chapter;
use program::{Verdict, print};
use results::chapters;
use results::error::MeasureError;
use results::figures::figure;
use results::output::OutputArgs;
use results::programs::{self, Program};
use results::units::{factor_text, grouped};

/// What `exercise` can be told.
#[derive(Debug, Clone, clap::Args)]
pub struct ExerciseArgs {
    /// The chapter to write, 0x02 or later; with --check it may be left out when one exercise is laid out
    #[arg(required_unless_present = "check")]
    pub chapter: Option<String>,
    /// Run the chapter's tests on what was written, and compare its speed with the chapter before
    #[arg(long)]
    pub check: bool,
    /// With --check: run only these tests
    #[arg(long, value_name = "NAME", requires = "check")]
    pub test: Option<String>,
    /// The folder that holds the exercises, seen from here [default: exercises in the repository]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Lay it out again over what is there
    #[arg(long, conflicts_with = "check")]
    pub force: bool,
}

/// Lays out an exercise, or checks one. `false` means that a test fails.
///
/// # Errors
/// When there is no such exercise, or a folder can't be written.
pub fn run(args: &ExerciseArgs) -> Result<Verdict, MeasureError> {
    let catalogue = chapters::catalogue()?;
    let base = args.folder.clone().unwrap_or_else(|| chapters::repository().join("exercises"));
    let name = args.chapter.clone().map_or_else(|| only_one(&base), Ok)?;
    let chapter = catalogue.find_engine(&name)?;
    let Some(before) = catalogue.engine_before(chapter) else {
        let message =
            format!("{} is the first chapter: read it, there is none before it to start from", chapter.folder);
        return Err(MeasureError::Unusable(message));
    };
    let folder = base.join(chapter.number.to_string());
    if args.check {
        return Ok(check(chapter, before, &folder, args.test.as_deref())?.into());
    }
    lay_out(chapter, before, &folder, args.force)?;
    print(format_args!("{} is {} and the tests of {}\n", folder.display(), before.folder, chapter.folder))?;
    print(format_args!(
        "write the chapter in {}, then: scripts/exercise {name} --check\n",
        folder.join("src").display()
    ))?;
    Ok(Verdict::Yes)
}

/// The exercise that is laid out in `base`, when it is the only one.
///
/// # Errors
/// [`MeasureError::Unusable`] when there is none, or more than one; the message says which.
pub fn only_one(base: &Path) -> Result<String, MeasureError> {
    let entries = fs::read_dir(base).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    match &names[..] {
        [name] => Ok(name.clone()),
        [] => Err(MeasureError::Unusable(format!(
            "there is no exercise in {}; lay one out first, such as: scripts/exercise 0x03",
            base.display()
        ))),
        several => Err(MeasureError::Unusable(format!(
            "{} has several exercises: {}; say which, such as: scripts/exercise {} --check",
            base.display(),
            several.join(", "),
            several[0]
        ))),
    }
}

/// Copies the sources of the chapter before and the tests of this one, under this one's package name.
///
/// # Errors
/// When the folder is there already, or can't be written.
pub fn lay_out(chapter: &Chapter, before: &Chapter, folder: &Path, force: bool) -> Result<(), MeasureError> {
    if folder.exists() && !force {
        let message = format!("{} is there already; --force lays it out again over your work", folder.display());
        return Err(MeasureError::Unusable(message));
    }
    let root = chapters::repository();
    let (from, tests) = (root.join("chapters").join(&before.folder), root.join("chapters").join(&chapter.folder));
    for (source, target) in [(from.join("src"), folder.join("src")), (tests.join("tests"), folder.join("tests"))] {
        copy(&source, &target)?;
    }
    rewrite(&folder.join("src/main.rs"), |text| text.replace(&before.package, &chapter.package))?;
    rewrite(&folder.join("src/lib.rs"), |text| text.replace(&before.folder, &format!("{}-exercise", chapter.folder)))?;
    let manifest = manifest(&root, &from, chapter, before)?;
    write(&folder.join("Cargo.toml"), &manifest)?;
    // The versions that the repository is tested with.
    copy_file(&root.join("Cargo.lock"), &folder.join("Cargo.lock"))
}

/// The manifest of the chapter before, as a workspace of its own.
fn manifest(root: &Path, from: &Path, chapter: &Chapter, before: &Chapter) -> Result<String, MeasureError> {
    let own = read(&from.join("Cargo.toml"))?;
    let shared = read(&root.join("Cargo.toml"))?;
    let tail = shared.find("[workspace.package]").map_or("", |at| &shared[at..]);
    let name = |package: &str| format!("name = \"{package}\"");
    let own = own.replace(&name(&before.package), &name(&chapter.package));
    // Benches and what only the chapter's list of changes is for have no place in an exercise.
    let mut kept = String::new();
    let mut skipping = false;
    for line in own.lines() {
        if line.starts_with('[') {
            skipping = line == "[package.metadata.chapter]" || line == "[[bench]]";
        }
        if !skipping {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    // The workspace's own crates are where they are.
    let root = root.display().to_string().replace('\\', "/");
    let tail = tail.replace("path = \"", &format!("path = \"{root}/"));
    Ok(format!("{kept}\n[workspace]\nresolver = \"3\"\n\n{tail}"))
}

/// Runs the tests of an exercise and, if they pass, races it against the chapter before.
fn check(chapter: &Chapter, before: &Chapter, folder: &Path, test: Option<&str>) -> Result<bool, MeasureError> {
    if !folder.join("Cargo.toml").is_file() {
        let message = format!("{} is not there; lay it out without --check first", folder.display());
        return Err(MeasureError::Unusable(message));
    }
    let mut arguments = vec!["test", "--no-fail-fast", "--quiet"];
    arguments.extend(test.into_iter().flat_map(|test| ["--test", test]));
    arguments.extend(["--", "--format=pretty"]);
    let (passed, output) = cargo(folder, &arguments)?;
    let results = output.lines().filter_map(|line| line.strip_prefix("test ")?.split_once(" ... "));
    let (mut good, mut bad) = (0, Vec::new());
    for (name, result) in results {
        match result {
            "ok" => good += 1,
            _ => bad.push(name),
        }
    }
    print(format_args!("{good} tests pass\n"))?;
    for name in &bad {
        print(format_args!("FAILS  {name}\n"))?;
    }
    if !passed && bad.is_empty() {
        print(format_args!("it does not compile:\n{output}\n"))?;
    }
    if test.is_none() && passed {
        race(chapter, before, folder)?;
    }
    Ok(passed)
}

/// Runs both programs three times, one after the other, and prints the ratio.
fn race(chapter: &Chapter, before: &Chapter, folder: &Path) -> Result<(), MeasureError> {
    let before_program = Program::from(before);
    programs::build(std::slice::from_ref(&before_program))?;
    cargo(folder, &["build", "--release", "--quiet"])?;
    let output = OutputArgs::default().folder().join("exercise");
    fs::create_dir_all(&output).map_err(|error| MeasureError::disk("make the folder", &output, &error))?;
    let program = target(folder).join("release").join(format!("{}{}", chapter.package, std::env::consts::EXE_SUFFIX));
    let flags: Vec<String> =
        ["--pass", "throughput", "--orders", "300000", "--max-seconds", "2"].map(String::from).to_vec();
    let mut speeds = [Vec::new(), Vec::new()];
    for _ in 0..3 {
        for (speeds, program) in speeds.iter_mut().zip([before_program.path(), program.clone()]) {
            let figures = Program::from(chapter).measure_program(&program, &flags, &output)?;
            speeds.push(figure(&figures, "throughput_ops", &chapter.folder)?);
        }
    }
    let [old, new] = speeds.map(|mut speeds| {
        speeds.sort_by(f64::total_cmp);
        speeds[speeds.len() / 2]
    });
    print(format_args!(
        "{}: {} orders/s; yours: {} orders/s, {}\n",
        before.folder,
        grouped(old),
        grouped(new),
        factor_text(new / old)
    ))?;
    Ok(())
}

/// All exercises share a target folder, so that only the first one compiles the dependencies.
fn target(folder: &Path) -> PathBuf {
    folder.parent().unwrap_or(folder).join("target")
}

/// Runs cargo in `folder`; whether it succeeded, and everything that it printed.
///
/// # Errors
/// When cargo can't be started.
pub fn cargo(folder: &Path, arguments: &[&str]) -> Result<(bool, String), MeasureError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(folder).env("CARGO_TARGET_DIR", target(folder));
    // What the outer cargo says about its own package is not about this one.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO_PKG_")) {
        command.env_remove(name);
    }
    let ended = command.output().map_err(|error| MeasureError::Unusable(format!("cannot start cargo: {error}")))?;
    let output = [ended.stdout, ended.stderr].concat();
    Ok((ended.status.success(), String::from_utf8_lossy(&output).into_owned()))
}

fn copy(source: &Path, target: &Path) -> Result<(), MeasureError> {
    fs::create_dir_all(target).map_err(|error| MeasureError::disk("make the folder", target, &error))?;
    let entries = fs::read_dir(source).map_err(|error| MeasureError::disk("read", source, &error))?;
    for entry in entries {
        let entry = entry.map_err(|error| MeasureError::disk("read", source, &error))?;
        let (path, target) = (entry.path(), target.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target)?;
        } else {
            copy_file(&path, &target)?;
        }
    }
    Ok(())
}

fn copy_file(source: &Path, target: &Path) -> Result<(), MeasureError> {
    fs::copy(source, target).map(drop).map_err(|error| MeasureError::disk("write", target, &error))
}

fn read(path: &Path) -> Result<String, MeasureError> {
    fs::read_to_string(path).map_err(|error| MeasureError::disk("read", path, &error))
}

fn write(path: &Path, text: &str) -> Result<(), MeasureError> {
    fs::write(path, text).map_err(|error| MeasureError::disk("write", path, &error))
}

fn rewrite(path: &Path, change: impl Fn(&str) -> String) -> Result<(), MeasureError> {
    write(path, &change(&read(path)?))
}
