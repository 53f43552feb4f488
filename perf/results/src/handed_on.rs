//! Flags that the tool passes on to a program that measures by itself. Both parse them into one type, which can turn
//! itself back into flags.

use crate::language::Language;
use crate::output::OutputArgs;

/// The flags that have a value, each before its value.
pub(crate) fn given<const FLAGS: usize>(values: [(&str, Option<String>); FLAGS]) -> Vec<String> {
    let said = |(flag, value): (&str, Option<String>)| value.map(|value| [flag.to_string(), value]);
    values.into_iter().filter_map(said).flatten().collect()
}

/// The flags for the language of the results, and for where they are written.
pub(crate) fn shown(lang: Language, output: &OutputArgs) -> Vec<String> {
    given([
        ("--lang", (lang != Language::English).then(|| lang.tag().to_string())),
        ("--output", output.output.as_ref().map(|dir| dir.display().to_string())),
    ])
}

/// The command that repeats a run with these flags, without this machine's folders.
pub(crate) fn command_line(verb: &str, flags: &[String]) -> String {
    let words = [&[format!("cargo run --release -- {verb}")], flags].concat();
    words.join(" ")
}
