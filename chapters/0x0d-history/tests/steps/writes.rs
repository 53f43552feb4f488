// What the follower writes: one batch a step, with what has changed.

/// The store writes its batches one after the other into its journal. If a crash cuts the journal anywhere, some number of whole
/// batches is left.
#[test]
fn follow_writes_a_step_in_one_batch() {
    let folder = tempfile::tempdir().unwrap();
    let options = unkept(folder.path());
    {
        let mut follower = None;
        run(&options, &that_trade(40), || {
            let follower = follower.get_or_insert_with(|| begun(&options, &opened(&options)));
            follower.step().unwrap();
        });
        let mut follower = follower.unwrap();
        to_the_end(&mut follower);
        follower.store().sync().unwrap();
    }
    let log = logged(folder.path(), ShardOf::ONLY);
    let (rows, kept) = (folder.path().join("history/rows"), folder.path().join("kept"));
    let journal = keep(&rows, &kept);
    let bytes = fs::read(kept.join(&journal)).unwrap();
    let written = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let mut reached = std::collections::BTreeSet::new();
    let mut cut = |length: usize| {
        fs::remove_dir_all(&rows).unwrap();
        copy(&kept, &rows).unwrap();
        fs::write(rows.join(&journal), &bytes[..length]).unwrap();
        let store = opened(&options);
        let next = store.followed(0).unwrap().next;
        assert_agree(&store, &log, &format!("the store's journal is cut after {length} of {written} bytes"));
        if reached.insert(next) {
            let mut follower = begun(&options, &store);
            to_the_end(&mut follower);
            assert_agree(
                &store,
                &log,
                &format!("the journal was cut after {length} bytes, and the log followed again"),
            );
        }
        next
    };
    // Cuts where the place differs on both sides, until each end of a batch is between two cuts. The shortest batch, with
    // the place alone, is longer than `NEAR`.
    const NEAR: usize = 50;
    let mut between = vec![((0, cut(0)), (written, cut(written)))];
    while let Some((left, right)) = between.pop() {
        if left.1 != right.1 && right.0 - left.0 > NEAR {
            let middle = left.0.midpoint(right.0);
            let middle = (middle, cut(middle));
            between.extend([(left, middle), (middle, right)]);
        }
    }
    assert!(reached.len() > 3, "there are too few batches to cut between: {reached:?}");
}

/// Sets a store aside. Its journal is long and mostly empty, so its name alone is the result.
fn keep(rows: &Path, kept: &Path) -> PathBuf {
    copy(rows, kept).unwrap();
    let mut journals: Vec<_> = fs::read_dir(kept).unwrap().map(|entry| entry.unwrap().path()).collect();
    journals.retain(|path| path.extension().is_some_and(|end| end == "jnl"));
    let [journal] = &journals[..] else { panic!("one journal: {journals:?}") };
    journal.strip_prefix(kept).unwrap().to_path_buf()
}

/// The keys of rows that commands in between have left as they were, each with its table.
fn unchanged(before: &Rows, after: &Rows) -> Vec<(&'static str, Vec<u8>)> {
    let mut keys = Vec::new();
    for (market, row) in &before.markets {
        if after.markets.get(market) == Some(row) {
            keys.push(("market", key::market(MarketId(*market)).to_vec()));
        }
    }
    for (at @ (market, width, start), row) in &before.candles {
        let width = Width::ALL.into_iter().find(|all| *all as u8 == *width).unwrap();
        if after.candles.get(at) == Some(row) {
            keys.push(("candle", key::candle(MarketId(*market), width, UnixMs(*start)).to_vec()));
        }
    }
    for (at @ (account, market), row) in &before.profits {
        if after.profits.get(at) == Some(row) {
            keys.push(("profit", key::profit(AccountId(*account), MarketId(*market)).to_vec()));
        }
    }
    for (at @ (account, place), row) in &before.orders {
        if after.orders.get(at) == Some(row) {
            keys.push(("order", placed(Table::Orders, *account, *place).to_vec()));
        }
    }
    keys
}

/// A row is made unreadable. If a batch writes it again, it can be read again.
#[test]
fn follow_writes_what_has_changed_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let options = unkept(folder.path());
    let all = that_trade(300);
    let (first, then) = all.split_at(all.len() - 7);
    run(&options, first, || {});
    let store = opened(&options);
    let mut follower = begun(&options, &store);
    to_the_end(&mut follower);
    let before = Rows::of_store(&store);
    run(&options, then, || {});
    let unchanged = unchanged(&before, &Rows::of_commands(0, &logged(folder.path(), ShardOf::ONLY)));
    for what in ["market", "candle", "profit", "order"] {
        assert!(unchanged.iter().any(|(of, _)| *of == what), "the last commands change every {what}: choose others");
    }
    for (_, key) in &unchanged {
        put(&store, &[(key, &Bytes(Vec::new()))]);
    }
    to_the_end(&mut follower);
    for (what, key) in &unchanged {
        let row = store.bytes(key).unwrap();
        assert_eq!(row, Some(Vec::new()), "this {what} has not changed, and was written again: {key:?}");
    }
    put(&store, &[(&key::follower(0), &Bytes(Vec::new()))]);
    assert!(!follower.step().unwrap(), "there is nothing to do");
    let place = store.bytes(&key::follower(0)).unwrap();
    assert_eq!(place, Some(Vec::new()), "a step without new commands writes nothing, and so no place either");
}

/// An order of account 2 in market 1, and the events that it leads to: it rests, or what is left of it is cancelled.
fn add_order(derived: &mut Derived, number: u64, is_cancelled: bool) {
    let (market, account, order) = (MarketId(1), AccountId(2), OrderId(number));
    let asked = market::Place {
        intent: Intent::BuyYes,
        time_in_force: TimeInForce::Gtc,
        price: 40,
        market,
        account,
        quantity: 5,
        client_order_id: 0,
    };
    let quantity = Quantity(5);
    let mut events =
        vec![Event::Accepted { market, account, order, intent: Intent::BuyYes, price: price(40), quantity }];
    if is_cancelled {
        events.push(Event::Cancelled { market, account, order, quantity, reason: CancelReason::Requested });
    }
    let stamp = Stamp { sequence: Sequence(number), time: UnixMs(1_000) };
    derived.add(stamp, &Command::Place(asked), &events).unwrap();
}

#[test]
fn follow_keeps_orders_that_may_change_and_not_too_many() {
    let (_folder, store) = empty();
    let mut at = Followed::default();
    let mut derived = Derived::new(&Arc::new(store), 0, &at).unwrap();
    (1..=10).for_each(|number| add_order(&mut derived, number, number <= 7));
    derived.commit(&mut at).unwrap();
    assert_eq!(derived.kept(), 3, "of 10 orders, 3 rest and are kept after the batch, and 7 are cancelled and are not");
    assert_eq!(at.counts, [0, 10, 0], "the rows of 10 orders are counted");
    let most = ORDERS_KEPT as u64 + 10;
    (11..=most).for_each(|number| add_order(&mut derived, number, false));
    derived.commit(&mut at).unwrap();
    assert!(derived.kept() <= ORDERS_KEPT, "no more than {ORDERS_KEPT} are kept after a batch: {}", derived.kept());
    assert_eq!(at.counts, [0, most, 0], "the rows of {most} orders are counted");
}
