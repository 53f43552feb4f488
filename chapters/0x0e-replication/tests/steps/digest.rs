// The digest of a stretch.

fn deposit(amount: u64) -> Event {
    Event::Deposited { market: MarketId(1), account: AccountId(2), amount: Cents(amount) }
}

/// The stretches of these commands, each of which leads to as many deposits as its number says, modulo 3, or to others.
fn stretches(commands: impl Iterator<Item = u64>, other: impl Fn(u64) -> Option<Vec<Event>>) -> Vec<Stretch> {
    let mut digest = Digest::default();
    let events = |at: u64| (0..at % 3).map(|number| deposit(10 * at + number)).collect();
    commands.filter_map(|at| digest.add(Sequence(at), &other(at).unwrap_or_else(|| events(at)))).collect()
}

fn as_they_are(_: u64) -> Option<Vec<Event>> {
    None
}

fn lasts(stretches: &[Stretch]) -> Vec<u64> {
    stretches.iter().map(|stretch| stretch.last).collect()
}

#[test]
fn digest_comes_with_the_last_command_of_each_stretch() {
    let mut digest = Digest::default();
    for at in 1..=3 * STRETCH + 5 {
        let stretch = digest.add(Sequence(at), &[deposit(at)]);
        let expected = at.is_multiple_of(STRETCH).then_some(at);
        assert_eq!(
            stretch.map(|stretch| stretch.last),
            expected,
            "the last command of the stretch that ends with command {at}"
        );
    }
}

#[test]
fn digest_is_that_of_all_events_in_their_order() {
    let all = |events: Vec<Vec<Event>>| {
        let bytes: Vec<u8> = events.into_iter().flatten().flat_map(|event| event.encode().to_vec()).collect();
        crc32c::crc32c(&bytes)
    };
    let commands = 1..=STRETCH;
    let found = stretches(commands.clone(), as_they_are);
    let expected = all(commands.map(|at| (0..at % 3).map(|number| deposit(10 * at + number)).collect()).collect());
    assert_eq!(found, [Stretch { last: STRETCH, digest: expected }], "CRC-32C of all events of the stretch, in order");
    for (what, other) in [
        ("another amount", vec![deposit(999), deposit(51)]),
        ("the second event left out", vec![deposit(50)]),
        ("the events in another order", vec![deposit(51), deposit(50)]),
        ("no event", vec![]),
    ] {
        let changed = stretches(1..=STRETCH, |at| (at == 5).then(|| other.clone()));
        assert_ne!(changed, found, "command 5 led to {what}: the digest is another");
    }
}

#[test]
fn digest_depends_on_its_own_stretch_alone() {
    let all = stretches(1..=3 * STRETCH, as_they_are);
    assert_eq!(lasts(&all), [STRETCH, 2 * STRETCH, 3 * STRETCH]);
    for at in [1, 7, STRETCH] {
        let changed = stretches(1..=3 * STRETCH, |of| (of == at).then(|| vec![deposit(999)]));
        assert_ne!(changed[0], all[0], "command {at} led to something else: its own stretch differs");
        assert_eq!(changed[1..], all[1..], "command {at} led to something else: the stretches after it are the same");
    }
}

#[test]
fn digest_needs_every_command_of_its_stretch() {
    let all = stretches(1..=3 * STRETCH, as_they_are);
    for begin in [2, 9, STRETCH] {
        let found = stretches(begin..=3 * STRETCH, as_they_are);
        assert_eq!(
            found,
            all[1..],
            "a machine that begins with command {begin} says nothing of the first stretch, and the same of the others"
        );
    }
    assert_eq!(
        stretches(STRETCH + 1..=3 * STRETCH, as_they_are),
        all[1..],
        "a machine that begins with a stretch has all of it"
    );
    for gap in [1, 2, 9, STRETCH - 1, STRETCH] {
        let found = stretches((1..=3 * STRETCH).filter(|at| *at != gap), as_they_are);
        assert_eq!(found, all[1..], "command {gap} is missing: there is no digest of its stretch");
    }
    let twice = (1..=9).chain(9..=3 * STRETCH);
    assert_eq!(stretches(twice, as_they_are), all[1..], "command 9 came twice: there is no digest of its stretch");
}
