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

/// The quantity from a rank up, added level by level.
fn sum_of(map: &BTreeMap<u64, u64>, from: u64) -> u64 {
    map.range(from..).map(|(_, quantity)| quantity).sum()
}

#[test]
fn sum_is_that_of_everything_from_here_up() {
    for low in LOWS {
        let (mut window, mut map, mut random) = (window(low), BTreeMap::new(), Random::new(low + 1));
        for step in 0..400_u64 {
            let at = low + u64::from(random.below(LEVELS as u32));
            let there = map.get(&at).copied().unwrap_or(0);
            match random.below(4) {
                0 if there > 1 => {
                    window.sub(at, 1);
                    map.insert(at, there - 1);
                }
                1 if there > 0 => {
                    window.sub(at, there);
                    window.close(at);
                    map.remove(&at);
                }
                _ => {
                    window.add(at, step + 1);
                    map.insert(at, there + step + 1);
                }
            }
            for from in [low, at, at.saturating_sub(1), at.saturating_add(1), low + 63, low + 64, low + (LEVELS - 1)] {
                let words = "levels were added, subtracted and closed: each of these changes the sum of its word";
                assert_eq!(window.total_from(from), sum_of(&map, from), "from {from} up, after {step} steps; {words}");
            }
        }
        let below = low.saturating_sub(1_000);
        assert_eq!(window.total_from(below), sum_of(&map, low), "from below the window, all of it");
        if let Some(beyond) = low.checked_add(LEVELS) {
            assert_eq!(window.total_from(beyond), 0, "above the window is nothing");
            assert_eq!(window.total_from(u64::MAX), 0, "far above the window is nothing");
        }
    }
}

#[test]
fn sum_ends_where_a_narrow_window_ends() {
    for (low, span) in [(5_000, 100), (64, 64), (4_090, 10), (63, 2), (5_000, 0), (u64::MAX - 9, 10)] {
        let (mut window, mut map) = (window(low), BTreeMap::new());
        window.span = span;
        for at in (low..=u64::MAX).take(span as usize) {
            window.add(at, at % 7 + 1);
            map.insert(at, at % 7 + 1);
        }
        for from in
            (0..span + 3).map(|away| low.saturating_add(away)).filter(|from| window.holds(*from) || *from < u64::MAX)
        {
            assert_eq!(
                window.total_from(from),
                sum_of(&map, from),
                "from {from} up in a window of {span} ranks from {low} on"
            );
        }
    }
}

/// Not a measurement: level by level it takes thirty times as long.
#[test]
fn sum_takes_whole_words_where_it_can() {
    let mut window = window(0);
    (0..LEVELS).for_each(|at| {
        black_box(window.add(at, 1).total);
    });
    let [few, all] = [LEVELS - 127, 1].map(|from| time(|| window.total_from(black_box(from))));
    assert!(all < 10 * few + Duration::from_micros(100), "127 levels take {few:?}, and {} take {all:?}", LEVELS - 1);
}

const HOME: u64 = 1 << 63;

/// Orders come to a rank.
fn open(levels: &mut Levels, rank: u64, quantity: u64) {
    levels.add(rank, quantity).first = 0;
}

/// All orders of a rank leave.
fn shut(levels: &mut Levels, rank: u64, quantity: u64) {
    *levels.sub(rank, quantity) = Level::EMPTY;
    levels.close(rank);
}

/// A side with these levels, whose window has come to rest.
fn settled(ranks: &[u64]) -> Levels {
    let mut levels = Levels::default();
    ranks.iter().for_each(|&rank| open(&mut levels, rank, 10));
    for _ in 0..100_000 {
        if levels.is_moving() {
            levels.advance(1);
        }
    }
    levels
}

#[test]
fn best_is_the_highest_with_orders() {
    let mut levels = Levels::default();
    assert_eq!(levels.best(), None, "an empty side has no best");
    for (rank, best) in [
        (HOME, HOME),
        (HOME - 5, HOME),
        (HOME + 7, HOME + 7),
        (HOME + 7, HOME + 7),
        (0, HOME + 7),
        (u64::MAX, u64::MAX),
    ] {
        open(&mut levels, rank, 1);
        assert_eq!(levels.best(), Some(best), "after orders came to {rank}");
    }
    let mut levels = Levels::default();
    open(&mut levels, 0, 1);
    assert_eq!(levels.best(), Some(0), "rank 0 is a rank like any other");
    assert!(levels.meets(0) && !levels.meets(1), "and meets what asks for no better");
}

#[test]
fn best_goes_on_when_it_is_closed() {
    // In the window, across it, and far from it.
    let ranks = [3, HOME - 1_000_000, HOME - 2_000, HOME - 64, HOME - 1, HOME];
    let mut levels = settled(&ranks);
    for (at, rank) in ranks.iter().enumerate().rev() {
        assert_eq!(levels.best(), Some(*rank), "before it is closed");
        shut(&mut levels, *rank, 10);
        let next = at.checked_sub(1).map(|at| ranks[at]);
        assert_eq!(levels.best(), next, "after {rank} was closed");
        assert_eq!(levels.meets(0), next.is_some(), "an empty side meets nothing");
    }
}

#[test]
fn best_may_be_outside_of_the_window() {
    let far = HOME + 1_000_000;
    for (there, next) in [(vec![HOME], HOME), (vec![HOME, far - 3], far - 3), (vec![far - 3], far - 3)] {
        let mut levels = settled(&[HOME]);
        there.iter().filter(|rank| **rank != HOME).for_each(|rank| open(&mut levels, *rank, 10));
        if !there.contains(&HOME) {
            shut(&mut levels, HOME, 10);
        }
        open(&mut levels, far, 10);
        assert!(!levels.is_in_window(far), "the window has not moved yet");
        assert_eq!(levels.best(), Some(far), "in the tree, with orders at {there:?}");
        shut(&mut levels, far, 10);
        assert_eq!(levels.best(), Some(next), "after the best left the tree, with orders at {there:?}");
    }
}

#[test]
fn best_stays_when_another_is_closed() {
    let ranks = [3, HOME - 1_000_000, HOME - 2_000, HOME - 64, HOME - 1, HOME];
    for rank in &ranks[..5] {
        let mut levels = settled(&ranks);
        shut(&mut levels, *rank, 10);
        assert_eq!(levels.best(), Some(HOME), "after {rank} was closed");
    }
}

#[test]
fn best_with_several_orders_is_closed_once() {
    let mut levels = Levels::default();
    (0..3).for_each(|_| open(&mut levels, HOME, 10));
    open(&mut levels, 3, 10);
    shut(&mut levels, HOME, 30);
    assert_eq!(levels.best(), Some(3), "a level counts once, however many orders come to it");
    shut(&mut levels, 3, 10);
    assert_eq!(levels.best(), None, "no level is left");
    assert!(!levels.meets(0) && !levels.reaches(0), "an empty side meets nothing");
}

#[test]
fn best_that_goes_far_makes_the_window_follow() {
    let mut levels = settled(&[HOME]);
    assert!(!levels.is_moving(), "it has come to rest");
    open(&mut levels, HOME - 1_000_000, 10);
    assert!(!levels.is_moving(), "a worse price makes it follow nothing");
    open(&mut levels, HOME + 1_000_000, 10);
    assert!(levels.is_moving(), "a better price far away makes it look whether to follow");
    let mut levels = settled(&[HOME - 1_000_000, HOME]);
    shut(&mut levels, HOME, 10);
    assert!(levels.is_moving(), "the next best is far away, which makes it look whether to follow");
    let mut levels = settled(&[HOME]);
    shut(&mut levels, HOME, 10);
    assert!(!levels.is_moving(), "an empty side has no best to follow");
}

#[test]
fn best_and_all_others_are_added_up() {
    let ranks = [3, HOME - 1_000_000, HOME - 2_000, HOME - 64, HOME - 1, HOME, HOME + 1_000_000];
    let mut levels = settled(&ranks[..6]);
    open(&mut levels, ranks[6], 10);
    for (at, rank) in ranks.iter().enumerate() {
        let above = 10 * (ranks.len() - at) as u64;
        assert_eq!(levels.total_from(*rank), above, "from {rank} up: some are in the window, some in the tree");
        assert_eq!(levels.total_from(rank + 1), above - 10, "from above {rank} up");
    }
    assert_eq!(levels.add(HOME, 5).total, 15, "a level that is there gets more");
    assert_eq!(levels.add(3, 5).total, 15, "in the tree as well");
    assert_eq!(levels.total_from(0), 80, "all of them");
}
