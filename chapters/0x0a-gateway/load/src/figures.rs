//! Figures over the rounds of a measurement.

use std::borrow::Borrow;

use results::record::Spread;

/// The spread of a figure over the rounds. There is a figure for each round, and at least one round.
pub fn spread(rounds: impl IntoIterator<Item: Borrow<f64>>) -> Spread {
    let rounds: Vec<f64> = rounds.into_iter().map(|figure| *figure.borrow()).collect();
    Spread::of(&rounds).unwrap_or(Spread { median: 0.0, min: 0.0, max: 0.0, rounds })
}
