//! A number for the state of markets, so that two engines that should hold the same can be compared by one line of
//! text.
//!
//! Each market has its own digest, over its id and everything in [`MarketState`], and the digest of many markets is
//! their sum. So it depends neither on the order of the markets nor on how many shards they are divided among. It
//! finds mistakes; it does not stop an attacker from making two states with the same digest.

use crate::MarketId;
use crate::state::{ExchangeState, Holdings, MarketState, RestingOrder};

/// Numbers mixed in so far.
struct Digest(u64);

impl Digest {
    fn add(&mut self, number: u64) {
        // The first steps of SplitMix64: each bit of the sum reaches most bits of the result.
        let mixed = (self.0 ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        self.0 = mixed ^ mixed >> 29;
    }

    fn add_orders(&mut self, orders: &[RestingOrder]) {
        self.add(orders.len() as u64);
        for &RestingOrder { order, account, intent, price, quantity } in orders {
            self.add(order.0);
            self.add(u64::from(account.0) << 32 | u64::from(quantity.0));
            self.add(u64::from(price.cents()) << 8 | intent as u64);
        }
    }

    fn add_holdings(&mut self, Holdings { cash, cash_locked, yes, yes_locked, no, no_locked }: &Holdings) {
        self.add(cash.0);
        self.add(cash_locked.0);
        self.add(u64::from(yes.0) << 32 | u64::from(yes_locked.0));
        self.add(u64::from(no.0) << 32 | u64::from(no_locked.0));
    }
}

impl MarketState {
    /// The digest of a market with this id and this state.
    pub fn digest(&self, market: MarketId) -> u64 {
        let MarketState { closed, pot, orders_placed, bids, asks, accounts } = self;
        let mut digest = Digest(0);
        digest.add(u64::from(market.0) << 1 | u64::from(*closed));
        digest.add(pot.0);
        digest.add(*orders_placed);
        digest.add_orders(bids);
        digest.add_orders(asks);
        for (account, holdings) in accounts {
            digest.add(account.0.into());
            digest.add_holdings(holdings);
        }
        digest.0
    }
}

impl ExchangeState {
    /// The digest of all markets.
    pub fn digest(&self) -> u64 {
        self.markets.iter().fold(0, |sum, (&market, state)| sum.wrapping_add(state.digest(market)))
    }
}
