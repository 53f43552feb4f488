//! The laws: money is conserved, shares come in pairs, locks are what open orders need, the book is not crossed.

use crate::state::MarketState;

/// Behind every command of a market that has had fewer orders than this, its laws are checked.
const EACH_BELOW: u64 = 500;

/// Later only behind orders whose number is divisible by this. A look at all accounts takes longer than the command by
/// then, and what is missing once stays missing.
const THEN_EVERY: u64 = 16;

/// Whether they are looked at behind a command, in a market that has had so many orders.
pub fn are_looked_at(orders_placed: u64) -> bool {
    orders_placed < EACH_BELOW || orders_placed.is_multiple_of(THEN_EVERY)
}

/// Checks them in a market in this state, to which so many cents were given and not given back.
///
/// # Panics
/// When one is broken.
pub fn check(state: &MarketState, funded: u64) {
    state.check_laws().unwrap_or_else(|law| panic!("{law}: {state:?}"));
    assert_eq!(state.funds(), funded, "cash + pot = deposits - withdrawals");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::{self, FlowName};
    use crate::model::Model;
    use crate::{Command, MarketId};

    /// A cent that is lost, early or late, is noticed within the next orders.
    #[test]
    fn a_lost_cent_is_noticed() {
        for (lost_behind, noticed_within) in [(10, 0), (2_000, THEN_EVERY)] {
            let flow = flow::generate(FlowName::Classic, 4_000, flow::DEFAULT_SEED);
            let mut model = Model::default();
            let mut left = flow.setup.iter().chain(&flow.body);
            let orders = |model: &Model| model.markets.get(&MarketId(1)).map_or(0, |market| market.orders_placed);
            while orders(&model) < lost_behind {
                model.apply(left.next().expect("there are so many orders"));
            }
            model.markets.values_mut().for_each(|market| market.funded += 1);
            let orders_then = orders(&model);
            let noticed = left.find(|command: &&Command| {
                let applied = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| model.apply(command)));
                applied.is_err()
            });
            assert!(noticed.is_some(), "lost behind {lost_behind} orders, it was never noticed");
            let since = orders(&model) - orders_then;
            assert!(since <= noticed_within.max(1), "lost behind {lost_behind} orders, it was noticed {since} later");
        }
    }
}
