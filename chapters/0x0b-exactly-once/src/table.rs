//! The table: what is known of the numbered requests of a venue, those that are under way among them.
//!
//! ```text
//!            no number                     enters, and nothing is promised
//!            under way                     joins the first, or number-reused
//!  window:   new                           enters
//!            used                          the answer of the first, or number-reused; number-done if it is not kept
//!            too old                       the same; number-too-old if it is not kept
//! ```
//!
//! A window knows only what is durable. So what it refuses as too old is too old after a crash as well, for the log then
//! holds all that the window knew, and perhaps more. And a request that was refused at the door has used nothing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use gateway::reply::{Answer, Given, Refusal, Refused};
use market::{AccountId, Command, Sequence};
use rustc_hash::FxBuildHasher;

use crate::lane::{Kind, Lane, Numbered};
use crate::lanes::Lanes;
use crate::memory::Memory;
use crate::outcome::Outcome;
use crate::outcomes::Outcomes;
use crate::window::Seen;

/// The number is below the window.
pub static TOO_OLD: Refused = Refused {
    word: "number-too-old",
    status: 422,
    title: "The number is too old",
    advice: "This request was not carried out now and never will be. Whether an earlier request with this number \
             was carried out is no longer known: check your orders, and continue above the highest number that GET /v1/lanes \
             shows.",
    outcome: 16,
};

/// The number was used for another request.
pub static REUSED: Refused = Refused {
    word: "number-reused",
    status: 422,
    title: "The number was used for another request",
    advice: "Nothing was done. A number stands for one request for ever: use the next number.",
    outcome: 17,
};

/// The request was carried out, and what it led to is no longer kept.
pub static DONE: Refused = Refused {
    word: "number-done",
    status: 409,
    title: "Already carried out",
    advice: "A request with this number was carried out before, and its answer is no longer kept. Nothing was done now: \
             check your orders and your trades.",
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

/// What the table says about a numbered request.
pub enum Found {
    /// New: it is under way from now on.
    New,
    /// A repeat of one that is under way: its waiter waits with the first.
    Joined,
    /// Answered.
    Given(Given),
}

/// Everything that is known of numbers.
pub struct Table {
    lanes: Lanes,
    under_way: HashMap<Numbered, UnderWay, FxBuildHasher>,
    outcomes: Outcomes,
}

/// A request that is under way, and the repeats that wait for its answer, too.
struct UnderWay {
    command: Command,
    waiters: Vec<Waiter>,
}

impl Table {
    /// A table of what the logs of all shards say, which will keep this many outcomes.
    pub fn new(shards: Vec<Memory>, outcomes_max: usize) -> Table {
        let (mut lanes, mut all) = (Lanes::default(), Vec::new());
        for Memory { lanes: of_shard, outcomes, .. } in shards {
            of_shard.iter().for_each(|row| lanes.entry(row.lane()).window.unite(&row.window));
            all.extend(outcomes.into_iter().filter_map(|outcome| Some((Numbered::of(&outcome.command)?, outcome))));
        }
        // A repeat walks back along its lane, and not far. If the shards' outcomes stood one shard after the other, those of
        // all but the last would be too far away.
        all.sort_by_key(|(numbered, _)| numbered.number);
        let mut outcomes = Outcomes::new(outcomes_max);
        all.into_iter().for_each(|(numbered, outcome)| outcomes.keep(lanes.entry(numbered.lane), outcome));
        Table { lanes, under_way: HashMap::default(), outcomes }
    }

    // ANCHOR: enter
    /// Looks a request up, and takes note of it if it is new. `waiter` is where its answer would go.
    pub fn enter(&mut self, numbered: Numbered, command: &Command, waiter: impl FnOnce() -> Waiter) -> Found {
        match self.under_way.get_mut(&numbered) {
            Some(first) if first.command == *command => {
                first.waiters.push(waiter());
                return Found::Joined;
            }
            Some(_) => return refused(&REUSED, None),
            None => {}
        }
        let row = self.lanes.get(numbered.lane);
        match row.map_or(Seen::New, |row| row.window.look(numbered.number)) {
            Seen::New => {
                self.under_way.insert(numbered, UnderWay { command: *command, waiters: Vec::new() });
                Found::New
            }
            Seen::Used => self.again(numbered, command, &DONE),
            Seen::TooOld => self.again(numbered, command, &TOO_OLD),
        }
    }
    // ANCHOR_END: enter

    /// A repeat: the answer of the first, if it is still kept. The same number with other content is another request.
    fn again(&self, numbered: Numbered, command: &Command, forgotten: &'static Refused) -> Found {
        let is_it = |outcome: &Outcome| Numbered::of(&outcome.command) == Some(numbered);
        match self.lanes.get(numbered.lane).and_then(|row| self.outcomes.find(row, is_it)) {
            Some(Outcome { command: first, reply }) if first == command => Found::Given(Ok(reply.clone())),
            Some(Outcome { reply, .. }) => refused(&REUSED, Some(reply.ticket.sequence)),
            None => refused(forgotten, None),
        }
    }

    // ANCHOR: settle
    /// Takes the answer to a request that was new: from now on the request counts as done, or as never received.
    /// Returns the repeats that came meanwhile; they get the same answer.
    pub fn settle(&mut self, numbered: Numbered, command: &Command, given: &Given) -> Vec<Waiter> {
        let Some(UnderWay { waiters, .. }) = self.under_way.remove(&numbered) else { return Vec::new() };
        if let Ok(reply) = given {
            let row = self.lanes.entry(numbered.lane);
            row.window.mark(numbered.number);
            self.outcomes.keep(row, Outcome { command: *command, reply: reply.clone() });
        }
        waiters
    }
    // ANCHOR_END: settle

    /// The lanes of an account, and the highest number of each that was used.
    pub fn lanes_of(&self, account: AccountId) -> Vec<(Lane, u64)> {
        let every = Kind::ALL.into_iter().flat_map(|kind| (0..=u8::MAX).map(move |lane| Lane { account, kind, lane }));
        every.filter_map(|lane| Some((lane, self.lanes.get(lane)?.window.highest()))).collect()
    }
}

fn refused(why: &'static Refused, sequence: Option<Sequence>) -> Found {
    Found::Given(Err(Refusal::Layer(why, sequence)))
}

#[cfg(test)]
mod tests {
    use market::companion::Companion;
    use market::log::ShardOf;
    use market::{Cents, MarketId, Stamp, UnixMs};

    use super::*;
    use crate::memory::Carried;

    #[test]
    fn the_answer_to_each_number_of_a_window_is_found_whichever_shard_it_went_to() {
        // Three numbers of four go to the last shard.
        let shard = |number: u64| u16::from(!number.is_multiple_of(4));
        let deposit = |number: u32| {
            let market = MarketId(shard(number.into()).into());
            Command::Deposit { market, account: AccountId(7), amount: Cents(1), request: number }
        };
        let carried = [0, 1].map(|shard| Carried::new(ShardOf { shard, shards: 2 }, 10_000));
        for number in 1..=3_000 {
            let stamp = Stamp { sequence: Sequence(number.into()), time: UnixMs(1) };
            carried[usize::from(shard(number.into()))].clone().observe(stamp, &deposit(number), &[]);
        }
        let memories = carried.map(|carried| carried.0.lock().expect("nothing panics here").clone());
        let mut table = Table::new(memories.into(), 10_000);
        for number in 3_000 - 255..=3_000 {
            let command = deposit(number);
            let numbered = Numbered::of(&command).expect("it has a number");
            let found = table.enter(numbered, &command, || unreachable!("it is not new"));
            let Found::Given(Ok(reply)) = found else { panic!("{number} has no answer") };
            assert_eq!(reply.ticket.sequence, Sequence(number.into()));
        }
    }
}
