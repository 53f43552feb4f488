//! A set of seen ids that forgets by the clock. A copy that is delayed for longer than the set remembers is new again.

use std::collections::HashMap;

use contract::streams::Random;

use crate::record::Naive;

/// How long an id is remembered, in milliseconds: a day is usual; the shape is the same for any.
const EXPIRY_MS: u64 = 86_400_000;

const REQUESTS: u64 = 100_000;

/// The set.
#[derive(Default)]
struct Seen(HashMap<u64, u64>);

impl Seen {
    /// Whether an id is new at this time.
    fn is_new(&mut self, id: u64, now_ms: u64) -> bool {
        match self.0.insert(id, now_ms) {
            Some(seen_ms) => now_ms - seen_ms >= EXPIRY_MS,
            None => true,
        }
    }
}

/// Each request arrives twice; of a thousand copies, one was held for up to two days: a queue that was restored, a laptop
/// that was closed.
pub fn measure() -> Naive {
    let (mut random, mut seen, mut arrivals) = (Random::new(1), Seen::default(), Vec::new());
    for id in 0..REQUESTS {
        let sent_ms = id * 100;
        let late = random.below(1_000) == 0;
        let delay_ms = if late { random.below(2 * EXPIRY_MS) } else { random.below(1_000) };
        arrivals.extend([(sent_ms, id), (sent_ms + delay_ms, id)]);
    }
    arrivals.sort_unstable();
    let carried_out = arrivals.iter().filter(|(now_ms, id)| seen.is_new(*id, *now_ms)).count() as u64;
    Naive { name: "expiring-set".into(), asked: REQUESTS, twice: carried_out - REQUESTS, lost: 0, per_s: None }
}
