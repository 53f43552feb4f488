//! Work on several threads that start together.

use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use crate::experiment::Sample;

/// How many threads to compare: 1, 2, 4, 8, as far as there are cores, and the number of cores.
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

/// Runs `work` on so many threads, which each do so many operations, and adds up what they computed. The time is that
/// of the slowest thread, divided by the operations of one: what an operation takes where the others are busy too.
pub fn together(threads: usize, operations: usize, work: impl Fn(usize) -> u64 + Sync) -> Sample {
    let start_line = Barrier::new(threads + 1);
    let run = |thread| {
        start_line.wait();
        let answer = work(thread);
        (answer, Instant::now())
    };
    thread::scope(|scope| {
        let run = &run;
        let running: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        start_line.wait();
        let start = Instant::now();
        let (mut answer, mut ns_max) = (0_u64, 0.0_f64);
        for thread in running {
            // A thread that panicked has said why, and its missing share makes the answers disagree.
            if let Ok((part, end)) = thread.join() {
                answer = answer.wrapping_add(part);
                ns_max = ns_max.max(end.saturating_duration_since(start).as_nanos() as f64);
            }
        }
        Sample { ns: ns_max / operations.max(1) as f64, answer }
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
}
