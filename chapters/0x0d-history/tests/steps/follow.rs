// The follower: the log as rows.

/// A log of one shard without snapshots: a follower that begins again reads it from its first command.
fn unkept(folder: &Path) -> Options {
    Options { snapshot_every: None, ..options(folder, 1, false) }
}

/// Commands of which some lead to trades, also among the first.
fn that_trade(count: usize) -> Vec<Command> {
    let trades = |commands: &[Command]| {
        let mut model = Model::default();
        let events = commands.iter().flat_map(|command| model.apply(command));
        events.filter(|event| matches!(event, Event::Traded { .. })).count()
    };
    (0..).map(|seed| commands(seed, count)).find(|all| trades(all) >= 8 && trades(&all[..all.len() / 2]) >= 2).unwrap()
}

fn opened(options: &Options) -> Arc<Store> {
    Arc::new(Store::open(options, false).unwrap())
}

fn begun(options: &Options, store: &Arc<Store>) -> Follower {
    Follower::begin(options, store, ShardOf::ONLY).unwrap()
}

/// Takes steps until there is nothing to do.
fn to_the_end(follower: &mut Follower) {
    let mut steps = 0;
    while follower.step().unwrap() {
        steps += 1;
        assert!(steps < 1_000, "step says whether there was something to do, and after {steps} steps it still does");
    }
}

/// Fails where the rows, and how many were counted, are not what the log says up to their place; or where the place is not after
/// a command of the log.
fn assert_agree(store: &Store, log: &[(Stamp, Command)], when: &str) {
    let at = store.followed(0).unwrap();
    let through: Vec<_> = log.iter().copied().filter(|(stamp, _)| stamp.sequence < at.next).collect();
    let expected = Rows::of_commands(0, &through);
    let reached = through.last().map_or(Followed::default(), |(last, _)| Followed {
        next: last.sequence.plus(1),
        time: last.time,
        ..at
    });
    let when = format!("{when}, with the place after command {}", at.next.0.saturating_sub(1));
    Rows::of_store(store).assert_is(&expected, &when);
    let rows = [expected.public.len(), expected.orders.len(), expected.money.len()].map(|count| count as u64);
    assert_eq!(
        (at.next, at.time),
        (reached.next, reached.time),
        "{when}: the place is the next command, and the time of the one before it"
    );
    assert_eq!(at.counts, rows, "{when}: how many trades, orders and movements of money were counted");
}

#[test]
fn follow_leads_to_the_rows_that_the_log_says() {
    let folder = tempfile::tempdir().unwrap();
    let options = unkept(folder.path());
    let (mut follower, mut steps) = (None, 0);
    run(&options, &that_trade(400), || {
        let follower = follower.get_or_insert_with(|| begun(&options, &opened(&options)));
        let before = follower.at().next;
        let went = follower.step().unwrap();
        let log = logged(folder.path(), ShardOf::ONLY);
        steps += 1;
        assert_agree(follower.store(), &log, &format!("after step {steps}"));
        assert_eq!(follower.at(), follower.store().followed(0).unwrap(), "at is the place that the rows have reached");
        assert_eq!(went, follower.at().next > before, "step says whether there was something to do");
        let behind = log.last().map_or(0, |(last, _)| last.sequence.plus(1).0) - follower.at().next.0;
        assert!(
            follower.behind() <= behind,
            "behind is how many commands on disk have no rows: {} of {behind}",
            follower.behind()
        );
    });
    let mut follower = follower.unwrap();
    to_the_end(&mut follower);
    let log = logged(folder.path(), ShardOf::ONLY);
    assert_agree(follower.store(), &log, "in the end");
    assert_eq!(
        Some(follower.at().next),
        log.last().map(|(last, _)| last.sequence.plus(1)),
        "it comes to the end of the log"
    );
    assert_eq!(follower.behind(), 0, "it is behind by nothing");
}

#[test]
fn follow_begins_again_where_the_rows_end() {
    let folder = tempfile::tempdir().unwrap();
    let options = unkept(folder.path());
    let mut times = 0;
    run(&options, &that_trade(300), || {
        times += 1;
        if times % 5 != 0 {
            return;
        }
        // Another process: what the first kept in memory is gone, and the log is read from its first command again.
        let store = opened(&options);
        let mut follower = begun(&options, &store);
        to_the_end(&mut follower);
        let log = logged(folder.path(), ShardOf::ONLY);
        assert_agree(
            &store,
            &log,
            &format!("after start {} of the follower: what the rows have already comes a second time", times / 5),
        );
    });
}

#[test]
fn follow_takes_some_commands_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { segment_commands: None, ..unkept(folder.path()) };
    run_in_large_frames(&options, &commands(13, 20_000));
    let store = opened(&options);
    let mut follower = begun(&options, &store);
    assert!(follower.step().unwrap(), "there is something to do");
    let (first, left) = (follower.at().next.0 - 1, follower.behind());
    assert!(
        (1..10_000).contains(&first),
        "a step takes some commands, so that a batch does not grow with the log: {first}"
    );
    assert!(left > 10_000, "behind is how many commands on disk have no rows yet: {left}");
    assert!(follower.step().unwrap(), "there is still something to do");
    assert!(follower.behind() > 0, "two steps are not enough");
    to_the_end(&mut follower);
    assert_agree(&store, &logged(folder.path(), ShardOf::ONLY), "in the end");
    // Another process: what is on disk has its rows, and is only replayed.
    let mut follower = begun(&options, &store);
    assert!(follower.step().unwrap(), "there is something to replay");
    assert_eq!(follower.behind(), 0, "behind counts commands without rows, and every command on disk has its rows");
}

#[test]
fn follow_takes_more_commands_at_a_time_when_it_is_far_behind() {
    const FAR: u64 = 1 << 16;
    let folder = tempfile::tempdir().unwrap();
    let options = Options { segment_commands: None, ..unkept(folder.path()) };
    // All but the first are rejected, and lead to no rows.
    run_in_large_frames(&options, &vec![Command::Open { market: MarketId(1) }; 5 * FAR as usize / 2]);
    let store = opened(&options);
    let mut follower = begun(&options, &store);
    assert!(follower.step().unwrap(), "there is something to do");
    let mut behind = follower.behind();
    while behind > 0 {
        assert!(follower.step().unwrap(), "there is something to do");
        let took = behind - follower.behind();
        let most = if behind > FAR { FAR } else { 1 << 13 };
        assert_eq!(took, most.min(behind), "{behind} commands behind, a step takes {most}: a frame ends just there");
        behind = follower.behind();
    }
}

/// As [`run`], with 1,024 commands in a frame.
fn run_in_large_frames(options: &Options, commands: &[Command]) {
    use market::{Acknowledge, Engine as _, Receivers};
    struct Deaf;
    impl Acknowledge for Deaf {
        fn acknowledge(&mut self, _: Stamp, _: &[Event]) {}
    }
    let mut receivers = |_: u16| Box::new(Deaf) as Box<dyn Acknowledge>;
    let (mut engine, _) =
        ch08::Engine::<ch08::metrics::Unmeasured>::open(options, &mut receivers as &mut Receivers<'_>).unwrap();
    for some in commands.chunks(1_024) {
        some.iter().for_each(|command| assert!(engine.submit(*command).is_ok()));
        engine.flush().unwrap();
    }
    engine.close().unwrap();
}

#[test]
fn follow_stops_at_a_row_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let options = unkept(folder.path());
    run(&options, &that_trade(200), || {});
    let store = opened(&options);
    let log = logged(folder.path(), ShardOf::ONLY);
    // A candle of a day into which the first trade falls.
    let first = Rows::of_commands(0, &log).candles.keys().find(|(_, width, _)| *width == Width::Day as u8).copied();
    let (market, _, start) = first.expect("there are trades");
    put(&store, &[(&key::candle(MarketId(market), Width::Day, UnixMs(start)), &Bytes(Vec::new()))]);
    let followed = begun(&options, &store).step();
    assert!(
        followed.is_err(),
        "the row of a candle can't be read, so the command that changes it has no rows: the step fails"
    );
    assert_eq!(store.followed(0).unwrap(), Followed::default(), "and the place stays where it was");
    assert_eq!(
        store.bytes(&key::number(MarketId(1), OrderId(1))).unwrap(),
        None,
        "and nothing is written of that step"
    );
}
