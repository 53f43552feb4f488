//! Parses a test program's output: which tests passed, and what each failure says.

/// The result of a test program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// How many tests passed.
    pub passed: usize,
    /// The tests that failed.
    pub failures: Vec<Failure>,
}

/// A test that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its name in its file.
    pub test: String,
    /// Where it was noticed, as the compiler names the place: `tests/lesson.rs:26:5`.
    pub place: Option<Place>,
    /// The assertion that failed.
    pub words: String,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, as the compiler was given it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
}

/// Reads what a test program printed.
pub fn read(output: &str) -> Report {
    let results = output.lines().filter_map(|line| line.strip_prefix("test ")?.rsplit_once(" ... "));
    let results: Vec<(&str, &str)> = results.collect();
    let passed = results.iter().filter(|(_, result)| *result == "ok").count();
    let mut failed: Vec<String> = Vec::new();
    for line in output.lines() {
        // A test that prints directly to the terminal breaks its line of results; its block of output is
        // complete.
        let named = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----"));
        let listed = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"));
        for test in named.into_iter().chain(listed) {
            let test = test.trim_end_matches(" - should panic").to_owned();
            if !failed.contains(&test) {
                failed.push(test);
            }
        }
    }
    let failures = failed.into_iter().map(|test| failure(output, test)).collect();
    Report { passed, failures }
}

fn failure(output: &str, test: String) -> Failure {
    let head = |line: &&str| line.starts_with("---- ") && line.ends_with(" stdout ----");
    let own = format!("---- {test} stdout ----");
    let block: Vec<&str> = output
        .lines()
        .skip_while(|line| *line != own)
        .skip(1)
        .take_while(|line| !head(line) && *line != "failures:")
        .collect();
    // The first panic is the cause; a later one comes from a thread that waited for the one that
    // failed.
    let panic = block.iter().position(|line| line.contains("panicked at "));
    let Some(at) = panic else {
        let words = block.iter().map(|line| line.trim()).find(|line| !line.is_empty()).unwrap_or_default();
        return Failure { test, place: None, words: words.trim_start_matches("note: ").to_owned() };
    };
    let place = block[at].split_once("panicked at ").and_then(|(_, place)| place_of(place));
    let ends = |line: &&&str| line.starts_with("note: ") || line.starts_with("thread '") || line.trim().is_empty();
    let words: Vec<&str> = block[at + 1..].iter().take_while(|line| !ends(line)).copied().collect();
    Failure { test, place, words: in_words(&words) }
}

/// `tests/lesson.rs:26:5:`
fn place_of(text: &str) -> Option<Place> {
    let mut parts = text.trim_end_matches(':').rsplitn(3, ':');
    let (_column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some(Place { file: file.to_owned(), line: line.parse().ok()? })
}

/// The standard library reports two different values in three lines; here the sentence comes first.
fn in_words(lines: &[&str]) -> String {
    let Some(first) = lines.first() else { return String::new() };
    let said = first.strip_prefix("assertion `").and_then(|rest| rest.split_once("` failed"));
    let Some((comparison, sentence)) = said else { return lines.join("\n") };
    let sentence = sentence.trim_start_matches(": ");
    let sentence = if sentence.is_empty() { comparison } else { sentence };
    std::iter::once(sentence).chain(lines[1..].iter().copied()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "
running 3 tests
test a_lone_command_waits ... ok
test a_thousand_commands_share_a_sync ... FAILED
test others - should panic ... FAILED

failures:

---- a_thousand_commands_share_a_sync stdout ----

thread 'a_thousand_commands_share_a_sync' (17) panicked at tests/lesson.rs:33:5:
assertion `left == right` failed: the batch is not full
  left: (999, 999)
 right: (0, 0)
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

thread 'another' (18) panicked at src/x.rs:1:1:
gone

---- others stdout ----
note: test did not panic as expected at tests/ring.rs:77:4

failures:
    a_thousand_commands_share_a_sync
    others

test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.04s
";

    #[test]
    fn a_failure_is_reported_with_its_place() {
        let report = read(OUTPUT);
        assert_eq!(report.passed, 1);
        let [first, second] = &report.failures[..] else { panic!("{report:?}") };
        assert_eq!(first.test, "a_thousand_commands_share_a_sync");
        assert_eq!(first.place, Some(Place { file: "tests/lesson.rs".into(), line: 33 }));
        assert_eq!(first.words, "the batch is not full\n  left: (999, 999)\n right: (0, 0)");
        assert_eq!((second.test.as_str(), second.place.as_ref()), ("others", None));
        assert_eq!(second.words, "test did not panic as expected at tests/ring.rs:77:4");
    }

    #[test]
    fn a_bare_comparison_and_a_silent_program() {
        let bare = in_words(&["assertion `left == right` failed", "  left: 1", " right: 2"]);
        assert_eq!(bare, "left == right\n  left: 1\n right: 2");
        assert_eq!(read(""), Report::default());
    }
}
