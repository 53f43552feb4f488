//! How many shares stand at each of the 99 prices, and sets of prices.

use market::{Price, Side};

/// How many prices there are.
pub const PRICES: usize = 99;

/// A set of prices: bit `p` stands for `p` cents, 1 to 99.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Prices(u128);

impl Prices {
    /// No price.
    pub const NONE: Prices = Prices(0);
    /// All 99.
    pub const ALL: Prices = Prices(((1 << PRICES) - 1) << 1);

    /// The set with these bits, or `None` if a bit is not a price.
    pub const fn from_bits(bits: u128) -> Option<Prices> {
        if bits & !Prices::ALL.0 == 0 { Some(Prices(bits)) } else { None }
    }

    /// Bit `p` for each price of `p` cents.
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// Whether no price is in it.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many prices are in it, 0 to 99.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether `price` is in it.
    pub const fn contains(self, price: Price) -> bool {
        self.0 >> price.cents() & 1 == 1
    }

    /// Adds `price`.
    pub const fn insert(&mut self, price: Price) {
        self.0 |= 1 << price.cents();
    }

    /// The prices in it, from the lowest.
    pub fn iter(self) -> impl Iterator<Item = Price> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let price = Price::new(left.trailing_zeros() as u8)?;
            left &= left - 1;
            Some(price)
        })
    }
}

/// The depth of a book: one signed number of shares per price. Bids are positive, asks are negative, and 0 means an
/// empty price. The book is never crossed, so one number serves both sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Depth([i64; PRICES]);

impl Default for Depth {
    fn default() -> Depth {
        Depth([0; PRICES])
    }
}

impl Depth {
    /// The shares at `price`; negative for asks.
    pub const fn at(&self, price: Price) -> i64 {
        self.0[price.cents() as usize - 1]
    }

    /// Sets the shares at `price`.
    pub const fn set(&mut self, price: Price, shares: i64) {
        self.0[price.cents() as usize - 1] = shares;
    }

    /// All amounts, from 1 cent to 99.
    pub const fn amounts(&self) -> &[i64; PRICES] {
        &self.0
    }

    /// The same, for writing.
    pub const fn amounts_mut(&mut self) -> &mut [i64; PRICES] {
        &mut self.0
    }

    /// Adds `shares` of `side` at `price`; a negative number removes shares. No number of shares that a market can hold
    /// overflows.
    pub const fn add(&mut self, side: Side, price: Price, shares: i64) {
        let signed = match side {
            Side::Bid => shares,
            Side::Ask => -shares,
        };
        self.set(price, self.at(price).wrapping_add(signed));
    }

    /// The highest price with a bid and the lowest with an ask.
    pub fn best(&self) -> (Option<Price>, Option<Price>) {
        let bid = Prices::ALL.iter().filter(|&price| self.at(price) > 0).last();
        let ask = Prices::ALL.iter().find(|&price| self.at(price) < 0);
        (bid, ask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(cents: u8) -> Price {
        Price::new(cents).unwrap_or(Price::MIN)
    }

    #[test]
    fn a_set_of_prices_holds_what_was_put_in() {
        assert_eq!(Prices::ALL.iter().map(Price::cents).collect::<Vec<_>>(), (1..=99).collect::<Vec<_>>());
        let mut some = Prices::NONE;
        [99, 1, 50].map(price).into_iter().for_each(|price| some.insert(price));
        assert_eq!(some.iter().map(Price::cents).collect::<Vec<_>>(), [1, 50, 99]);
        assert!(some.contains(price(50)) && !some.contains(price(51)) && some.len() == 3);
        assert_eq!(Prices::from_bits(some.bits()), Some(some));
        assert_eq!(Prices::from_bits(1), None, "there is no price of 0 cents");
        assert_eq!(Prices::from_bits(1 << 100), None, "there is no price of 100 cents");
    }

    #[test]
    fn bids_are_positive_and_asks_negative() {
        let mut depth = Depth::default();
        assert_eq!(depth.best(), (None, None));
        depth.add(Side::Bid, price(1), 100 * i64::from(u32::MAX));
        depth.add(Side::Bid, price(40), 5);
        depth.add(Side::Ask, price(60), 7);
        depth.add(Side::Ask, price(60), -3);
        depth.add(Side::Ask, price(99), 1);
        assert_eq!((depth.at(price(40)), depth.at(price(60))), (5, -4));
        assert_eq!(depth.best(), (Some(price(40)), Some(price(60))));
    }
}
