//! The ladder's levels step by step: each test is one requirement of `src/ladder/side.rs` and `src/ladder/window.rs`. The other
//! tests ask for all of them at once, of whole books.

use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;
use std::time::{Duration, Instant};

use any_price::contract::{Price, Side};
use any_price::flow::random::Random;
use any_price::ladder::orders::Level;
use any_price::ladder::side::{Levels, price, rank};
use any_price::ladder::window::{LEVELS, Window};

/// Prices around zero and at both ends of the type, rising.
const PRICES: [Price; 9] = [i64::MIN, i64::MIN + 1, -4_097, -1, 0, 1, 4_097, i64::MAX - 1, i64::MAX];

#[test]
fn rank_is_higher_for_a_better_price() {
    for pair in PRICES.windows(2) {
        let [low, high] = [pair[0], pair[1]];
        assert!(rank(Side::Bid, low) < rank(Side::Bid, high), "a bid at {high} is better than one at {low}");
        assert!(rank(Side::Ask, low) > rank(Side::Ask, high), "an ask at {low} is better than one at {high}");
    }
}

#[test]
fn rank_of_neighbouring_prices_are_neighbours() {
    for at in [i64::MIN, -1, 0, 7, i64::MAX - 1] {
        let bid = rank(Side::Bid, at + 1).wrapping_sub(rank(Side::Bid, at));
        let ask = rank(Side::Ask, at).wrapping_sub(rank(Side::Ask, at + 1));
        assert_eq!((bid, ask), (1, 1), "from {at} to {}: as bids, and as asks", at + 1);
    }
    assert_eq!(rank(Side::Bid, i64::MIN), 0, "the worst bid has the lowest rank");
    assert_eq!(rank(Side::Ask, i64::MAX), 0, "the worst ask has the lowest rank");
    assert_eq!(rank(Side::Bid, i64::MAX), u64::MAX, "the best bid has the highest rank");
    assert_eq!(rank(Side::Ask, i64::MIN), u64::MAX, "the best ask has the highest rank");
}

#[test]
fn rank_leads_back_to_its_price() {
    for side in Side::BOTH {
        for at in PRICES {
            assert_eq!(price(side, rank(side, at)), at, "{side:?}: price and rank are each other's opposite");
        }
    }
}

/// A window over `LEVELS` ranks from here on.
fn window(low: u64) -> Window {
    let mut window = Window::default();
    window.low = low;
    window
}

/// Where windows begin: at the ends of the type, and at places of the ring that are no multiple of 64.
const LOWS: [u64; 6] = [0, 1, 63, 5_000, 1 << 40, u64::MAX - (LEVELS - 1)];

#[test]
fn level_has_what_was_added_and_subtracted() {
    for low in LOWS {
        let mut window = window(low);
        for at in [low, low + 1, low + 2_000, low + (LEVELS - 1)] {
            assert_eq!(window.add(at, 10).total, 10, "the first 10 at {at}");
            assert_eq!(window.add(at, 5).total, 15, "5 more at {at}");
            assert_eq!(window.sub(at, 4).total, 11, "4 less at {at}");
            window.add(at, 0).first = 7;
            assert_eq!(*window.get(at), Level { first: 7, total: 11, ..Level::EMPTY }, "a change of the level at {at}");
        }
        for at in [low, low + 1, low + 2_000, low + (LEVELS - 1)] {
            assert_eq!(window.get(at).total, 11, "the level at {at} is its own, whatever happened to the others");
        }
        assert_eq!(*window.get(low + 2), Level::EMPTY, "a level that was never touched");
    }
}

#[test]
fn level_may_hold_more_than_32_bits() {
    let mut window = window(0);
    let much = 5 * u64::from(u32::MAX);
    assert_eq!(window.add(3, much).total, much);
    assert_eq!(window.sub(3, 1).total, much - 1);
}

/// The nearest rank with orders below another, and above it, on a ring.
fn nearest(there: &BTreeSet<u64>, from: u64) -> (Option<u64>, Option<u64>) {
    let distance = |to: u64| if to == 0 { LEVELS } else { to };
    let place = |rank: u64| rank % LEVELS;
    let down = there.iter().map(|rank| distance(place(from.wrapping_sub(*rank)))).min();
    let up = there.iter().map(|rank| distance(place(rank.wrapping_sub(from)))).min();
    (down.map(|down| from.wrapping_sub(down)), up.map(|up| from.wrapping_add(up)))
}

fn assert_nearest(window: &Window, there: &BTreeSet<u64>, from: u64, when: &str) {
    let (below, above) = nearest(there, from);
    assert_eq!(window.below(from), below, "below {from}, {when}");
    assert_eq!(window.above(from), above, "above {from}, {when}");
}

#[test]
fn next_of_a_window_without_orders_is_none() {
    for low in LOWS {
        for from in [low, low + 63, low + (LEVELS - 1)] {
            assert_nearest(&window(low), &BTreeSet::new(), from, "without orders");
        }
    }
}

#[test]
fn next_is_found_at_every_distance() {
    for low in LOWS {
        for at in [low, low + 1, low + 62, low + 64, low + 2_000, low + (LEVELS - 1)] {
            let (mut window, there) = (window(low), BTreeSet::from([at]));
            window.add(at, 1);
            let when = format!("with orders at {at} alone");
            (0..LEVELS).for_each(|away| assert_nearest(&window, &there, low + away, &when));
            assert_eq!(window.highest(), Some(at), "the highest, {when}");
            assert_eq!(window.lowest(), Some(at), "the lowest, {when}");
        }
    }
}

#[test]
fn next_is_the_nearest_of_several() {
    for low in LOWS {
        let (mut window, mut random) = (window(low), Random::new(low));
        let mut there = BTreeSet::new();
        for _ in 0..40 {
            // Some words of the bitmap with several levels, and many without any.
            let at = low + u64::from(random.below(8)) * 512 + u64::from(random.below(70));
            window.add(at, 1);
            there.insert(at);
            let when = format!("with orders at {there:?}");
            for &at in &there {
                [at, at.wrapping_sub(1), at.wrapping_add(1)]
                    .iter()
                    .for_each(|from| assert_nearest(&window, &there, *from, &when));
            }
        }
    }
}

#[test]
fn next_is_not_what_was_closed() {
    for low in LOWS {
        let all: Vec<u64> =
            [0, 1, 2, 62, 63, 64, 65, 2_000, 2_001, LEVELS - 2, LEVELS - 1].map(|away| low + away).to_vec();
        let (mut window, mut there) = (window(low), all.iter().copied().collect::<BTreeSet<_>>());
        all.iter().for_each(|at| {
            black_box(window.add(*at, 2).total);
        });
        // What is only subtracted keeps its bit: the caller closes a level when its queue is empty.
        window.sub(low + 1, 2);
        assert_nearest(&window, &there, low, "with a level that is not closed yet");
        window.close(low + 1);
        there.remove(&(low + 1));
        for at in [
            low + 63,
            low + 2_000,
            low,
            low + 2,
            low + (LEVELS - 1),
            low + 62,
            low + 2_001,
            low + 64,
            low + 65,
            low + (LEVELS - 2),
        ] {
            window.sub(at, 2);
            window.close(at);
            there.remove(&at);
            let when = format!("after {at} was closed, with orders at {there:?}");
            all.iter().for_each(|from| assert_nearest(&window, &there, *from, &when));
        }
        assert_eq!((window.highest(), window.lowest()), (None, None), "all levels are closed");
        window.add(low + 2_000, 1);
        assert_eq!(window.highest(), Some(low + 2_000), "a level that was closed and has orders again");
    }
}

/// How long so many calls take, at the best of some tries.
fn time(mut call: impl FnMut() -> u64) -> Duration {
    let mut once = || {
        let began = Instant::now();
        (0..2_000).for_each(|_| {
            black_box(call());
        });
        began.elapsed()
    };
    (0..7).map(|_| once()).min().unwrap_or_default()
}

/// Not a measurement: a search through the levels takes a thousand times as long, and counts of zeros the same.
#[test]
fn next_takes_no_longer_when_it_is_far() {
    let mut window = window(0);
    [10, LEVELS - 10].iter().for_each(|at| {
        black_box(window.add(*at, 1).total);
    });
    type Search = fn(&Window, u64) -> Option<u64>;
    let both: [(&str, Search, u64, u64); 2] =
        [("below", Window::below, 11, LEVELS - 10), ("above", Window::above, LEVELS - 11, 10)];
    for (name, search, near, far) in both {
        let [near, far] = [near, far].map(|from| time(|| search(&window, black_box(from)).unwrap_or(0)));
        assert!(
            far < 30 * near + Duration::from_micros(100),
            "{name}: to the next rank {near:?}, across the window {far:?}"
        );
    }
}

// One module in several files, so that the name of each test begins with its step.
include!("steps/sum.rs");
include!("steps/best.rs");
