//! How often the long tests ask their question.
//!
//! Some tests ask one question again and again: a thousand seeds, a log cut at every byte, every page in every size and
//! colour. `cargo test --workspace` runs fewer rounds of these, spread over all that is asked, so that its reader gets an
//! answer while still waiting for it. `ROUNDS=full` runs all of them, and `scripts/test` asks for that. No test is left out.

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

    /// What the environment asks for, for a test of the package `home` that later packages run for their programs as well:
    /// all rounds run at home, and elsewhere they are few. `here` is the package that runs it.
    ///
    /// # Panics
    /// As [`asked`](Rounds::asked) does.
    pub fn asked_at(home: &str, here: &str) -> Rounds {
        let asked = Rounds::asked();
        if here == home { asked } else { Rounds::Few }
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
        assert_eq!(Rounds::asked_at("home", "elsewhere"), Rounds::Few);
        assert_eq!(Rounds::asked_at("home", "home"), Rounds::asked());
        assert_eq!((Rounds::Few.pick(1, 2), Rounds::Full.pick(1, 2)), (1, 2));
    }
}
