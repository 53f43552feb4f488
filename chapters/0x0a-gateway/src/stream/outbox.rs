//! What waits for one connection: answers to what it asked, and what happened to its orders through others.
//!
//! Threads that must not wait put something in; the connection's task takes it all. It is bounded: answers by how much a
//! connection may have under way, notices by [`NOTICES_MAX`].

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use market::state::Holdings;
use market::{AccountId, Command, Event, Stamp};
use tokio::sync::Notify;

use crate::door::{Commands, Request};
use crate::reply::{Answer, Given};
use crate::room::Room;

/// How many notices may wait. Who does not take them in time is closed.
pub const NOTICES_MAX: usize = 16_384;

/// How many commands a connection may have under way.
pub const UNDER_WAY_MAX: usize = 16_384;

/// Something for the client.
pub enum Outgoing {
    /// The answer to the message with this number.
    Answer(u64, Form, Vec<Given>),
    /// Something happened to an order.
    Notice(Notice),
}

/// How an answer is told.
pub enum Form {
    /// As bytes.
    Bytes,
    /// As JSON.
    Words(Words),
}

/// What an answer in words is about.
pub enum Words {
    /// One order, or one cancellation.
    One(Command),
    /// Each order of a list.
    Orders(Commands),
    /// Which orders were cancelled.
    Cancelled(Commands),
}

/// Something that happened to an account, not by this connection's command.
#[derive(Clone, Copy, Debug)]
pub struct Notice {
    /// Whose account.
    pub account: AccountId,
    /// The command that led to it.
    pub stamp: Stamp,
    /// What happened.
    pub event: Event,
    /// What was known right before.
    pub before: Before,
}

/// What the projection held of it before it happened.
#[derive(Clone, Copy, Debug)]
pub enum Before {
    /// What the client calls its order, 0 for nothing; none where it is from before the last start.
    Order(Option<u64>),
    /// What the account held in the market.
    Held(Holdings),
    /// It is about neither.
    Nothing,
}

#[derive(Default)]
struct Waiting {
    all: VecDeque<Outgoing>,
    notices: usize,
    is_overrun: bool,
}

/// What waits for a connection.
#[derive(Default)]
pub struct Outbox {
    waiting: Mutex<Waiting>,
    under_way: Room,
    is_news: Notify,
}

/// That a client did not take its notices.
#[derive(Debug)]
pub struct TooSlow;

impl Outbox {
    /// The request for these commands, whose answer goes here; none where so many more may not be under way.
    pub fn request(self: &Arc<Outbox>, id: u64, form: Form, commands: Commands) -> Option<Request> {
        let room = self.under_way.take(commands.len(), UNDER_WAY_MAX);
        if room.count() < commands.len() {
            return None;
        }
        let outbox = Arc::clone(self);
        let mut answer = Answer::new(commands.len(), move |given| outbox.put(Outgoing::Answer(id, form, given)));
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

    /// Takes all that waits, into an empty queue.
    ///
    /// # Errors
    /// When there were more notices than may wait.
    pub fn take(&self, into: &mut VecDeque<Outgoing>) -> Result<(), TooSlow> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut waiting.all, into);
        waiting.notices = 0;
        if waiting.is_overrun { Err(TooSlow) } else { Ok(()) }
    }

    /// Waits until something may be there.
    pub async fn is_news(&self) {
        self.is_news.notified().await;
    }

    fn put(&self, outgoing: Outgoing) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).all.push_back(outgoing);
        self.is_news.notify_one();
    }
}
