//! What the clients of an open loop saw: how long the answers took, and when each of the last orders was due, sent and
//! answered.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use hdrhistogram::Histogram;

use crate::asking::histogram;

/// An order's moments at its client, and the number by which the venue knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answered {
    /// The shard of its command.
    pub shard: u16,
    /// The number of its command in that shard.
    pub sequence: u64,
    /// When the schedule wanted it sent.
    pub due: Instant,
    /// When the client began to send it.
    pub sent: Instant,
    /// When the client had the answer.
    pub received: Instant,
}

/// Waits that connections record and another task reads from time to time.
#[derive(Clone)]
pub struct Waits {
    seen: Arc<Mutex<Seen>>,
    /// How many orders are kept one by one.
    keep: usize,
}

struct Seen {
    waits: Histogram<u64>,
    last: VecDeque<Answered>,
}

impl Default for Waits {
    fn default() -> Waits {
        Waits::keeping(0)
    }
}

impl Waits {
    /// Waits that also keep the moments of this many orders, those that were answered last.
    pub fn keeping(keep: usize) -> Waits {
        Waits { seen: Arc::new(Mutex::new(Seen { waits: histogram(), last: VecDeque::new() })), keep }
    }

    /// This many orders, due at `due`, were answered now.
    pub fn add(&self, due: Instant, orders: u64) {
        self.record(due, Instant::now(), orders);
    }

    /// One order has its answer now.
    pub fn answered(&self, due: Instant, sent: Instant, answer: &[u8]) {
        let received = Instant::now();
        self.record(due, received, 1);
        if self.keep == 0 {
            return;
        }
        let answer = std::str::from_utf8(answer).unwrap_or_default();
        let (shard, sequence) = (number(answer, "\"shard\":"), number(answer, "\"sequence\":"));
        let Some((shard, sequence)) = shard.and_then(|shard| u16::try_from(shard).ok()).zip(sequence) else { return };
        let mut seen = self.lock();
        if seen.last.len() == self.keep {
            seen.last.pop_front();
        }
        seen.last.push_back(Answered { shard, sequence, due, sent, received });
    }

    /// All waits since the last call.
    pub fn take(&self) -> Histogram<u64> {
        std::mem::replace(&mut self.lock().waits, histogram())
    }

    /// The orders that are kept, in the order of their answers. They are kept no longer then.
    pub fn take_last(&self) -> Vec<Answered> {
        std::mem::take(&mut self.lock().last).into()
    }

    fn record(&self, due: Instant, received: Instant, orders: u64) {
        let wait = received.saturating_duration_since(due).as_nanos() as u64;
        self.lock().waits.saturating_record_n(wait.max(1), orders);
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first number behind this name in an answer, which is JSON of one line.
pub fn number(answer: &str, name: &str) -> Option<u64> {
    let (_, rest) = answer.split_once(name)?;
    rest.split(|other: char| !other.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_orders_are_kept_with_the_numbers_of_their_answers() {
        let (waits, due) = (Waits::keeping(2), Instant::now());
        let sent = Instant::now();
        for answer in [
            r#"{"market":1,"order":7,"shard":0,"sequence":41,"time_ms":5}"#,
            r#"{"re":9,"ok":{"market":1,"order":8,"shard":3,"sequence":42,"time_ms":5}}"#,
            r#"{"cancelled":[8],"sequence":43}"#,
            r#"{"market":1,"order":9,"shard":1,"sequence":18446744073709551615}"#,
            r#"{"market":1,"order":9,"shard":70000,"sequence":44}"#,
        ] {
            waits.answered(due, sent, answer.as_bytes());
        }
        let last = waits.take_last();
        let numbers: Vec<_> = last.iter().map(|order| (order.shard, order.sequence)).collect();
        assert_eq!(numbers, [(3, 42), (1, u64::MAX)], "without a number there is nothing to join");
        assert!(last.iter().all(|order| order.due <= order.sent && order.sent <= order.received));
        assert_eq!((waits.take().len(), waits.take().len()), (5, 0), "each wait counts once");
        assert!(waits.take_last().is_empty());
    }

    #[test]
    fn nothing_is_kept_where_it_was_not_asked_for() {
        let waits = Waits::default();
        waits.answered(Instant::now(), Instant::now(), br#"{"shard":0,"sequence":41}"#);
        assert_eq!((waits.take().len(), waits.take_last().len()), (1, 0));
    }
}
