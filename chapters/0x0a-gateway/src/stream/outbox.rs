//! The queue to one connection: answers to its requests, and notices about its orders.
//!
//! Threads that must not wait add to it; the connection's task takes everything. It is bounded: answers by how many
//! commands a connection may have in flight, notices by [`NOTICES_MAX`].

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use market::state::Holdings;
use market::{AccountId, CancelReason, Command, Event, Stamp};
use tokio::sync::Notify;

use crate::capacity::Capacity;
use crate::door::{Commands, Request};
use crate::reply::{Answer, Given};
use crate::watch::{Following, Passed};

/// How many notices may wait. A client that does not read them in time is disconnected.
pub const NOTICES_MAX: usize = 16_384;

/// How many of them may wait when another order is cancelled because its market was resolved. Such a notice is left
/// out then: the notice that the market is over says the same of every order in it, and has to find room.
const RESOLVED_MAX: usize = NOTICES_MAX / 2;

/// How many commands a connection may have in flight.
pub const UNDER_WAY_MAX: usize = 16_384;

/// Something for the client.
pub enum Outgoing {
    /// The answer to the message with this number, and who follows it.
    Answer(u64, Form, Vec<Given>, Following),
    /// A notice.
    Notice(Notice),
}

/// The encoding of an answer.
pub enum Form {
    /// Binary.
    Bytes,
    /// JSON.
    Words(Words),
}

/// What a JSON answer is about.
pub enum Words {
    /// One order, or one cancellation.
    One(Command),
    /// Each order of a list.
    Orders(Commands),
    /// Which orders were cancelled, and whether more rest than these.
    Cancelled(Commands, bool),
}

/// An event that another connection's or account's command caused.
#[derive(Clone, Copy, Debug)]
pub struct Notice {
    /// Whose account.
    pub account: AccountId,
    /// The command that led to it.
    pub stamp: Stamp,
    /// The event.
    pub event: Event,
    /// The state right before.
    pub before: Before,
}

/// The projection's state right before the event.
#[derive(Clone, Copy, Debug)]
pub enum Before {
    /// The client's own number of the order, 0 for none; unknown if the order is from before the last start.
    Order(Option<u64>),
    /// What the account held in the market.
    Held(Holdings),
    /// The event is about neither.
    Nothing,
}

#[derive(Default)]
struct Waiting {
    all: VecDeque<Outgoing>,
    notices: usize,
    is_overrun: bool,
    /// How many requests have no answer here yet.
    unanswered: usize,
}

/// The queue to a connection.
#[derive(Default)]
pub struct Outbox {
    waiting: Mutex<Waiting>,
    under_way: Capacity,
    is_news: Notify,
}

/// The client did not read its notices in time.
#[derive(Debug)]
pub struct TooSlow;

impl Outbox {
    /// The request for these commands, whose answer comes here; none if that would be too many in flight.
    pub fn request(
        self: &Arc<Outbox>,
        id: u64,
        form: Form,
        commands: Commands,
        following: Following,
    ) -> Option<Request> {
        let room = self.under_way.take(commands.len(), UNDER_WAY_MAX);
        if room.count() < commands.len() {
            return None;
        }
        self.lock().unanswered += 1;
        let (outbox, encodes) = (Arc::clone(self), following.clone());
        let answer =
            Answer::new(commands.len(), move |given| outbox.answer(Outgoing::Answer(id, form, given, encodes)));
        let mut answer = answer.followed(following);
        answer.passed(Passed::Parsed);
        answer.hold(room);
        Some(Request { commands, answer })
    }

    /// Adds a notice.
    pub fn notice(&self, notice: Notice) {
        let is_resolved = matches!(notice.event, Event::Cancelled { reason: CancelReason::Resolved, .. });
        let most = if is_resolved { RESOLVED_MAX } else { NOTICES_MAX };
        let mut waiting = self.lock();
        if waiting.notices < most {
            waiting.notices += 1;
            waiting.all.push_back(Outgoing::Notice(notice));
        } else {
            waiting.is_overrun |= !is_resolved;
        }
        drop(waiting);
        self.is_news.notify_one();
    }

    /// Moves everything into an empty queue.
    ///
    /// # Errors
    /// If there were too many notices.
    pub fn take(&self, into: &mut VecDeque<Outgoing>) -> Result<(), TooSlow> {
        let mut waiting = self.lock();
        std::mem::swap(&mut waiting.all, into);
        waiting.notices = 0;
        if waiting.is_overrun { Err(TooSlow) } else { Ok(()) }
    }

    /// Waits until there may be something.
    pub async fn is_news(&self) {
        self.is_news.notified().await;
    }

    /// Whether every request has its answer, and everything was taken.
    pub fn is_done(&self) -> bool {
        let waiting = self.lock();
        waiting.unanswered == 0 && waiting.all.is_empty()
    }

    fn answer(&self, answer: Outgoing) {
        let mut waiting = self.lock();
        waiting.unanswered -= 1;
        waiting.all.push_back(answer);
        drop(waiting);
        self.is_news.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use market::{Cents, MarketId, OrderId, Outcome, Quantity, Sequence, UnixMs};

    use super::*;

    const MARKET: MarketId = MarketId(1);
    const ACCOUNT: AccountId = AccountId(1_000);

    fn notice(event: Event) -> Notice {
        let stamp = Stamp { sequence: Sequence(1), time: UnixMs(0) };
        Notice { account: ACCOUNT, stamp, event, before: Before::Nothing }
    }

    fn events(taken: &VecDeque<Outgoing>) -> Vec<Event> {
        let event = |outgoing: &Outgoing| match outgoing {
            Outgoing::Notice(notice) => Some(notice.event),
            Outgoing::Answer(..) => None,
        };
        taken.iter().filter_map(event).collect()
    }

    #[test]
    fn the_end_of_a_market_finds_room_behind_all_orders_that_it_cancels() {
        let outbox = Outbox::default();
        let gone = |number| Event::Cancelled {
            market: MARKET,
            account: ACCOUNT,
            order: OrderId(number),
            quantity: Quantity(1),
            reason: CancelReason::Resolved,
        };
        let paid = Event::Paid { market: MARKET, account: ACCOUNT, amount: Cents(100) };
        let over = Event::Resolved { market: MARKET, outcome: Outcome::Yes, paid: Cents(100) };
        (1..=5 * NOTICES_MAX as u64).for_each(|number| outbox.notice(notice(gone(number))));
        [paid, over].into_iter().for_each(|event| outbox.notice(notice(event)));
        let mut taken = VecDeque::new();
        outbox.take(&mut taken).expect("its client has not been slow");
        let taken = events(&taken);
        assert_eq!((taken.len(), taken[0]), (RESOLVED_MAX + 2, gone(1)));
        assert!(taken.ends_with(&[paid, over]));
        // All other notices have no other that says the same.
        (0..=NOTICES_MAX).for_each(|_| outbox.notice(notice(paid)));
        assert!(outbox.take(&mut VecDeque::new()).is_err());
    }

    #[test]
    fn it_is_done_when_every_answer_was_taken() {
        let (outbox, mut taken) = (Arc::<Outbox>::default(), VecDeque::new());
        assert!(outbox.is_done());
        let request = outbox.request(1, Form::Bytes, [Command::Open { market: MARKET }].into(), None);
        assert!(!outbox.is_done(), "it is under way");
        drop(request.expect("there is room"));
        assert!(!outbox.is_done(), "it was not taken");
        outbox.take(&mut taken).expect("no notices");
        assert!(outbox.is_done() && taken.len() == 1);
    }
}
