//! A chapter without one of its changes, built beside the tree and tested.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use program::tell;
use results::error::MeasureError;

use super::changes::Change;
use crate::exercise::files::{copy_sources, write};
use crate::exercise::layout::{Source, test_files};
use crate::exercise::plan::{Plan, Tests};
use crate::exercise::{Built, build_tests};

/// An engine that waits forever is detected too: by a test program that takes this many times as long as it does with
/// nothing left out, on this machine under its current load.
const STUCK: u32 = 5;
/// The minimum time limit of a test program, and the maximum with nothing left out.
const PATIENCE: [Duration; 2] = [Duration::from_secs(30), Duration::from_secs(3_600)];

/// These programs are never debugged, and without debug information they link faster.
const SETTINGS: [&str; 3] = ["--quiet", "--config", "profile.dev.debug=false"];

/// The result of testing a chapter without one of its changes.
pub enum Trial {
    /// The compiler reports an error.
    DoesNotCompile,
    /// A test fails: the file, and its first failure.
    Noticed(String),
    /// All tests pass.
    Passes,
}

/// The result of one test program.
enum Ran {
    /// All tests pass, in this time.
    Passes(Duration),
    /// The first that fails.
    Fails(String),
    /// The compiler reports an error.
    DoesNotCompile,
}

/// A copy of a chapter that changes are taken out of.
pub struct Trials {
    place: PathBuf,
    /// Each with its program's time limit.
    tests: Vec<(Tests, Duration)>,
}

impl Trials {
    /// Copies the chapter and checks that its tests pass as it is.
    ///
    /// # Errors
    /// When they do not.
    pub fn begin(source: &Source<'_>) -> Result<Trials, MeasureError> {
        // Beside other builds, so that the dependencies are compiled once for all chapters.
        let folder = source.root.join("target").join("mutants");
        let place = folder.join(source.chapter.number.to_string());
        if place.exists() {
            fs::remove_dir_all(&place).map_err(|error| MeasureError::disk("clear", &place, &error))?;
        }
        source.lay_out(&Plan::default(), &place)?;
        copy_sources(&source.to().join("src"), &place.join("src"))?;
        let plan = Plan::of(&source.chapters(), source.chapter)?;
        let files = test_files(&place)?;
        // The lesson's own test is short and mostly the first to fail; tests that take minutes come
        // last.
        let tests = plan.stages(source.chapter.lesson_test_name(), &files);
        let tests = tests.into_iter().flat_map(|stage| stage.tests).map(|tests| Tests::named(&tests.file));
        let mut trials = Trials { place, tests: Vec::new() };
        tests.for_each(|tests| {
            if trials.tests.iter().all(|(known, _)| *known != tests) {
                trials.tests.push((tests, PATIENCE[1]))
            }
        });
        tell(format_args!("{}: building its tests and running them as it is", source.chapter.folder));
        for at in 0..trials.tests.len() {
            let took = trials.run(&trials.tests[at].0, PATIENCE[1])?;
            trials.tests[at].1 = match took {
                Ran::Passes(took) => PATIENCE[0].max(STUCK * took),
                Ran::Fails(test) => {
                    return Err(MeasureError::Unusable(format!("a test fails with nothing left out: {test}")));
                }
                Ran::DoesNotCompile => {
                    return Err(MeasureError::Unusable("the chapter does not compile by itself".into()));
                }
            };
        }
        Ok(trials)
    }

    /// Runs the tests on the chapter without a change.
    ///
    /// # Errors
    /// When the copy can't be written, or cargo can't be started.
    pub fn try_without(&self, change: &Change) -> Result<Trial, MeasureError> {
        let path = self.place.join("src").join(&change.file);
        let whole = fs::read_to_string(&path).map_err(|error| MeasureError::disk("read", &path, &error))?;
        write(&path, &change.without)?;
        let trial = self.run_all();
        write(&path, &whole)?;
        trial
    }

    fn run_all(&self) -> Result<Trial, MeasureError> {
        // One after another: the first detects most mistakes, and the others need not be built for them.
        for (tests, patience) in &self.tests {
            match self.run(tests, *patience)? {
                Ran::Passes(_) => {}
                Ran::Fails(test) => return Ok(Trial::Noticed(test)),
                Ran::DoesNotCompile => return Ok(Trial::DoesNotCompile),
            }
        }
        Ok(Trial::Passes)
    }

    fn run(&self, tests: &Tests, patience: Duration) -> Result<Ran, MeasureError> {
        let programs = match build_tests(&self.place, std::slice::from_ref(tests), &SETTINGS)? {
            Built::Programs(programs) => programs,
            Built::Errors(_) => return Ok(Ran::DoesNotCompile),
        };
        let began = Instant::now();
        for program in programs {
            if let Some(failure) = self.first_failure(&program, patience)? {
                return Ok(Ran::Fails(format!("{}: {failure}", tests.file)));
            }
        }
        Ok(Ran::Passes(began.elapsed()))
    }

    /// The name of the first test that fails, if one does.
    fn first_failure(&self, program: &Path, patience: Duration) -> Result<Option<String>, MeasureError> {
        let said = self.place.join("said.txt");
        let output = fs::File::create(&said).map_err(|error| MeasureError::disk("make", &said, &error))?;
        let mut command = Command::new(program);
        command.current_dir(&self.place).env("CARGO_MANIFEST_DIR", &self.place).stdin(Stdio::null());
        // Most mistakes fail at once, so a few seeds and streams are enough, with all rounds of the other tests.
        command.env("SIM_SEEDS", "200").env("PROPTEST_CASES", "300").env("ROUNDS", "full").env_remove("CI");
        command.stdout(output).stderr(Stdio::null());
        let start = |error| MeasureError::Unusable(format!("cannot start {}: {error}", program.display()));
        let mut child = command.spawn().map_err(start)?;
        let began = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().map_err(start)? {
                break status;
            }
            if began.elapsed() > patience {
                end_with_all_that_it_started(&mut child);
                return Ok(Some("it does not end".into()));
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let said = fs::read_to_string(&said).unwrap_or_default();
        let failed = said.lines().find_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
        let failed = failed.map_or("it ended before its tests did", |failed| failed);
        Ok((!status.success()).then(|| failed.to_owned()))
    }
}

/// Tests start programs of their own, which would run forever after the test is ended. Both stay in our own process
/// group, so that Ctrl-C ends them with us.
fn end_with_all_that_it_started(child: &mut Child) {
    // Children first, because afterwards their parent is unknown. Without `pkill`, only the test is ended.
    let _ = Command::new("pkill").args(["-KILL", "-P", &child.id().to_string()]).status();
    let _ = child.kill();
    let _ = child.wait();
}
