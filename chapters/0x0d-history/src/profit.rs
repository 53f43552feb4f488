//! Profit and loss: what an account's trades and payouts in a market have cost and brought, in one row that changes with each.
//!
//! The rule: cash that came in, less cash that went out, plus what the shares that are left would bring at the last price. So a
//! question costs a row for each market that the account has traded in, and no trade is read again. Deposits and withdrawals
//! move cash and are no profit.

use std::sync::Arc;

use market::{AccountId, Cents, Intent, MarketId, Outcome, Price, Quantity};
use rustc_hash::FxHashMap;

use crate::bytes::{Reader, Writer};
use crate::changes::Changes;
use crate::error::HistoryError;
use crate::key;
use crate::rows::{MarketRow, Row};
use crate::store::Store;

/// How many rows are kept in memory. When there are more, they are read from the store when they are needed again.
const KEPT_MAX: usize = 200_000;

/// What an account's trades and payouts in one market add up to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Profit {
    /// What it paid for shares.
    pub paid: Cents,
    /// What it received for shares.
    pub received: Cents,
    /// What its shares won.
    pub payout: Cents,
    /// YES shares bought less those sold. It can be below zero only where trades are missing, because the log was trimmed.
    pub yes: i64,
    /// The same of NO.
    pub no: i64,
}

impl Profit {
    /// Adds a trade at this price in YES cents.
    pub fn add(&mut self, intent: Intent, price: Price, quantity: Quantity) {
        let cash = u64::from(intent.in_yes_cents(price).cents()) * u64::from(quantity.0);
        let shares = match intent.share() {
            Outcome::Yes => &mut self.yes,
            Outcome::No => &mut self.no,
        };
        if intent.buys() {
            self.paid.0 += cash;
            *shares += i64::from(quantity.0);
        } else {
            self.received.0 += cash;
            *shares -= i64::from(quantity.0);
        }
    }

    // ANCHOR: value
    /// What the shares that are left would bring at the market's last price, in cents. A market that is resolved
    /// has none left: those that won are paid.
    pub fn value(&self, market: &MarketRow) -> i64 {
        match market.last {
            Some((_, last)) if market.resolved.is_none() => {
                self.yes * i64::from(last.cents()) + self.no * i64::from(last.complement().cents())
            }
            _ => 0,
        }
    }

    /// Profit, or below zero loss, in cents.
    pub fn profit(&self, market: &MarketRow) -> i64 {
        let cash = |amount: Cents| i64::try_from(amount.0).unwrap_or(i64::MAX);
        let came_in = cash(self.received).saturating_add(cash(self.payout));
        came_in.saturating_sub(cash(self.paid)).saturating_add(self.value(market))
    }
    // ANCHOR_END: value
}

impl Row for Profit {
    fn encode(&self) -> Vec<u8> {
        let Profit { paid, received, payout, yes, no } = *self;
        let row = [paid, received, payout].iter().fold(Writer::default(), |row, cash| row.put(cash.0.to_le_bytes()));
        row.put(yes.to_le_bytes()).put(no.to_le_bytes()).0
    }

    fn decode(bytes: &[u8]) -> Option<Profit> {
        let mut row = Reader(bytes);
        let (paid, received, payout) = (Cents(row.u64()?), Cents(row.u64()?), Cents(row.u64()?));
        let (yes, no) = (i64::from_le_bytes(row.take()?), i64::from_le_bytes(row.take()?));
        row.end(Profit { paid, received, payout, yes, no })
    }
}

/// The rows that change, until they go to the store with the others.
pub struct Profits {
    store: Arc<Store>,
    kept: FxHashMap<(AccountId, MarketId), (Profit, bool)>,
    changed: Vec<(AccountId, MarketId)>,
}

impl Profits {
    /// No rows have changed yet.
    pub fn new(store: &Arc<Store>) -> Profits {
        Profits { store: Arc::clone(store), kept: FxHashMap::default(), changed: Vec::new() }
    }

    /// Changes an account's row of a market.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn change(
        &mut self,
        account: AccountId,
        market: MarketId,
        change: impl FnOnce(&mut Profit),
    ) -> Result<(), HistoryError> {
        let which = (account, market);
        if !self.kept.contains_key(&which) {
            let row = self.store.get(&key::profit(account, market))?.unwrap_or_default();
            self.kept.insert(which, (row, false));
        }
        let (row, is_new) = self.kept.entry(which).or_default();
        change(row);
        if !std::mem::replace(is_new, true) {
            self.changed.push(which);
        }
        Ok(())
    }

    /// Adds the rows that have changed.
    pub fn write(&mut self, changes: &mut Changes) {
        for which in self.changed.drain(..) {
            if let Some((row, is_new)) = self.kept.get_mut(&which) {
                *is_new = false;
                changes.put(&key::profit(which.0, which.1), row);
            }
        }
        if self.kept.len() > KEPT_MAX {
            self.kept.clear();
        }
    }
}

/// A market in which an account has traded, what that adds up to, and the market's own row.
pub type OfMarket = (MarketId, Profit, MarketRow);

// ANCHOR: profits
/// An account's profit and loss in the markets after `after`, by their numbers, and the last one if there are
/// more.
///
/// # Errors
/// When the store can't be read.
pub fn profits(
    store: &Store,
    account: AccountId,
    after: Option<MarketId>,
    limit: usize,
) -> Result<(Vec<OfMarket>, Option<MarketId>), HistoryError> {
    // The next key after a key is the same with one byte more.
    let behind = |market| [&key::profit(account, market)[..], &[0]].concat();
    let from = after.map_or(key::profit(account, MarketId(0)).to_vec(), behind);
    let mut found = store.range::<Profit>(&from, &behind(MarketId(u32::MAX)));
    let mut rows = Vec::new();
    for row in found.by_ref().take(limit) {
        let (key, profit) = row?;
        let Some(market) = key::market_of_profit(&key) else { continue };
        rows.push((market, profit, store.get(&key::market(market))?.unwrap_or_default()));
    }
    let has_more = found.next().transpose()?.is_some();
    let next = rows.last().map(|(market, ..)| *market).filter(|_| has_more);
    Ok((rows, next))
}
// ANCHOR_END: profits
