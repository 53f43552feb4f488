//! The regular expressions of this crate: constants, so one that does not compile is our mistake.

use regex::Regex;

/// A regular expression written in this crate.
pub(crate) fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant that the tests compile")
}
