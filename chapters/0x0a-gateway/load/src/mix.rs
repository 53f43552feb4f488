//! The sequence of requests of one load connection: orders that trade, and a given percentage of requests that cancel
//! an order which an earlier one left resting.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::crowd::Crowd;
use crate::waits::number;

/// One connection's requests.
pub struct Mix {
    number: usize,
    cancels: u64,
    asked: u64,
    resting: Vec<u64>,
}

/// The next request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ask {
    /// Place this order, given as JSON without its braces. Report those that rest to [`Mix::rests`].
    Place {
        /// The order.
        order: String,
        /// Whether it is to stay in the book.
        is_to_rest: bool,
    },
    /// Cancel the order with this number.
    Cancel(u64),
}

impl Mix {
    /// `cancels` of a hundred requests cancel, at most 50: each cancelled order has to be placed first.
    pub fn new(number: usize, cancels: u64) -> Mix {
        Mix { number, cancels: cancels.min(50), asked: 0, resting: Vec::new() }
    }

    /// The next request.
    pub fn ask(&mut self) -> Ask {
        let place = self.asked % 100;
        self.asked += 1;
        let is_about_rest = place < 2 * self.cancels;
        if is_about_rest
            && place % 2 == 1
            && let Some(order) = self.resting.pop()
        {
            return Ask::Cancel(order);
        }
        let order = if is_about_rest { Crowd::quiet_order(self.number) } else { Crowd::order(self.number) };
        Ask::Place { order, is_to_rest: is_about_rest }
    }

    /// Takes the answer to an order that was meant to rest.
    pub fn rests(&mut self, answer: &str) {
        self.resting.extend(number(answer, "\"order\":"));
    }
}

/// A WebSocket connection's requests, and which of them are not yet answered.
pub struct UnderWay(Mutex<Asked>);

struct Asked {
    mix: Mix,
    /// When each was due and when it was sent, and whether it is an order that is meant to rest.
    sent: HashMap<u64, (Instant, Instant, bool)>,
}

impl UnderWay {
    /// Nothing in flight.
    pub fn new(number: usize, cancels: u64) -> UnderWay {
        UnderWay(Mutex::new(Asked { mix: Mix::new(number, cancels), sent: HashMap::new() }))
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The message for a request that was due then, and is sent now.
    pub fn next(&self, id: u64, at: Instant) -> String {
        let mut asked = self.asked();
        let (text, is_to_rest) = match asked.mix.ask() {
            Ask::Place { order, is_to_rest } => (format!(r#"{{"id":{id},"do":"place",{order}}}"#), is_to_rest),
            Ask::Cancel(order) => (format!(r#"{{"id":{id},"do":"cancel","market":1,"order":{order}}}"#), false),
        };
        asked.sent.insert(id, (at, Instant::now(), is_to_rest));
        text
    }

    /// When the request that this answers was due, and when it was sent.
    pub fn answered(&self, id: u64, text: &str) -> Option<(Instant, Instant)> {
        let mut asked = self.asked();
        let (due, sent, is_to_rest) = asked.sent.remove(&id)?;
        if is_to_rest {
            asked.mix.rests(text);
        }
        Some((due, sent))
    }

    /// How many are not answered.
    pub fn left(&self) -> usize {
        self.asked().sent.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_of_a_hundred_cancel() {
        for cancels in [0, 7, 50] {
            let mut mix = Mix::new(1, cancels);
            let (mut cancelled, mut placed) = (Vec::new(), 0);
            for _ in 0..300 {
                match mix.ask() {
                    Ask::Cancel(order) => cancelled.push(order),
                    Ask::Place { is_to_rest: true, .. } => {
                        placed += 1;
                        mix.rests(&format!(r#"{{"re":4,"ok":{{"market":1,"order":{placed},"shard":0}}}}"#));
                    }
                    Ask::Place { .. } => {}
                }
            }
            assert_eq!((cancelled.len() as u64, placed), (3 * cancels, 3 * cancels));
            cancelled.dedup();
            assert_eq!(cancelled.len() as u64, 3 * cancels, "each order once");
        }
    }
}
