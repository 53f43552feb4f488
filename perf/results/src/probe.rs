//! A short probe of the machine's state before each round: how long a sync, a cache line's round
//! trip between two cores and a fixed loop take. Neighbours, power saving and a virtual machine's
//! moving cores change these by factors, and an engine's figures with them, so two runs are
//! compared only when their probes agree. A probe takes well under 300 ms.

use std::fmt;
use std::hint::{black_box, spin_loop};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::MeasureError;
use crate::language::Language;
use crate::spread::median_of_sorted;
use crate::units::duration_text;

/// The factor at which two probes of the same kind count as different states.
pub const STATE_FACTOR: f64 = 1.5;

const SYNCS: usize = 15;
const SYNCS_AT_LEAST: usize = 5;
const SYNC_BUDGET: Duration = Duration::from_millis(120);
const TRIP_BATCHES: usize = 15;
const TRIPS_PER_BATCH: u64 = 1_000;
const TRIP_BUDGET: Duration = Duration::from_millis(60);
const SPIN_RUNS: usize = 5;
const SPINS: u64 = 1_000_000;

/// The machine's state at one moment: medians in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// Appending 64 bytes and syncing them.
    pub sync_ns: f64,
    /// A cache line's trip to another core and back; `None` on a single core, or when the two
    /// threads did not get a core each.
    pub round_trip_ns: Option<f64>,
    /// Whether the two threads could be pinned to a core each; otherwise a round trip says less.
    #[serde(default)]
    pub pinned: bool,
    /// A fixed loop of a million dependent steps.
    pub spin_ns: f64,
}

impl Probe {
    /// Probes this machine, with the disk under `dir`.
    ///
    /// # Errors
    /// [`MeasureError::Disk`] when a file in `dir` cannot be written and synced.
    pub fn take(dir: &Path) -> Result<Self, MeasureError> {
        let spin_ns = spin_ns();
        let (round_trip_ns, pinned) = match round_trip(TRIP_BATCHES, TRIP_BUDGET) {
            Some(trip) => (median(trip.samples_ns), trip.pinned),
            None => (None, false),
        };
        let sync_ns = sync_ns(dir)?;
        Ok(Self { sync_ns, round_trip_ns, pinned, spin_ns })
    }

    /// The median state of a run's probes; `None` when there are none.
    pub fn median_of(probes: &[Self]) -> Option<Self> {
        let of = |value: fn(&Self) -> Option<f64>| median(probes.iter().filter_map(value).collect());
        Some(Self {
            sync_ns: of(|probe| Some(probe.sync_ns))?,
            round_trip_ns: of(|probe| probe.round_trip_ns),
            pinned: probes.iter().all(|probe| probe.pinned),
            spin_ns: of(|probe| Some(probe.spin_ns))?,
        })
    }
}

/// One thing in which two states differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// What was probed.
    pub what: &'static str,
    /// Its time in the first state, in nanoseconds.
    pub before_ns: f64,
    /// Its time in the second state, in nanoseconds.
    pub after_ns: f64,
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, before_ns, after_ns } = *self;
        let text = |ns| duration_text(ns, Language::English);
        let (before, after) = (text(before_ns), text(after_ns));
        let (factor, word) =
            if after_ns >= before_ns { (after_ns / before_ns, "slower") } else { (before_ns / after_ns, "faster") };
        write!(out, "{what} took {before} in the first, {after} in the second: {factor:.1} times {word}")
    }
}

/// In which of the three figures two states differ by more than `factor`; empty means the same
/// state. A round trip that is missing in one of them is no difference, because there is nothing to
/// compare.
pub fn same_state(a: &Probe, b: &Probe, factor: f64) -> Vec<Difference> {
    let mut pairs = vec![("a sync", a.sync_ns, b.sync_ns)];
    if let (Some(a), Some(b)) = (a.round_trip_ns, b.round_trip_ns) {
        pairs.push(("a cache line's round trip between two cores", a, b));
    }
    pairs.push(("the fixed spin loop", a.spin_ns, b.spin_ns));
    let differs = |&(_, a, b): &(_, f64, f64)| a.max(b) > factor * a.min(b);
    let name = |(what, before_ns, after_ns)| Difference { what, before_ns, after_ns };
    pairs.into_iter().filter(differs).map(name).collect()
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    median_of_sorted(&values)
}

fn sync_ns(dir: &Path) -> Result<f64, MeasureError> {
    let fail = |error: std::io::Error| MeasureError::disk("write and sync a file in", dir, &error);
    let mut file = tempfile::tempfile_in(dir).map_err(fail)?;
    let started = Instant::now();
    let mut samples = Vec::with_capacity(SYNCS);
    while samples.len() < SYNCS {
        if samples.len() >= SYNCS_AT_LEAST && started.elapsed() > SYNC_BUDGET {
            break;
        }
        let start = Instant::now();
        file.write_all(&[0x99; 64]).map_err(fail)?;
        file.sync_data().map_err(fail)?;
        samples.push(start.elapsed().as_nanos() as f64);
    }
    Ok(median(samples).unwrap_or_default())
}

fn spin_ns() -> f64 {
    let mut samples = Vec::with_capacity(SPIN_RUNS);
    for _ in 0..SPIN_RUNS {
        let start = Instant::now();
        let (mut state, mut left) = (black_box(1_u64), SPINS);
        // A plain loop: over an unoptimised iterator it takes three times as long, and the tests race.
        while left > 0 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            left -= 1;
        }
        black_box(state);
        samples.push(start.elapsed().as_nanos() as f64);
    }
    median(samples).unwrap_or_default()
}

/// A counter on a cache line of its own: 128 bytes, because cores fetch lines in pairs.
#[derive(Default)]
#[repr(align(128))]
struct Line(AtomicU64);

const _: () = assert!(align_of::<Line>() == 128 && size_of::<Line>() == 128);

/// Round trips of a cache line between two cores.
pub struct RoundTrips {
    /// Nanoseconds a round trip, one figure a batch.
    pub samples_ns: Vec<f64>,
    /// Whether both threads were pinned.
    pub pinned: bool,
}

/// Sends a number to a thread on another core and back, `batches` times a thousand; `None` on a
/// single core, or when `budget` passes before the first batch (both threads share a core then).
pub fn round_trip(batches: usize, budget: Duration) -> Option<RoundTrips> {
    if thread::available_parallelism().map_or(1, usize::from) < 2 {
        return None;
    }
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let pin = |place: usize| match (cores.len(), cores.get(place)) {
        (2.., Some(&core)) => core_affinity::set_for_current(core),
        _ => false,
    };
    let (ping, pong, stop) = (Line::default(), Line::default(), AtomicBool::new(false));
    // Separate threads, so that the caller's thread stays free to move.
    let (samples_ns, pinned) = thread::scope(|scope| {
        let answer = scope.spawn(|| {
            let pinned = pin(1);
            answer_pings(&ping, &pong, &stop);
            pinned
        });
        let ask = scope.spawn(|| {
            let pinned = pin(0);
            let samples = ask_pings(&ping, &pong, batches, Instant::now() + budget);
            stop.store(true, Ordering::Release);
            (samples, pinned)
        });
        let (samples, pinned) = ask.join().ok()?;
        Some((samples, pinned & answer.join().ok()?))
    })?;
    (!samples_ns.is_empty()).then_some(RoundTrips { samples_ns, pinned })
}

fn answer_pings(ping: &Line, pong: &Line, stop: &AtomicBool) {
    let mut answered = 0;
    while !stop.load(Ordering::Acquire) {
        let asked = ping.0.load(Ordering::Acquire);
        if asked == answered {
            spin_loop();
            continue;
        }
        answered = asked;
        pong.0.store(answered, Ordering::Release);
    }
}

fn ask_pings(ping: &Line, pong: &Line, batches: usize, deadline: Instant) -> Vec<f64> {
    let mut samples = Vec::with_capacity(batches);
    let mut asked = 0;
    // The first batch warms up: it waits for the other thread to start.
    for batch in 0..=batches {
        let start = Instant::now();
        for _ in 0..TRIPS_PER_BATCH {
            asked += 1;
            ping.0.store(asked, Ordering::Release);
            let mut waits = 0_u32;
            while pong.0.load(Ordering::Acquire) != asked {
                spin_loop();
                waits += 1;
                if waits.is_multiple_of(4_096) && Instant::now() > deadline {
                    return samples;
                }
            }
        }
        if batch > 0 {
            samples.push(start.elapsed().as_nanos() as f64 / TRIPS_PER_BATCH as f64);
        }
        if Instant::now() > deadline {
            break;
        }
    }
    samples
}

#[cfg(test)]
mod tests {
    use program::Failure;

    use super::*;

    const CALM: Probe = Probe { sync_ns: 113e3, round_trip_ns: Some(98.0), pinned: true, spin_ns: 1.9e6 };

    #[test]
    fn a_probe_is_quick_and_plausible() {
        let start = Instant::now();
        let probe = Probe::take(&std::env::temp_dir()).unwrap();
        // The promise is 300 ms; a machine that is also compiling gets more.
        assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
        assert!(probe.sync_ns > 0.0 && probe.spin_ns > 1e5);
        assert!(probe.round_trip_ns.is_none_or(|ns| ns > 1.0 && ns < 1e6), "{probe:?}");
    }

    #[test]
    fn a_missing_folder_is_a_disk_error() {
        let error = Probe::take(Path::new("no-such-folder")).unwrap_err();
        assert_eq!(error.exit_code(), 3);
        assert!(error.to_string().contains("no-such-folder"), "{error}");
    }

    #[test]
    fn states_differ_beyond_the_factor_only() {
        let near = Probe { sync_ns: 150e3, round_trip_ns: Some(80.0), ..CALM };
        assert_eq!(same_state(&CALM, &near, STATE_FACTOR), []);
        let far = Probe { sync_ns: 2.4e6, round_trip_ns: Some(415.0), ..CALM };
        let words: Vec<_> = same_state(&CALM, &far, STATE_FACTOR).iter().map(ToString::to_string).collect();
        assert_eq!(
            words,
            [
                "a sync took 113 µs in the first, 2.40 ms in the second: 21.2 times slower",
                "a cache line's round trip between two cores took 98 ns in the first, \
                 415 ns in the second: 4.2 times slower",
            ]
        );
        let back = same_state(&far, &CALM, STATE_FACTOR);
        assert!(back[0].to_string().ends_with("21.2 times faster"), "{}", back[0]);
        assert_eq!(same_state(&CALM, &Probe { round_trip_ns: None, ..CALM }, 1.1), []);
    }

    #[test]
    fn the_median_state_is_that_of_each_figure() {
        let slow = Probe { sync_ns: 5e6, round_trip_ns: None, ..CALM };
        let other = Probe { sync_ns: 120e3, round_trip_ns: Some(200.0), ..CALM };
        let median = Probe::median_of(&[slow, CALM, other]).unwrap();
        assert_eq!(median.sync_ns, 120e3);
        assert_eq!(median.round_trip_ns, Some(149.0));
        assert_eq!(Probe::median_of(&[]), None);
    }
}
