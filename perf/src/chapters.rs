//! The chapters as programs: which there are, how to build them, how to run one and read what it saw.
//! The tool never links an engine: it measures what a reader runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::PerfError;
use crate::record::{Latency, Round, Stages};

/// A chapter's program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chapter {
    /// The folder's name, such as `0x01-naive`.
    pub name: String,
    /// The package, such as `ch01`.
    pub package: String,
}

/// Figures of a run by their names in `t2_perf.txt`.
pub type Figures = BTreeMap<String, f64>;

/// The repository: the nearest folder above this one that holds the chapters, or the one that this
/// program was built from.
pub fn repository() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let holds = |folder: &&Path| folder.join("chapters/0x00-market").is_dir();
    let built_from = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    here.ancestors().find(holds).unwrap_or(built_from).to_path_buf()
}

/// All chapters with an engine, in the ladder's order.
///
/// # Errors
/// [`PerfError::Unusable`] when the repository can't be read.
pub fn all() -> Result<Vec<Chapter>, PerfError> {
    let folder = repository().join("chapters");
    let unusable =
        |error| PerfError::Unusable(format!("cannot list {}: {error}; run this in the repository", folder.display()));
    let mut chapters = Vec::new();
    for entry in fs::read_dir(&folder).map_err(unusable)? {
        let entry = entry.map_err(unusable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with("0x") || name.starts_with("0x00") {
            continue;
        }
        let manifest = fs::read_to_string(entry.path().join("Cargo.toml")).map_err(unusable)?;
        let package = manifest.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
        if let Some(package) = package {
            chapters.push(Chapter { name, package: package.to_string() });
        }
    }
    chapters.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(chapters)
}

/// The chapters of these names: `0x03`, `0x03-group-commit` or `ch03`. All of them for no name.
///
/// # Errors
/// [`PerfError::Unusable`] for a name that no chapter has.
pub fn select(names: &[String]) -> Result<Vec<Chapter>, PerfError> {
    let all = all()?;
    if names.is_empty() {
        return Ok(all);
    }
    let find = |name: &String| {
        let fits = |chapter: &&Chapter| {
            chapter.name == *name || chapter.package == *name || chapter.name.split('-').next() == Some(name)
        };
        all.iter().find(fits).cloned().ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|chapter| chapter.name.as_str()).collect();
            PerfError::Unusable(format!("there is no chapter {name:?}; there are {}", known.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

/// Builds the chapters' programs as a reader does, optimised.
///
/// # Errors
/// [`PerfError::Unusable`] when the compiler says no.
pub fn build(chapters: &[Chapter]) -> Result<(), PerfError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--release"]).current_dir(repository());
    for chapter in chapters {
        command.args(["-p", &chapter.package]);
    }
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => {
            Err(PerfError::Unusable(format!("cargo could not build the chapters ({status}); its message is above")))
        }
        Err(error) => Err(PerfError::Unusable(format!("cannot start cargo: {error}; is Rust installed?"))),
    }
}

impl Chapter {
    /// The chapter's program: beside this one, where cargo puts both.
    pub fn program(&self) -> PathBuf {
        let beside = std::env::current_exe().ok().and_then(|path| path.parent().map(Path::to_path_buf));
        let release = repository().join("target/release");
        let name = format!("{}{}", self.package, std::env::consts::EXE_SUFFIX);
        // Tests run from `deps`, and a debug build of this tool still measures release builds.
        let folders = beside.into_iter().filter(|folder| folder.ends_with("release")).chain([release]);
        folders.map(|folder| folder.join(&name)).find(|path| path.is_file()).unwrap_or_else(|| name.into())
    }

    /// Runs the program with `args` and its output in `output`.
    ///
    /// # Errors
    /// [`PerfError::Unusable`] or [`PerfError::Disk`], with the program's own words, by its exit code.
    pub fn run(&self, args: &[String], output: &Path) -> Result<(), PerfError> {
        self.run_program(&self.program(), args, output)
    }

    fn run_program(&self, program: &Path, args: &[String], output: &Path) -> Result<(), PerfError> {
        let mut command = Command::new(program);
        command.args(args).arg("--quiet").arg("--output").arg(output).stdin(Stdio::null());
        let ended = command.output().map_err(|error| {
            PerfError::Unusable(format!("cannot start {}: {error}; build it with `cargo build --release`", self.name))
        })?;
        if ended.status.success() {
            return Ok(());
        }
        let words = String::from_utf8_lossy(&ended.stderr);
        let message = format!("{} {}: {}", self.name, args.join(" "), words.trim());
        Err(if ended.status.code() == Some(3) { PerfError::Disk(message) } else { PerfError::Unusable(message) })
    }

    /// Runs the program and reads the figures that it wrote.
    ///
    /// # Errors
    /// As [`Chapter::run`].
    pub fn measure(&self, args: &[String], output: &Path) -> Result<Figures, PerfError> {
        self.measure_program(&self.program(), args, output)
    }

    /// The same with another program that takes this chapter's flags.
    ///
    /// # Errors
    /// As [`Chapter::run`].
    pub fn measure_program(&self, program: &Path, args: &[String], output: &Path) -> Result<Figures, PerfError> {
        self.run_program(program, args, output)?;
        read_figures(&output.join("t2_perf.txt"))
    }
}

/// Reads the `key=value` lines of a `t2_perf.txt`.
///
/// # Errors
/// [`PerfError::Unusable`] when it can't be read or a value is not a number.
pub fn read_figures(path: &Path) -> Result<Figures, PerfError> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| PerfError::Unusable(format!("cannot read {name}: {error}")))?;
    let mut figures = Figures::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.is_empty()) {
        let pair = line.split_once('=').and_then(|(key, value)| Some((key, value.parse().ok()?)));
        let Some((key, value)) = pair else {
            let place = format!("{name}:{}", at + 1);
            return Err(PerfError::Unusable(format!("{place}: {line:?} is not key=number; run the chapter again")));
        };
        figures.insert(key.to_string(), value);
    }
    Ok(figures)
}

/// A figure that must be there.
///
/// # Errors
/// [`PerfError::Unusable`] when it is not.
pub fn figure(figures: &Figures, key: &str, from: &str) -> Result<f64, PerfError> {
    let missing =
        || PerfError::Unusable(format!("{from} reported no {key}; build it again from this commit, and run it"));
    figures.get(key).copied().ok_or_else(missing)
}

/// A run's figures as a round of a record. A pass that was not run leaves its part out.
///
/// # Errors
/// [`PerfError::Unusable`] when a figure is missing beside others of its pass.
pub fn round(figures: &Figures, from: &str) -> Result<Round, PerfError> {
    let get = |key: &str| figure(figures, key, from);
    let stages_ns = match figures.contains_key("matching_ns") {
        true => Some(Stages {
            log_append: get("log_append_ns")?,
            log_sync: get("log_sync_ns")?,
            balance_check: get("balance_check_ns")?,
            matching: get("matching_ns")?,
            settlement: get("settlement_ns")?,
            ledger: get("ledger_ns")?,
        }),
        false => None,
    };
    let latency_ns = match figures.contains_key("latency_p50_ns") {
        true => Some(Latency {
            offered_per_s: get("latency_offered_ops")?,
            p50: get("latency_p50_ns")? as u64,
            p99: get("latency_p99_ns")? as u64,
            p999: get("latency_p999_ns")? as u64,
            max: get("latency_max_ns")? as u64,
        }),
        false => None,
    };
    Ok(Round {
        orders: get("orders")? as u64,
        trades: get("trades")? as u64,
        orders_per_s: get("throughput_ops")?,
        latency_ns,
        latency_achieved_per_s: latency_ns.map(|_| get("latency_achieved_ops")).transpose()?,
        stages_ns,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_are_found_by_any_of_their_names() {
        let by = |name: &str| select(&[name.to_string()]).map(|found| found[0].package.clone());
        assert_eq!(by("0x01").expect("found"), "ch01");
        assert_eq!(by("0x01-naive").expect("found"), "ch01");
        assert_eq!(by("ch01").expect("found"), "ch01");
        let error = by("0x99").expect_err("not found").to_string();
        assert!(error.contains("0x99") && error.contains("0x01-naive"), "{error}");
    }

    #[test]
    fn a_line_that_is_no_figure_is_named() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), "# chapter: x\norders=5\ntrades\n").expect("written");
        let error = read_figures(file.path()).expect_err("bad").to_string();
        assert!(error.contains(":3:") && error.contains("trades"), "{error}");
    }
}
