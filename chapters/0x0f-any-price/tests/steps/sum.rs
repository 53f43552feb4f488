// What the levels from a rank up add up to.

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
