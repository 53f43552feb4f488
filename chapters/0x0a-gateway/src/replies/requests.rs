//! The requests that are under way, and the answers that were found for them so far.
//!
//! They are numbered as they come to the engine. With one shard they are answered in this order too; with several, a later
//! one may be whole before an earlier one, whose place stays empty until those before it have gone.

use std::collections::VecDeque;

use crate::reply::{Answer, Reply};

/// Where the answer to one command is written down.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    request: u64,
    /// Which of the request's commands.
    command: usize,
}

/// All of them.
#[derive(Default)]
pub(super) struct Requests {
    /// The number of the first one.
    first: u64,
    under_way: VecDeque<Option<Answer>>,
    /// How many commands of the last one have come.
    commands: usize,
    whole: Vec<Answer>,
}

impl Requests {
    /// Where the answer to the next command goes, which begins a request or is another one of the last.
    pub(super) fn next(&mut self, begins: Option<Answer>) -> Place {
        if begins.is_some() {
            self.under_way.push_back(begins);
            self.commands = 0;
        }
        self.commands += 1;
        Place { request: self.first + self.under_way.len() as u64 - 1, command: self.commands - 1 }
    }

    /// Writes down the answer to a command.
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
    /// Gives those that are whole: each where its request came from.
    pub(super) fn give(&mut self) {
        self.whole.clear();
    }
    // ANCHOR_END: give
}
