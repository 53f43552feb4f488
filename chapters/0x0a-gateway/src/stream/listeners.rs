//! Which connections get the notices of an account: those that have logged in with its key.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};

use market::state::Holdings;
use market::{AccountId, CancelReason, Event, Stamp};
use rustc_hash::FxHashMap;

use crate::projection::{MarketNow, Projection};
use crate::stream::outbox::{Before, Notice, Outbox};

/// The outboxes of each account's connections.
#[derive(Default)]
pub struct Listeners {
    count: AtomicUsize,
    accounts: RwLock<FxHashMap<AccountId, Vec<Weak<Outbox>>>>,
}

impl Listeners {
    /// Subscribes this outbox to this account, until the outbox is gone.
    pub fn listen(&self, account: AccountId, outbox: &Arc<Outbox>) {
        let mut accounts = self.accounts.write().unwrap_or_else(PoisonError::into_inner);
        let outboxes = accounts.entry(account).or_default();
        // Remove outboxes that are gone whenever one is added, so that no account's list keeps growing.
        outboxes.retain(|outbox| outbox.strong_count() > 0);
        outboxes.push(Arc::downgrade(outbox));
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Sends an event to the accounts that it concerns, except the one that gave the command, which gets an answer. The
    /// projection is still in the state before the event.
    #[inline]
    pub fn tell(&self, stamp: Stamp, event: &Event, before: &Projection) {
        if self.count.load(Ordering::Relaxed) > 0 {
            self.tell_some(stamp, event, before);
        }
    }

    fn tell_some(&self, stamp: Stamp, event: &Event, before: &Projection) {
        let order = |account, market, order| {
            let open = before.open_order(account, market, order);
            (account, Before::Order(open.and_then(|open| open.client_order_id)))
        };
        let (account, before) = match *event {
            Event::Traded { market, maker, maker_account, .. } => order(maker_account, market, maker),
            Event::Cancelled { market, account, order: it, reason: CancelReason::Resolved, .. } => {
                order(account, market, it)
            }
            Event::Deposited { account, .. } | Event::Withdrawn { account, .. } | Event::Paid { account, .. } => {
                (account, Before::Nothing)
            }
            Event::Resolved { market, .. } => return self.tell_holders(stamp, event, before.market(market)),
            _ => return,
        };
        let accounts = self.accounts.read().unwrap_or_else(PoisonError::into_inner);
        let outboxes = accounts.get(&account).into_iter().flatten().filter_map(Weak::upgrade);
        outboxes.for_each(|outbox| outbox.notice(Notice { account, stamp, event: *event, before }));
    }

    /// A market is over: every account that held anything in it gets a notice, even if it is paid nothing.
    fn tell_holders(&self, stamp: Stamp, event: &Event, market: Option<&MarketNow>) {
        let Some(market) = market else { return };
        let accounts = self.accounts.read().unwrap_or_else(PoisonError::into_inner);
        for (&account, outboxes) in accounts.iter() {
            let Some(held) = market.held(account).filter(|held| *held != Holdings::default()) else { continue };
            let notice = Notice { account, stamp, event: *event, before: Before::Held(held) };
            outboxes.iter().filter_map(Weak::upgrade).for_each(|outbox| outbox.notice(notice));
        }
    }
}
