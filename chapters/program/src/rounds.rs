//! How many rounds the long tests run.
//!
//! Some tests repeat one check many times: a thousand seeds, a log cut at every byte, every page in every size and
//! colour. A plain `cargo test --workspace` runs fewer rounds of these, spread over all cases, so that it finishes
//! soon. `ROUNDS=full` runs all of them, and `scripts/test` asks for that. No test is left out.

/// How many rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounds {
    /// Enough to detect most mistakes.
    Few,
    /// All.
    Full,
}

impl Rounds {
    /// The value of the environment variable `ROUNDS`.
    ///
    /// # Panics
    /// When it has another value.
    pub fn asked() -> Rounds {
        let word = std::env::var("ROUNDS").ok();
        Rounds::of(word.as_deref()).unwrap_or_else(|complaint| panic!("{complaint}"))
    }

    /// The same for a test of the package `home` that later packages also run for their programs: all rounds run in
    /// `home`, and few elsewhere. `here` is the package that runs the test.
    ///
    /// # Panics
    /// As [`asked`](Rounds::asked).
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
