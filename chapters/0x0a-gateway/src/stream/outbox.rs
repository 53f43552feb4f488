//! What waits for one connection: answers to what it asked, and what happened to its orders through others.
//!
//! Threads that must not wait put something in; the connection's task takes it all. It is bounded: answers by how much a
//! connection may have under way, notices by [`NOTICES_MAX`].

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use market::state::Holdings;
use market::{AccountId, Command, Event, Stamp};
use tokio::sync::Notify;

use crate::reply::{Answer, Given, Refusal};

/// How many notices may wait. Who does not take them in time is closed.
pub const NOTICES_MAX: usize = 16_384;

/// How many commands a connection may have under way.
pub const UNDER_WAY_MAX: usize = 16_384;

/// Something for the client.
pub enum Outgoing {
    /// The answer to one command.
    One(u64, Command, Given),
    /// The answers to several that were asked for together.
    Many(u64, Form, Vec<(Command, Given)>),
    /// Something happened to an order.
    Notice(Notice),
}

/// How several answers are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// As JSON.
    Words,
    /// As bytes.
    Bytes,
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
    under_way: AtomicUsize,
    is_news: Notify,
}

/// That a client did not take its notices.
#[derive(Debug)]
pub struct TooSlow;

impl Outbox {
    /// Where the answer to a command goes, if there is room for one more under way.
    pub fn answer(self: &Arc<Outbox>, id: u64, command: Command) -> Option<Answer> {
        if self.under_way.fetch_add(1, Ordering::Relaxed) >= UNDER_WAY_MAX {
            self.under_way.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let outbox = Arc::clone(self);
        Some(Answer::new(move |given| {
            outbox.under_way.fetch_sub(1, Ordering::Relaxed);
            outbox.put(Outgoing::One(id, command, given));
        }))
    }

    /// Where the answers to several commands go that are told together, if there is room for them.
    pub fn answers(self: &Arc<Outbox>, id: u64, form: Form, commands: &[Command]) -> Option<Vec<Answer>> {
        let count = commands.len();
        if self.under_way.fetch_add(count, Ordering::Relaxed) + count > UNDER_WAY_MAX {
            self.under_way.fetch_sub(count, Ordering::Relaxed);
            return None;
        }
        if commands.is_empty() {
            self.put(Outgoing::Many(id, form, Vec::new()));
        }
        let together = Together {
            left: AtomicUsize::new(count),
            given: Mutex::new(commands.iter().map(|&command| (command, Err(Refusal::Stopped))).collect()),
            outbox: Arc::clone(self),
            id,
            form,
        };
        let together = Arc::new(together);
        let answer = |place| {
            let together = Arc::clone(&together);
            Answer::new(move |given| together.give(place, given))
        };
        Some((0..count).map(answer).collect())
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

/// Answers that are told when all are there.
struct Together {
    left: AtomicUsize,
    given: Mutex<Vec<(Command, Given)>>,
    outbox: Arc<Outbox>,
    id: u64,
    form: Form,
}

impl Together {
    fn give(&self, place: usize, given: Given) {
        let mut all = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        all[place].1 = given;
        self.outbox.under_way.fetch_sub(1, Ordering::Relaxed);
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.outbox.put(Outgoing::Many(self.id, self.form, std::mem::take(&mut *all)));
        }
    }
}
