//! Orders as the flows build them.

use crate::{AccountId, Command, Intent, MarketId, Outcome, Place, TimeInForce};

/// An order at a price in YES cents, stated in the price of its own share.
#[inline]
pub(super) fn place(
    market: MarketId,
    account: AccountId,
    intent: Intent,
    yes_cents: u32,
    quantity: u32,
    time_in_force: TimeInForce,
) -> Place {
    // Generators keep their prices within 1 to 99.
    debug_assert!((1..=99).contains(&yes_cents));
    let price = match intent.share() {
        Outcome::Yes => yes_cents,
        Outcome::No => 100 - yes_cents,
    };
    Place { market, account, intent, price: price as u8, quantity, time_in_force, client_order_id: 0 }
}

/// Gives each of these accounts `pairs` YES and as many NO shares, for `pairs` × 100 cents of its
/// own cash. The book must be empty, and is empty again afterwards: each account places a bid for
/// YES, the next account buys NO against it, and the first account closes the circle.
pub(super) fn mint_in_pairs(to: &mut Vec<Command>, market: MarketId, accounts: &[AccountId], pairs: u32) {
    const HALF: u32 = 50;
    debug_assert!(accounts.len() > 1, "an account does not trade with itself");
    let next_accounts = accounts.iter().cycle().skip(1);
    for (&account, &next) in accounts.iter().zip(next_accounts) {
        for (account, intent) in [(account, Intent::BuyYes), (next, Intent::BuyNo)] {
            to.push(Command::Place(place(market, account, intent, HALF, pairs, TimeInForce::Gtc)));
        }
    }
}
