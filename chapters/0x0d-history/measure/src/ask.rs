//! Questions to stores, and how long each takes.

use std::time::Instant;

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng as _, SeedableRng as _};
use results::record::Spread;

use crate::record::ReadRecord;
use crate::stores::{Failed, Pair, Store};

/// How often a question is asked in a round.
pub const ASKED: usize = 20_000;

/// Numbers that come out the same each time.
pub struct Random(Pcg64Mcg);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Random {
        Random(Pcg64Mcg::seed_from_u64(seed))
    }

    /// Below a number that is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.0.next_u64() % end as u64) as usize
    }
}

/// Half of the times, and ninety-nine in a hundred, in nanoseconds.
#[derive(Default)]
pub struct Rounds {
    p50: Vec<f64>,
    p99: Vec<f64>,
}

impl Rounds {
    /// Adds the times of a round.
    pub fn add(&mut self, mut times: Vec<u64>) {
        times.sort_unstable();
        let at = |part: f64| times.get((times.len() as f64 * part) as usize).copied().unwrap_or_default() as f64;
        self.p50.push(at(0.5));
        self.p99.push(at(0.99));
    }

    /// All of them.
    pub fn record(&self, name: &str) -> Option<ReadRecord> {
        let (p50_ns, p99_ns) = (Spread::of(&self.p50)?, Spread::of(&self.p99)?);
        Some(ReadRecord { name: name.into(), p50_ns, p99_ns })
    }
}

/// How long something takes, in nanoseconds.
pub fn timed<T>(work: impl FnOnce() -> Result<T, Failed>) -> Result<u64, Failed> {
    let began = Instant::now();
    std::hint::black_box(work()?);
    Ok(began.elapsed().as_nanos() as u64)
}

/// Asks for orders by number: those that are there, or those of a market that does not exist.
pub fn orders(store: &mut dyn Store, numbers: &[&Pair], is_there: bool, seed: u64) -> Result<Vec<u64>, Failed> {
    let mut random = Random::new(seed);
    let mut times = Vec::with_capacity(ASKED);
    for _ in 0..ASKED {
        let mut key = numbers[random.below(numbers.len())].0.clone();
        if !is_there {
            // Numbers far above each market's last: they sort between those that are there.
            key[5] = 1;
        }
        times.push(timed(|| {
            let found = store.get(&key)?;
            if found == is_there { Ok(()) } else { Err("a store has lost a row, or invented one".into()) }
        })?);
    }
    Ok(times)
}
