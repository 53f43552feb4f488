//! What an engine holds, in a form in which two engines can be compared.
//!
//! It is made when an engine closes and is not part of any hot path.

use std::collections::BTreeMap;

use crate::{AccountId, Cents, Intent, MarketId, OrderId, Price, Quantity};

/// Every market by its id.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExchangeState {
    /// The markets, open and closed.
    pub markets: BTreeMap<MarketId, MarketState>,
}

/// One market.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MarketState {
    /// Whether it was resolved.
    pub closed: bool,
    /// The cash behind the shares in existence: 100 cents a pair.
    pub pot: Cents,
    /// How many `Place` commands it has seen, accepted or not.
    pub orders_placed: u64,
    /// Resting bids, best price first, then by time.
    pub bids: Vec<RestingOrder>,
    /// Resting asks, best price first, then by time.
    pub asks: Vec<RestingOrder>,
    /// The holdings of each account. Every account that ever deposited is here.
    pub accounts: BTreeMap<AccountId, Holdings>,
}

/// An order in the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RestingOrder {
    /// Its id.
    pub order: OrderId,
    /// Its owner.
    pub account: AccountId,
    /// What it wants.
    pub intent: Intent,
    /// Its limit in YES cents.
    pub price: Price,
    /// What is left of it.
    pub quantity: Quantity,
}

/// What an account holds in a market: free to use, or locked by its open orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Holdings {
    /// Cash that can be spent or withdrawn.
    pub cash: Cents,
    /// Cash that open orders to buy need.
    pub cash_locked: Cents,
    /// YES shares that can be sold.
    pub yes: Quantity,
    /// YES shares that open orders sell.
    pub yes_locked: Quantity,
    /// NO shares that can be sold.
    pub no: Quantity,
    /// NO shares that open orders sell.
    pub no_locked: Quantity,
}

impl MarketState {
    /// The cash of all accounts, free and locked, and the pot, in cents. It equals deposits minus
    /// withdrawals.
    pub fn funds(&self) -> u64 {
        self.accounts.values().map(|holdings| holdings.cash.0 + holdings.cash_locked.0).sum::<u64>() + self.pot.0
    }

    /// Checks the laws that hold between any two commands.
    ///
    /// # Errors
    /// The law that is broken.
    pub fn check_laws(&self) -> Result<(), String> {
        let (yes, no, locks) = self.shares_and_locks();
        if !self.closed && (yes != no || yes * 100 != self.pot.0) {
            return Err(format!("YES = NO = pot / 100, but there are {yes} YES, {no} NO and {} in the pot", self.pot));
        }
        if self.closed && (yes + no + self.pot.0 > 0 || !self.bids.is_empty() || !self.asks.is_empty()) {
            return Err("a closed market holds something other than cash".into());
        }
        if let (Some(bid), Some(ask)) = (self.bids.first(), self.asks.first())
            && bid.price >= ask.price
        {
            return Err(format!("the book is crossed: best bid {}, best ask {}", bid.price, ask.price));
        }
        locks
    }

    /// How many YES and NO all accounts have, and whether each has locked what its orders need. It walks over the
    /// accounts once, because there are many, and this runs after every command.
    fn shares_and_locks(&self) -> (u64, u64, Result<(), String>) {
        let unlike = |account: &AccountId, holdings: &Holdings, needed: Holdings| {
            Err(format!("account {account} has locked {holdings:?}, but its orders need {needed:?}"))
        };
        let mut needed = self.needed();
        let (mut yes, mut no, mut locks) = (0, 0, Ok(()));
        for (account, holdings) in &self.accounts {
            yes += u64::from(holdings.yes.0) + u64::from(holdings.yes_locked.0);
            no += u64::from(holdings.no.0) + u64::from(holdings.no_locked.0);
            if locked(holdings) != locked(&Holdings::default()) {
                let needed = needed.remove(account).unwrap_or_default();
                if locked(holdings) != locked(&needed) {
                    locks = locks.and_then(|()| unlike(account, holdings, needed));
                }
            }
        }
        // The accounts left have orders, which always need something, but have locked nothing.
        if let Some((account, needed)) = needed.pop_first() {
            locks = locks.and_then(|()| match self.accounts.get(&account) {
                Some(holdings) => unlike(&account, holdings, needed),
                None => Err(format!("orders of account {account}, which does not exist")),
            });
        }
        (yes, no, locks)
    }

    /// What the open orders of each account need.
    fn needed(&self) -> BTreeMap<AccountId, Holdings> {
        let mut needed: BTreeMap<AccountId, Holdings> = BTreeMap::new();
        for order in self.bids.iter().chain(&self.asks) {
            let account = needed.entry(order.account).or_default();
            match order.intent {
                Intent::BuyYes | Intent::BuyNo => {
                    account.cash_locked.0 += order.intent.in_yes_cents(order.price).times(order.quantity).0;
                }
                Intent::SellYes => account.yes_locked.0 += order.quantity.0,
                Intent::SellNo => account.no_locked.0 += order.quantity.0,
            }
        }
        needed
    }
}

/// The part that open orders lock.
fn locked(holdings: &Holdings) -> (Cents, Quantity, Quantity) {
    (holdings.cash_locked, holdings.yes_locked, holdings.no_locked)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A market in which account 5 has a bid for ten YES at 40 cents, which needs 400 cents, and has locked
    /// `locked`.
    fn market(locked: u64) -> MarketState {
        let bid = RestingOrder {
            order: OrderId(1),
            account: AccountId(5),
            intent: Intent::BuyYes,
            price: Price::new(40).expect("a price"),
            quantity: Quantity(10),
        };
        let holdings = Holdings { cash_locked: Cents(locked), ..Holdings::default() };
        MarketState { bids: vec![bid], accounts: BTreeMap::from([(AccountId(5), holdings)]), ..MarketState::default() }
    }

    #[test]
    fn locks_are_what_open_orders_need() {
        assert_eq!(market(400).check_laws(), Ok(()));
        let told = market(399).check_laws().expect_err("a cent is missing");
        assert!(told.starts_with("account 5 has locked"), "{told}");
        let mut idle = market(400);
        idle.bids.clear();
        let told = idle.check_laws().expect_err("no order needs them");
        assert!(told.starts_with("account 5 has locked"), "{told}");
        let told = market(0).check_laws().expect_err("nothing is locked");
        assert!(told.starts_with("account 5 has locked"), "{told}");
    }

    /// Whatever other accounts there are; account 7 has an order, too.
    #[test]
    fn an_order_has_an_owner() {
        for others in [&[][..], &[4], &[6], &[4, 6]] {
            let mut market = market(400);
            let holdings = market.accounts.remove(&AccountId(5)).expect("it was there");
            market.bids.push(RestingOrder { account: AccountId(7), ..market.bids[0] });
            market.accounts.insert(AccountId(7), holdings);
            market.accounts.extend(others.iter().map(|&other| (AccountId(other), Holdings::default())));
            let told = market.check_laws().expect_err("no account has placed it");
            assert_eq!(told, "orders of account 5, which does not exist", "beside {others:?}");
            // Also where no order comes after it.
            market.bids.pop();
            market.accounts.remove(&AccountId(7));
            assert_eq!(market.check_laws(), Err(told), "beside {others:?}");
        }
    }
}
