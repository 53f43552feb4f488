//! The table: what is known of the numbered requests of a venue, those that are under way among them.
//!
//! ```text
//!            no number                     enters, and nothing is promised
//!            kept outcome                  the answer of the first, or number-reused
//!            under way                     joins the first, or number-reused
//!  window:   used                          number-done
//!            too old                       number-too-old
//!            new                           enters
//! ```
//!
//! A window knows only what is durable. So what it refuses as too old is too old after a crash as well, for the log then
//! holds all that the window knew, and perhaps more. And a request that was refused at the door has used nothing.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex};

use gateway::reply::{Answer, Given, Refusal, Refused};
use market::{AccountId, Command};
use rustc_hash::FxBuildHasher;

use crate::lane::{Lane, Lanes, Numbered};
use crate::memory::Memory;
use crate::outcome::{Outcome, Outcomes};
use crate::window::{Seen, Window};

/// The number is below the window.
pub static TOO_OLD: Refused = Refused {
    word: "number-too-old",
    status: 422,
    title: "The number is too old",
    advice: "This request was not carried out now and never will be. Whether one with this number was before is not \
             known any more: look at your orders, and count on from the highest number that GET /v1/lanes shows.",
    outcome: 16,
};

/// The number was used for another request.
pub static REUSED: Refused = Refused {
    word: "number-reused",
    status: 422,
    title: "The number was used for another request",
    advice: "Nothing was done. A number names one request for ever: count on.",
    outcome: 17,
};

/// The request was carried out, and what it led to is not kept any more.
pub static DONE: Refused = Refused {
    word: "number-done",
    status: 409,
    title: "It was done",
    advice: "A request with this number was carried out before, and its answer is not kept any more. Nothing was done now: \
             look at your orders and your trades.",
    outcome: 18,
};

/// Where an answer goes: to its place in a request's answer, which is given when the last place is filled.
#[derive(Clone)]
pub struct Waiter {
    /// The answer of the whole request.
    pub answer: Arc<Mutex<Answer>>,
    /// Which of its commands.
    pub place: usize,
}

/// What is known of a number beside its window.
enum Known {
    /// It is under way, and these wait for its answer beside the first.
    UnderWay(Command, Vec<Waiter>),
    /// It is durable, and its outcome is kept under this number of this shard.
    Kept(u16, u64),
}

/// What a request with a number is.
pub enum Found {
    /// New: it is under way from now on.
    New,
    /// A repeat of one that is under way: its waiter was taken.
    Joined,
    /// Answered.
    Given(Given),
}

/// Everything that is known of numbers.
pub struct Table {
    lanes: Lanes,
    known: HashMap<Numbered, Known, FxBuildHasher>,
    outcomes: Vec<Outcomes>,
}

impl Table {
    /// What the logs of all shards say.
    pub fn new(shards: Vec<Memory>) -> Table {
        let (mut lanes, mut known, mut outcomes) = (Lanes::default(), HashMap::default(), Vec::new());
        for Memory { shard, lanes: of_shard, outcomes: kept } in shards {
            for (lane, window) in of_shard {
                lanes.entry(lane).or_insert_with(Window::default).unite(&window);
            }
            for (number, Outcome { command, .. }) in kept.all() {
                known.extend(Numbered::of(command).map(|numbered| (numbered, Known::Kept(shard.shard, number))));
            }
            outcomes.push(kept);
        }
        Table { lanes, known, outcomes }
    }

    // ANCHOR: enter
    /// Looks a request up, and takes note of it if it is new. `waiter` is where its answer would go.
    pub fn enter(&mut self, numbered: Numbered, command: &Command, waiter: impl FnOnce() -> Waiter) -> Found {
        let unknown = match self.known.entry(numbered) {
            Entry::Occupied(known) => return again(known.into_mut(), &self.outcomes, command, waiter),
            Entry::Vacant(unknown) => unknown,
        };
        match self.lanes.get(&numbered.lane).map_or(Seen::New, |window| window.look(numbered.number)) {
            Seen::Used => Found::Given(Err(Refusal::Layer(&DONE, None))),
            Seen::TooOld => Found::Given(Err(Refusal::Layer(&TOO_OLD, None))),
            Seen::New => {
                unknown.insert(Known::UnderWay(*command, Vec::new()));
                Found::New
            }
        }
    }
    // ANCHOR_END: enter

    // ANCHOR: settle
    /// The answer to a request that was new. From now on it was done, or it never came; those who repeated it meanwhile
    /// are to get the same answer.
    pub fn settle(&mut self, numbered: Numbered, command: &Command, given: &Given) -> Vec<Waiter> {
        let Some(Known::UnderWay(_, waiters)) = self.known.remove(&numbered) else { return Vec::new() };
        if let Ok(reply) = given {
            self.lanes.entry(numbered.lane).or_default().mark(numbered.number);
            let shard = reply.ticket.shard;
            if let Some(outcomes) = self.outcomes.get_mut(usize::from(shard)) {
                let (number, gone) = outcomes.keep(Outcome { command: *command, reply: reply.clone() });
                if let Some(gone) = gone.and_then(|outcome| Numbered::of(&outcome.command)) {
                    self.known.remove(&gone);
                }
                self.known.insert(numbered, Known::Kept(shard, number));
            }
        }
        waiters
    }
    // ANCHOR_END: settle

    /// The lanes of an account, and the highest number of each that was used.
    pub fn lanes_of(&self, account: AccountId) -> Vec<(Lane, u64)> {
        let own = self.lanes.iter().filter(|(lane, _)| lane.account == account);
        let mut own: Vec<_> = own.map(|(lane, window)| (*lane, window.highest())).collect();
        own.sort_unstable();
        own
    }

    /// What the log of a shard would say if it ended here; for tests.
    pub fn outcomes(&self) -> (&Lanes, &[Outcomes]) {
        (&self.lanes, &self.outcomes)
    }
}

/// A repeat of what is known. The same number with other content is another request.
fn again(known: &mut Known, outcomes: &[Outcomes], command: &Command, waiter: impl FnOnce() -> Waiter) -> Found {
    match known {
        Known::UnderWay(first, waiters) if first == command => {
            waiters.push(waiter());
            Found::Joined
        }
        Known::UnderWay(..) => Found::Given(Err(Refusal::Layer(&REUSED, None))),
        Known::Kept(shard, number) => match outcomes.get(usize::from(*shard)).and_then(|kept| kept.get(*number)) {
            Some(Outcome { command: first, reply }) if first == command => Found::Given(Ok(reply.clone())),
            Some(Outcome { reply, .. }) => Found::Given(Err(Refusal::Layer(&REUSED, Some(reply.ticket.sequence)))),
            None => Found::Given(Err(Refusal::Layer(&DONE, None))),
        },
    }
}
