//! What an order locks, and what a trade moves: a party's side of every rule about cash and shares.

use crate::state::{Holdings, RestingOrder};
use crate::{Cents, Intent, Outcome, Price, Quantity, Reason};

/// What an open order locks: cash in cents if it buys, shares if it sells.
pub(super) fn needs(intent: Intent, price: Price, quantity: Quantity) -> (u64, u32) {
    let own_price = u64::from(intent.in_yes_cents(price).cents());
    match intent {
        Intent::BuyYes | Intent::BuyNo => (own_price * u64::from(quantity.0), 0),
        Intent::SellYes | Intent::SellNo => (0, quantity.0),
    }
}

/// Takes what an order needs out of what is free, or returns what is short.
pub(super) fn lock(holdings: &mut Holdings, intent: Intent, price: Price, quantity: Quantity) -> Result<(), Reason> {
    let (cash, shares) = needs(intent, price, quantity);
    holdings.cash = holdings.cash.checked_sub(Cents(cash)).ok_or(Reason::InsufficientCash)?;
    holdings.cash_locked.0 += cash;
    let (free, locked) = shares_of(holdings, intent.share());
    *free = free.checked_sub(Quantity(shares)).ok_or(Reason::InsufficientShares)?;
    locked.0 += shares;
    Ok(())
}

// ANCHOR: settle
/// Moves what one party of a trade at `price` (YES cents) pays and receives.
pub(super) fn settle(holdings: &mut Holdings, party: &RestingOrder, price: Price, quantity: Quantity) {
    let (locked, shares_given) = needs(party.intent, party.price, quantity);
    let trade_value = u64::from(party.intent.in_yes_cents(price).cents()) * u64::from(quantity.0);
    holdings.cash_locked.0 -= locked;
    shares_of(holdings, party.intent.share()).1.0 -= shares_given;
    match party.intent {
        Intent::BuyYes | Intent::BuyNo => {
            holdings.cash.0 += locked - trade_value;
            shares_of(holdings, party.intent.share()).0.0 += quantity.0;
        }
        Intent::SellYes | Intent::SellNo => holdings.cash.0 += trade_value,
    }
}
// ANCHOR_END: settle

/// The free and the locked shares of one kind.
pub(super) fn shares_of(holdings: &mut Holdings, share: Outcome) -> (&mut Quantity, &mut Quantity) {
    match share {
        Outcome::Yes => (&mut holdings.yes, &mut holdings.yes_locked),
        Outcome::No => (&mut holdings.no, &mut holdings.no_locked),
    }
}
