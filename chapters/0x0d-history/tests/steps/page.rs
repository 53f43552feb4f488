// Pages of rows: what stands between two keys.

/// The account whose pages are asked for.
const OWNER: u32 = 300;

/// Puts rows of money at these places, whose amounts are their numbers in the list.
fn put_money(store: &Store, owner: u32, places: &[Place]) {
    for (amount, place) in (0..).zip(places) {
        put(store, &[(&placed(Table::Money, owner, *place), &money(amount))]);
    }
}

/// Seven places, three of them in one millisecond.
const PLACES: [(u64, u64, u32); 7] =
    [(10, 1, 0), (20, 2, 0), (20, 2, 1), (20, 3, 0), (21, 4, 0), (300, 5, 0), (301, 6, 2)];

fn places() -> Vec<Place> {
    PLACES.map(|(time, sequence, index)| place(time, 0, sequence, index)).to_vec()
}

/// Rows of the account, and of its neighbours in every direction.
fn filled() -> (tempfile::TempDir, Store) {
    let (folder, store) = empty();
    put_money(&store, OWNER, &places());
    let others = [(Table::Money, OWNER - 1), (Table::Money, OWNER + 1), (Table::Orders, OWNER), (Table::Public, OWNER)];
    for (table, owner) in others {
        for time in [0, 20, u64::MAX] {
            put(&store, &[(&placed(table, owner, place(time, 0, 9, 9)), &money(1_000))]);
        }
    }
    (folder, store)
}

fn everything(limit: usize) -> Wanted {
    Wanted { from: UnixMs(0), to: UnixMs(u64::MAX), before: None, limit }
}

/// The places of a page's rows, and its cursor.
fn asked(store: &Store, wanted: &Wanted) -> (Vec<Place>, Option<Place>) {
    let Page { rows, next } = page::<Money>(store, Table::Money, OWNER, wanted).unwrap();
    for (place, row) in &rows {
        let amount = places().iter().position(|other| other == place).map(|amount| amount as u64);
        assert_eq!(Some(row.amount.0), amount, "the row at {place} is another row's: whose is it?");
    }
    (rows.into_iter().map(|(place, _)| place).collect(), next)
}

fn newest_first(places: &[Place]) -> Vec<Place> {
    places.iter().rev().copied().collect()
}

#[test]
fn page_has_the_rows_of_one_owner_the_newest_first() {
    let (_folder, store) = filled();
    let (rows, next) = asked(&store, &everything(500));
    assert_eq!(rows, newest_first(&places()), "all rows of the account, the newest first, and none of another key");
    assert_eq!(next, None, "there is no next page after the last row");
}

#[test]
fn page_has_no_more_rows_than_were_asked_for() {
    let (_folder, store) = filled();
    for limit in 1..=8 {
        let (rows, _) = asked(&store, &everything(limit));
        let expected = newest_first(&places());
        assert_eq!(rows, expected[..limit.min(7)], "the newest {limit} of 7 rows");
    }
}

#[test]
fn page_goes_on_before_its_cursor() {
    let (_folder, store) = filled();
    for limit in 1..=8 {
        let (mut all, mut wanted) = (Vec::new(), everything(limit));
        for number in 1.. {
            let (rows, next) = asked(&store, &wanted);
            all.extend(rows);
            let words = format!("after page {number} of {limit} rows each");
            assert_eq!(all, newest_first(&places())[..all.len()], "{words}: no row twice, and none left out");
            assert!(number <= 8, "{words}: the pages never end");
            assert_eq!(next.is_some(), all.len() < 7, "{words}, with {} of 7 rows: is there a next page?", all.len());
            let Some(next) = next else { break };
            assert_eq!(Some(&next), all.last(), "{words}: the cursor is the place of the page's last row");
            wanted.before = Some(next);
        }
    }
}

#[test]
fn page_begins_and_ends_at_the_millisecond() {
    let (_folder, store) = filled();
    for from in [0, 9, 10, 11, 20, 21, 22, 300, 302] {
        for to in [9, 10, 20, 21, 22, 301, 302] {
            let wanted = Wanted { from: UnixMs(from), to: UnixMs(to), ..everything(500) };
            let there = |place: &Place| (from..to).contains(&place.time.0);
            let expected: Vec<_> = newest_first(&places()).into_iter().filter(there).collect();
            let words = format!("from {from} to {to}: from belongs to it, and to does not");
            assert_eq!(asked(&store, &wanted), (expected, None), "{words}");
        }
    }
}

#[test]
fn page_ends_at_the_earlier_of_its_time_and_its_cursor() {
    let (_folder, store) = filled();
    for cursor in places().into_iter().chain([place(u64::MAX, 0, 0, 0)]) {
        for to in [10, 20, 21, 301, u64::MAX] {
            let wanted = Wanted { to: UnixMs(to), before: Some(cursor), ..everything(500) };
            let there = |place: &Place| place.time.0 < to && *place < cursor;
            let expected: Vec<_> = newest_first(&places()).into_iter().filter(there).collect();
            assert_eq!(asked(&store, &wanted).0, expected, "to {to}, and before {cursor}: the earlier decides");
        }
    }
}

#[test]
fn page_costs_the_same_however_much_there_is() {
    let (_folder, store) = filled();
    // After the four newest rows come some that can't be read: a page of three reads one row beyond its own.
    for place in &places()[..3] {
        put(&store, &[(&placed(Table::Money, OWNER, *place), &Bytes(Vec::new()))]);
    }
    let read = page::<Money>(&store, Table::Money, OWNER, &everything(3));
    let read =
        read.unwrap_or_else(|error| panic!("a page of 3 reads the 3 newest rows and one more, and no others: {error}"));
    assert_eq!(read.rows.len(), 3);
    assert!(read.next.is_some(), "there are more");
    for (limit, what) in [(5, "a row of the page"), (4, "the row after the page")] {
        let read = page::<Money>(&store, Table::Money, OWNER, &everything(limit));
        let next = read.map(|read| read.next);
        assert!(
            matches!(next, Err(HistoryError::Unusable { .. })),
            "{what} can't be read: the page fails, and says nothing about what comes next: {next:?}"
        );
    }
}
