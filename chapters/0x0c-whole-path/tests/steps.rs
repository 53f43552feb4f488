//! The path step by step: each test is one requirement of `src/stage.rs`, `src/collector.rs` and `src/frames.rs`. The other
//! tests ask for all of them at once, of a venue that runs.

#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]

use std::sync::{Arc, Barrier};

use market::{Acknowledge, Sequence, Stamp, UnixMs};
use whole_path::collector::{Collected, Collector, KEPT, SLOW};
use whole_path::frames::{FRAMES, Frames, Matching};
use whole_path::stage::{MOMENTS, Moment, NAMES, STAGES, Stamps};

/// The moments' names, in their order.
const MOMENT_NAMES: [&str; MOMENTS] =
    ["Read", "Parsed", "Entered", "Taken", "Sealed", "Synced", "Begun", "HandedBack", "Answered", "Encoded", "Written"];

const SECOND: u64 = 1_000_000_000;

/// When the stages of a made-up request begin. Machines have been up for years, so it needs more than 32 bits.
const BEGAN: u64 = 40_000_000 * SECOND;

/// A request that has been through all stages, each of them longer than all before it together.
fn through() -> Stamps {
    let at = std::array::from_fn(|moment| BEGAN + (1 << moment));
    Stamps { at, ticket: None, id: 0 }
}

/// One that was written then, and took so long.
fn request(written: u64, whole: u64) -> Stamps {
    let mut at = [written; MOMENTS];
    at[Moment::Read as usize] = written - whole;
    Stamps { at, ticket: None, id: 0 }
}

#[test]
fn stages_lie_between_neighbouring_moments() {
    let stages = through().stages().expect("all moments are there and in order, so there are stages");
    for (stage, (took, name)) in stages.iter().zip(NAMES).enumerate() {
        let [from, to] = [MOMENT_NAMES[stage], MOMENT_NAMES[stage + 1]];
        assert_eq!(*took, 1 << stage, "{name} is the time from {from} to {to}, in nanoseconds");
    }
    let sum: u64 = stages.iter().sum();
    assert_eq!(sum, (1 << STAGES) - 1, "the stages of a request add up to its whole way");
}

#[test]
fn stages_may_take_no_time() {
    let stages = Stamps { at: [BEGAN; MOMENTS], ..through() }.stages();
    assert_eq!(stages, Some([0; STAGES]), "two moments may be the same: the clock has not moved on between them");
}

#[test]
fn stages_may_take_long() {
    let mut stamps = through();
    stamps.at[Moment::Written as usize] += 60 * SECOND;
    let last = stamps.stages().expect("all moments are there and in order")[STAGES - 1];
    assert_eq!(last, 60 * SECOND + (1 << (STAGES - 1)), "a minute is more nanoseconds than 32 bits hold");
}

#[test]
fn stages_need_all_moments() {
    for (moment, name) in MOMENT_NAMES.iter().enumerate() {
        let mut stamps = through();
        stamps.at[moment] = 0;
        assert_eq!(stamps.stages(), None, "{name} is missing (0), so the request has not been through all stages");
    }
    assert_eq!(Stamps { at: [0; MOMENTS], ..through() }.stages(), None, "all moments are missing (0)");
}

#[test]
fn stages_need_moments_in_order() {
    for moment in 1..MOMENTS {
        let mut stamps = through();
        stamps.at.swap(moment - 1, moment);
        let [before, after] = [MOMENT_NAMES[moment - 1], MOMENT_NAMES[moment]];
        assert_eq!(stamps.stages(), None, "{after} is before {before}, so something is wrong with these stamps");
    }
}

#[test]
fn whole_is_from_read_to_written() {
    assert_eq!(through().whole(), (1 << STAGES) - 1, "the whole way is from Read to Written");
    let mut between = through();
    between.at[1..MOMENTS - 1].fill(0);
    assert_eq!(between.whole(), (1 << STAGES) - 1, "the whole way needs no moment between Read and Written");
    let mut under_way = through();
    under_way.at[Moment::Written as usize] = 0;
    assert_eq!(under_way.whole(), 0, "a request that is not written yet has taken 0");
}

/// How many of so many requests are sampled.
fn sampled(collector: &Collector, requests: usize) -> usize {
    (0..requests).filter(|_| collector.is_sampled()).count()
}

#[test]
fn is_sampled_for_one_in_n() {
    for every in [1, 2, 3, 64, 1_000] {
        let collector = Collector::new(every, u64::MAX);
        for round in 1..=5 {
            let found = sampled(&collector, every as usize);
            assert_eq!(found, 1, "of {every} requests with one in {every} sampled, round {round}");
        }
    }
}

#[test]
fn is_sampled_whichever_threads_ask() {
    const THREADS: usize = 8;
    const EACH: usize = 640_000;
    let (collector, together) = (Collector::new(64, u64::MAX), Barrier::new(THREADS));
    let ask = || {
        together.wait();
        sampled(&collector, EACH)
    };
    let found: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(found, THREADS * EACH / 64, "of {} requests on {THREADS} threads, one in 64", THREADS * EACH);
}

/// What a collector with a bound of 1,000 ns has of these requests.
fn finished(all: &[(Stamps, bool)]) -> Collected {
    let collector = Collector::new(64, 1_000);
    all.iter().for_each(|(stamps, is_sampled)| collector.finish(stamps, *is_sampled));
    collector.read()
}

/// What was collected, as counts: in the distributions, whole, incomplete, slow, kept of the slow.
fn counts(collected: &Collected) -> [u64; 5] {
    let Collected { whole, sampled, incomplete, slow, slowest, .. } = collected;
    [whole.count(), sampled.len() as u64, *incomplete, *slow, slowest.len() as u64]
}

const COUNTS: &str = "[in the distribution of the whole, kept whole, incomplete, slow, kept of the slow]";

#[test]
fn finish_collects_the_sampled_and_the_slow() {
    for (what, is_sampled, whole, expected) in [
        ("one that is neither sampled nor slow leaves nothing", false, 999, [0; 5]),
        ("a sampled one is in the distributions and kept whole", true, 999, [1, 1, 0, 0, 0]),
        (
            "a slow one is kept, and is no part of the distributions: they are of one in N",
            false,
            1_001,
            [0, 0, 0, 1, 1],
        ),
        ("one that is both is in both", true, 1_001, [1, 1, 0, 1, 1]),
        ("one that took just as long as the bound is not slow", false, 1_000, [0; 5]),
    ] {
        let collected = finished(&[(request(BEGAN, whole), is_sampled)]);
        assert_eq!(counts(&collected), expected, "{what} {COUNTS}");
    }
}

#[test]
fn finish_adds_each_stage_to_its_own_distribution() {
    let collected = finished(&[(through(), true), (through(), true)]);
    for (stage, name) in NAMES.iter().enumerate() {
        let times = &collected.stages[stage];
        assert_eq!((times.count(), times.sum()), (2, 2 << stage), "{name}: how many, and their sum in nanoseconds");
    }
    let whole = &collected.whole;
    assert_eq!((whole.count(), whole.sum()), (2, 2 * ((1 << STAGES) - 1)), "whole: how many, and their sum");
    assert_eq!(collected.sampled, [through(), through()], "sampled requests are kept with all of their moments");
}

#[test]
fn finish_counts_what_has_no_stages_and_nothing_more() {
    for (what, is_sampled, whole) in [("sampled", true, 10), ("slow", false, 2_000), ("sampled and slow", true, 2_000)]
    {
        let mut stamps = request(BEGAN, whole);
        stamps.at[Moment::Synced as usize] = 0;
        let counts = counts(&finished(&[(stamps, is_sampled)]));
        assert_eq!(counts, [0, 0, 1, 0, 0], "a {what} request without stages is counted as incomplete alone {COUNTS}");
    }
    let mut stamps = request(BEGAN, 10);
    stamps.at[Moment::Synced as usize] = 0;
    assert_eq!(counts(&finished(&[(stamps, false)])), [0; 5], "without stages, neither sampled nor slow {COUNTS}");
}

#[test]
fn finish_keeps_the_last_sampled() {
    let all: Vec<_> = (0..KEPT as u64 + 10).map(|number| (request(BEGAN + number, 10), true)).collect();
    let collected = finished(&all);
    assert_eq!(collected.whole.count(), KEPT as u64 + 10, "the distributions are of all sampled requests");
    assert_eq!(collected.sampled.len(), KEPT, "so many are kept whole");
    let written = |stamps: Option<&Stamps>| stamps.map(|stamps| stamps.at(Moment::Written) - BEGAN);
    assert_eq!(written(collected.sampled.front()), Some(10), "the oldest go first: which is the first that is kept");
    assert_eq!(written(collected.sampled.back()), Some(KEPT as u64 + 9), "the newest stands last");
}

/// How long the slowest took, after these were written: when, after the beginning, and how long each took.
fn slowest(all: impl IntoIterator<Item = (u64, u64)>) -> Vec<u64> {
    let all: Vec<_> = all.into_iter().map(|(when, whole)| (request(BEGAN + when, whole), false)).collect();
    finished(&all).slowest.iter().map(Stamps::whole).collect()
}

#[test]
fn keep_has_the_slowest_first() {
    assert_eq!(slowest([(1, 3_000), (2, 5_000), (3, 4_000), (4, 5_000)]), [5_000, 5_000, 4_000, 3_000]);
    // Two threads write, and the earlier request is added second.
    assert_eq!(
        slowest([(5 * SECOND, 3_000), (SECOND, 2_000)]),
        [3_000, 2_000],
        "one that was written 4 seconds earlier"
    );
}

#[test]
fn keep_has_a_bounded_number_of_the_slowest() {
    let many = 3 * SLOW as u64;
    let longest: Vec<u64> = (many - SLOW as u64..many).rev().map(|place| 2_000 + place).collect();
    // Each number up to `many` once, in an order of its own.
    let (up, down) = ((0..many).collect::<Vec<_>>(), (0..many).rev().collect());
    let mixed = (0..many).map(|place| place * 7 % many).collect();
    for (order, places) in [("each slower than the one before", up), ("each faster", down), ("in no order", mixed)] {
        let kept = slowest(places.iter().map(|place| (1_000 * place, 2_000 + place)));
        assert_eq!(kept, longest, "the {SLOW} slowest of {many} are kept, which came {order}");
    }
}

#[test]
fn keep_drops_what_is_older_than_a_minute() {
    assert_eq!(slowest([(0, 9_000), (59 * SECOND, 2_000)]), [9_000, 2_000], "59 seconds later");
    assert_eq!(slowest([(0, 9_000), (61 * SECOND, 2_000)]), [2_000], "61 seconds later");
    let old = (0..SLOW as u64).map(|place| (place, 9_000 + place));
    assert_eq!(slowest(old.chain([(61 * SECOND, 2_000)])), [2_000], "however many slower ones there were before");
    let long = [(0, 2_000), (120 * SECOND, 90 * SECOND), (121 * SECOND, 3_000)];
    assert_eq!(
        slowest(long),
        [90 * SECOND, 3_000],
        "its age counts from when it was written, not from when it was read"
    );
}

/// Frames of one, two and three commands in turn, all of them synced and matched: each one's first command and that of the
/// next.
fn sealed(count: u64) -> (Frames, Vec<(u64, u64)>) {
    let frames = Arc::new(Frames::default());
    let (mut next, mut all) = (1, Vec::new());
    let mut matching = Matching::new(&frames);
    for number in 0..count {
        let end = next + 1 + number % 3;
        frames.seal(Sequence(next)..Sequence(end), sealed_at(number));
        frames.sync(sealed_at(number) + 5);
        matching.acknowledge(Stamp { sequence: Sequence(next), time: UnixMs(0) }, &[]);
        all.push((next, end));
        next = end;
    }
    drop(matching);
    (Arc::into_inner(frames).unwrap(), all)
}

fn sealed_at(number: u64) -> u64 {
    BEGAN + 10 * number
}

#[test]
fn find_has_the_frame_of_each_command() {
    for count in [1, 2, 3, 100, FRAMES - 1] {
        let (frames, all) = sealed(count);
        for (number, (first, end)) in (0..).zip(all) {
            for sequence in first..end {
                let found = frames.find(Sequence(sequence));
                let found = found.unwrap_or_else(|| {
                    panic!("command {sequence} is in frame {number} of {count}, which has {first} to {}", end - 1)
                });
                let at = sealed_at(number);
                let words = format!("command {sequence} is in frame {number} of {count}: when it was");
                assert_eq!(found.sealed, at, "{words} sealed");
                assert_eq!(found.synced, at + 5, "{words} synced");
                assert!(found.begun > 0, "{words} begun");
            }
        }
    }
}

#[test]
fn find_has_nothing_of_what_is_not_on_disk() {
    let frames = Frames::default();
    assert_eq!(frames.find(Sequence(8)), None, "no frame was sealed yet");
    frames.seal(Sequence(8)..Sequence(10), BEGAN);
    assert_eq!(frames.find(Sequence(8)), None, "its frame is sealed, and not synced");
    frames.sync(BEGAN + 5);
    frames.seal(Sequence(10)..Sequence(12), BEGAN + 10);
    assert!(frames.find(Sequence(8)).is_some(), "its frame is on disk, and another one is sealed");
    assert_eq!(frames.find(Sequence(7)), None, "it was in the log before the first frame, as after a restart");
    assert_eq!(frames.find(Sequence(10)), None, "the first of a frame that is sealed and not synced");
    assert_eq!(frames.find(Sequence(12)), None, "its frame was not sealed yet: `end` is the number after the last");
}

#[test]
fn find_has_nothing_of_what_was_written_over() {
    let (frames, all) = sealed(3 * FRAMES);
    for (number, (first, end)) in (0..).zip(all) {
        for sequence in [first, end - 1] {
            let found = frames.find(Sequence(sequence)).map(|frame| frame.sealed);
            let expected = Some(sealed_at(number));
            let age = 3 * FRAMES - number;
            assert!(
                found == expected || (found.is_none() && age >= FRAMES - 1),
                "command {sequence} is in frame {number}, and {} came after it: when it was sealed is {found:?}, and should be \
                 {expected:?}, or none where it was written over",
                age - 1
            );
        }
    }
}

#[test]
fn find_has_nothing_of_what_is_written_over_before_the_next_sync() {
    let frames = Frames::default();
    (0..10).for_each(|number| frames.seal(Sequence(number + 1)..Sequence(number + 2), sealed_at(number)));
    frames.sync(BEGAN + 1_000);
    // The journal seals, and the disk is slow.
    (10..FRAMES + 5).for_each(|number| frames.seal(Sequence(number + 1)..Sequence(number + 2), sealed_at(number)));
    for number in 0..10 {
        let found = frames.find(Sequence(number + 1)).map(|frame| frame.sealed);
        let expected = (number > 5).then_some(sealed_at(number));
        assert!(
            found == expected || (number == 5 && found.is_none()),
            "frame {number}, after {} were sealed and 10 synced: there is room for {FRAMES}, so those up to 4 were written over, \
             and the place of 5 is the next: found {found:?} in place of {expected:?}",
            FRAMES + 5
        );
    }
}
