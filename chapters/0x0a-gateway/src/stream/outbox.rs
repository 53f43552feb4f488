//! The queue to one connection: answers to its requests, and notices about its orders.
//!
//! Threads that must not wait add to it; the connection's task takes everything. It is bounded: answers by how many
//! commands a connection may have in flight, notices by [`NOTICES_MAX`].

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use market::state::Holdings;
use market::{AccountId, Command, Event, Stamp};
use tokio::sync::Notify;

use crate::capacity::Capacity;
use crate::door::{Commands, Request};
use crate::reply::{Answer, Given};
use crate::watch::{Following, Passed};

/// How many notices may wait. A client that does not read them in time is disconnected.
pub const NOTICES_MAX: usize = 16_384;

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
        let (outbox, encodes) = (Arc::clone(self), following.clone());
        let answer = Answer::new(commands.len(), move |given| outbox.put(Outgoing::Answer(id, form, given, encodes)));
        let mut answer = answer.followed(following);
        answer.passed(Passed::Parsed);
        answer.hold(room);
        Some(Request { commands, answer })
    }

    /// Adds a notice.
    pub fn notice(&self, notice: Notice) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.notices < NOTICES_MAX {
            waiting.notices += 1;
            waiting.all.push_back(Outgoing::Notice(notice));
        } else {
            waiting.is_overrun = true;
        }
        drop(waiting);
        self.is_news.notify_one();
    }

    /// Moves everything into an empty queue.
    ///
    /// # Errors
    /// If there were too many notices.
    pub fn take(&self, into: &mut VecDeque<Outgoing>) -> Result<(), TooSlow> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut waiting.all, into);
        waiting.notices = 0;
        if waiting.is_overrun { Err(TooSlow) } else { Ok(()) }
    }

    /// Waits until there may be something.
    pub async fn is_news(&self) {
        self.is_news.notified().await;
    }

    fn put(&self, outgoing: Outgoing) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).all.push_back(outgoing);
        self.is_news.notify_one();
    }
}
