//! Several passes with a real engine, combined into one figure each: medians of the valid passes.

use results::record::{LateRecord, Limit, Spread, ThreadsRecord};

use crate::last_reader::Lateness;

/// Passes of one kind, in the order in which they ran.
#[derive(Default)]
pub struct Rounds {
    passes: Vec<Lateness>,
}

impl Rounds {
    /// Adds a pass.
    pub fn push(&mut self, pass: Lateness) {
        self.passes.push(pass);
    }

    /// The limits of the void passes.
    pub fn void(&self) -> Vec<Limit> {
        self.passes.iter().filter_map(|pass| pass.limit).collect()
    }

    /// The delay from acknowledgement.
    pub fn since_acknowledgement(&self) -> LateRecord {
        self.late(|pass| &pass.from_acknowledgement)
    }

    /// The delay from the moment when a command was due.
    pub fn since_due(&self) -> LateRecord {
        self.late(|pass| &pass.from_due)
    }

    /// Acknowledged commands per second.
    pub fn achieved_per_s(&self) -> f64 {
        self.median(|pass| pass.achieved_per_s)
    }

    /// The 99th percentile from acknowledgement, round by round.
    pub fn p99_ms(&self) -> Option<Spread> {
        Spread::of(&self.counting().map(|pass| pass.from_acknowledgement.p99_ms).collect::<Vec<_>>())
    }

    /// Where the processor time went, if the system reported it in every pass.
    pub fn threads(&self) -> Option<ThreadsRecord> {
        let threads: Vec<ThreadsRecord> = self.counting().map(|pass| pass.threads).collect::<Option<_>>()?;
        let median = |of: fn(&ThreadsRecord) -> f64| median(threads.iter().map(of));
        Some(ThreadsRecord {
            wall_ns: median(|threads| threads.wall_ns),
            matching_ns: median(|threads| threads.matching_ns),
            offering_ns: median(|threads| threads.offering_ns),
            feed_ns: median(|threads| threads.feed_ns),
            readers_ns: median(|threads| threads.readers_ns),
            others_ns: median(|threads| threads.others_ns),
            offering_late_ns: median(|threads| threads.offering_late_ns),
        })
    }

    fn late(&self, of: fn(&Lateness) -> &LateRecord) -> LateRecord {
        LateRecord {
            p50_ms: self.median(|pass| of(pass).p50_ms),
            p99_ms: self.median(|pass| of(pass).p99_ms),
            p999_ms: self.median(|pass| of(pass).p999_ms),
            commands: self.counting().map(|pass| of(pass).commands).min().unwrap_or_default(),
        }
    }

    fn median(&self, of: impl Fn(&Lateness) -> f64) -> f64 {
        median(self.counting().map(of))
    }

    /// The valid passes, or all of them if none is valid.
    fn counting(&self) -> impl Iterator<Item = &Lateness> {
        let is_void = self.passes.iter().all(|pass| pass.limit.is_some());
        self.passes.iter().filter(move |pass| is_void || pass.limit.is_none())
    }
}

fn median(rounds: impl Iterator<Item = f64>) -> f64 {
    Spread::of(&rounds.collect::<Vec<_>>()).map_or(0.0, |spread| spread.median)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(p99_ms: f64, limit: Option<Limit>) -> Lateness {
        let from_acknowledgement = LateRecord { p99_ms, commands: 7, ..LateRecord::default() };
        Lateness { from_acknowledgement, from_due: LateRecord::default(), achieved_per_s: 1.0, threads: None, limit }
    }

    #[test]
    fn void_rounds_count_only_if_there_are_no_others() {
        let mut rounds = Rounds::default();
        rounds.push(pass(90.0, Some(Limit::Readers)));
        assert_eq!((rounds.since_acknowledgement().p99_ms, rounds.void()), (90.0, vec![Limit::Readers]));
        rounds.push(pass(1.0, None));
        rounds.push(pass(3.0, None));
        assert_eq!((rounds.since_acknowledgement().p99_ms, rounds.void().len()), (2.0, 1));
        assert_eq!(rounds.p99_ms().map(|spread| spread.rounds), Some(vec![1.0, 3.0]));
    }
}
