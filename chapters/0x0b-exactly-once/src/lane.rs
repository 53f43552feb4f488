//! Lanes: the counters that requests' numbers come from.
//!
//! Each account counts in up to 256 lanes, one for each of its devices or programs, so that two programs of one
//! account need not agree on a counter. A command has 64 bits for an order's number and 32 for any other's, so orders
//! and the rest have windows of their own in each lane. The operator's deposits and withdrawals name the account and
//! are not its requests, so they have a third kind: no account can use up the operator's numbers.

use gateway::wire::{NUMBER_BITS, SHORT_NUMBER_BITS};
use market::{AccountId, Command};

/// Which of an account's counters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Orders, of 56 bits.
    Orders = 0,
    /// Cancellations, of 24 bits.
    Cancels = 1,
    /// The operator's deposits and withdrawals, of 24 bits.
    Money = 2,
}

impl Kind {
    /// All of them, by their codes.
    pub const ALL: [Kind; 3] = [Kind::Orders, Kind::Cancels, Kind::Money];

    /// The word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Orders => "orders",
            Kind::Cancels => "cancels",
            Kind::Money => "money",
        }
    }
}

/// A lane of an account.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lane {
    /// The account.
    pub account: AccountId,
    /// Which of its counters.
    pub kind: Kind,
    /// Which of its devices or programs.
    pub lane: u8,
}

/// A request's number, and the lane that it is a number of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Numbered {
    /// The lane.
    pub lane: Lane,
    /// The number, from 1 on.
    pub number: u64,
}

impl Numbered {
    // ANCHOR: of
    /// The lane and number of a command; none where its client gave it none.
    pub fn of(command: &Command) -> Option<Numbered> {
        let (account, kind, bits, request) = match *command {
            Command::Place(place) => (place.account, Kind::Orders, NUMBER_BITS, place.client_order_id),
            Command::Cancel { account, request, .. } => (account, Kind::Cancels, SHORT_NUMBER_BITS, request.into()),
            Command::Deposit { account, request, .. } | Command::Withdraw { account, request, .. } => {
                (account, Kind::Money, SHORT_NUMBER_BITS, request.into())
            }
            Command::Open { .. } | Command::Resolve { .. } => return None,
        };
        let number = request & ((1 << bits) - 1);
        let lane = Lane { account, kind, lane: (request >> bits) as u8 };
        (number > 0).then_some(Numbered { lane, number })
    }
    // ANCHOR_END: of
}

#[cfg(test)]
mod tests {
    use market::{Intent, MarketId, OrderId, Place, TimeInForce};

    use super::*;

    #[test]
    fn a_command_names_the_account_of_its_number() {
        let (market, account) = (MarketId(1), AccountId(7));
        let (intent, time_in_force) = (Intent::BuyYes, TimeInForce::Gtc);
        let place = |client_order_id| {
            Command::Place(Place { intent, time_in_force, price: 5, market, account, quantity: 1, client_order_id })
        };
        let cancel = |request| Command::Cancel { market, account, order: OrderId(1), request };
        let of = |kind, lane, number| Some(Numbered { lane: Lane { account, kind, lane }, number });
        assert_eq!(Numbered::of(&place(3 << 56 | 18)), of(Kind::Orders, 3, 18));
        assert_eq!(Numbered::of(&place(u64::MAX)), of(Kind::Orders, 255, (1 << 56) - 1));
        assert_eq!(Numbered::of(&cancel(3 << 24 | 18)), of(Kind::Cancels, 3, 18));
        assert_eq!([place(0), place(3 << 56), cancel(0)].map(|command| Numbered::of(&command)), [None; 3]);
        assert_eq!(Numbered::of(&Command::Open { market }), None);
    }
}
