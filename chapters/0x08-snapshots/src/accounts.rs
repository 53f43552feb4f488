//! The accounts of one market: what each holds, and what its open orders have locked.
//!
//! A dense table of rows. The engine looks up an account once and keeps its row, so settling a trade needs no lookup.
//! Whether an order buys or sells, YES or NO, is as good as random, so nothing here branches on it: a misprediction
//! costs more time than the arithmetic. Without `select_unpredictable` the compiler would turn some of it into
//! branches. Invariants: nothing is negative; what is locked is what the open orders need. Costs: a search in the id
//! table for a command, a cache line or two for a touch of a row.

use std::collections::BTreeMap;
use std::hint::select_unpredictable;

use market::snapshot::AccountRecord;
use market::state::Holdings;
use market::{AccountId, Cents, Intent, Outcome, Price, Quantity, Reason};

use crate::id_table::{Entries, IdTable};
use crate::slab::Slot;

/// An account's row in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Holder(pub(crate) Slot);

// ANCHOR: row
/// An account and its holdings: a lookup by id loads both.
struct Row {
    account: AccountId,
    /// The next account in the same place of the id table.
    link: Slot,
    cash: Cents,
    cash_locked: Cents,
    /// YES shares, NO shares.
    shares: [Shares; 2],
}

/// Shares of one kind.
#[derive(Clone, Copy, Default)]
struct Shares {
    free: Quantity,
    locked: Quantity,
}
// ANCHOR_END: row

const _: () = assert!(size_of::<Row>() == 40, "a row and its share of the table are meant to fit 64 bytes");

/// Every account that ever deposited into the market.
#[derive(Default)]
pub struct Accounts {
    rows: Vec<Row>,
    table: IdTable,
}

impl Accounts {
    /// Adds free cash; the account exists from then on.
    pub fn deposit(&mut self, account: AccountId, amount: Cents) {
        let holder = self.find(account).unwrap_or_else(|| self.add(account));
        self.row(holder).cash.0 += amount.0;
    }

    fn add(&mut self, account: AccountId) -> Holder {
        let row = self.rows.len() as Slot;
        let link = self.table.insert(u64::from(account.0), row, &mut self.rows);
        grow_by_a_sixteenth(&mut self.rows);
        self.rows.push(Row { account, link, cash: Cents::ZERO, cash_locked: Cents::ZERO, shares: Default::default() });
        Holder(row)
    }

    /// The row of an account, if it has ever deposited.
    #[inline] // with `lock` and `settle`, as part of an order's path
    pub fn find(&self, account: AccountId) -> Option<Holder> {
        self.table.find(u64::from(account.0), &self.rows).map(Holder)
    }

    /// The account in this row.
    pub fn account(&self, holder: Holder) -> AccountId {
        self.rows[holder.0 as usize].account
    }

    fn row(&mut self, holder: Holder) -> &mut Row {
        &mut self.rows[holder.0 as usize]
    }

    /// Takes free cash.
    ///
    /// # Errors
    /// [`Reason::InsufficientCash`].
    pub fn withdraw(&mut self, account: AccountId, amount: Cents) -> Result<(), Reason> {
        let holder = self.find(account).ok_or(Reason::InsufficientCash)?;
        let row = self.row(holder);
        row.cash = row.cash.checked_sub(amount).ok_or(Reason::InsufficientCash)?;
        Ok(())
    }

    /// Locks what an order needs: cash if it buys, shares if it sells. `price` is in YES cents.
    ///
    /// # Errors
    /// [`Reason::InsufficientCash`] and [`Reason::InsufficientShares`].
    #[inline] // as `find`
    pub fn lock(&mut self, holder: Holder, intent: Intent, price: Price, quantity: Quantity) -> Result<(), Reason> {
        let row = self.row(holder);
        let (cash, shares) = needs(intent, price, quantity);
        let own = &mut row.shares[share(intent)];
        if row.cash < cash || own.free < shares {
            return Err(missing(intent));
        }
        row.cash.0 -= cash.0;
        row.cash_locked.0 += cash.0;
        own.free.0 -= shares.0;
        own.locked.0 += shares.0;
        Ok(())
    }

    /// Frees what `quantity` shares of an order at `price` (YES cents) had locked.
    pub fn unlock(&mut self, holder: Holder, intent: Intent, price: Price, quantity: Quantity) {
        let row = self.row(holder);
        let (cash, shares) = needs(intent, price, quantity);
        let own = &mut row.shares[share(intent)];
        row.cash_locked.0 -= cash.0;
        row.cash.0 += cash.0;
        own.locked.0 -= shares.0;
        own.free.0 += shares.0;
    }

    // ANCHOR: settle
    /// Settles one side of a trade: `limit` is what the order locked, `price` what it trades at,
    /// both in YES cents. What was locked beyond the price becomes free again.
    #[inline] // as `find`
    pub fn settle(&mut self, holder: Holder, intent: Intent, limit: Price, price: Price, quantity: Quantity) {
        let row = self.row(holder);
        let (cash, shares) = needs(intent, limit, quantity);
        let own = &mut row.shares[share(intent)];
        row.cash_locked.0 -= cash.0;
        own.locked.0 -= shares.0;
        // Both sides of the choice are computed. For a seller it is 0 minus 0: no cash locked, none paid.
        let (paid, received) = (needs(intent, price, quantity).0, intent.in_yes_cents(price).times(quantity));
        row.cash.0 += select_unpredictable(intent.buys(), cash.0 - paid.0, received.0);
        own.free.0 += quantity.0 - shares.0;
    }
    // ANCHOR_END: settle

    /// Pays 100 cents for each winning share, removes all shares, and calls `paid` with how much each
    /// account got, in no particular order. No share may still be locked.
    pub fn pay_out(&mut self, outcome: Outcome, mut paid: impl FnMut(AccountId, Cents)) {
        for row in &mut self.rows {
            let winning = row.shares[outcome as usize - 1].free;
            row.shares = Default::default();
            if !winning.is_zero() {
                let amount = Cents::payout(winning);
                row.cash.0 += amount.0;
                paid(row.account, amount);
            }
        }
    }

    /// How many bytes of memory the accounts hold.
    pub fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Row>() + self.table.bytes()
    }

    /// Every account in the order in which they came, as a snapshot stores it.
    pub fn records(&self) -> impl Iterator<Item = AccountRecord> + '_ {
        self.rows.iter().map(|row| AccountRecord { account: row.account, holdings: holdings(row) })
    }

    /// Adds an account as a snapshot stores it; nothing when it is there already.
    pub fn load(&mut self, AccountRecord { account, holdings }: AccountRecord) -> Option<()> {
        if self.find(account).is_some() {
            return None;
        }
        let Holdings { cash, cash_locked, yes, yes_locked, no, no_locked } = holdings;
        let holder = self.add(account);
        let row = self.row(holder);
        (row.cash, row.cash_locked) = (cash, cash_locked);
        row.shares = [Shares { free: yes, locked: yes_locked }, Shares { free: no, locked: no_locked }];
        Some(())
    }

    /// The account in this row, from 0, if there is one.
    pub fn holder(&self, row: u32) -> Option<Holder> {
        self.rows.get(row as usize).map(|_| Holder(row))
    }

    /// How many accounts there are.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// The holdings of every account.
    pub fn state(&self) -> BTreeMap<AccountId, Holdings> {
        self.rows.iter().map(|row| (row.account, holdings(row))).collect()
    }
}

/// Makes space for one more value, or, where all must move, for a sixteenth more: a vector would double.
fn grow_by_a_sixteenth<T>(values: &mut Vec<T>) {
    if values.len() == values.capacity() {
        values.reserve_exact(values.len() / 16 + 16);
    }
}

impl Entries for Vec<Row> {
    fn entry(&self, slot: Slot) -> Option<(u64, Slot)> {
        self.get(slot as usize).map(|row| (u64::from(row.account.0), row.link))
    }

    fn link(&mut self, slot: Slot) -> &mut Slot {
        &mut self[slot as usize].link
    }
}

/// The reason for an account that can't pay for its order, or does not exist.
pub fn missing(intent: Intent) -> Reason {
    if intent.buys() { Reason::InsufficientCash } else { Reason::InsufficientShares }
}

// ANCHOR: needs
/// What an order locks: cash if it buys, shares if it sells, and zero of the other.
fn needs(intent: Intent, price: Price, quantity: Quantity) -> (Cents, Quantity) {
    let (buys, cost) = (intent.buys(), intent.in_yes_cents(price).times(quantity));
    let cash = select_unpredictable(buys, cost, Cents::ZERO);
    (cash, select_unpredictable(buys, Quantity::ZERO, quantity))
}
// ANCHOR_END: needs

/// The index of an order's shares in a row.
fn share(intent: Intent) -> usize {
    intent.share() as usize - 1
}

fn holdings(&Row { cash, cash_locked, shares: [yes, no], .. }: &Row) -> Holdings {
    Holdings { cash, cash_locked, yes: yes.free, yes_locked: yes.locked, no: no.free, no_locked: no.locked }
}
