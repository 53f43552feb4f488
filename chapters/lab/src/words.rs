//! Counts for people, in both languages.

use results::units::grouped;
pub use results::words::{Words, words};

/// A count and what is counted: "1 trade", "1,000 trades"; "1 笔成交", "1,000 笔成交".
pub fn counted(count: usize, (one, many): (&str, &str), zh: &str) -> Words {
    let digits = grouped(count as f64);
    words(format!("{digits} {}", if count == 1 { one } else { many }), format!("{digits} {zh}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_in_both_languages() {
        assert_eq!(counted(1, ("trade", "trades"), "笔成交"), words("1 trade", "1 笔成交"));
        assert_eq!(counted(1_000, ("trade", "trades"), "笔成交"), words("1,000 trades", "1,000 笔成交"));
    }
}
