//! A window step by step: each test is one requirement of `src/window.rs`. The tests beside the code ask for all of them at
//! once, in any order of numbers.
//!
//! What a window holds is read from its bytes, and windows are made from bytes, so that each method is tested by itself.

#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]

use std::collections::BTreeSet;

use exactly_once::window::{NUMBERS, Seen, Window};

/// The window of these numbers, from the bytes that [`Window::encode`] describes.
fn window(used: &BTreeSet<u64>) -> Window {
    let highest = used.last().copied().unwrap_or(0);
    let mut bytes = [0; Window::BYTES];
    bytes[..8].copy_from_slice(&highest.to_le_bytes());
    for age in used.iter().map(|number| highest - number).filter(|age| *age < NUMBERS) {
        bytes[8 + (age / 8) as usize] |= 1 << (age % 8);
    }
    Window::decode(&bytes).unwrap()
}

/// Fails unless a window has exactly the numbers that were marked in it: its highest, and each bit of its mask.
#[track_caller]
fn holds(window: &Window, used: &BTreeSet<u64>, after: &str) {
    let (bytes, highest) = (window.encode(), used.last().copied().unwrap_or(0));
    assert_eq!(window.highest(), highest, "after {after}: the highest number");
    for age in 0..NUMBERS {
        let is_set = bytes[8 + (age / 8) as usize] >> (age % 8) & 1 == 1;
        let Some(number) = highest.checked_sub(age).filter(|number| *number > 0) else {
            assert!(
                !is_set,
                "after {after}: bit {age} of highest {highest} is set, and it is no number: they begin at 1"
            );
            continue;
        };
        match (used.contains(&number), is_set) {
            (true, false) => panic!("after {after}: {number} was used, and bit {age} of highest {highest} is not set"),
            (false, true) => panic!("after {after}: {number} is new, and bit {age} of highest {highest} is set"),
            _ => {}
        }
    }
}

/// Numbers up to `highest`, which is one of them: so irregular that a wrong shift shows, and with both ends of each word.
fn scattered(highest: u64) -> BTreeSet<u64> {
    let mut state = highest;
    let ages = (0..NUMBERS).filter(|age| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        matches!(age % 64, 0 | 63) || state >> 63 == 1
    });
    ages.filter_map(|age| highest.checked_sub(age)).filter(|number| *number > 0).collect()
}

fn set<const N: usize>(numbers: [u64; N]) -> BTreeSet<u64> {
    numbers.into()
}

#[test]
fn look_finds_what_is_above_the_highest_new() {
    for (used, number) in [(set([]), 1), (set([]), 257), (set([10]), 11), (set([10]), 10 + 256), (set([10]), u64::MAX)]
    {
        let highest = used.last().copied().unwrap_or(0);
        assert_eq!(window(&used).look(number), Seen::New, "look({number}) above the highest number, {highest}");
    }
}

#[test]
fn look_finds_each_bit_of_the_mask() {
    let used = scattered(1_000);
    let looked = window(&used);
    for number in 745..=1_000 {
        let seen = if used.contains(&number) { Seen::Used } else { Seen::New };
        assert_eq!(looked.look(number), seen, "look({number}) with highest 1000: it is bit {}", 1_000 - number);
    }
}

#[test]
fn look_finds_what_is_below_the_window_too_old() {
    let looked = window(&set([1_000]));
    assert_eq!(looked.look(745), Seen::New, "look(745) with highest 1000: it is the lowest of the 256 numbers");
    assert_eq!(looked.look(744), Seen::TooOld, "look(744) with highest 1000: 256 numbers are higher, so it is below");
    assert_eq!(looked.look(1), Seen::TooOld, "look(1) with highest 1000");
    // However far below it is: an age in fewer bits than a number has would wrap around and look young.
    for below in [8, 16, 32, 40, 63].map(|bits| 1u64 << bits) {
        let looked = window(&set([1_000 + below]));
        assert_eq!(looked.look(1_000), Seen::TooOld, "look of a number that is {below} below the highest");
    }
}

#[test]
fn mark_sets_the_bit_of_a_number_in_the_window() {
    for number in 745..=1_000 {
        let mut marked = window(&set([1_000]));
        marked.mark(number);
        holds(&marked, &set([number, 1_000]), &format!("mark({number}) with highest 1000"));
        marked.mark(number);
        holds(&marked, &set([number, 1_000]), &format!("mark({number}) for the second time"));
    }
}

#[test]
fn mark_leaves_a_number_below_the_window_below() {
    for number in [1, 488, 489, 680, 681, 743, 744] {
        let mut marked = window(&set([1_000]));
        marked.mark(number);
        holds(&marked, &set([1_000]), &format!("mark({number}) below the window of highest 1000"));
    }
}

#[test]
fn advance_begins_at_nothing() {
    // The highest number of an empty window is 0, which is no number and was never used.
    for number in [1, 2, 63, 64, 65, 255, 256, 257, 1_000] {
        let mut marked = window(&set([]));
        marked.mark(number);
        holds(&marked, &set([number]), &format!("mark({number}) in a window without numbers"));
    }
}

#[test]
fn advance_keeps_what_stays_in_the_window() {
    let used = scattered(1_000);
    for by in 1..=600 {
        let mut marked = window(&used);
        marked.mark(1_000 + by);
        let mut all = used.clone();
        all.insert(1_000 + by);
        holds(&marked, &all, &format!("mark({}), which moves the window of 1000 up by {by}", 1_000 + by));
    }
}

#[test]
fn advance_far_keeps_nothing() {
    for by in [8, 16, 32, 40, 63].map(|bits| 1u64 << bits).into_iter().chain([u64::MAX - 1_000]) {
        let mut marked = window(&scattered(1_000));
        marked.mark(1_000 + by);
        holds(&marked, &set([1_000 + by]), &format!("mark({}), which moves the window of 1000 up by {by}", 1_000 + by));
    }
}

#[test]
fn unite_knows_the_numbers_of_both() {
    for apart in 0..=600 {
        let (low, high) = (scattered(1_000), scattered(1_000 + apart));
        let all: BTreeSet<u64> = low.union(&high).copied().collect();
        let [mut up, mut down] = [window(&low), window(&high)];
        up.unite(&window(&high));
        holds(&up, &all, &format!("unite of highest 1000 with highest {}", 1_000 + apart));
        down.unite(&window(&low));
        holds(&down, &all, &format!("unite of highest {} with highest 1000", 1_000 + apart));
    }
}

#[test]
fn unite_with_nothing_changes_nothing() {
    for used in [set([]), set([1]), set([1, 300]), scattered(100), scattered(1_000)] {
        let (mut some, mut none) = (window(&used), window(&set([])));
        some.unite(&window(&set([])));
        holds(&some, &used, "unite with a window without numbers");
        none.unite(&window(&used));
        holds(&none, &used, "unite of a window without numbers with another");
    }
}
