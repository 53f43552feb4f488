//! Cargo, started for an exercise.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use results::error::MeasureError;
use serde::Deserialize;

use super::plan::{Tests, UNIT_TESTS};

/// All exercises share a target folder, so that only the first one compiles the dependencies.
pub fn target(folder: &Path) -> PathBuf {
    folder.parent().unwrap_or(folder).join("target")
}

/// Runs cargo in `folder`, showing its progress unless it is told to be quiet; returns whether it succeeded, and what
/// it printed.
///
/// # Errors
/// When cargo can't be started.
pub fn cargo(folder: &Path, arguments: &[&str]) -> Result<(bool, String), MeasureError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(folder).env("CARGO_TARGET_DIR", target(folder));
    // The outer cargo's variables are about its own package, not about this one.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO_PKG_")) {
        command.env_remove(name);
    }
    let progress = if arguments.contains(&"--quiet") { Stdio::null() } else { Stdio::inherit() };
    let ended = command.stdin(Stdio::null()).stderr(progress).output();
    let ended = ended.map_err(|error| MeasureError::Unusable(format!("cannot start cargo: {error}")))?;
    Ok((ended.status.success(), String::from_utf8_lossy(&ended.stdout).into_owned()))
}

/// The result of building some tests.
pub enum Built {
    /// The programs, in the order in which they were asked for.
    Programs(Vec<PathBuf>),
    /// The compiler's errors.
    Errors(Vec<String>),
}

/// A line of what cargo prints when it is asked for JSON.
#[derive(Deserialize)]
struct Message {
    reason: String,
    message: Option<Diagnostic>,
    target: Option<Target>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    rendered: Option<String>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

/// Builds these tests of the exercise in `folder`. `settings` are passed to cargo unchanged.
///
/// # Errors
/// When cargo can't be started, or fails without a compiler error.
pub fn build_tests(folder: &Path, tests: &[Tests], settings: &[&str]) -> Result<Built, MeasureError> {
    let mut arguments = vec!["test", "--no-run", "--message-format=json"];
    arguments.extend(settings);
    for tests in tests {
        match tests.file.as_str() {
            UNIT_TESTS => arguments.push("--lib"),
            file => arguments.extend(["--test", file]),
        }
    }
    let (built, output) = cargo(folder, &arguments)?;
    let messages: Vec<Message> = output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if !built {
        let errors: Vec<String> = messages.iter().filter_map(Message::error).collect();
        return match errors.is_empty() {
            true => Err(MeasureError::Unusable("cargo could not build the tests; its message is above".into())),
            false => Ok(Built::Errors(errors)),
        };
    }
    let programs = tests.iter().map(|tests| messages.iter().find_map(|message| message.program(tests)));
    let programs: Option<Vec<PathBuf>> = programs.collect();
    let missing =
        || MeasureError::Unusable("cargo built the tests but did not report where; is it an old version?".into());
    Ok(Built::Programs(programs.ok_or_else(missing)?))
}

impl Message {
    /// The compiler's errors. The last of its messages only counts the others.
    fn error(&self) -> Option<String> {
        let diagnostic = self.message.as_ref().filter(|message| message.level == "error")?;
        let text = diagnostic.rendered.as_ref()?.trim_end();
        (!text.starts_with("error: aborting due to")).then(|| text.to_owned())
    }

    /// The program of these tests, if this message is about it.
    fn program(&self, tests: &Tests) -> Option<PathBuf> {
        let target = self.target.as_ref().filter(|_| self.reason == "compiler-artifact")?;
        let kind = |wanted: &str| target.kind.iter().any(|kind| kind == wanted);
        let is_meant = match tests.file.as_str() {
            UNIT_TESTS => kind("lib"),
            file => kind("test") && target.name == file,
        };
        // A library that is built for other tests has no program.
        self.executable.clone().filter(|_| is_meant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_errors_are_found_among_cargos_messages() {
        let read = |line: &str| serde_json::from_str::<Message>(line).expect("a message");
        let library =
            read(r#"{"reason":"compiler-artifact","target":{"name":"ch03","kind":["lib"]},"executable":null}"#);
        let units = read(r#"{"reason":"compiler-artifact","target":{"name":"ch03","kind":["lib"]},"executable":"u"}"#);
        let lesson =
            read(r#"{"reason":"compiler-artifact","target":{"name":"lesson","kind":["test"]},"executable":"l"}"#);
        assert_eq!(library.program(&Tests::named("lib")), None);
        assert_eq!(units.program(&Tests::named("lib")), Some("u".into()));
        assert_eq!(lesson.program(&Tests::named("lesson::a_part")), Some("l".into()));
        assert_eq!(lesson.program(&Tests::named("contract")), None);
        let error = |text: &str| {
            let message =
                format!(r#"{{"reason":"compiler-message","message":{{"level":"error","rendered":"{text}"}}}}"#);
            read(&message).error()
        };
        assert_eq!(error("error[E0432]: unresolved import\\n"), Some("error[E0432]: unresolved import".into()));
        assert_eq!(error("error: aborting due to 3 previous errors"), None);
    }
}
