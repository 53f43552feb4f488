//! A door around the engine's door, which lets nobody take more than a share of it.

use std::sync::Arc;

use market::Command;

use crate::door::{Door, EngineDoor};
use crate::limits::{Excess, Limits};
use crate::reply::{Answer, Refusal, Session};

/// Refuses what is beyond an account's limits, and leaves the rest to the engine's door.
pub struct LimitedDoor {
    /// The engine's own door.
    pub inner: EngineDoor,
    /// What is allowed, and used.
    pub limits: Arc<Limits>,
}

// ANCHOR: limited
impl Door for LimitedDoor {
    fn enter(&self, session: Session, command: Command, answer: Answer) {
        let Session::Account(account) = session else { return self.inner.enter(session, command, answer) };
        match self.limits.request(account) {
            Ok(in_flight) => {
                let counted = Answer::new(move |given| {
                    drop(in_flight);
                    answer.give(given);
                });
                self.inner.enter(session, command, counted);
            }
            Err(Excess::TooFast(wait)) => answer.give(Err(Refusal::TooFast(wait))),
            Err(_) => answer.give(Err(Refusal::TooManyInFlight)),
        }
    }
}
// ANCHOR_END: limited

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use market::{AccountId, MarketId, OrderId};

    use super::*;
    use crate::limits::Allowed;

    #[test]
    fn an_account_that_is_too_fast_is_told_when_to_come_back_and_others_are_served() {
        let limits = Arc::new(Limits::new(Allowed { orders_per_second: 5, ..Allowed::ANYTHING }));
        let (inner, entered) = EngineDoor::new(100);
        let (door, log) = (LimitedDoor { inner, limits }, Arc::new(Mutex::new(Vec::new())));
        let ask = |account| {
            let (log, order) = (Arc::clone(&log), OrderId(1));
            let command = Command::Cancel { market: MarketId(1), account: AccountId(account), order, request: 0 };
            let answer = Answer::new(move |given| log.lock().expect("no panic").push((account, given)));
            door.enter(Session::Account(AccountId(account)), command, answer);
        };
        (0..12).for_each(|_| ask(1));
        ask(2);
        let refused = log.lock().expect("no panic").clone();
        assert_eq!(refused.len(), 2, "{refused:?}");
        assert!(refused.iter().all(|(who, given)| *who == 1 && matches!(given, Err(Refusal::TooFast(_)))));
        assert_eq!(entered.try_iter().count(), 11);
    }
}
