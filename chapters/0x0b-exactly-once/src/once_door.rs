//! The door that lets a numbered request in once.
//!
//! It wraps the engine's door. A request that is new is passed on, and its answer is kept on its way back; a repeat never
//! reaches the engine. The table is locked for a look-up on the way in and for a note on the way back, and for nothing else:
//! the matching thread takes no part in it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gateway::door::{Commands, Door, Request};
use gateway::reply::{Answer, Given, Refusal, Session};
use gateway::watch::Following;
use smallvec::SmallVec;

use crate::lane::Numbered;
use crate::table::{Found, Table, Waiter};

/// The table, behind the lock that the door and the thread that hands out answers share.
pub type Shared = Arc<Mutex<Table>>;

/// Lets a numbered request in once.
pub struct OnceDoor {
    inner: Arc<dyn Door>,
    table: Shared,
}

impl OnceDoor {
    /// A door around this one.
    pub fn new(inner: Arc<dyn Door>, table: Shared) -> OnceDoor {
        OnceDoor { inner, table }
    }
}

/// Locks the table. No panic leaves it half changed: each change is one call of its own.
pub fn lock(table: &Shared) -> MutexGuard<'_, Table> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Door for OnceDoor {
    // ANCHOR: enter
    fn enter(&self, session: Session, request: Request) {
        if request.commands.iter().all(|command| Numbered::of(command).is_none()) {
            return self.inner.enter(session, request);
        }
        // Before anything is looked up: an account may neither use nor learn another's numbers.
        if !request.commands.iter().all(|command| session.may(command)) {
            return request.refuse(Refusal::Forbidden);
        }
        let Request { commands, answer } = request;
        let following = answer.following();
        let answer = Arc::new(Mutex::new(answer));
        let (mut fresh, mut places) = (Commands::new(), Places::new());
        let mut known = Vec::new();
        let mut table = lock(&self.table);
        for (place, command) in commands.iter().enumerate() {
            let waiter = || Waiter { answer: Arc::clone(&answer), place };
            let found = Numbered::of(command).map_or(Found::New, |numbered| table.enter(numbered, command, waiter));
            match found {
                Found::New => {
                    fresh.push(*command);
                    places.push(place as u32);
                }
                Found::Joined => {}
                Found::Given(given) => known.push((place, given)),
            }
        }
        drop(table);
        put(&answer, known);
        if !fresh.is_empty() {
            self.go_on(session, fresh, places, answer, following);
        }
    }
    // ANCHOR_END: enter
}

/// The places of commands in their request.
type Places = SmallVec<[u32; 2]>;

impl OnceDoor {
    // ANCHOR: go_on
    /// Passes on what is new. Each answer is noted before it is given, so that a client that has an answer can get it
    /// again.
    fn go_on(
        &self,
        session: Session,
        fresh: Commands,
        places: Places,
        answer: Arc<Mutex<Answer>>,
        following: Following,
    ) {
        let (table, commands) = (Arc::clone(&self.table), fresh.clone());
        let settle = move |given: Vec<Given>| {
            let mut waiters = Vec::new();
            let mut table = lock(&table);
            for (command, given) in commands.iter().zip(&given) {
                let Some(numbered) = Numbered::of(command) else { continue };
                let waiting = table.settle(numbered, command, given);
                waiters.extend(waiting.into_iter().map(|waiter| (waiter, given.clone())));
            }
            drop(table);
            put(&answer, places.iter().map(|&place| place as usize).zip(given));
            // The last of a request's places may be filled here: then the request is answered.
            for (Waiter { answer, place }, given) in waiters {
                put(&answer, [(place, given)]);
            }
        };
        let answer = Answer::new(fresh.len(), settle).followed(following);
        self.inner.enter(session, Request { answer, commands: fresh });
    }
    // ANCHOR_END: go_on
}

/// Puts answers into their request's answer, which is given when its last holder drops it.
fn put(answer: &Mutex<Answer>, given: impl IntoIterator<Item = (usize, Given)>) {
    let mut answer = answer.lock().unwrap_or_else(PoisonError::into_inner);
    for (place, given) in given {
        answer.put(place, given);
    }
}
