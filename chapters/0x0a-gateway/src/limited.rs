//! A door around the engine's door, which limits each account to its share.

use std::sync::Arc;

use crate::door::{Door, Request};
use crate::limits::{Excess, Limits};
use crate::reply::{Refusal, Session};

/// Refuses requests beyond an account's limits, and passes the rest to the door inside.
pub struct LimitedDoor {
    /// The engine's own door, and the doors that layers put around it.
    pub inner: Arc<dyn Door>,
    /// The limits, and how much of them is used.
    pub limits: Arc<Limits>,
}

// ANCHOR: limited
impl Door for LimitedDoor {
    fn enter(&self, session: Session, mut request: Request) {
        if let Session::Account(account) = session {
            let (room, excess) = self.limits.request(account, request.commands.len());
            match excess {
                None => {}
                Some(Excess::TooFast(wait)) => request.keep(room.count(), Refusal::TooFast(wait)),
                Some(_) => request.keep(room.count(), Refusal::TooManyInFlight),
            }
            request.answer.hold(room);
        }
        self.inner.enter(session, request);
    }
}
// ANCHOR_END: limited

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use market::{AccountId, Command, MarketId, OrderId};
    use smallvec::smallvec;

    use super::*;
    use crate::door::EngineDoor;
    use crate::limits::Allowed;
    use crate::reply::{Answer, Given};

    #[test]
    fn an_account_that_is_too_fast_learns_when_to_retry_and_others_are_served() {
        let limits = Arc::new(Limits::new(Allowed { orders_per_second: 5, ..Allowed::ANYTHING }));
        let (inner, entered) = EngineDoor::new(100);
        let (door, log) = (LimitedDoor { inner: Arc::new(inner), limits }, Arc::new(Mutex::new(Vec::new())));
        let ask = |account, count| {
            let (log, order) = (Arc::clone(&log), OrderId(1));
            let command = Command::Cancel { market: MarketId(1), account: AccountId(account), order, request: 0 };
            let answer = Answer::new(count, move |given| log.lock().expect("no panic").push((account, given)));
            door.enter(Session::Account(AccountId(account)), Request { commands: smallvec![command; count], answer });
        };
        (0..8).for_each(|_| ask(1, 1));
        ask(1, 4);
        ask(1, 1);
        ask(2, 1);
        let requests: Vec<_> = entered.try_iter().collect();
        assert_eq!(requests.iter().map(|request| request.commands.len()).sum::<usize>(), 8 + 2 + 1);
        let is_refused = |given: &Given| matches!(given, Err(Refusal::TooFast(_)));
        let refused = std::mem::take(&mut *log.lock().expect("no panic"));
        assert!(matches!(&refused[..], [(1, given)] if is_refused(&given[0])), "{refused:?}");
        drop(requests);
        let log = log.lock().expect("no panic");
        let list = log.iter().find(|(_, given)| given.len() == 4).expect("the list");
        assert!(!list.1[..2].iter().any(is_refused) && list.1[2..].iter().all(is_refused), "{list:?}");
    }
}
