//! The choices that a crash makes: drawn from a seed, or every combination in turn.

use crate::streams::Random;

/// Where the next choice comes from.
pub enum Choices {
    /// From a seed.
    Drawn(Random),
    /// Every combination in turn, as an odometer counts: each choice with the number of its options.
    Counted {
        /// The current combination, as far as it has been asked for.
        digits: Vec<(u64, u64)>,
        /// How many of its choices were made.
        made: usize,
    },
}

impl Choices {
    /// The first of all combinations.
    pub fn counted() -> Choices {
        Choices::Counted { digits: Vec::new(), made: 0 }
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        match self {
            Choices::Drawn(random) => random.below(end),
            Choices::Counted { digits, made } => {
                if *made == digits.len() {
                    digits.push((0, end));
                }
                *made += 1;
                digits[*made - 1].0
            }
        }
    }

    /// Yes or no.
    pub fn toss(&mut self) -> bool {
        self.below(2) == 1
    }

    /// Whether these are drawn. Enumeration leaves out choices that only multiply the combinations.
    pub fn are_drawn(&self) -> bool {
        matches!(self, Choices::Drawn(_))
    }

    /// Goes on to the next combination, and returns whether there was one.
    pub fn advance(&mut self) -> bool {
        let Choices::Counted { digits, made } = self else { return false };
        *made = 0;
        while let Some((digit, end)) = digits.last_mut() {
            if *digit + 1 < *end {
                *digit += 1;
                return true;
            }
            digits.pop();
        }
        false
    }
}

/// What a disk may do beyond losing what was not synced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rules {
    /// Anything not synced is there or not, name by name and sector by sector, in any order; a sector may be
    /// written in part, and the rest of it is as it was.
    Posix,
    /// In addition, a sector that was written in part may be spoiled whole, with what was in it before; and where a
    /// file has grown but its bytes were not written, there may be anything.
    ///
    /// Left out are cases that no log can tell from a crash without a second witness: a spoiled sector with nothing
    /// behind it, because the file did not grow, or because it was cut there when the log was closed.
    Harsh,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_comes_once() {
        let mut choices = Choices::counted();
        let mut seen = Vec::new();
        loop {
            // The second choice has as many options as the first one says.
            let first = choices.below(3);
            seen.push((first, if first > 0 { choices.below(1 + first) } else { 9 }));
            if !choices.advance() {
                break;
            }
        }
        assert_eq!(seen, [(0, 9), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]);
    }
}
