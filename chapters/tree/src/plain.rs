//! Plain English: a short list of phrases that make a reader stop, and that must not come back.
//!
//! Comments, strings and the names of functions are read here, and the book's check reads its English pages with the
//! same list. A phrase is on the list because it hides the actor ("nobody", "whoever"), because it turns a statement
//! into something that begins like a question ("Who reads it wakes up."), or because a plain verb exists.

use std::path::Path;

use crate::files::{crates, read};

/// A phrase of the list in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Oddity {
    /// The byte at which it begins.
    pub at: usize,
    /// The words.
    pub phrase: String,
    /// What to write instead.
    pub advice: &'static str,
}

const ACTOR: &str = "name the actor: a client, a thread, an engine, a reader";

/// Each phrase in lower case, and what to write instead.
const PHRASES: [(&[&str], &str); 13] = [
    (&["nobody"], "name what does not: no client, no thread, no test"),
    (&["somebody"], ACTOR),
    (&["whoever"], "say which: the client that, a thread that"),
    (&["whomever"], "say which: the client that, a thread that"),
    (&["lets", "go", "of"], "`releases`, `drops` or `gives up`"),
    (&["let", "go", "of"], "`release`, `drop` or `give up`"),
    (&["says", "no"], "`refuses`, `fails` or `reports an error`"),
    (&["said", "no"], "`refused`, `failed` or `reported an error`"),
    (&["for", "who", "comes"], "`because an order that comes`"),
    (&["so", "that", "who"], "`so that a reader who`, `so that a thread that`"),
    (&["knows", "nothing", "of"], "`does not know about`, `has no part in`"),
    (&["refused", "in", "words"], "`refused with a message`"),
    (&["refused", "with", "words"], "`refused with a message`, `refused with a reason`"),
];

/// The list itself, and the test of the book's check: both are made of these phrases.
const EXAMPLES: [&str; 2] = ["chapters/tree/src/plain.rs", "book/src/check/plain.rs"];

/// Words that begin a question. A statement that begins with one has its subject in the wrong place.
const OPENINGS: [&str; 3] = ["Who", "Whom", "Were"];

/// The phrases of the list in a running text.
///
/// A blank line ends a sentence, as do a full stop, a question mark, a colon and a quotation mark.
pub fn oddities(text: &str) -> Vec<Oddity> {
    let words = words(text);
    let mut found = Vec::new();
    for (place, &(at, word)) in words.iter().enumerate() {
        for (phrase, advice) in PHRASES {
            let there = words.get(place..place + phrase.len()).is_some_and(|some| stands(text, some, phrase));
            if there {
                found.push(Oddity { at, phrase: phrase.join(" "), advice });
            }
        }
        if OPENINGS.contains(&word) && begins_sentence(&text[..at]) && !is_question(&text[at..]) {
            found.push(Oddity {
                at,
                phrase: word.into(),
                advice: "begin with the subject: `a client that`, `the thread that`",
            });
        }
    }
    found
}

/// The words of a text and where each begins.
fn words(text: &str) -> Vec<(usize, &str)> {
    let pieces = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let places = pieces.map(|piece| (piece.as_ptr() as usize - text.as_ptr() as usize, piece));
    places.filter(|(_, piece)| !piece.is_empty()).collect()
}

/// Whether these words are the phrase, with nothing but space between them.
fn stands(text: &str, words: &[(usize, &str)], phrase: &[&str]) -> bool {
    let same = words.iter().zip(phrase).all(|((_, word), wanted)| word.eq_ignore_ascii_case(wanted));
    let together = words.windows(2).all(|pair| text[pair[0].0 + pair[0].1.len()..pair[1].0].trim().is_empty());
    same && together
}

fn begins_sentence(before: &str) -> bool {
    let trimmed = before.trim_end();
    let lines = before[trimmed.len()..].matches('\n').count();
    lines > 1 || trimmed.is_empty() || trimmed.ends_with(['.', ':', '?', '"'])
}

/// Whether the sentence that begins here ends with a question mark.
fn is_question(sentence: &str) -> bool {
    let end = sentence.find("\n\n").unwrap_or(sentence.len());
    let stop = sentence[..end].find(['.', '?', '"']);
    stop.is_some_and(|at| sentence[at..].starts_with('?'))
}

/// Source text with everything but comments, strings and functions' names blanked, byte for byte.
fn prose(source: &str) -> String {
    let mut prose = String::with_capacity(source.len());
    let mut is_string = false;
    for line in source.split_inclusive('\n') {
        let code = line.trim_start();
        let comment = code.trim_start_matches('/').trim_start_matches('!');
        if !is_string && code.starts_with("//") {
            // A comment's marks are space, so that a sentence can go on in the next line.
            prose.extend(std::iter::repeat_n(
                ' ',
                line.trim_end_matches('\n').len() - comment.trim_end_matches('\n').len(),
            ));
            prose.push_str(comment);
        } else {
            code_line(line, &mut is_string, &mut prose);
        }
    }
    prose
}

/// One line of code: strings stay, and so does the name in `fn name`, with spaces in it.
fn code_line(line: &str, is_string: &mut bool, prose: &mut String) {
    let name = line.find("fn ").map(|at| at + 3..line[at..].find(['(', '<']).map_or(line.len(), |end| at + end));
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        let quote = c == '"' && !escaped && !line[..at].ends_with('\'');
        escaped = *is_string && c == '\\' && !escaped;
        *is_string ^= quote;
        let in_name = name.as_ref().is_some_and(|name| name.contains(&at));
        match c {
            '\n' => prose.push(c),
            '"' if quote => prose.push(c),
            _ if *is_string || (in_name && c.is_alphanumeric()) => prose.push(c),
            _ => prose.extend(std::iter::repeat_n(' ', c.len_utf8())),
        }
    }
}

/// How many source files there are, and which phrases of the list stand in them.
pub fn check(root: &Path) -> (usize, Vec<String>) {
    let (mut files, mut problems) = (0, Vec::new());
    for folder in crates(root) {
        let rooms = ["src", "tests", "benches", "examples", "exercise"].map(|room| format!("{folder}/{room}"));
        let mut sources = read(root, &rooms.each_ref().map(String::as_str));
        sources.retain(|path, _| path.ends_with(".rs") && !EXAMPLES.contains(&path.as_str()));
        files += sources.len();
        for (path, text) in &sources {
            problems.extend(oddities(&prose(text)).iter().map(|odd| {
                let line = 1 + text[..odd.at].matches('\n').count();
                format!("{path}:{line}: \"{}\" is not plain English: {}", odd.phrase, odd.advice)
            }));
        }
    }
    (files, problems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::write;

    fn phrases(text: &str) -> Vec<String> {
        oddities(text).into_iter().map(|odd| odd.phrase).collect()
    }

    #[test]
    fn each_phrase_is_found() {
        for (phrase, _) in PHRASES {
            let phrase = phrase.join(" ");
            assert_eq!(phrases(&format!("The disk, {phrase} it.")), [phrase.as_str()]);
            assert_eq!(phrases(&phrase.replace(' ', "\n    ").to_uppercase()), [phrase.as_str()]);
        }
    }

    #[test]
    fn a_statement_that_begins_like_a_question_is_found() {
        for opening in OPENINGS {
            assert_eq!(phrases(&format!("It ends. {opening} it wakes\nlooks again. Why?")), [opening]);
            assert_eq!(phrases(&format!("It ends\n\n{opening} it wakes")), [opening]);
            assert!(phrases(&format!("It ends. {opening} it\nwakes? A reader.")).is_empty());
            assert!(phrases(&format!("It ends\n{opening} it wakes.")).is_empty());
        }
    }

    #[test]
    fn comments_strings_and_names_are_read_and_code_is_not() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let text = "//! It ends.\n\n/// Who reads it\n/// looks again.\nfn nobody_reads() {\n    let nobody = '\"';\n    \
                    f(\"a \\\" somebody\\\n    lets go\n    of\"); // b\n    // whoever\n}\n";
        write(dir.path(), &[("perf/Cargo.toml", ""), ("perf/src/a.rs", text)]);
        let (files, problems) = check(dir.path());
        assert_eq!(files, 1);
        let found: Vec<&str> =
            problems.iter().map(|problem| problem.split(" is not").next().expect("it begins")).collect();
        let at = |line: usize, phrase: &str| format!("perf/src/a.rs:{line}: \"{phrase}\"");
        let expected = [at(3, "Who"), at(5, "nobody"), at(7, "somebody"), at(8, "lets go of"), at(10, "whoever")];
        assert_eq!(found, expected);
    }
}
