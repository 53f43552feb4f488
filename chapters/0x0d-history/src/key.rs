//! The keys of all rows. One tree holds every table, and the first byte of a key says which.
//!
//! ```text
//! 0 about      which logs these rows are derived from                          1 row
//! 1 follower   shard                    → its place in the shard's log         1 a shard
//! 2 missing    shard · first command    → commands whose rows can't be had     1 a gap
//! 3 trade      account · place          → the account's side of a trade        2 a trade
//! 4 order      account · place          → an order as it is now                1 an order
//! 5 money      account · place          → a deposit, withdrawal, payout        1 each
//! 6 public     market · place           → a trade with both sides              1 a trade
//! 7 number     market · order           → whose order it is, and its place     1 an accepted order
//! 8 market     market                   → how it opened and ended              1 a market
//! 9 candle     market · width · start   → prices and volume of that time       1 where there was a trade
//! 10 part      shard · number           → where a file of columns begins       1 a file
//! 11 profit    account · market         → what trades and payouts add up to    1 where an account traded
//! 12 cancelled account · place          → what was left of an order            1 a cancelled order
//! 13 resolved  place                    → how a market ended                   1 a resolved market
//! 14 mark      shard · command          → when it came                         1 in some thousand commands
//! ```
//!
//! There is one tree, and not ten, because one tree always holds the batches up to some point, in their order. So rows and
//! the place that they reach can't disagree, even where the store has lost the end of its journal.

use market::{AccountId, MarketId, OrderId, Sequence, UnixMs};

use crate::place::Place;
use crate::width::Width;

// ANCHOR: tables
/// A table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Table {
    /// Which logs the rows are derived from.
    About = 0,
    /// How far each log was followed.
    Follower = 1,
    /// Which rows can't be had.
    Missing = 2,
    /// Trades of an account.
    Trades = 3,
    /// Orders of an account.
    Orders = 4,
    /// Money of an account.
    Money = 5,
    /// Trades of a market.
    Public = 6,
    /// Orders by their number.
    Numbers = 7,
    /// Markets.
    Markets = 8,
    /// Candles.
    Candles = 9,
    /// Where the trades are cut into files of columns.
    Parts = 10,
    /// Profit and loss of an account in a market.
    Profits = 11,
    /// Cancelled orders of an account, where the end came.
    Cancelled = 12,
    /// Ends of markets.
    Resolved = 13,
    /// When some commands came.
    Marks = 14,
}
// ANCHOR_END: tables

/// The owner in keys of [`Table::Resolved`], whose rows concern all accounts.
pub const ALL_ACCOUNTS: u32 = 0;

/// The longest key.
pub const KEY_BYTES_MAX: usize = size_of::<PlacedKey>();

/// A key that ends with a place.
pub type PlacedKey = [u8; 5 + Place::BYTES];

/// The key of what stands at a place, in a table by account or market.
pub fn placed(table: Table, owner: u32, place: Place) -> PlacedKey {
    let mut key = [0; 5 + Place::BYTES];
    key[0] = table as u8;
    key[1..5].copy_from_slice(&owner.to_be_bytes());
    key[5..].copy_from_slice(&place.encode());
    key
}

/// The place in such a key; none where it is another.
pub fn place_of(key: &[u8]) -> Option<Place> {
    Some(Place::decode(key.get(5..)?.try_into().ok()?))
}

/// The first key of an account or a market.
pub fn owner(table: Table, AccountId(owner): AccountId) -> [u8; 5] {
    let mut key = [table as u8; 5];
    key[1..].copy_from_slice(&owner.to_be_bytes());
    key
}

/// The key of which logs the rows are derived from.
pub const ABOUT: [u8; 1] = [Table::About as u8];

/// The key of a shard's place.
pub fn follower(shard: u16) -> [u8; 3] {
    let [high, low] = shard.to_be_bytes();
    [Table::Follower as u8, high, low]
}

/// The key of commands of a shard whose rows can't be had.
pub fn missing(shard: u16, first: Sequence) -> [u8; 11] {
    let mut key = [0; 11];
    key[..3].copy_from_slice(&follower(shard));
    key[0] = Table::Missing as u8;
    key[3..].copy_from_slice(&first.0.to_be_bytes());
    key
}

/// The key of an order's number.
pub fn number(market: MarketId, order: OrderId) -> [u8; 13] {
    let mut key = [0; 13];
    key[0] = Table::Numbers as u8;
    key[1..5].copy_from_slice(&market.0.to_be_bytes());
    key[5..].copy_from_slice(&order.0.to_be_bytes());
    key
}

/// The key of a market.
pub fn market(market: MarketId) -> [u8; 5] {
    owner(Table::Markets, AccountId(market.0))
}

/// The market in the key of a market.
pub fn market_of(key: &[u8]) -> Option<MarketId> {
    Some(MarketId(u32::from_be_bytes(key.get(1..)?.try_into().ok()?)))
}

/// The key of a part of a shard's trades.
pub fn part(shard: u16, number: u32) -> [u8; 7] {
    let mut key = [0; 7];
    key[..3].copy_from_slice(&follower(shard));
    key[0] = Table::Parts as u8;
    key[3..].copy_from_slice(&number.to_be_bytes());
    key
}

/// The key of a mark.
pub fn mark(shard: u16, command: Sequence) -> [u8; 11] {
    let mut key = missing(shard, command);
    key[0] = Table::Marks as u8;
    key
}

/// The command in such a key.
pub fn sequence_of(key: &[u8]) -> Option<Sequence> {
    Some(Sequence(u64::from_be_bytes(key.get(3..)?.try_into().ok()?)))
}

/// The number in the key of a part.
pub fn number_of(key: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(key.get(3..)?.try_into().ok()?))
}

/// The key of an account's profit and loss in a market.
pub fn profit(account: AccountId, market: MarketId) -> [u8; 9] {
    let mut key = [0; 9];
    key[..5].copy_from_slice(&owner(Table::Profits, account));
    key[5..].copy_from_slice(&market.0.to_be_bytes());
    key
}

/// The market in such a key.
pub fn market_of_profit(key: &[u8]) -> Option<MarketId> {
    Some(MarketId(u32::from_be_bytes(key.get(5..)?.try_into().ok()?)))
}

/// The key of a candle.
pub fn candle(market: MarketId, width: Width, start: UnixMs) -> [u8; 14] {
    let mut key = [0; 14];
    key[0] = Table::Candles as u8;
    key[1..5].copy_from_slice(&market.0.to_be_bytes());
    key[5] = width as u8;
    key[6..].copy_from_slice(&start.0.to_be_bytes());
    key
}

/// The time in the key of a candle.
pub fn start_of(key: &[u8]) -> Option<UnixMs> {
    Some(UnixMs(u64::from_be_bytes(key.get(6..)?.try_into().ok()?)))
}
