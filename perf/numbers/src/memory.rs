//! The caches, RAM, a branch misprediction, and the allocator. Caches are walked along a random cycle
//! of lines, where each read gives the address of the next, so that neither prefetching nor
//! overlapping reads can hide the latency. RAM's figure includes the cost of address translation in
//! practice.

use std::fs;
use std::hint::black_box;

use super::measured::{Pattern, time_passes};
use results::record::Measured;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// One cache line whose first word names the next line to read.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u32; 16]);

const _: () = assert!(size_of::<Line>() == 64);

/// The sizes of this machine's data caches in bytes, or usual ones where the system does not report
/// them.
struct Caches {
    l1: usize,
    l2: usize,
    l3: usize,
}

impl Caches {
    fn of_this_machine() -> Self {
        let size = |level: usize| {
            let text = fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{level}/size")).ok()?;
            let text = text.trim();
            let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
            let unit = match unit {
                "K" => KIB,
                "M" => MIB,
                _ => return None,
            };
            digits.parse::<usize>().ok()?.checked_mul(unit)
        };
        // Linux counts L1 twice: index 0 is its data, index 1 its instructions.
        let usual = Self { l1: 32 * KIB, l2: 512 * KIB, l3: 16 * MIB };
        Self { l1: size(0).unwrap_or(usual.l1), l2: size(2).unwrap_or(usual.l2), l3: size(3).unwrap_or(usual.l3) }
    }
}

pub(crate) fn l1() -> Option<Measured> {
    walk(Caches::of_this_machine().l1 / 2)
}

/// Between the size of the first cache and half of the second.
pub(crate) fn l2() -> Option<Measured> {
    let caches = Caches::of_this_machine();
    walk((caches.l2 / 2).max(2 * caches.l1))
}

/// Well beyond the second cache, well inside the third, which a virtual machine shares with others.
pub(crate) fn l3() -> Option<Measured> {
    let caches = Caches::of_this_machine();
    walk((caches.l3 / 8).clamp(2 * caches.l2, (16 * MIB).max(2 * caches.l2)))
}

pub(crate) fn ram() -> Option<Measured> {
    let caches = Caches::of_this_machine();
    walk((4 * caches.l3).clamp(64 * MIB, 192 * MIB))
}

/// Walks a random cycle through `bytes`.
fn walk(bytes: usize) -> Option<Measured> {
    const READS: u64 = 100_000;
    let lines = cycle(bytes / size_of::<Line>());
    let mut place = 0;
    let measured = time_passes(READS, || {
        for _ in 0..READS {
            place = lines[place as usize].0[0];
        }
        black_box(place);
    })?;
    let size = if bytes >= MIB { format!("{} MiB", bytes / MIB) } else { format!("{} KiB", bytes / KIB) };
    Some(measured.with_detail(format!("{size} walked")))
}

/// Lines that form one cycle through all of them (Sattolo's shuffle).
fn cycle(count: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = (0..count as u32).map(|place| Line([place; 16])).collect();
    let mut pattern = Pattern::new();
    for place in (1..count).rev() {
        lines.swap(place, pattern.below(place as u64) as usize);
    }
    lines
}

/// The same branch taken half of the time, first in an unpredictable order, then sorted; the extra
/// cost of the random order, divided by the half of the predictions that are wrong.
pub(crate) fn branch_mispredict() -> Option<Measured> {
    const COUNT: usize = 1 << 18;
    let mut pattern = Pattern::new();
    let random: Vec<u8> = (0..COUNT).map(|_| pattern.below(2) as u8).collect();
    let mut sorted = random.clone();
    sorted.sort_unstable();
    let pass = |flags: &[u8]| {
        let mut taken = 0_u64;
        for &flag in flags {
            // The black box keeps the branch a branch.
            if flag == 1 {
                taken += black_box(1);
            }
        }
        black_box(taken);
    };
    let sorted = time_passes(COUNT as u64, || pass(&sorted))?;
    let random = time_passes(COUNT as u64, || pass(&random))?;
    let penalty = |random_ns: f64| (2.0 * (random_ns - sorted.median_ns)).max(0.0);
    Some(Measured {
        median_ns: penalty(random.median_ns),
        p10_ns: penalty(random.p10_ns),
        p90_ns: penalty(random.p90_ns),
        ..random
    })
}

/// A word that is written in two halves and read back whole, minus one that is written whole. A processor
/// forwards a value from a store that has not reached the cache yet, but only from a single store: with two it
/// waits until both are in the cache.
pub(crate) fn halves_read_whole() -> Option<Measured> {
    const TIMES: u64 = 100_000;
    let mut bytes = [0_u8; 2];
    let mut word = 0_u16;
    // The black boxes keep the stores and the load as they are; each word depends on the one before it.
    let whole = time_passes(TIMES, || {
        for _ in 0..TIMES {
            bytes = word.wrapping_add(1).to_le_bytes();
            word = u16::from_le_bytes(*black_box(&mut bytes));
        }
    })?;
    let halves = time_passes(TIMES, || {
        for _ in 0..TIMES {
            let [low, high] = word.wrapping_add(1).to_le_bytes();
            bytes[0] = low;
            black_box(&mut bytes)[1] = high;
            word = u16::from_le_bytes(*black_box(&mut bytes));
        }
    })?;
    let wait = |halves_ns: f64| (halves_ns - whole.median_ns).max(0.0);
    Some(Measured {
        median_ns: wait(halves.median_ns),
        p10_ns: wait(halves.p10_ns),
        p90_ns: wait(halves.p90_ns),
        ..halves
    })
}

const PUSHES: u64 = 100_000;
/// What is pushed: a command's size.
type Command = [u8; 24];

#[expect(clippy::vec_init_then_push, reason = "a command's queue is made first and filled later")]
pub(crate) fn vec_new() -> Option<Measured> {
    time_passes(PUSHES, || {
        for _ in 0..PUSHES {
            let mut commands: Vec<Command> = Vec::new();
            commands.push(black_box([0x99; 24]));
            black_box(&commands);
        }
    })
}

pub(crate) fn vec_reused() -> Option<Measured> {
    let mut commands: Vec<Command> = Vec::with_capacity(1);
    time_passes(PUSHES, || {
        for _ in 0..PUSHES {
            commands.clear();
            commands.push(black_box([0x99; 24]));
            black_box(&commands);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_visits_every_line_once() {
        let lines = cycle(1_000);
        let mut seen = vec![false; lines.len()];
        let mut place = 0;
        for _ in 0..lines.len() {
            place = lines[place].0[0] as usize;
            assert!(!std::mem::replace(&mut seen[place], true));
        }
        assert!(seen.into_iter().all(|seen| seen) && place == 0);
    }
}
