//! The accounts of one market: what each holds, and what its open orders have locked.
//!
//! Invariants: nothing is negative; what is locked is what the open orders need. Cost: a hash for
//! each touch of an account.

use std::collections::{BTreeMap, HashMap};

use market::state::Holdings;
use market::{AccountId, Cents, Intent, Outcome, Price, Quantity, Reason};

/// Every account that ever deposited into the market.
#[derive(Default)]
pub struct Accounts {
    accounts: HashMap<AccountId, Holdings>,
}

impl Accounts {
    /// Adds free cash; the account exists from then on.
    pub fn deposit(&mut self, account: AccountId, amount: Cents) {
        self.accounts.entry(account).or_default().cash.0 += amount.0;
    }

    /// Takes free cash.
    ///
    /// # Errors
    /// [`Reason::InsufficientCash`].
    pub fn withdraw(&mut self, account: AccountId, amount: Cents) -> Result<(), Reason> {
        let holdings = self.accounts.get_mut(&account).ok_or(Reason::InsufficientCash)?;
        holdings.cash = holdings.cash.checked_sub(amount).ok_or(Reason::InsufficientCash)?;
        Ok(())
    }

    // ANCHOR: lock
    /// Locks what an order needs: cash if it buys, shares if it sells. `price` is in YES cents.
    ///
    /// # Errors
    /// [`Reason::InsufficientCash`] and [`Reason::InsufficientShares`].
    pub fn lock(&mut self, account: AccountId, intent: Intent, price: Price, quantity: Quantity) -> Result<(), Reason> {
        let missing = if intent.buys() { Reason::InsufficientCash } else { Reason::InsufficientShares };
        let holdings = self.accounts.get_mut(&account).ok_or(missing)?;
        if intent.buys() {
            let cost = intent.in_yes_cents(price).times(quantity);
            holdings.cash = holdings.cash.checked_sub(cost).ok_or(missing)?;
            holdings.cash_locked.0 += cost.0;
        } else {
            let (free, locked) = shares(holdings, intent.share());
            *free = free.checked_sub(quantity).ok_or(missing)?;
            locked.0 += quantity.0;
        }
        Ok(())
    }
    // ANCHOR_END: lock

    /// Frees what `quantity` shares of an order at `price` (YES cents) had locked.
    pub fn unlock(&mut self, account: AccountId, intent: Intent, price: Price, quantity: Quantity) {
        let holdings = self.accounts.get_mut(&account).expect("an owner has deposited");
        if intent.buys() {
            let cost = intent.in_yes_cents(price).times(quantity);
            holdings.cash_locked.0 -= cost.0;
            holdings.cash.0 += cost.0;
        } else {
            let (free, locked) = shares(holdings, intent.share());
            locked.0 -= quantity.0;
            free.0 += quantity.0;
        }
    }

    // ANCHOR: settle
    /// Settles one side of a trade: `limit` is what the order locked, `price` what it trades at,
    /// both in YES cents. What was locked beyond the price becomes free again.
    pub fn settle(&mut self, account: AccountId, intent: Intent, limit: Price, price: Price, quantity: Quantity) {
        let holdings = self.accounts.get_mut(&account).expect("an owner has deposited");
        let value = intent.in_yes_cents(price).times(quantity);
        if intent.buys() {
            let locked = intent.in_yes_cents(limit).times(quantity);
            holdings.cash_locked.0 -= locked.0;
            holdings.cash.0 += locked.0 - value.0;
            shares(holdings, intent.share()).0.0 += quantity.0;
        } else {
            shares(holdings, intent.share()).1.0 -= quantity.0;
            holdings.cash.0 += value.0;
        }
    }
    // ANCHOR_END: settle

    /// Pays 100 cents for each winning share, removes all shares, and calls `paid` with how much each
    /// account got, in no particular order. No share may still be locked.
    pub fn pay_out(&mut self, outcome: Outcome, mut paid: impl FnMut(AccountId, Cents)) {
        for (&account, holdings) in &mut self.accounts {
            let winning = *shares(holdings, outcome).0;
            (holdings.yes, holdings.no) = (Quantity::ZERO, Quantity::ZERO);
            if !winning.is_zero() {
                let amount = Cents::payout(winning);
                holdings.cash.0 += amount.0;
                paid(account, amount);
            }
        }
    }

    /// The holdings of every account.
    pub fn state(&self) -> BTreeMap<AccountId, Holdings> {
        self.accounts.iter().map(|(&account, &holdings)| (account, holdings)).collect()
    }
}

/// The free and the locked shares of one kind.
fn shares(holdings: &mut Holdings, share: Outcome) -> (&mut Quantity, &mut Quantity) {
    match share {
        Outcome::Yes => (&mut holdings.yes, &mut holdings.yes_locked),
        Outcome::No => (&mut holdings.no, &mut holdings.no_locked),
    }
}
