//! An order's whole way: the moments at its client, around those in the venue.
//!
//! The load knows when an order was due, when it sent it, and when it had the answer. The venue knows its own moments of the orders
//! that it samples. Both read one clock, so the number of the order's command joins them, and the stages add up from the moment
//! when the order was due until its answer was received.
//!
//! ```text
// ANCHOR: ways
//! due ─ wait ─ sent ─ way in ─ read ─ … the venue's stages … ─ written ─ way back ─ received
//!        │             │                                                   │
//!        │             │                                                   └ until the client has read the answer
//!        │             └ through the client's sockets and the venue's, until the venue has read it
//!        └ its connection waits for an earlier answer, or the client itself is late
// ANCHOR_END: ways
//! ```

use std::collections::HashMap;

use load::waits::Answered;
use serde::{Deserialize, Serialize};

use crate::clock::{Anchor, IS_SHARED};
use crate::distribution::Distribution;
use crate::http::{PathReport, Request, Times};
use crate::stage::{self, Moment};

/// How many moments there are: two before the venue's, and one after them.
pub const MOMENTS: usize = stage::MOMENTS + 3;

/// How many stages lie between them.
pub const STAGES: usize = MOMENTS - 1;

/// The stages' names, each for what happens up to its moment.
pub const NAMES: [&str; STAGES] = around(["wait", "way in"], stage::NAMES, "way back");

/// The parts of the way: those at the client, with the venue as one.
pub const PARTS: [&str; 4] = ["wait", "way in", "venue", "way back"];

/// What happens in each part, in English and in Chinese.
pub const MEANINGS: [(&str, &str); PARTS.len()] = [
    (
        "due, and not sent: its connection waits for an answer, or the load is late",
        "该发而未发：连接在等前一个答复，或者压测自己迟了",
    ),
    ("sent, until the venue has read it", "发出之后，到交易所读到"),
    ("from read to written: the stages above", "从读到写：上面各阶段"),
    ("written, until the client has it", "写出之后，到客户端收到"),
];

/// What is at the client around what is in the venue.
const fn around<T: Copy, const IN: usize, const ALL: usize>(before: [T; 2], venue: [T; IN], after: T) -> [T; ALL] {
    assert!(ALL == IN + 3, "two before, and one after");
    let mut all = [after; ALL];
    (all[0], all[1]) = (before[0], before[1]);
    let mut at = 0;
    while at < IN {
        all[at + 2] = venue[at];
        at += 1;
    }
    all
}

/// An order with all of its moments.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Way {
    /// The shard of its command.
    pub shard: u16,
    /// The number of its command.
    pub sequence: u64,
    /// Due, sent, the moments in the venue, and received, in nanoseconds of the machine's clock.
    pub at_ns: [u64; MOMENTS],
}

impl Way {
    // ANCHOR: join
    /// An order as both sides saw it; none where a moment is missing or out of order.
    fn of(order: &Answered, request: &Request, anchor: &Anchor) -> Option<Way> {
        let [due, sent, received] = [order.due, order.sent, order.received].map(|at| anchor.ns(at));
        let mut venue = request.at_ns;
        // The venue looks at the clock when the system has taken the answer. By then a client on another core may
        // have it: what the client has read is written.
        let written = &mut venue[Moment::Written as usize];
        *written = received.min(*written);
        let at_ns: [u64; MOMENTS] = around([due, sent], venue, received);
        at_ns.is_sorted().then_some(Way { shard: order.shard, sequence: order.sequence, at_ns })
    }
    // ANCHOR_END: join

    /// From the moment when it was due until its answer was received, in nanoseconds.
    pub fn whole_ns(&self) -> u64 {
        self.at_ns[MOMENTS - 1] - self.at_ns[0]
    }

    /// The moments in the venue.
    pub fn venue(&self) -> [u64; stage::MOMENTS] {
        let [_, _, venue @ .., _] = self.at_ns;
        venue
    }

    /// The time of each part, in nanoseconds.
    pub fn parts(&self) -> [u64; PARTS.len()] {
        let [due, sent, read, .., written, received] = self.at_ns;
        [sent - due, read - sent, written - read, received - written]
    }
}

/// The orders that both sides know.
#[derive(Serialize, Deserialize, Clone, Default, PartialEq, Debug)]
pub struct Ways {
    /// Of the sampled orders, in the order in which they were through.
    pub sampled: Vec<Way>,
    /// Of the slowest.
    pub slowest: Vec<Way>,
}

impl Ways {
    /// Joins what a load saw and what the venue has collected of it; nothing where they do not read [one clock](IS_SHARED).
    pub fn join(orders: &[Answered], report: &PathReport) -> Ways {
        if !IS_SHARED {
            return Ways::default();
        }
        let anchor = Anchor::set();
        let orders: HashMap<_, _> = orders.iter().map(|order| ((order.shard, order.sequence), order)).collect();
        let way = |request: &Request| Way::of(orders.get(&(request.shard, request.sequence))?, request, &anchor);
        let [sampled, slowest] = [&report.sampled, &report.slowest].map(|all| all.iter().filter_map(way).collect());
        Ways { sampled, slowest }
    }

    /// All of them, by shard and number.
    pub fn by_number(&self) -> HashMap<(u16, u64), &Way> {
        self.slowest.iter().chain(&self.sampled).map(|way| ((way.shard, way.sequence), way)).collect()
    }

    /// The times of each part over the sampled orders, and of the whole way.
    pub fn parts(&self) -> ([Times; PARTS.len()], Times) {
        let (mut parts, mut whole) = ([(); PARTS.len()].map(|()| Distribution::default()), Distribution::default());
        for way in &self.sampled {
            parts.iter_mut().zip(way.parts()).for_each(|(part, ns)| part.add(ns));
            whole.add(way.whole_ns());
        }
        (std::array::from_fn(|part| Times::of(PARTS[part], &parts[part])), Times::of("whole", &whole))
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// An order with the client's moments that many nanoseconds after the anchor, and a request with this write.
    fn joined(client: [u64; 3], written: u64) -> Option<Way> {
        let anchor = Anchor::set();
        let zero = anchor.ns(Instant::now()) + 1_000;
        let start = Instant::now();
        let zero_at = start + Duration::from_nanos(zero - anchor.ns(start));
        let [due, sent, received] = client.map(|ns| zero_at + Duration::from_nanos(ns));
        let order = Answered { shard: 1, sequence: 7, due, sent, received };
        let mut at_ns = std::array::from_fn(|moment| zero + 100 + 10 * moment as u64);
        at_ns[Moment::Written as usize] = zero + written;
        Way::of(&order, &Request { id: String::new(), shard: 1, sequence: 7, at_ns }, &anchor)
    }

    #[test]
    fn the_stages_add_up_from_due_to_received() {
        let way = joined([10, 40, 260], 215).expect("all moments are in order");
        assert_eq!(way.parts(), [30, 60, 115, 45]);
        let stages: Vec<u64> = way.at_ns.windows(2).map(|two| two[1] - two[0]).collect();
        assert_eq!(stages, [30, 60, 10, 10, 10, 10, 10, 10, 10, 10, 10, 25, 45]);
        assert_eq!((stages.iter().sum(), way.parts().iter().sum()), (way.whole_ns(), 250));
        assert_eq!((NAMES[1], NAMES[2], NAMES[11], NAMES[12]), ("way in", "parse", "write", "way back"));
    }

    #[test]
    fn an_answer_that_is_read_is_written_and_no_other_moment_may_be_out_of_order() {
        let early = joined([10, 40, 205], 215).expect("the client had the answer before the venue looked at the clock");
        assert_eq!(early.parts(), [30, 60, 105, 0], "nothing is negative, and the whole is the client's");
        assert_eq!(joined([10, 40, 150], 215), None, "received before it was encoded");
        assert_eq!(joined([10, 140, 260], 215), None, "read before it was sent");
        assert_eq!(joined([50, 40, 260], 215), None, "sent before it was due");
    }
}
