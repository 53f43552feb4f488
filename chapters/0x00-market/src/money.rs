//! Money, prices and shares.
//!
//! Three small integers with three types. Each limit is chosen so that no product or sum of the
//! rules can overflow: a market's deposits stop at [`Cents::MARKET_MAX`], so its pot holds at most
//! `u32::MAX` pairs, every holding fits a [`Quantity`], and 99 × `u32::MAX` fits [`Cents`] with
//! 25 bits to spare.

use std::fmt;

/// What a share pays when its side wins, in cents.
pub const PAYOUT: u64 = 100;

/// A price in whole cents, from 1 to 99. It can't hold anything else.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Price(u8);

impl Price {
    /// The lowest price, 1 cent.
    pub const MIN: Price = Price(1);
    /// The highest price, 99 cents.
    pub const MAX: Price = Price(99);

    /// A price of `cents`, or `None` outside 1 to 99.
    pub const fn new(cents: u8) -> Option<Price> {
        if 1 <= cents && cents <= 99 { Some(Price(cents)) } else { None }
    }

    /// The price in cents, 1 to 99.
    pub const fn cents(self) -> u8 {
        self.0
    }

    /// What the other side of the same bet costs: 100 cents minus this price.
    pub const fn complement(self) -> Price {
        Price(100 - self.0)
    }

    /// What `quantity` shares cost at this price.
    pub const fn times(self, quantity: Quantity) -> Cents {
        Cents(self.0 as u64 * quantity.0 as u64)
    }
}

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A number of shares, from 0 to `u32::MAX`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Quantity(pub u32);

impl Quantity {
    /// No shares.
    pub const ZERO: Quantity = Quantity(0);

    /// Whether this is no shares at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The sum, or `None` above `u32::MAX`.
    pub fn checked_add(self, other: Quantity) -> Option<Quantity> {
        self.0.checked_add(other.0).map(Quantity)
    }

    /// The difference, or `None` below zero.
    pub fn checked_sub(self, other: Quantity) -> Option<Quantity> {
        self.0.checked_sub(other.0).map(Quantity)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An amount of money in cents. It is never negative: a debt has no representation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cents(pub u64);

impl Cents {
    /// No money.
    pub const ZERO: Cents = Cents(0);

    /// The most that one market may hold, all accounts and the pot together: `u32::MAX` pairs of
    /// shares, about 4.29 billion dollars. A deposit beyond it is rejected.
    pub const MARKET_MAX: Cents = Cents(u32::MAX as u64 * PAYOUT);

    /// Whether this is no money at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// What `quantity` winning shares, or pairs of shares, are worth.
    pub const fn payout(quantity: Quantity) -> Cents {
        Cents(quantity.0 as u64 * PAYOUT)
    }

    /// The sum, or `None` on overflow.
    pub fn checked_add(self, other: Cents) -> Option<Cents> {
        self.0.checked_add(other.0).map(Cents)
    }

    /// The difference, or `None` below zero.
    pub fn checked_sub(self, other: Cents) -> Option<Cents> {
        self.0.checked_sub(other.0).map(Cents)
    }
}

impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_one_to_ninety_nine() {
        let valid = (0..=u8::MAX).filter(|&cents| Price::new(cents).is_some());
        assert_eq!(valid.collect::<Vec<_>>(), (1..=99).collect::<Vec<_>>());
        assert_eq!(Price::MIN.complement(), Price::MAX);
    }

    #[test]
    fn the_dearest_order_stays_far_from_overflow() {
        let dearest = Price::MAX.times(Quantity(u32::MAX));
        assert!(dearest.0 < 1 << 39);
        assert_eq!(Cents::payout(Quantity(u32::MAX)), Cents::MARKET_MAX);
        assert_eq!(Cents(u64::MAX).checked_add(Cents(1)), None);
        assert_eq!(Cents::ZERO.checked_sub(Cents(1)), None);
    }

    #[test]
    fn cents_read_as_dollars() {
        assert_eq!(Cents(1234).to_string(), "12.34");
        assert_eq!(Cents(5).to_string(), "0.05");
    }
}
