//! Hints: where to look, and what to look for, never what to write.

use program::print;
use results::error::MeasureError;
use results::language::Language;

use super::laid_out::LaidOut;
use super::outcome::Outcome;
use super::plan::{Hint, Plan, Tests};

/// Prints the first or the second hint about what the last check found first.
///
/// # Errors
/// When the chapter has no hints.
pub fn run(plan: &Plan, exercise: &LaidOut, number: u8, language: Language) -> Result<(), MeasureError> {
    let failed = Outcome::last(exercise.folder()).map_or(Vec::new(), |last| last.failed);
    let (about, hint) = choose(&plan.hints, &failed).ok_or_else(|| {
        MeasureError::Unusable(language.pick("this exercise has no hints".into(), "这个练习没有提示".into()))
    })?;
    let words = &hint.words(language)[usize::from(number) - 1];
    let about = about.map_or(String::new(), |test| language.pick(format!("about {test}: "), format!("关于 {test}：")));
    print(format_args!("{about}{words}\n"))?;
    let next = exercise.typed("--hint 2");
    if number == 1 {
        print(format_args!("{}", language.pick(format!("one more: {next}\n"), format!("再要一条：{next}\n"))))?;
    }
    Ok(())
}

/// The hint for the first failure that has one, and which failure that is; otherwise the hint for beginners.
fn choose<'a>(hints: &'a [Hint], failed: &'a [String]) -> Option<(Option<&'a str>, &'a Hint)> {
    let about = |test: &&str| {
        let notices = |hint: &&Hint| hint.tests.iter().any(|tests| Tests::named(tests).hold(test));
        hints.iter().find(notices)
    };
    let found = failed.iter().map(String::as_str).find_map(|test| Some((Some(test), about(&test)?)));
    found.or_else(|| Some((None, hints.iter().find(|hint| hint.tests.is_empty())?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_that_has_a_hint_gets_it() {
        let hint = |tests: &[&str], text: &str| {
            let both = [text.to_owned(), text.to_owned()];
            Hint { tests: tests.iter().map(|test| (*test).to_owned()).collect(), en: both.clone(), zh: both }
        };
        let hints = [hint(&[], "begin"), hint(&["contract::sync"], "sync"), hint(&["lesson"], "lesson")];
        let chosen = |failed: &[&str]| {
            let failed: Vec<String> = failed.iter().map(|test| (*test).to_owned()).collect();
            choose(&hints, &failed).map(|(_, hint)| hint.en[0].clone())
        };
        assert_eq!(chosen(&[]).as_deref(), Some("begin"));
        assert_eq!(chosen(&["contract::limits", "contract::a_sync_fails"]).as_deref(), Some("sync"));
        assert_eq!(chosen(&["lesson"]).as_deref(), Some("lesson"));
        assert_eq!(chosen(&["program"]).as_deref(), Some("begin"));
    }
}
