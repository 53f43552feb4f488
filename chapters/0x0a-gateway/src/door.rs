//! The door: a request with its session in, exactly one answer out.
//!
//! It is the seam between connections and the engine. Its rules, which every door keeps:
//!
//! 1. Each request that enters gets exactly one answer; [`Answer`] sees to it by its type.
//! 2. An answer with a [`Reply`](crate::reply::Reply) is a promise: the command is on disk.
//! 3. [`Refusal::Stopped`] says that nobody knows; every other refusal, that the command was not taken.
//! 4. A door that can't take a request says so at once. It never waits, so whoever asks may be a thread that serves others.
//! 5. A request is answered also when nobody listens any more.
//!
//! Another door can stand around this one, and do something with a request before it enters, or with its answer.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, PoisonError, RwLock};

use market::Command;

use crate::reply::{Answer, Refusal, Session};

/// Takes requests.
pub trait Door: Send + Sync {
    /// Takes a request, or refuses it at once. Its answer comes on another thread, or before this returns.
    fn enter(&self, session: Session, command: Command, answer: Answer);
}

/// A request that has entered.
pub struct Entered {
    /// What is asked for.
    pub command: Command,
    /// Where the answer goes.
    pub answer: Answer,
}

/// The door right before the engine's thread: a queue with room for what may be under way.
pub struct EngineDoor {
    queue: RwLock<Option<SyncSender<Entered>>>,
    under_way: Arc<AtomicUsize>,
    most: usize,
    is_draining: AtomicBool,
}

impl EngineDoor {
    /// A door through which so many requests may be under way at once, and where they come out.
    pub fn new(most: usize) -> (EngineDoor, Receiver<Entered>) {
        let (queue, entered) = sync_channel(most);
        let (under_way, is_draining) = (Arc::default(), AtomicBool::new(false));
        (EngineDoor { queue: RwLock::new(Some(queue)), under_way, most, is_draining }, entered)
    }

    /// Refuses all requests from now on. What has entered is answered.
    pub fn drain(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    /// Whether it does.
    pub fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }

    /// How many requests have entered and are not answered.
    pub fn under_way(&self) -> usize {
        self.under_way.load(Ordering::Relaxed)
    }

    /// Closes the queue: the engine's thread closes its engine when it has taken what is in it.
    pub fn close(&self) {
        self.drain();
        self.queue.write().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// The answer that also counts down what is under way.
    fn counted(&self, answer: Answer) -> Answer {
        let under_way = Arc::clone(&self.under_way);
        Answer::new(move |given| {
            under_way.fetch_sub(1, Ordering::Relaxed);
            answer.give(given);
        })
    }
}

impl Door for EngineDoor {
    // ANCHOR: enter
    fn enter(&self, session: Session, command: Command, answer: Answer) {
        if !session.may(&command) {
            return answer.give(Err(Refusal::Forbidden));
        }
        if self.is_draining() {
            return answer.give(Err(Refusal::Draining));
        }
        if self.under_way.fetch_add(1, Ordering::Relaxed) >= self.most {
            self.under_way.fetch_sub(1, Ordering::Relaxed);
            return answer.give(Err(Refusal::Busy));
        }
        let entered = Entered { command, answer: self.counted(answer) };
        let queue = self.queue.read().unwrap_or_else(PoisonError::into_inner);
        let Some(queue) = &*queue else { return entered.answer.give(Err(Refusal::Draining)) };
        match queue.try_send(entered) {
            Ok(()) => {}
            Err(TrySendError::Full(entered)) => entered.answer.give(Err(Refusal::Busy)),
            // It was not taken, but why the engine is gone is for the operator to see.
            Err(TrySendError::Disconnected(entered)) => entered.answer.give(Err(Refusal::Stopped)),
        }
    }
    // ANCHOR_END: enter
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use market::{AccountId, Cents, MarketId, Sequence, Stamp, Ticket, UnixMs};

    use super::*;
    use crate::reply::Reply;

    const OPEN: Command = Command::Open { market: MarketId(1) };

    fn answers(log: &Arc<Mutex<Vec<Result<Reply, Refusal>>>>) -> Answer {
        let log = Arc::clone(log);
        Answer::new(move |given| log.lock().expect("no panic").push(given))
    }

    #[test]
    fn every_request_is_answered_once() {
        let log = Arc::default();
        let (door, entered) = EngineDoor::new(2);
        (0..3).for_each(|_| door.enter(Session::Operator, OPEN, answers(&log)));
        assert_eq!(*log.lock().expect("no panic"), [Err(Refusal::Busy)], "the third found it full");
        let stamp = Stamp { sequence: Sequence(1), time: UnixMs(2) };
        let reply = Reply::begin(Ticket { shard: 0, sequence: Sequence(1) }, stamp);
        let Entered { answer, .. } = entered.recv().expect("the first");
        answer.give(Ok(reply.clone()));
        assert_eq!(door.under_way(), 1);
        door.drain();
        door.enter(Session::Operator, OPEN, answers(&log));
        drop(entered);
        let expected = [Err(Refusal::Busy), Ok(reply), Err(Refusal::Draining), Err(Refusal::Stopped)];
        assert_eq!(*log.lock().expect("no panic"), expected, "the second was dropped with the queue");
        assert_eq!(door.under_way(), 0);
    }

    #[test]
    fn an_account_acts_for_itself() {
        let (door, entered) = EngineDoor::new(9);
        let log = Arc::default();
        let (market, account, request, order) = (MarketId(1), AccountId(7), 0, market::OrderId(1));
        let forbidden = [
            (Session::Account(AccountId(8)), Command::Cancel { market, account, order, request }),
            (Session::Account(account), Command::Deposit { market, account, amount: Cents(1), request }),
            (Session::Account(account), OPEN),
            (Session::Operator, Command::Cancel { market, account, order, request }),
        ];
        for (session, command) in forbidden {
            door.enter(session, command, answers(&log));
        }
        assert!(log.lock().expect("no panic").iter().all(|given| *given == Err(Refusal::Forbidden)));
        assert_eq!(log.lock().expect("no panic").len(), forbidden.len());
        assert!(entered.try_recv().is_err());
    }
}
