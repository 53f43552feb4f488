//! The row that leads from an order's number to its place.

use market::AccountId;

use crate::key::{Table, place_of, placed};
use crate::place::Place;
use crate::rows::Row;

/// Whose an order is, and where it was placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbered {
    /// The account.
    pub account: AccountId,
    /// Where it was placed.
    pub place: Place,
}

impl Row for Numbered {
    fn encode(&self) -> Vec<u8> {
        placed(Table::Orders, self.account.0, self.place).to_vec()
    }

    fn decode(bytes: &[u8]) -> Option<Numbered> {
        let account = u32::from_be_bytes(bytes.get(1..5)?.try_into().ok()?);
        Some(Numbered { account: AccountId(account), place: place_of(bytes)? })
    }
}
