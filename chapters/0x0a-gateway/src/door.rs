//! The door: a request with its session in, exactly one answer to each of its commands out.
//!
//! It is the seam between connections and the engine. What is asked for together is one [`Request`], be it one command or
//! thousands: it enters in one pass, and is answered in one. The door's rules, which every door keeps:
//!
//! 1. Each command that enters gets exactly one answer; [`Answer`] sees to it by its type.
//! 2. An answer with a [`Reply`](crate::reply::Reply) is a promise: the command is on disk.
//! 3. [`Refusal::Stopped`] says that nobody knows; every other refusal, that the command was not taken.
//! 4. A door that can't take a command says so at once. It never waits, so whoever asks may be a thread that serves others.
//! 5. Of a request it takes the first so many, in their order, and refuses the others.
//! 6. A request is answered also when nobody listens any more.
//!
//! Another door can stand around this one, and do something with a request before it enters, or with its answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{PoisonError, RwLock};

use market::Command;
use smallvec::SmallVec;

use crate::reply::{Answer, Refusal, Session};
use crate::room::Room;

/// Takes requests.
pub trait Door: Send + Sync {
    /// Takes a request, or as much of it as it can. The answer comes on another thread, or before this returns.
    fn enter(&self, session: Session, request: Request);
}

/// What is asked for together. Mostly it is one command, which needs no memory of its own.
pub type Commands = SmallVec<[Command; 1]>;

/// Commands, and the one place where their answers go. Those that were refused already are not among the commands any more;
/// they were the last ones.
pub struct Request {
    /// What is asked for, in this order.
    pub commands: Commands,
    /// Where the answers go.
    pub answer: Answer,
}

impl Request {
    /// Goes on with the first so many commands, and refuses the others.
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

/// The door right before the engine's thread: a queue with room for what may be under way.
pub struct EngineDoor {
    queue: RwLock<Option<SyncSender<Request>>>,
    under_way: Room,
    most: usize,
    is_draining: AtomicBool,
}

impl EngineDoor {
    /// A door through which so many commands may be under way at once, and where they come out.
    pub fn new(most: usize) -> (EngineDoor, Receiver<Request>) {
        let (queue, entered) = sync_channel(most);
        let (under_way, is_draining) = (Room::default(), AtomicBool::new(false));
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

    /// How many commands have entered and are not answered.
    pub fn under_way(&self) -> usize {
        self.under_way.taken()
    }

    /// Closes the queue: the engine's thread closes its engine when it has taken what is in it.
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
        match queue.try_send(request) {
            Ok(()) => {}
            Err(TrySendError::Full(request)) => request.refuse(Refusal::Busy),
            // It was not taken, but why the engine is gone is for the operator to see.
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
        assert!(first.answer.put(0, Ok(reply(1))), "it is whole");
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
    fn a_list_enters_as_far_as_there_is_room_and_is_answered_together() {
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
    fn an_engine_that_is_gone_and_a_door_that_is_closed_are_told_apart() {
        let log = Log::default();
        let given = || std::mem::take(&mut *log.lock().expect("no panic"));
        let (door, entered) = EngineDoor::new(3);
        door.enter(Session::Operator, request(&[OPEN], &log));
        door.close();
        door.enter(Session::Operator, request(&[OPEN], &log));
        assert_eq!((given(), door.is_draining()), (vec![vec![Err(Refusal::Draining)]], true));
        assert_eq!((entered.try_iter().count(), given()), (1, vec![vec![Err(Refusal::Stopped)]]), "it comes out");
        assert!(matches!(entered.try_recv(), Err(TryRecvError::Disconnected)), "then whoever takes from it is told");

        let (door, entered) = EngineDoor::new(3);
        drop(entered);
        door.enter(Session::Operator, request(&[OPEN; 4], &log));
        let mut expected = vec![Err(Refusal::Stopped); 3];
        expected.push(Err(Refusal::Busy));
        assert_eq!((given(), door.under_way()), (vec![expected], 0), "whether it is in the log, nobody knows");
    }

    #[test]
    fn whoever_is_answered_finds_room() {
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
        // Nothing is done of what holds something that is not theirs to give.
        door.enter(Session::Account(account), request(&[cancel(account), cancel(AccountId(8))], &log));
        let log = log.lock().expect("no panic");
        assert!(log.iter().flatten().all(|given| *given == Err(Refusal::Forbidden)), "{log:?}");
        assert_eq!((log.len(), log[4].len()), (5, 2));
        assert!(entered.try_recv().is_err());
    }
}
