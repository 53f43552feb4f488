// The best level.

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
