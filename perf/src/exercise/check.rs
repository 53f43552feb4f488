//! Checking an exercise, step by step. The first step that fails ends the check, so that a reader sees the step at
//! hand soon; tests that can take minutes come last.

use std::fmt::Arguments;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use program::print;
use results::error::MeasureError;
use results::language::Language;

use super::cargo::{Built, build_tests};
use super::laid_out::LaidOut;
use super::outcome::Outcome;
use super::plan::{Plan, Stage, Tests};
use super::report::{self, Failure};

/// How many of the compiler's errors are shown. The others mostly follow from them.
const ERRORS_SHOWN: usize = 3;

/// A check of an exercise.
pub struct Check<'a> {
    /// What is checked.
    pub exercise: &'a LaidOut,
    /// The plan of its steps.
    pub plan: &'a Plan,
    /// The test of the lesson.
    pub lesson_test: Option<&'a str>,
    /// The language of the messages.
    pub language: Language,
}

/// How much to check.
pub enum Extent {
    /// Step by step, up to the first that fails.
    ToFirstFailure,
    /// Every step.
    All,
    /// Only these tests.
    Only(Tests),
}

impl Check<'_> {
    /// Builds and runs tests, reports the results, and stores them for `--hint` and `--diff`.
    ///
    /// # Errors
    /// When there is no such test, or cargo can't be started.
    pub fn run(&self, extent: &Extent) -> Result<bool, MeasureError> {
        let stages = match extent {
            Extent::Only(tests) => vec![Stage { title: Default::default(), tests: vec![self.known(tests)?] }],
            _ => self.plan.stages(self.lesson_test, &self.exercise.test_files()?),
        };
        let mut outcome = Outcome::default();
        for (at, stage) in stages.iter().enumerate() {
            if stages.len() > 1 {
                let title = self.language.pick(&stage.title[0], &stage.title[1]);
                let (step, of) = (at + 1, stages.len());
                self.say(
                    format_args!("step {step} of {of}: {title}\n"),
                    format_args!("第 {step} 步（共 {of} 步）：{title}\n"),
                )?;
            }
            self.stage(stage, &mut outcome)?;
            if !outcome.failed.is_empty() && !matches!(extent, Extent::All) {
                self.not_run(&stages[at + 1..])?;
                break;
            }
        }
        outcome.whole = !matches!(extent, Extent::Only(_));
        outcome.save(self.exercise.folder())?;
        if !outcome.failed.is_empty() && !self.plan.hints.is_empty() {
            let hint = self.exercise.typed("--hint");
            self.say(format_args!("a hint: {hint}\n"), format_args!("要提示：{hint}\n"))?;
        }
        Ok(outcome.failed.is_empty())
    }

    fn say(&self, english: Arguments<'_>, chinese: Arguments<'_>) -> Result<(), MeasureError> {
        Ok(print(self.language.pick(english, chinese))?)
    }

    /// Builds a stage's tests and runs one program after the other.
    fn stage(&self, stage: &Stage, outcome: &mut Outcome) -> Result<(), MeasureError> {
        let programs = match build_tests(self.exercise.folder(), &stage.tests, &[])? {
            Built::Programs(programs) => programs,
            Built::Errors(errors) => {
                outcome.failed.extend(stage.tests.iter().map(Tests::text));
                return self.say_errors(&errors);
            }
        };
        for (tests, program) in stage.tests.iter().zip(programs) {
            if self.plan.long.contains(&tests.file) {
                self.say(
                    format_args!("  {}: this one can take minutes\n", tests.file),
                    format_args!("  {}：这一个可能要跑几分钟\n", tests.file),
                )?;
            }
            self.program(tests, &program, outcome)?;
        }
        Ok(())
    }

    /// Runs one test program and reports the result.
    fn program(&self, tests: &Tests, program: &Path, outcome: &mut Outcome) -> Result<(), MeasureError> {
        let start = Instant::now();
        let ended = self.start(program, tests)?;
        let output = [ended.stdout, ended.stderr].concat();
        let output = String::from_utf8_lossy(&output);
        let report = report::read(&output);
        let (passed, seconds, file) = (report.passed, start.elapsed().as_secs_f64(), tests.text());
        let is_run_already = passed == 0 && report.failures.is_empty() && !tests.without.is_empty();
        if is_run_already && ended.status.success() {
            return Ok(());
        }
        let tests_pass = if passed == 1 { "test passes" } else { "tests pass" };
        self.say(
            format_args!("  {file}: {passed} {tests_pass} ({seconds:.1} s)\n"),
            format_args!("  {file}：{passed} 个测试通过（{seconds:.1} 秒）\n"),
        )?;
        // Remarks of tests that pass.
        for remark in output.lines().filter_map(|line| line.strip_prefix("remark: ")) {
            self.say(format_args!("  remark: {remark}\n"), format_args!("  备注：{remark}\n"))?;
        }
        for failure in &report.failures {
            outcome.failed.push(format!("{}::{}", tests.file, failure.test));
            self.say_failure(&tests.file, failure)?;
        }
        if !ended.status.success() && report.failures.is_empty() {
            outcome.failed.push(tests.file.clone());
            self.say_end(tests, ended.status.to_string(), &output)?;
        }
        Ok(())
    }

    fn start(&self, program: &Path, tests: &Tests) -> Result<std::process::Output, MeasureError> {
        let folder = self.exercise.folder();
        let mut command = Command::new(program);
        command.args(&tests.part).args(tests.without.iter().flat_map(|part| ["--skip", part]));
        command.args(["--format=pretty", "--color=never"]).current_dir(folder);
        command.env("CARGO_MANIFEST_DIR", folder).env_remove("RUST_BACKTRACE").stdin(Stdio::null());
        command.output().map_err(|error| MeasureError::Unusable(format!("cannot start {}: {error}", program.display())))
    }

    /// Prints the test, the place, the failed assertion, its line, and how to run this test again.
    fn say_failure(&self, file: &str, failure: &Failure) -> Result<(), MeasureError> {
        let name = format!("{file}::{}", failure.test);
        self.say(format_args!("  FAILS  {name}\n"), format_args!("  未通过  {name}\n"))?;
        let mut words = failure.words.lines();
        let first = words.next().unwrap_or_default();
        match &failure.place {
            Some(place) => {
                print(format_args!("         {}:{}: {first}\n", self.exercise.short(&place.file), place.line))?
            }
            None => print(format_args!("         {first}\n"))?,
        }
        for line in words {
            print(format_args!("         {line}\n"))?;
        }
        if let Some(line) = failure.place.as_ref().and_then(|place| self.exercise.line(place)) {
            print(format_args!("         > {}\n", line.trim()))?;
        }
        let again = self.exercise.typed(&format!("--check --test {name}"));
        self.say(format_args!("         again: {again}\n"), format_args!("         只重跑这一个：{again}\n"))?;
        Ok(())
    }

    /// A program that ended without reporting a test: it was killed, or its stack overflowed.
    fn say_end(&self, tests: &Tests, status: String, output: &str) -> Result<(), MeasureError> {
        let last: Vec<&str> = output.lines().rev().take(5).collect();
        let last: String = last.iter().rev().map(|line| format!("         {line}\n")).collect();
        let (file, again) = (&tests.file, self.exercise.typed(&format!("--check --test {}", tests.text())));
        self.say(
            format_args!("  FAILS  {file}: it ended before its tests did ({status})\n{last}         again: {again}\n"),
            format_args!("  未通过  {file}：测试没跑完，程序就结束了（{status}）\n{last}         重跑：{again}\n"),
        )?;
        Ok(())
    }

    fn say_errors(&self, errors: &[String]) -> Result<(), MeasureError> {
        self.say(format_args!("  it does not compile:\n\n"), format_args!("  编译不过：\n\n"))?;
        for error in errors.iter().take(ERRORS_SHOWN) {
            print(format_args!("{error}\n\n"))?;
        }
        let more = errors.len().saturating_sub(ERRORS_SHOWN);
        if more > 0 {
            self.say(
                format_args!("and {more} more, which may be related\n"),
                format_args!("另有 {more} 处错误，改好上面几处，它们可能也就没了\n"),
            )?;
        }
        Ok(())
    }

    fn not_run(&self, stages: &[Stage]) -> Result<(), MeasureError> {
        let tests: Vec<String> = stages.iter().flat_map(|stage| &stage.tests).map(Tests::text).collect();
        if tests.is_empty() {
            return Ok(());
        }
        let (tests, all) = (tests.join(", "), self.exercise.typed("--check --all"));
        self.say(
            format_args!("not run yet: {tests}; they come when this step passes, or now with: {all}\n"),
            format_args!("还没跑：{tests}。这一步通过后就会跑；现在就要全跑：{all}\n"),
        )?;
        Ok(())
    }

    /// These tests, if they exist.
    fn known(&self, tests: &Tests) -> Result<Tests, MeasureError> {
        let files = self.exercise.test_files()?;
        let (asked, there) = (&tests.file, files.join(", "));
        if !files.contains(asked) {
            return Err(MeasureError::Unusable(self.language.pick(
                format!("there is no test file {asked:?}; there are {there} (lib: the tests beside the code)"),
                format!("没有名为 {asked:?} 的测试文件；现有 {there}（lib 指写在代码旁边的单元测试）"),
            )));
        }
        let Some(part) = &tests.part else { return Ok(tests.clone()) };
        // Code that does not compile has no list of tests; the check itself reports the errors.
        let Built::Programs(programs) = build_tests(self.exercise.folder(), std::slice::from_ref(tests), &[])? else {
            return Ok(tests.clone());
        };
        let listed = Command::new(&programs[0]).args(["--list"]).output();
        let listed = listed.map_err(|error| MeasureError::Unusable(format!("cannot start the tests: {error}")))?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let names: Vec<&str> = listed.lines().filter_map(|line| line.strip_suffix(": test")).collect();
        if names.iter().any(|name| name.contains(part.as_str())) {
            return Ok(tests.clone());
        }
        let names = names.join(", ");
        Err(MeasureError::Unusable(self.language.pick(
            format!("no test of {asked} has {part:?} in its name; there are {names}"),
            format!("{asked} 里没有名字含 {part:?} 的测试；现有 {names}"),
        )))
    }
}
