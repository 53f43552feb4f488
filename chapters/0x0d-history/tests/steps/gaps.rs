// Candles of a range, with the rule for gaps.

/// A candle whose four prices differ.
fn drawn(close: u8) -> Candle {
    Candle {
        open: price(close + 1),
        high: price(close + 2),
        low: price(close - 2),
        close: price(close),
        shares: 10,
        trades: 3,
    }
}

const MINUTE: u64 = 60_000;

/// Candles of a minute of market 3: of the minutes 2, 3 and 6. And candles of others.
fn with_candles() -> (tempfile::TempDir, Store) {
    let (folder, store) = empty();
    for (minute, close) in [(2, 20), (3, 30), (6, 60)] {
        put(&store, &[(&key::candle(MarketId(3), Width::Minute, UnixMs(minute * MINUTE)), &drawn(close))]);
    }
    for (market, width, start) in [
        (2, Width::Minute, 0),
        (2, Width::Minute, 4 * MINUTE),
        (4, Width::Minute, 0),
        (4, Width::Minute, 4 * MINUTE),
        (3, Width::Second, 0),
        (3, Width::Second, 4 * MINUTE),
        (3, Width::Hour, 0),
    ] {
        put(&store, &[(&key::candle(MarketId(market), width, UnixMs(start)), &drawn(90))]);
    }
    (folder, store)
}

/// The minutes of the candles of a range in milliseconds, each with its closing price and its trades.
fn minutes(store: &Store, from: u64, to: u64) -> Vec<(u64, u8, u64)> {
    let found = candles(store, MarketId(3), Width::Minute, UnixMs(from), UnixMs(to)).unwrap();
    for (start, candle) in &found {
        let stored = drawn(candle.close.cents());
        let expected = if candle.trades > 0 { stored } else { stored.still() };
        assert_eq!(*candle, expected, "the candle of minute {}", start.0 / MINUTE);
        assert_eq!(start.0 % MINUTE, 0, "a candle is named after when its minute began");
    }
    found.iter().map(|(start, candle)| (start.0 / MINUTE, candle.close.cents(), candle.trades)).collect()
}

const MINUTES: &str = "[minute, closing price, trades]";

#[test]
fn gaps_have_the_last_price_and_no_volume() {
    let (_folder, store) = with_candles();
    let found = minutes(&store, 2 * MINUTE, 9 * MINUTE);
    let expected = [(2, 20, 3), (3, 30, 3), (4, 30, 0), (5, 30, 0), (6, 60, 3), (7, 60, 0), (8, 60, 0)];
    assert_eq!(found, expected, "{MINUTES}: where nothing was traded, the last price goes on");
}

#[test]
fn gaps_before_the_first_trade_are_left_empty() {
    let (_folder, store) = with_candles();
    assert_eq!(
        minutes(&store, 0, 4 * MINUTE),
        [(2, 20, 3), (3, 30, 3)],
        "{MINUTES}: there is no price before the first"
    );
    let found = minutes(&store, 0, 2 * MINUTE);
    assert!(found.is_empty(), "before the first trade is no candle at all, and here are {found:?} {MINUTES}");
}

#[test]
fn gaps_at_the_beginning_have_the_price_from_before_it() {
    let (_folder, store) = with_candles();
    for (from, expected) in [(4, vec![(4, 30, 0), (5, 30, 0), (6, 60, 3)]), (5, vec![(5, 30, 0), (6, 60, 3)])] {
        assert_eq!(
            minutes(&store, from * MINUTE, 7 * MINUTE),
            expected,
            "{MINUTES}: the price stands in a candle before the range"
        );
    }
    let found = minutes(&store, 1_000 * MINUTE, 1_002 * MINUTE);
    assert_eq!(found, [(1_000, 60, 0), (1_001, 60, 0)], "{MINUTES}: however long before");
}

#[test]
fn gaps_cover_every_millisecond_of_the_range() {
    let (_folder, store) = with_candles();
    let middle = 3 * MINUTE + 31_000;
    assert_eq!(
        minutes(&store, middle, 4 * MINUTE),
        [(3, 30, 3)],
        "{MINUTES}: a range begins with the whole minute that holds its beginning"
    );
    assert_eq!(minutes(&store, middle, middle + 1), [(3, 30, 3)], "{MINUTES}: a range of one millisecond");
    assert_eq!(
        minutes(&store, middle, 6 * MINUTE),
        [(3, 30, 3), (4, 30, 0), (5, 30, 0)],
        "{MINUTES}: a range ends before its end"
    );
    let expected = [(3, 30, 3), (4, 30, 0), (5, 30, 0), (6, 60, 3)];
    assert_eq!(
        minutes(&store, middle, 6 * MINUTE + 1),
        expected,
        "{MINUTES}: one millisecond of the last minute is in the range"
    );
}

#[test]
fn gaps_are_filled_up_to_the_end_of_all_time() {
    let (_folder, store) = with_candles();
    let last = Width::Minute.start(UnixMs(u64::MAX));
    let found = candles(&store, MarketId(3), Width::Minute, last, UnixMs(u64::MAX)).unwrap();
    assert_eq!(
        found,
        [(last, drawn(60).still())],
        "the last minute that there is, which ends after the last millisecond"
    );
}

#[test]
fn gaps_cost_the_same_however_much_there_is() {
    let (_folder, store) = with_candles();
    let damage = |minute: u64| {
        put(&store, &[(&key::candle(MarketId(3), Width::Minute, UnixMs(minute * MINUTE)), &Bytes(Vec::new()))]);
    };
    let ask = |from: u64, to: u64| candles(&store, MarketId(3), Width::Minute, UnixMs(from), UnixMs(to));
    damage(2);
    damage(9);
    let found = ask(4 * MINUTE, 9 * MINUTE).map(|found| found.len());
    assert!(
        matches!(found, Ok(5)),
        "of the candles outside the range, only the last one before it is read, and those of minutes 2 and 9 can't be: \
         {found:?}"
    );
    for (from, what) in [(8, "a candle of the range"), (10, "the last candle before the range")] {
        let found = ask(from * MINUTE, 12 * MINUTE).map(|found| found.len());
        assert!(
            matches!(found, Err(HistoryError::Unusable { .. })),
            "{what} can't be read: there is no answer, and no other candle in its place: {found:?}"
        );
    }
    let found = ask(0, u64::MAX).map(|found| found.len());
    assert!(matches!(found, Err(HistoryError::Asked(_))), "too many are refused before one is read: {found:?}");
}

#[test]
fn gaps_are_filled_for_every_width() {
    let (_folder, store) = empty();
    for width in Width::ALL {
        put(&store, &[(&key::candle(MarketId(3), width, UnixMs(0)), &drawn(20))]);
        let found = candles(&store, MarketId(3), width, UnixMs(0), UnixMs(3 * width.ms())).unwrap();
        let starts: Vec<_> = found.iter().map(|(start, _)| start.0 / width.ms()).collect();
        assert_eq!(starts, [0, 1, 2], "three candles of a {}", width.word());
    }
}

#[test]
fn gaps_are_filled_up_to_a_limit() {
    let (_folder, store) = with_candles();
    let ask = |from: u64, to: u64| candles(&store, MarketId(3), Width::Minute, UnixMs(from), UnixMs(to));
    let end = (10 + CANDLES_MAX) * MINUTE;
    let most = ask(10 * MINUTE, end).map(|found| found.len() as u64);
    assert!(matches!(most, Ok(CANDLES_MAX)), "an answer has {CANDLES_MAX} candles, and not {most:?}");
    let more = CANDLES_MAX + 1;
    for (from, to) in [(9 * MINUTE, end), (10 * MINUTE, end + 1), (10 * MINUTE - 1, end)] {
        let refused = ask(from, to).map(|found| found.len());
        let Err(HistoryError::Asked(words)) = refused else {
            panic!("{more} candles are refused as a question, not {refused:?}")
        };
        let says = |number: u64| words.contains(&number.to_string());
        assert!(
            says(more) && says(CANDLES_MAX),
            "the words say how many candles that is, and how many an answer has: {words}"
        );
    }
    let refused = ask(0, u64::MAX).map(|found| found.len());
    assert!(matches!(refused, Err(HistoryError::Asked(_))), "all candles that there ever will be: {refused:?}");
}
