//! Who hears of what happens to an account: the connections that have logged in with its key.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};

use market::{AccountId, CancelReason, Event, Stamp};
use rustc_hash::FxHashMap;

use crate::stream::outbox::{Notice, Outbox};

/// The outboxes of each account's connections.
#[derive(Default)]
pub struct Listeners {
    count: AtomicUsize,
    accounts: RwLock<FxHashMap<AccountId, Vec<Weak<Outbox>>>>,
}

impl Listeners {
    /// From now on this outbox hears of this account, until it is gone.
    pub fn listen(&self, account: AccountId, outbox: &Arc<Outbox>) {
        let mut accounts = self.accounts.write().unwrap_or_else(PoisonError::into_inner);
        let outboxes = accounts.entry(account).or_default();
        // Those that have gone go when another comes, so that one account's list is never long for nothing.
        outboxes.retain(|outbox| outbox.strong_count() > 0);
        outboxes.push(Arc::downgrade(outbox));
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Tells an event to whom it concerns, and who did not ask for it: who asked has an answer.
    #[inline]
    pub fn tell(&self, stamp: Stamp, event: &Event) {
        if self.count.load(Ordering::Relaxed) == 0 {
            return;
        }
        let concerned = match *event {
            Event::Traded { maker_account, .. } => maker_account,
            Event::Cancelled { account, reason: CancelReason::Resolved, .. }
            | Event::Deposited { account, .. }
            | Event::Withdrawn { account, .. }
            | Event::Paid { account, .. } => account,
            _ => return,
        };
        let accounts = self.accounts.read().unwrap_or_else(PoisonError::into_inner);
        let Some(outboxes) = accounts.get(&concerned) else { return };
        let notice = Notice { account: concerned, stamp, event: *event };
        outboxes.iter().filter_map(Weak::upgrade).for_each(|outbox| outbox.notice(notice));
    }
}
