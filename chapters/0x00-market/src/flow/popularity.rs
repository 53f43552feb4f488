//! How the commands of a flow spread over its markets.
//!
//! People crowd: the second most popular market gets half of what the first one gets, the third a
//! third (Zipf's law). The weights are integers, so that every machine draws the same market.

use super::random::Random;

/// How many markets are open at any time.
pub(super) const MARKETS: usize = 64;

/// A table to draw the ranks of markets from.
pub(super) struct Popularity {
    /// The weights of all ranks up to this one, itself included.
    up_to: [u32; MARKETS],
}

/// Rank 0 gets 21% of the flow, rank 63 a third of a per cent.
pub(super) fn zipf() -> Popularity {
    Popularity::of(|rank| 1_000_000 / (rank as u32 + 1))
}

/// The same, but rank 0 gets nine times what all the others get together.
pub(super) fn election_night() -> Popularity {
    let zipf = zipf();
    let others = zipf.up_to[MARKETS - 1] - zipf.up_to[0];
    Popularity::of(|rank| if rank == 0 { 9 * others } else { 1_000_000 / (rank as u32 + 1) })
}

impl Popularity {
    fn of(weight: impl Fn(usize) -> u32) -> Popularity {
        let mut sum = 0;
        let up_to = std::array::from_fn(|rank| {
            sum += weight(rank);
            sum
        });
        Popularity { up_to }
    }

    /// Draws a rank.
    #[inline]
    pub(super) fn draw(&self, random: &mut Random) -> usize {
        let at = random.below(self.up_to[MARKETS - 1]);
        self.up_to.partition_point(|&sum| sum <= at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of times that rank 0 comes up in 100,000 draws.
    fn draws_of_rank_0(popularity: &Popularity) -> usize {
        let mut random = Random::new(1);
        (0..100_000).filter(|_| popularity.draw(&mut random) == 0).count()
    }

    #[test]
    fn a_crowd_and_a_bigger_crowd() {
        assert!((20_500..=21_500).contains(&draws_of_rank_0(&zipf())));
        assert!((89_500..=90_500).contains(&draws_of_rank_0(&election_night())));
    }
}
