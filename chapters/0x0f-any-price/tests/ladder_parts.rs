//! The ladder's parts, each compared with a simple structure, with more moves and more ids than a random stream has.

use std::collections::{BTreeMap, HashMap};
use std::iter::successors;

use any_price::contract::Side;
use any_price::flow::random::Random;
use any_price::ladder::far::Far;
use any_price::ladder::id_table::IdTable;
use any_price::ladder::orders::{Level, Order, Orders};
use any_price::ladder::side::{Levels, price, rank};
use any_price::ladder::slab::{NONE, Slot};
use any_price::ladder::window::{LEVELS, Window};

#[test]
fn ranks_and_prices_are_the_same_both_ways_and_better_is_more() {
    for (worse, better) in [(i64::MIN, i64::MIN + 1), (-1, 0), (0, 1), (i64::MAX - 1, i64::MAX)] {
        assert!(rank(Side::Bid, worse) < rank(Side::Bid, better));
        assert!(rank(Side::Ask, better) < rank(Side::Ask, worse));
        for (side, at) in [(Side::Bid, worse), (Side::Ask, better)] {
            assert_eq!(price(side, rank(side, at)), at);
        }
    }
    assert_eq!((rank(Side::Bid, i64::MIN), rank(Side::Ask, i64::MAX)), (0, 0));
}

/// Ranks with long common prefixes, and some random ones.
fn some_rank(random: &mut Random) -> u64 {
    match random.below(4) {
        0 => random.bits(),
        1 => 1 << random.below(64),
        2 => u64::MAX - u64::from(random.below(6)),
        _ => u64::from(random.below(300)),
    }
}

fn the_same(far: &Far, map: &BTreeMap<u64, u64>, at: u64) {
    assert_eq!(far.is_empty(), map.is_empty());
    assert_eq!(far.highest(), map.keys().next_back().copied());
    assert_eq!(far.at_or_below(at), map.range(..=at).next_back().map(|(rank, _)| *rank), "at or below {at}");
    assert_eq!(far.at_or_above(at), map.range(at..).next().map(|(rank, _)| *rank), "at or above {at}");
    assert_eq!(far.total_from(at), map.range(at..).map(|(_, total)| total).sum::<u64>(), "from {at}");
    assert_eq!(far.get(at).map(|level| level.total), map.get(&at).copied());
}

/// A queue from its first order on, and from its last one back.
fn queue(orders: &Orders, level: &Level) -> (Vec<u64>, Vec<u64>) {
    let there = |slot: Slot| Some(slot).filter(|slot| *slot != NONE);
    let on = successors(there(level.first), |&slot| there(orders.get(slot).next));
    let back = successors(there(level.last), |&slot| there(orders.get(slot).previous));
    let id = |slot| orders.get(slot).id;
    (on.map(id).collect(), back.map(id).collect())
}

fn waits(orders: &mut Orders, level: &mut Level, id: u64) -> Slot {
    let slot = orders.put(Order { id, price: 7, quantity: 1, previous: level.last, next: NONE, link: NONE });
    orders.append(level, slot);
    slot
}

#[test]
fn orders_leave_a_queue_from_anywhere() {
    for leaving in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
        let (mut orders, mut level, mut left) = (Orders::default(), Level::EMPTY, vec![0, 1, 2, 3]);
        let slots: Vec<Slot> = left.iter().map(|&id| waits(&mut orders, &mut level, id)).collect();
        for id in leaving {
            let order = *orders.get(slots[id as usize]);
            orders.unlink(&mut level, &order);
            orders.free(slots[id as usize]);
            assert_eq!(orders.get(slots[id as usize]).quantity, 0);
            left.retain(|other| *other != id);
            let back = left.iter().rev().copied().collect();
            assert_eq!(queue(&orders, &level), (left.clone(), back), "{leaving:?}");
        }
        assert_eq!(level, Level::EMPTY);
        // The slot that was freed last is used first.
        assert_eq!(waits(&mut orders, &mut level, 9), slots[leaving[3] as usize]);
        assert!(orders.has(slots[3]) && !orders.has(slots[3] + 1));
    }
}

#[test]
fn the_tree_matches_a_map() {
    let (mut far, mut map, mut random) = (Far::default(), BTreeMap::new(), Random::new(3));
    for step in 0..12_000 {
        let (at, quantity) = (some_rank(&mut random), u64::from(1 + random.below(9)));
        match random.below(if step / 2_000 % 2 == 0 { 3 } else { 6 }) {
            0 | 1 => {
                let level = far.add(at, quantity);
                level.first = at as u32;
                *map.entry(at).or_insert(0) += quantity;
                assert_eq!(level.total, map[&at]);
            }
            _ => {
                let Some(at) = map.range(at..).next().or(map.iter().next()).map(|(rank, _)| *rank) else { continue };
                let total = map[&at];
                assert_eq!(far.get(at).map(|level| level.first), Some(at as u32));
                if total > 1 && random.chance(1, 2) {
                    assert_eq!(far.sub(at, 1).total, total - 1);
                    map.insert(at, total - 1);
                } else if random.chance(1, 2) {
                    assert_eq!(far.take(at), Level { first: at as u32, total, ..Level::EMPTY });
                    map.remove(&at);
                } else {
                    far.sub(at, total);
                    far.remove(at);
                    map.remove(&at);
                }
            }
        }
        the_same(&far, &map, some_rank(&mut random));
        the_same(&far, &map, at);
    }
    assert!(far.bytes() > 100 * size_of::<Level>() && far.bytes() < 64 * 12_000);
}

#[test]
fn the_window_finds_the_next_level_all_around_its_ring() {
    for low in [0, 1, 63, 64, 5_000, u64::MAX - LEVELS + 1] {
        let (mut window, mut map, mut random) = (Window::default(), BTreeMap::new(), Random::new(low));
        window.low = low;
        let some = |random: &mut Random| low + u64::from(random.below(LEVELS as u32));
        for step in 0..6_000 {
            let at = some(&mut random);
            assert!(window.holds(at));
            let total = map.get(&at).copied().unwrap_or(0);
            if random.chance(1, if step < 2_000 { 2 } else { 20 }) {
                assert_eq!(window.add(at, 2).total, total + 2);
                map.insert(at, total + 2);
            } else if let Some((&at, &total)) = map.range(at..).next() {
                if random.chance(1, 2) {
                    assert_eq!(window.take(at).total, total);
                } else {
                    assert_eq!(window.sub(at, total).total, 0);
                    window.close(at);
                }
                map.remove(&at);
                assert_eq!(*window.get(at), Level::EMPTY);
            }
            let at = some(&mut random);
            assert_eq!(
                window.below(at),
                map.range(..at).next_back().map(|(rank, _)| *rank).or(wrapped(&map, at, true))
            );
            assert_eq!(
                window.above(at),
                map.range(at + u64::from(at < u64::MAX)..)
                    .next()
                    .map(|(rank, _)| *rank)
                    .filter(|found| *found != at)
                    .or(wrapped(&map, at, false))
            );
            assert_eq!(window.highest(), map.keys().next_back().copied());
            assert_eq!(window.lowest(), map.keys().next().copied());
            assert_eq!(window.total_from(at), map.range(at..).map(|(_, total)| total).sum::<u64>());
        }
        assert_eq!(window.total_from(0), map.values().sum::<u64>());
        assert!(low == 0 || !window.holds(low - 1));
        assert!(low.checked_add(LEVELS).is_none_or(|end| !window.holds(end)));
    }
}

/// The ring's answer if there is nothing more on this side: the far end of the other, one turn away.
fn wrapped(map: &BTreeMap<u64, u64>, _at: u64, down: bool) -> Option<u64> {
    let rank = if down { map.keys().next_back() } else { map.keys().next() }?;
    Some(if down { rank.wrapping_sub(LEVELS) } else { rank.wrapping_add(LEVELS) })
}

/// A side compared with a map, while its best jumps about so that the window moves all the time.
#[test]
fn a_side_is_right_wherever_its_window_is() {
    for (seed, spread) in [(1, 3_000), (2, 20_000), (3, 1_000_000), (4, u32::MAX)] {
        let (mut levels, mut map, mut random) = (Levels::default(), BTreeMap::new(), Random::new(seed));
        let mut middle = 1_u64 << 63;
        for step in 0..12_000_u64 {
            if step % 800 == 0 {
                middle = [1 << 63, u64::MAX - 2, 3, (1 << 63) + 9_000, 1 << 40][random.below(5) as usize];
            }
            let away = u64::from(random.below(spread));
            let at = if random.chance(1, 2) { middle.saturating_add(away) } else { middle.saturating_sub(away) };
            if random.chance(if map.len() < 60 { 3 } else { 1 }, 4) {
                let level = levels.add(at, 5);
                (level.first, level.last) = (7, 7);
                *map.entry(at).or_insert(0) += 5;
                assert_eq!(level.total, map[&at]);
            } else {
                let best = random.chance(1, 2).then(|| map.keys().next_back().copied()).flatten();
                let Some(at) = best.or(map.range(at..).next().map(|(rank, _)| *rank)) else { continue };
                let total = map.remove(&at).unwrap_or(0);
                let level = levels.sub(at, total);
                assert_eq!((level.total, level.first), (0, 7));
                *level = Level::EMPTY;
                levels.close(at);
            }
            for _ in 0..40 {
                if levels.is_moving() {
                    levels.advance(1);
                }
            }
            assert_eq!(levels.best(), map.keys().next_back().copied());
            assert_eq!(levels.get(at).map_or(0, |level| level.total), map.get(&at).copied().unwrap_or(0));
            let total: u64 = map.range(at..).map(|(_, total)| total).sum();
            assert_eq!(levels.total_from(at), total);
            assert_eq!(levels.meets(at), map.range(at..).next().is_some());
        }
        assert!(levels.window_moves() > 5, "the window moved {} times", levels.window_moves());
    }
}

/// A lone order far out that is placed and cancelled does not make the window move.
#[test]
fn a_window_does_not_follow_a_passing_order() {
    let mut levels = Levels::default();
    let home = 1_u64 << 63;
    let settle = |levels: &mut Levels| {
        (0..100_000).for_each(|_| {
            if levels.is_moving() {
                levels.advance(1)
            }
        })
    };
    for at in home - 500..=home {
        levels.add(at, 1).first = 0;
    }
    settle(&mut levels);
    assert!(!levels.is_moving());
    let moves = levels.window_moves();
    for _ in 0..1_000 {
        levels.add(home + 1_000_000, 1).first = 0;
        (0..100).for_each(|_| {
            if levels.is_moving() {
                levels.advance(1)
            }
        });
        levels.sub(home + 1_000_000, 1).first = u32::MAX;
        levels.close(home + 1_000_000);
        (0..100).for_each(|_| {
            if levels.is_moving() {
                levels.advance(1)
            }
        });
    }
    assert_eq!(levels.window_moves(), moves);
    levels.add(home + 1_000_000, 1).first = 0;
    settle(&mut levels);
    assert_eq!(levels.window_moves(), moves + 1);
    assert!(levels.is_in_window(home + 1_000_000) && !levels.is_in_window(home));
}

/// However many levels a side has, a move concerns those of two windows at most, and the wait is for them alone.
#[test]
fn a_window_waits_for_the_levels_of_a_move_alone() {
    let (mut levels, home) = (Levels::default(), 1_u64 << 63);
    levels.add(home, 1).first = 0;
    while levels.is_moving() {
        levels.advance(1);
    }
    (1..=100_000).for_each(|n| levels.add(home - 10 * n, 1).first = 0);
    levels.add(home + 1_000_000, 1).first = 0;
    let (moves, mut steps) = (levels.window_moves(), 0);
    while levels.window_moves() == moves {
        levels.advance(1);
        steps += 1;
    }
    assert!(steps > 500 && steps < 20 * 2 * LEVELS, "{steps} steps");
}

/// Ids from five families that other tables would map to few slots.
#[test]
fn any_ids_are_found() {
    let name = |n: u64| match n % 5 {
        0 => n << 44,
        1 => n << 20,
        2 => n.wrapping_mul(0xF1DE_83E1_9937_733D),
        3 => n << 32 | n,
        _ => !n,
    };
    let (mut table, mut orders, mut map, mut random) = (
        IdTable::with_key([0x5851_F42D_4C95_7F2D, 0x1405_7B7E_F767_814F]),
        Orders::default(),
        HashMap::new(),
        Random::new(9),
    );
    let mut level = Level::EMPTY;
    for n in 0..20_000_u64 {
        let id = name(n);
        table.grow(&mut orders);
        assert!(table.find(id, table.home(id), &orders).is_none());
        let slot = waits(&mut orders, &mut level, id);
        table.insert(table.home(id), slot, &mut orders);
        map.insert(id, slot);
        if random.chance(1, 3) {
            let other = name(u64::from(random.below(n as u32 + 1)));
            let found = table.find(other, table.home(other), &orders);
            assert_eq!(found.map(|found| found.slot), map.get(&other).copied());
            if let (Some(found), Some(slot)) = (found, map.remove(&other)) {
                assert_eq!(table.find_at(table.home(other), slot), found);
                table.remove(found, &mut orders);
                assert!(table.find(other, table.home(other), &orders).is_none());
                if random.chance(1, 2) {
                    table.insert(table.home(other), slot, &mut orders);
                    map.insert(other, slot);
                }
            }
        }
        assert_eq!(table.count(), map.len());
    }
    for (id, slot) in &map {
        assert_eq!(table.find(*id, table.home(*id), &orders).map(|found| found.slot), Some(*slot));
    }
    assert!(table.bytes() < map.len() * 18, "{} bytes for {} ids", table.bytes(), map.len());
    // Most ids are found in their bucket's line; few have to be searched for beyond it.
    let crowded = table.crowded(&orders);
    assert!(crowded > 20 && crowded < map.len() / 15, "{crowded} of {} found no room", map.len());
    // For an unknown id the line itself shows that it is unknown, in all but about one of fifty cases.
    let likely: u32 = (20_000..40_000).map(|n| table.likely(name(n))).sum();
    assert!(likely > 0 && likely < 20_000 / 30, "{likely} orders had the tag of one of 20,000 unknown ids");
}
