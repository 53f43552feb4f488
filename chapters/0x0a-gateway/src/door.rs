//! The door: takes a request and its session in, and gives exactly one answer per command.
//!
//! It is the seam between connections and the engine. Commands that are sent together form one [`Request`], whether one
//! or thousands: they enter in one pass, and are answered in one. Every door follows these rules:
//!
//! 1. Each command that enters gets exactly one answer; the type [`Answer`] enforces it.
//! 2. An answer with a [`Reply`](crate::reply::Reply) is a promise: the command is on disk.
//! 3. [`Refusal::Stopped`] means that the outcome is unknown; any other refusal, that the command was not executed.
//! 4. A door that can't accept a command refuses it at once. It never waits, so a thread that serves many clients may
//!    call it.
//! 5. A door that accepts only part of a request accepts the first commands, in order, and refuses the others.
//! 6. A request is answered even if its client is gone.
//!
//! A door can wrap another one, and change a request before it enters, or its answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{PoisonError, RwLock};

use market::Command;
use smallvec::SmallVec;

use crate::capacity::Capacity;
use crate::reply::{Answer, Refusal, Session};
use crate::watch::Passed;

/// Takes requests.
pub trait Door: Send + Sync {
    /// Accepts a request, or as much of it as it can. The answer arrives on another thread, or before this returns.
    fn enter(&self, session: Session, request: Request);
}

/// The commands of one request. Usually it is a single one, which needs no allocation.
pub type Commands = SmallVec<[Command; 1]>;

/// Commands, and the one place where their answers go. Commands that were already refused are not included; they were
/// the last ones.
pub struct Request {
    /// The commands, in order.
    pub commands: Commands,
    /// Where the answers go.
    pub answer: Answer,
}

impl Request {
    /// Keeps the first `most` commands, and refuses the others.
    pub fn keep(&mut self, most: usize, refusal: Refusal) {
        let most = most.min(self.commands.len());
        self.answer.refuse(most..self.commands.len(), refusal);
        self.commands.truncate(most);
    }

    /// Refuses all of them.
    pub fn refuse(mut self, refusal: Refusal) {
        self.keep(0, refusal);
    }
}

/// The door right before the engine thread: a queue with a limit on the commands in flight.
pub struct EngineDoor {
    queue: RwLock<Option<SyncSender<Request>>>,
    under_way: Capacity,
    most: usize,
    is_draining: AtomicBool,
}

impl EngineDoor {
    /// A door with at most this many commands in flight, and the receiver of its requests.
    pub fn new(most: usize) -> (EngineDoor, Receiver<Request>) {
        let (queue, entered) = sync_channel(most);
        let (under_way, is_draining) = (Capacity::default(), AtomicBool::new(false));
        (EngineDoor { queue: RwLock::new(Some(queue)), under_way, most, is_draining }, entered)
    }

    /// Refuses all new requests. Those that have entered are still answered.
    pub fn drain(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    /// Whether it is draining.
    pub fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }

    /// How many commands have entered and are not yet answered.
    pub fn under_way(&self) -> usize {
        self.under_way.taken()
    }

    /// Closes the queue: the engine thread empties it and then closes its engine.
    pub fn close(&self) {
        self.drain();
        self.queue.write().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Door for EngineDoor {
    // ANCHOR: enter
    fn enter(&self, session: Session, mut request: Request) {
        if !request.commands.iter().all(|command| session.may(command)) {
            return request.refuse(Refusal::Forbidden);
        }
        if self.is_draining() {
            return request.refuse(Refusal::Draining);
        }
        let room = self.under_way.take(request.commands.len(), self.most);
        request.keep(room.count(), Refusal::Busy);
        if request.commands.is_empty() {
            return;
        }
        request.answer.hold(room);
        let queue = self.queue.read().unwrap_or_else(PoisonError::into_inner);
        let Some(queue) = &*queue else { return request.refuse(Refusal::Draining) };
        request.answer.passed(Passed::Entered);
        match queue.try_send(request) {
            Ok(()) => {}
            Err(TrySendError::Full(request)) => request.refuse(Refusal::Busy),
            // The request was not executed; the operator sees elsewhere why the engine is gone.
            Err(TrySendError::Disconnected(request)) => request.refuse(Refusal::Stopped),
        }
    }
    // ANCHOR_END: enter
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::TryRecvError;
    use std::sync::{Arc, Mutex};

    use market::{AccountId, Cents, MarketId, Sequence, Stamp, Ticket, UnixMs};

    use super::*;
    use crate::reply::{Given, Reply};

    const OPEN: Command = Command::Open { market: MarketId(1) };

    type Log = Arc<Mutex<Vec<Vec<Given>>>>;

    fn request(commands: &[Command], log: &Log) -> Request {
        let log = Arc::clone(log);
        let answer = Answer::new(commands.len(), move |given| log.lock().expect("no panic").push(given));
        Request { commands: commands.into(), answer }
    }

    fn reply(sequence: u64) -> Reply {
        let stamp = Stamp { sequence: Sequence(sequence), time: UnixMs(2) };
        Reply::begin(Ticket { shard: 0, sequence: stamp.sequence }, stamp)
    }

    #[test]
    fn every_request_is_answered_once() {
        let log = Log::default();
        let given = || std::mem::take(&mut *log.lock().expect("no panic"));
        let (door, entered) = EngineDoor::new(3);
        (0..4).for_each(|_| door.enter(Session::Operator, request(&[OPEN], &log)));
        assert_eq!(given(), [[Err(Refusal::Busy)]], "the fourth found it full");
        let mut first = entered.recv().expect("the first");
        assert!(first.answer.put(0, Ok(reply(1))), "it is complete");
        assert_eq!((given(), door.under_way()), (vec![], 3));
        drop(first);
        assert_eq!((given(), door.under_way()), (vec![vec![Ok(reply(1))]], 2));
        door.drain();
        door.enter(Session::Operator, request(&[OPEN], &log));
        assert_eq!(given(), [[Err(Refusal::Draining)]]);
        drop(entered);
        assert_eq!((given(), door.under_way()), (vec![vec![Err(Refusal::Stopped)]; 2], 0), "dropped with the queue");
    }

    #[test]
    fn a_list_enters_as_far_as_there_is_room_and_is_answered_as_one() {
        let log = Log::default();
        let (door, entered) = EngineDoor::new(3);
        door.enter(Session::Operator, request(&[], &log));
        door.enter(Session::Operator, request(&[OPEN; 5], &log));
        assert_eq!(std::mem::take(&mut *log.lock().expect("no panic")), [[]], "nothing is answered at once");
        let Request { commands, mut answer } = entered.recv().expect("what there was room for");
        assert_eq!((commands.len(), door.under_way()), (3, 3));
        assert!(!answer.put(1, Ok(reply(2))) && !answer.put(0, Ok(reply(1))));
        drop(answer);
        let busy = Err(Refusal::Busy);
        let expected = [Ok(reply(1)), Ok(reply(2)), Err(Refusal::Stopped), busy.clone(), busy];
        assert_eq!((&*log.lock().expect("no panic"), door.under_way()), (&vec![expected.to_vec()], 0));
        assert!(entered.try_recv().is_err());
    }

    #[test]
    fn a_stopped_engine_and_a_closed_door_have_different_answers() {
        let log = Log::default();
        let given = || std::mem::take(&mut *log.lock().expect("no panic"));
        let (door, entered) = EngineDoor::new(3);
        door.enter(Session::Operator, request(&[OPEN], &log));
        door.close();
        door.enter(Session::Operator, request(&[OPEN], &log));
        assert_eq!((given(), door.is_draining()), (vec![vec![Err(Refusal::Draining)]], true));
        assert_eq!((entered.try_iter().count(), given()), (1, vec![vec![Err(Refusal::Stopped)]]), "it comes out");
        assert!(matches!(entered.try_recv(), Err(TryRecvError::Disconnected)), "then the receiver is disconnected");

        let (door, entered) = EngineDoor::new(3);
        drop(entered);
        door.enter(Session::Operator, request(&[OPEN; 4], &log));
        let mut expected = vec![Err(Refusal::Stopped); 3];
        expected.push(Err(Refusal::Busy));
        assert_eq!((given(), door.under_way()), (vec![expected], 0), "it is unknown whether it is in the log");
    }

    #[test]
    fn an_answer_frees_its_room_first() {
        let (door, entered) = EngineDoor::new(1);
        let (door, seen) = (Arc::new(door), Arc::new(Mutex::new(Vec::new())));
        let theirs = (Arc::clone(&door), Arc::clone(&seen));
        let answer = Answer::new(1, move |_| theirs.1.lock().expect("no panic").push(theirs.0.under_way()));
        door.enter(Session::Operator, Request { commands: [OPEN].into_iter().collect(), answer });
        assert_eq!(door.under_way(), 1);
        drop(entered.recv().expect("it entered"));
        assert_eq!(*seen.lock().expect("no panic"), [0]);
    }

    #[test]
    fn an_account_acts_for_itself() {
        let (door, entered) = EngineDoor::new(9);
        let log = Log::default();
        let (market, account, request_number, order) = (MarketId(1), AccountId(7), 0, market::OrderId(1));
        let cancel = |account| Command::Cancel { market, account, order, request: request_number };
        let forbidden = [
            (Session::Account(AccountId(8)), cancel(account)),
            (
                Session::Account(account),
                Command::Deposit { market, account, amount: Cents(1), request: request_number },
            ),
            (Session::Account(account), OPEN),
            (Session::Operator, cancel(account)),
        ];
        for (session, command) in forbidden {
            door.enter(session, request(&[command], &log));
        }
        // If a list contains a command that the session may not give, none of it is executed.
        door.enter(Session::Account(account), request(&[cancel(account), cancel(AccountId(8))], &log));
        let log = log.lock().expect("no panic");
        assert!(log.iter().flatten().all(|given| *given == Err(Refusal::Forbidden)), "{log:?}");
        assert_eq!((log.len(), log[4].len()), (5, 2));
        assert!(entered.try_recv().is_err());
    }
}
