//! The requests in flight, and the answers found for them so far.
//!
//! They are numbered in the order in which they reach the engine. With one shard they are also answered in this order;
//! with several, a later one may be complete before an earlier one, and its entry stays empty until the earlier ones
//! are gone.

use std::collections::VecDeque;

use market::Ticket;

use crate::reply::{Answer, Reply};

/// Where the answer to one command goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    request: u64,
    /// The index of the command in the request.
    command: usize,
}

/// All requests in flight.
#[derive(Default)]
pub(super) struct Requests {
    /// The number of the first one.
    first: u64,
    under_way: VecDeque<Option<Answer>>,
    /// How many commands of the last one have arrived.
    commands: usize,
    whole: Vec<Answer>,
}

impl Requests {
    /// Where the answer to the next command goes: it starts a new request, or belongs to the last one.
    pub(super) fn next(&mut self, begins: Option<Answer>) -> Place {
        if begins.is_some() {
            self.under_way.push_back(begins);
            self.commands = 0;
        }
        self.commands += 1;
        Place { request: self.first + self.under_way.len() as u64 - 1, command: self.commands - 1 }
    }

    /// What a command led to is there.
    pub(super) fn handed_back(&self, Place { request, .. }: Place, ticket: Ticket) {
        if let Some(Some(answer)) = self.under_way.get((request - self.first) as usize) {
            answer.handed_back(ticket);
        }
    }

    /// Stores the answer to a command.
    pub(super) fn put(&mut self, Place { request, command }: Place, reply: Reply) {
        let place = self.under_way.get_mut((request - self.first) as usize);
        let Some(whole) = place.and_then(|place| place.take_if(|answer| answer.put(command, Ok(reply)))) else {
            return;
        };
        self.whole.push(whole);
        while let Some(None) = self.under_way.front() {
            self.under_way.pop_front();
            self.first += 1;
        }
    }

    // ANCHOR: give
    /// Sends the complete answers to their requests' senders.
    pub(super) fn give(&mut self) {
        self.whole.clear();
    }
    // ANCHOR_END: give
}
