//! How often the long tests ask their question.
//!
//! Some tests ask one question again and again: a thousand seeds, a log cut at every byte, every page in every size and
//! colour. Whoever runs `cargo test --workspace` gets fewer rounds of these, spread over all that is asked, and an answer
//! while he still waits for it. `ROUNDS=full` gets all of them, and `scripts/test` asks for that. No test is left out.

/// How many rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounds {
    /// Enough to notice most mistakes.
    Few,
    /// All.
    Full,
}

impl Rounds {
    /// What the environment asks for, in `ROUNDS`.
    ///
    /// # Panics
    /// When it asks for something else.
    pub fn asked() -> Rounds {
        let word = std::env::var("ROUNDS").ok();
        Rounds::of(word.as_deref()).unwrap_or_else(|complaint| panic!("{complaint}"))
    }

    fn of(word: Option<&str>) -> Result<Rounds, String> {
        match word {
            None | Some("few") => Ok(Rounds::Few),
            Some("full") => Ok(Rounds::Full),
            Some(other) => Err(format!("ROUNDS is `few` or `full`, not `{other}`")),
        }
    }

    /// The first for few rounds, the second for all of them.
    pub fn pick<T>(self, few: T, full: T) -> T {
        match self {
            Rounds::Few => few,
            Rounds::Full => full,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_few_unless_all_are_asked_for() {
        assert_eq!(Rounds::of(None), Ok(Rounds::Few));
        assert_eq!(Rounds::of(Some("few")), Ok(Rounds::Few));
        assert_eq!(Rounds::of(Some("full")), Ok(Rounds::Full));
        assert!(Rounds::of(Some("all")).is_err_and(|words| words.contains("`all`")));
        assert_eq!((Rounds::Few.pick(1, 2), Rounds::Full.pick(1, 2)), (1, 2));
    }
}
