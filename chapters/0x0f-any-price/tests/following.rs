//! Where a side's window is, when it starts to move, and every step of a move.

use any_price::ladder::orders::Level;
use any_price::ladder::side::Levels;
use any_price::ladder::window::LEVELS;

/// How far below the best the window starts.
const BELOW: u64 = 2_816;
const HOME: u64 = 1 << 63;

fn open(levels: &mut Levels, rank: u64) {
    levels.add(rank, 10).first = 0;
}

fn shut(levels: &mut Levels, rank: u64) {
    *levels.sub(rank, 10) = Level::EMPTY;
    levels.close(rank);
}

/// A side with these levels, whose window has come to rest.
fn settled(ranks: &[u64]) -> Levels {
    let mut levels = Levels::default();
    ranks.iter().for_each(|&rank| open(&mut levels, rank));
    rest(&mut levels, ranks);
    levels
}

/// Lets a window come to rest, and checks every level after every step. Returns how many steps it took.
fn rest(levels: &mut Levels, ranks: &[u64]) -> usize {
    for steps in 0..100_000 {
        let held: Vec<u64> = ranks.iter().copied().filter(|&rank| levels.is_in_window(rank)).collect();
        let is_narrow = held.first().zip(held.last()).is_none_or(|(low, high)| low.abs_diff(*high) < LEVELS);
        assert!(is_narrow, "after {steps} steps it holds {held:?}");
        for &rank in ranks {
            assert_eq!(
                levels.get(rank).map(|level| (level.total, level.first)),
                Some((10, 0)),
                "{rank}, {steps} steps"
            );
        }
        assert_eq!(levels.best(), ranks.iter().max().copied());
        assert_eq!(levels.total_from(0), 10 * ranks.len() as u64);
        if !levels.is_moving() {
            return steps;
        }
        levels.advance(1);
    }
    panic!("it does not come to rest")
}

fn holds(levels: &Levels, low: u64) -> bool {
    let high = low + (LEVELS - 1);
    let is_without = |rank: Option<u64>| rank.is_none_or(|rank| !levels.is_in_window(rank));
    [low, low + 1, low + 2_000, high - 1, high].iter().all(|&rank| levels.is_in_window(rank))
        && is_without(low.checked_sub(1))
        && is_without(high.checked_add(1))
}

#[test]
fn at_rest_the_best_is_in_the_windows_upper_half() {
    for best in [5_000, HOME, u64::MAX - 1_280] {
        assert!(holds(&settled(&[best]), best - BELOW), "{best}");
    }
    // At the ends of the type there is no room for that.
    for (best, low) in
        [(0, 0), (100, 0), (u64::MAX - 100, u64::MAX - (LEVELS - 1)), (u64::MAX, u64::MAX - (LEVELS - 1))]
    {
        assert!(holds(&settled(&[best]), low), "{best}");
    }
}

#[test]
fn a_best_that_is_well_placed_moves_nothing() {
    let low = HOME - BELOW;
    for (rank, is_moving) in [(low + 3_583, false), (low + 3_584, true), (low + LEVELS, true)] {
        let mut levels = settled(&[HOME]);
        open(&mut levels, rank);
        assert_eq!(levels.is_moving(), is_moving, "a better one at {}", rank - low);
    }
    for (rank, is_moving) in [(low + 2_048, false), (low + 2_047, true), (low - 1, true)] {
        let mut levels = settled(&[HOME, rank]);
        shut(&mut levels, HOME);
        assert_eq!(levels.is_moving(), is_moving, "the next best at {}", rank.abs_diff(low));
    }
    let mut levels = settled(&[HOME]);
    shut(&mut levels, HOME);
    assert!(!levels.is_moving(), "there is no best to follow");
    let mut levels = settled(&[HOME]);
    open(&mut levels, HOME + 50_000);
    [HOME, HOME + 50_000].into_iter().for_each(|rank| shut(&mut levels, rank));
    levels.advance(1);
    assert!(!levels.is_moving(), "there is no best left to follow");
}

#[test]
fn it_waits_sixteen_steps_a_level() {
    for at_once in [1, 4] {
        let mut levels = settled(&[HOME - 3, HOME - 2, HOME - 1, HOME]);
        let moves = levels.window_moves();
        open(&mut levels, HOME + 50_000);
        (0..80 / at_once).for_each(|_| levels.advance(at_once));
        assert_eq!(levels.window_moves(), moves, "five levels are 80 steps");
        levels.advance(at_once);
        assert_eq!(levels.window_moves(), moves + 1);
    }
    // A level that disappears in time is not followed, and the waiting starts again.
    let mut levels = settled(&[HOME]);
    let moves = levels.window_moves();
    for _ in 0..10 {
        open(&mut levels, HOME + 50_000);
        levels.advance(30);
        shut(&mut levels, HOME + 50_000);
        levels.advance(1);
        assert!(!levels.is_moving());
    }
    assert_eq!(levels.window_moves(), moves);
}

#[test]
fn each_step_moves_a_level_or_skips_what_is_empty() {
    // Up by 1,000: two levels leave, one step skips to the wanted start of the window, one covers the free ranks above.
    // The level exactly at the start stays.
    let ranks = [HOME - BELOW, HOME - 2_000, HOME - 1_816, HOME - 100, HOME];
    let mut levels = settled(&ranks);
    open(&mut levels, HOME + 1_000);
    let ranks = [&ranks[..], &[HOME + 1_000]].concat();
    let waited = 16 * ranks.len() + 1;
    assert_eq!(rest(&mut levels, &ranks), waited + 2 + 1 + 1 + 1);
    assert!(holds(&levels, HOME + 1_000 - BELOW));

    // Far up: all five levels leave, and the window is empty; it starts again at the best and grows down, to its very
    // start.
    let mut levels = settled(&[HOME - 4, HOME - 3, HOME - 2, HOME - 1, HOME]);
    let ranks: Vec<u64> = (0..5).map(|n| HOME - n).chain([9_000, 9_500, 11_816].map(|up| HOME + up)).collect();
    ranks[5..].iter().for_each(|&rank| open(&mut levels, rank));
    let ranks: Vec<u64> = ranks.into_iter().collect::<std::collections::BTreeSet<_>>().into_iter().collect();
    let waited = 16 * ranks.len() + 1;
    // Five levels leave, one step finds no more, one starts at the best, one finds nothing above, two are fetched, and
    // it has arrived.
    assert_eq!(rest(&mut levels, &ranks), waited + 5 + 1 + 1 + 1 + 2 + 1);
    assert!(holds(&levels, HOME + 11_816 - BELOW));
}

/// A side with these levels whose window has just started to move, because the best has gone.
fn set_out(ranks: &[u64]) -> Levels {
    let mut levels = settled(&[ranks, &[HOME]].concat());
    let moves = levels.window_moves();
    shut(&mut levels, HOME);
    while levels.window_moves() == moves {
        levels.advance(1);
    }
    levels
}

#[test]
fn orders_that_arrive_during_a_move_are_included() {
    // Down by 3,000, and half way an order arrives at the old place, which the window still covers.
    let ranks = [HOME - 6_000, HOME - 3_100, HOME - 3_000, HOME - 200];
    let mut levels = set_out(&ranks[..3]);
    open(&mut levels, ranks[3]);
    // There, sixteen steps for each of four levels, and back.
    assert_eq!(rest(&mut levels, &ranks), 75);
    assert!(holds(&levels, HOME - 200 - BELOW));
}

/// A level on the last rank that the window wants stays or is fetched; a level on the next rank does neither.
#[test]
fn a_window_ends_where_it_says() {
    let high = HOME - 3_000 - BELOW + (LEVELS - 1);
    let steps = |rank: u64| {
        let ranks = [HOME - 3_100, HOME - 3_000, rank];
        let mut levels = set_out(&ranks[..2]);
        open(&mut levels, rank);
        let mut steps = 0;
        // Its next target does not matter here.
        while !holds(&levels, HOME - 3_000 - BELOW) {
            levels.advance(1);
            steps += 1;
            assert_eq!(levels.get(rank).map(|level| level.total), Some(10));
        }
        assert_eq!(levels.is_in_window(rank), rank <= high, "{steps} steps");
        steps
    };
    // One step cuts off the ranks beyond the end, one fetches each of the two others, and one goes down to the start.
    assert_eq!([high - 1, high, high + 1].map(steps), [4, 4, 4]);

    // On the way up no level beyond its end is fetched, not even for one step.
    let high = HOME + 50_000 - BELOW + (LEVELS - 1);
    for rank in [high, high + 1] {
        let mut levels = settled(&[HOME]);
        let moves = levels.window_moves();
        open(&mut levels, HOME + 50_000);
        while levels.window_moves() == moves {
            levels.advance(1);
        }
        open(&mut levels, rank);
        let mut was_held = false;
        while !holds(&levels, HOME + 50_000 - BELOW) {
            levels.advance(1);
            was_held |= levels.is_in_window(rank);
        }
        assert_eq!(was_held, rank == high, "{}", rank - high);
    }
}
