//! One shard and several, in turn: several matching threads with one tap each, and one feed for all of them.

use results::error::MeasureError;
use results::record::{FedShardsRecord, Spread};

use crate::bench::Bench;
use crate::direct::{self, Recorded};
use crate::last_reader::Way;
use crate::rounds::Rounds;

/// How many readers there are.
const READERS: usize = 100;

/// The results with one number of shards.
struct Case {
    shards: u16,
    recorded: Vec<Recorded>,
    event_ns: Vec<Option<f64>>,
    rounds: Rounds,
}

/// Measures each number of shards, interleaved.
///
/// # Errors
/// If it could not be run.
pub fn measure(bench: &Bench<'_>, shards: &[u16]) -> Result<Vec<FedShardsRecord>, MeasureError> {
    let case = |&shards: &u16| {
        let recorded = bench.recorded.split(shards);
        Case { shards, recorded, event_ns: Vec::new(), rounds: Rounds::default() }
    };
    let mut cases: Vec<Case> = shards.iter().map(case).collect();
    for _ in 0..bench.args.rounds() {
        for case in &mut cases {
            case.event_ns.push(direct::mask(&case.recorded, bench.market, READERS, bench.args.rate)?.event_ns);
            let commands = bench.flow.body.len();
            case.rounds.push(bench.late(Way::Mask, READERS, case.shards, commands)?);
        }
    }
    cases.iter().map(Case::record).collect()
}

impl Case {
    fn record(&self) -> Result<FedShardsRecord, MeasureError> {
        let event_ns: Option<Vec<f64>> = self.event_ns.iter().copied().collect();
        let p99_ms = self.rounds.p99_ms().ok_or_else(|| {
            MeasureError::Unusable(format!("with {} shards a round gave no result; run it again", self.shards))
        })?;
        Ok(FedShardsRecord {
            name: self.shards.to_string(),
            shards: self.shards,
            readers: READERS,
            event_ns: event_ns.as_deref().and_then(Spread::of),
            p99_ms,
            threads: self.rounds.threads(),
            void: self.rounds.void(),
        })
    }
}
