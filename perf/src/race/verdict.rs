//! What the pairs of a race allow to conclude, and when.
//!
//! Many figures are judged together, and more than once while pairs come in. Each judgement alone may be wrong with
//! the probability `ERROR` ÷ (figures × judgements), so that all of them together are wrong no more often than
//! `ERROR` (Bonferroni).

use results::pairs::Factor;

/// How often a race of two equal programs may exit with 1.
pub const ERROR: f64 = 0.05;

/// The smallest number of rounds that can say something about all chapters' figures.
pub const FIRST_LOOK: u32 = 14;

/// The conclusion about a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Judgement {
    /// There are too few pairs, or one of the programs does not report it.
    NotJudged,
    /// Worse, by the margin or more.
    Worse,
    /// Better, by the margin or more.
    Better,
    /// Certainly different, by less than the margin.
    Within,
    /// No difference was seen.
    Same,
}

/// Judges current ÷ base.
pub fn judge(factor: Option<Factor>, more_is_better: bool, margin: f64) -> Judgement {
    let Some(factor) = factor else { return Judgement::NotJudged };
    match factor {
        _ if !factor.is_certain() => Judgement::Same,
        _ if !factor.matters(margin) => Judgement::Within,
        _ if (factor.estimate > 1.0) == more_is_better => Judgement::Better,
        _ => Judgement::Worse,
    }
}

/// Whether more rounds would not change the conclusion: a difference that matters was found, or the interval is
/// narrower than such a difference, on both sides.
pub fn is_settled(factor: Option<Factor>, margin: f64) -> bool {
    let Some(factor) = factor else { return false };
    let found = matches!(judge(Some(factor), true, margin), Judgement::Better | Judgement::Worse);
    found || factor.half_width() < margin
}

/// The error allowed for each figure at each judgement, out of `error` in all.
pub fn error_of_one(error: f64, figures: usize, looks: usize) -> f64 {
    error / (figures.max(1) * looks.max(1)) as f64
}

/// After how many rounds the figures are judged. Each judgement uses up some of the error, so there are few, and none
/// before fourteen rounds: fewer could say nothing about the figures that have one pair a round.
pub fn looks(rounds: u32) -> Vec<u32> {
    let mut looks: Vec<u32> = [FIRST_LOOK, 20, 32, 48, 64, 96].into_iter().filter(|look| *look < rounds).collect();
    looks.push(rounds);
    looks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factor(low: f64, estimate: f64, high: f64) -> Option<Factor> {
        Some(Factor { estimate, low, high })
    }

    #[test]
    fn a_difference_must_be_certain_and_matter() {
        for (factor, more_is_better, expected) in [
            (None, true, Judgement::NotJudged),
            (factor(0.97, 1.0, 1.04), true, Judgement::Same),
            (factor(0.97, 1.03, 1.08), true, Judgement::Same),
            (factor(1.01, 1.03, 1.05), true, Judgement::Better),
            (factor(1.01, 1.03, 1.05), false, Judgement::Worse),
            (factor(0.95, 0.97, 0.99), true, Judgement::Worse),
            (factor(1.001, 1.01, 1.019), false, Judgement::Within),
        ] {
            assert_eq!(judge(factor, more_is_better, 0.02), expected, "{factor:?}");
        }
    }

    #[test]
    fn a_race_ends_when_more_rounds_would_change_nothing() {
        assert!(is_settled(factor(0.99, 1.0, 1.01), 0.02));
        assert!(is_settled(factor(1.01, 1.2, 1.4), 0.02));
        assert!(!is_settled(factor(0.9, 1.0, 1.1), 0.02));
        assert!(!is_settled(None, 0.02));
    }

    #[test]
    fn the_last_look_is_after_the_last_round() {
        assert_eq!(looks(32), [14, 20, 32]);
        assert_eq!(looks(6), [6]);
        assert_eq!(looks(14), [14]);
    }
}
