//! What a chart shows that no record holds.

use crate::machine::Machine;
use crate::record::Flow;

/// One open-loop run of one chapter.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencyRun {
    /// The chapter's folder name.
    pub chapter: String,
    /// The rate at which commands arrived, per second.
    pub offered_per_s: f64,
    /// The rate at which they were acknowledged, per second.
    pub achieved_per_s: f64,
    /// `(percentile, nanoseconds)` in rising order; percentiles from 0 to below 100.
    pub points: Vec<(f64, f64)>,
    /// The slowest order, in nanoseconds.
    pub max_ns: f64,
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built.
    pub commit: String,
    /// What was run.
    pub flow: Flow,
}
