//! A broker of notices: a queue for each priority, which drops when it is full, and a set of ids that were seen.
//! It marks an id as seen before the queue takes the notice. So when the queue refuses, the producer tries again, the
//! broker reports that it has the notice already, and the notice is lost.

use std::collections::{HashSet, VecDeque};

use contract::streams::Random;

use crate::record::Naive;

const NOTICES: u64 = 1_000_000;

/// How many notices a queue holds.
const ROOM: usize = 10_000;

/// The broker.
#[derive(Default)]
struct Broker {
    seen: HashSet<u64>,
    queues: [VecDeque<u64>; 3],
}

impl Broker {
    /// Whether the broker has taken it, now or before.
    fn publish(&mut self, id: u64, priority: usize) -> bool {
        if !self.seen.insert(id) {
            return true;
        }
        let queue = &mut self.queues[priority];
        if queue.len() == ROOM {
            return false;
        }
        queue.push_back(id);
        true
    }

    /// The next one, by priority.
    fn next(&mut self) -> Option<u64> {
        self.queues.iter_mut().find_map(VecDeque::pop_front)
    }
}

/// A reader that is a little slower than what is published, in bursts. The producer tries everything three times.
pub fn measure() -> Naive {
    let (mut broker, mut random, mut read, mut reported) = (Broker::default(), Random::new(1), HashSet::new(), 0);
    for id in 0..NOTICES {
        let priority = random.below(3) as usize;
        reported += u64::from((0..3).any(|_| broker.publish(id, priority)));
        for _ in 0..random.below(2) + u64::from(id % 100_000 > 60_000) {
            read.extend(broker.next());
        }
    }
    while let Some(id) = broker.next() {
        read.insert(id);
    }
    Naive { name: "broker".into(), asked: NOTICES, twice: 0, lost: reported - read.len() as u64, per_s: None }
}
