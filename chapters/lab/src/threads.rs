//! Work on several threads that start together.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use crate::experiment::Sample;

/// The numbers of threads to compare: 1, 2, 4, 8, up to the number of cores, and that number.
pub fn counts() -> Vec<usize> {
    let cores = cores();
    let mut counts: Vec<usize> = [1, 2, 4, 8].into_iter().filter(|&count| count <= cores).collect();
    if !counts.contains(&cores) {
        counts.push(cores);
    }
    counts
}

/// The cores that this program may use, at most 8.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(8)
}

/// Runs `work` on this many threads, which each do this many operations, and adds up their results. The time is from
/// the first thread's start to the last one's end, divided by the operations of one: what an operation takes while
/// the others are busy too. The threads read the clock themselves, because a thread that only waits for them may wake
/// up after all is over.
pub fn together(threads: usize, operations: usize, work: impl Fn(usize) -> u64 + Sync) -> Sample {
    let start_line = Barrier::new(threads);
    let run = |thread| {
        start_line.wait();
        let start = Instant::now();
        let answer = work(thread);
        (answer, start, Instant::now())
    };
    thread::scope(|scope| {
        let run = &run;
        let running: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        // A thread that panicked has printed why, and its missing share makes the answers disagree.
        let done: Vec<_> = running.into_iter().filter_map(|thread| thread.join().ok()).collect();
        let answer = done.iter().fold(0_u64, |sum, (part, ..)| sum.wrapping_add(*part));
        let (first, last) = (done.iter().map(|done| done.1).min(), done.iter().map(|done| done.2).max());
        let time = first.zip(last).map_or(Duration::ZERO, |(first, last)| last - first);
        Sample { ns: time.as_nanos() as f64 / operations.max(1) as f64, answer }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_works_and_counts() {
        let sample = together(3, 10, |thread| thread as u64 + 1);
        assert_eq!(sample.answer, 6);
        assert!(counts().contains(&1) && counts().contains(&cores()));
    }

    /// More threads than cores, so that a thread that waits for them wakes up late.
    #[test]
    fn no_work_takes_less_time_than_it_takes() {
        const WORK: Duration = Duration::from_millis(2);
        for _ in 0..20 {
            let sample = together(2 * cores(), 1, |_| {
                let start = Instant::now();
                while start.elapsed() < WORK {}
                1
            });
            assert!(sample.ns >= WORK.as_nanos() as f64, "work of {WORK:?} was measured as {} ns", sample.ns);
        }
    }
}
