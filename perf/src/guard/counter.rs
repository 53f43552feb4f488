//! The counting: builds the package `counted` and runs it under valgrind.
//!
//! A work is run twice, with half of its repetitions and with all of them. The difference is the work
//! alone: start, preparation and end are in both. Callgrind counts every instruction that the program
//! executes; other load and the clock's speed don't change that.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::record::{Count, Environment};
use results::chapters::repository;
use results::error::MeasureError;

/// The profile of what is recorded: with whole-program optimisation, because the program takes the engines from
/// other crates.
pub const WHOLE: &str = "whole";

/// How often a work is done in the longer run; the program allows no more.
const TIMES: u32 = 10_000;

/// The same `memcpy` on every processor: glibc chooses one by the processor's features.
const PLAIN_COPIES: (&str, &str) = ("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX2,-AVX,-AVX512VL,-AVX512F,-ERMS,-FSRM");

/// The counting program, built.
pub struct Counter {
    program: PathBuf,
    /// The compiler that built it.
    pub compiler: String,
    /// The works that it offers.
    pub works: Vec<Work>,
}

/// A work, as listed by `counted list`.
pub struct Work {
    /// Its name.
    pub name: String,
    /// What one repetition does.
    pub per: String,
    /// How often it has to be counted.
    pub rounds: usize,
}

/// How many times as fast a chapter is as another, by the clock.
pub struct Ratio {
    /// Which two chapters, and doing what.
    pub name: String,
    /// The minimum on any machine.
    pub least: f64,
    /// What was measured.
    pub measured: f64,
}

impl Counter {
    /// Builds the program with this profile of cargo's.
    ///
    /// # Errors
    /// [`MeasureError::Unusable`] when it can't be built or run.
    pub fn build(profile: &str) -> Result<Counter, MeasureError> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        // As part of the workspace it has the same dependencies as the tests, which are built
        // already.
        let which = if profile == WHOLE { ["--package", "counted"] } else { ["--workspace", "--bin=counted"] };
        command.args(["build", "--profile", profile]).args(which);
        command.arg("--message-format=json-render-diagnostics").current_dir(repository()).stderr(Stdio::inherit());
        let said = output(&mut command, "build the counting program with cargo")?;
        let program =
            executable(&said).ok_or_else(|| MeasureError::Unusable("cargo reported no counting program".into()))?;
        let mut counter = Counter { program, compiler: String::new(), works: Vec::new() };
        let list = counter.ask("list")?;
        let mut lines = list.lines();
        counter.compiler = lines.next().unwrap_or_default().into();
        for line in lines {
            let [name, per, rounds] = line.split('\t').collect::<Vec<_>>()[..] else { continue };
            counter.works.push(Work { name: name.into(), per: per.into(), rounds: rounds.parse().unwrap_or(1) });
        }
        Ok(counter)
    }

    /// Runs the program without valgrind and returns its output.
    ///
    /// # Errors
    /// [`MeasureError::Unusable`] when it fails.
    pub fn ask(&self, what: &str) -> Result<String, MeasureError> {
        output(Command::new(&self.program).arg(what), "run the counting program")
    }

    /// Measures the ratios between chapters.
    ///
    /// # Errors
    /// [`MeasureError::Unusable`] when the program fails, or prints something that is not a ratio.
    pub fn ratios(&self) -> Result<Vec<Ratio>, MeasureError> {
        let said = self.ask("ratios")?;
        let ratios: Vec<Ratio> = said.lines().filter_map(ratio).collect();
        if ratios.is_empty() || ratios.len() < said.lines().count() {
            return Err(MeasureError::Unusable(format!(
                "the counting program printed something that is not a ratio: {said:?}"
            )));
        }
        Ok(ratios)
    }

    /// Counts the instructions of one repetition of `work`; when slowed, with every 20th repetition
    /// done twice.
    ///
    /// # Errors
    /// [`MeasureError::Unusable`] when valgrind fails.
    pub fn count(&self, work: &Work, slowed: bool) -> Result<Count, MeasureError> {
        let way = if slowed { "slowed" } else { "run" };
        let one_time = || -> Result<f64, MeasureError> {
            let (half, all) =
                (self.instructions(way, &work.name, TIMES / 2)?, self.instructions(way, &work.name, TIMES)?);
            Ok(all.saturating_sub(half) as f64 / f64::from(TIMES - TIMES / 2))
        };
        let mut seen = (0..work.rounds).map(|_| one_time()).collect::<Result<Vec<f64>, _>>()?;
        seen.sort_by(f64::total_cmp);
        let instructions = seen.get(seen.len() / 2).copied().unwrap_or_default();
        if instructions < 1.0 {
            return Err(MeasureError::Unusable(format!(
                "{} took no instructions: was its work done at all?",
                work.name
            )));
        }
        // A tenth of an instruction is finer than any threshold, and keeps the record readable.
        Ok(Count { per: work.per.clone(), instructions: (instructions * 10.0).round() / 10.0 })
    }

    /// All instructions of a run.
    fn instructions(&self, way: &str, name: &str, times: u32) -> Result<u64, MeasureError> {
        let mut command = Command::new("valgrind");
        command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(&self.program);
        command.args([way, name, &times.to_string()]).env(PLAIN_COPIES.0, PLAIN_COPIES.1);
        let ended = run(&mut command, "run valgrind")?;
        let words = String::from_utf8_lossy(&ended.stderr);
        collected(&words)
            .ok_or_else(|| MeasureError::Unusable(format!("valgrind reported no count for {name}:\n{words}")))
    }
}

/// What the counts of this machine depend on; `None` where there is no valgrind.
pub fn environment(compiler: &str) -> Option<Environment> {
    let first_line = |program: &str, arg: &str| {
        let said = Command::new(program).arg(arg).stderr(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&said.stdout).lines().next()?.trim().to_string();
        said.status.success().then_some(text)
    };
    Some(Environment {
        compiler: compiler.into(),
        libc: first_line("getconf", "GNU_LIBC_VERSION").unwrap_or_else(|| "unknown".into()),
        arch: std::env::consts::ARCH.into(),
        valgrind: first_line("valgrind", "--version")?,
    })
}

/// The number after `Collected :`.
fn collected(words: &str) -> Option<u64> {
    let (_, after) = words.split_once("Collected :")?;
    after.split_whitespace().next()?.parse().ok()
}

/// The path of the program in cargo's messages.
fn executable(said: &str) -> Option<PathBuf> {
    let messages = said.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let mut paths = messages.filter_map(|message| Some(Path::new(message.get("executable")?.as_str()?).to_path_buf()));
    paths.find(|path| path.file_stem().is_some_and(|name| name == "counted"))
}

fn output(command: &mut Command, what: &str) -> Result<String, MeasureError> {
    Ok(String::from_utf8_lossy(&run(command, what)?.stdout).into_owned())
}

fn run(command: &mut Command, what: &str) -> Result<Output, MeasureError> {
    let ended = command.stdin(Stdio::null()).output();
    let ended = ended.map_err(|error| MeasureError::Unusable(format!("cannot {what}: {error}")))?;
    if ended.status.success() {
        return Ok(ended);
    }
    let words = String::from_utf8_lossy(&ended.stderr);
    Err(MeasureError::Unusable(format!("cannot {what} ({}): {}", ended.status, words.trim())))
}

/// A line of the program's ratios.
fn ratio(line: &str) -> Option<Ratio> {
    let [name, least, measured] = line.split('\t').collect::<Vec<_>>()[..] else { return None };
    Some(Ratio { name: name.into(), least: least.parse().ok()?, measured: measured.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_found_in_valgrinds_output() {
        let words = "==7== \n==7== Events    : Ir\n==7== Collected : 21740588\n==7== \n";
        assert_eq!(collected(words), Some(21_740_588));
        assert_eq!(collected("==7== FATAL: can't open"), None);
    }

    #[test]
    fn the_program_is_found_in_cargos_output() {
        let said = "{\"reason\":\"compiler-artifact\",\"executable\":null}\n\
                    {\"executable\":\"/t/whole/counted\"}\n{\"reason\":\"build-finished\"}\n";
        assert_eq!(executable(said), Some(PathBuf::from("/t/whole/counted")));
        assert_eq!(executable("{}\nnothing"), None);
    }

    #[test]
    fn a_ratio_is_a_name_and_two_numbers() {
        let read = |line| ratio(line).map(|ratio| (ratio.name, ratio.least, ratio.measured));
        assert_eq!(read("one to another\t1.5\t2.25"), Some(("one to another".into(), 1.5, 2.25)));
        assert_eq!(read("one to another\t2.25"), None);
        assert_eq!(read("one to another\t1.5\tmuch"), None);
    }
}
