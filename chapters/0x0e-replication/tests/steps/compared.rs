// The comparison of two machines' digests.

fn stretch(number: u64, digest: u32) -> Stretch {
    Stretch { last: number * STRETCH, digest }
}

/// Compares, or fails where that does not come to an end.
fn checked(compared: Compared) -> (Compared, Result<u64, Differs>) {
    let (done, wait) = channel();
    std::thread::spawn(move || {
        let mut compared = compared;
        let checked = compared.check();
        let _ = done.send((compared, checked));
    });
    wait.recv_timeout(Duration::from_secs(20)).expect("check comes to an end: what was compared is not compared again")
}

/// What both have said, in this order, and what a check finds in the end.
fn compared(said: &[(&str, Stretch)]) -> (Compared, Result<u64, Differs>) {
    let mut compared = Compared::default();
    for (of, stretch) in said {
        match *of {
            "own" => compared.own(*stretch),
            _ => compared.told(*stretch),
        }
    }
    checked(compared)
}

#[test]
fn compared_is_what_both_have_said() {
    let (one, two, three) = (stretch(1, 11), stretch(2, 22), stretch(3, 33));
    for (said, equal, what) in [
        (vec![], 0, "nothing was said"),
        (vec![("told", one)], 0, "this machine has not come so far"),
        (vec![("own", one)], 0, "the primary has not said it yet"),
        (vec![("told", one), ("own", one)], 1, "the primary said it first"),
        (vec![("own", one), ("told", one)], 1, "this machine was first"),
        (vec![("own", one), ("told", two)], 0, "each of another stretch"),
        (vec![("own", one), ("own", two), ("own", three), ("told", two)], 2, "the primary says the latest alone"),
        (
            vec![("told", one), ("told", two), ("told", three), ("own", one), ("own", two)],
            2,
            "this machine is one behind",
        ),
        (vec![("own", three), ("own", one), ("told", one), ("told", three)], 3, "all that both have said"),
    ] {
        let (_, checked) = compared(&said);
        assert_eq!(checked, Ok(equal * STRETCH), "{what}: the last command up to which both are the same");
    }
}

#[test]
fn compared_goes_on_and_never_back() {
    let (one, two, three) = (stretch(1, 11), stretch(2, 22), stretch(3, 33));
    let (mut both, found) = compared(&[("own", one), ("own", two), ("told", two)]);
    assert_eq!(found, Ok(2 * STRETCH));
    let (again, found) = checked(both);
    assert_eq!(found, Ok(2 * STRETCH), "asked again, with nothing new");
    both = again;
    both.told(one);
    let (mut both, found) = checked(both);
    assert_eq!(found, Ok(2 * STRETCH), "an earlier one that comes late leads no further back");
    both.told(three);
    both.own(three);
    assert_eq!(checked(both).1, Ok(3 * STRETCH), "the next one");
}

#[test]
fn compared_names_the_first_that_differs() {
    let differs = Differs { last: 2 * STRETCH, own: 22, told: 99 };
    let (one, two, three) = (stretch(1, 11), stretch(2, 22), stretch(3, 33));
    let told = [("told", one), ("told", stretch(2, 99)), ("told", stretch(3, 98))];
    let own = [("own", one), ("own", two), ("own", three)];
    for said in [[told, own].concat(), [own, told].concat()] {
        let (both, found) = compared(&said);
        assert_eq!(
            found,
            Err(differs),
            "the second stretch differs, and the third as well: its last command, this machine's digest, the primary's"
        );
        assert_eq!(checked(both).1, Err(differs), "asked again, it is the same: what differs does not go by");
    }
    let (_, found) = compared(&[("own", stretch(1, 0)), ("told", stretch(1, 1))]);
    assert_eq!(found, Err(Differs { last: STRETCH, own: 0, told: 1 }), "a digest of 0 is a digest like any other");
}

#[test]
fn compared_is_what_the_primary_says_each_time() {
    let one = stretch(1, 11);
    let (mut both, found) = compared(&[("own", one), ("told", one)]);
    assert_eq!(found, Ok(STRETCH));
    for times in 2..=3 {
        both.told(one);
        let (again, found) = checked(both);
        assert_eq!(
            found,
            Ok(STRETCH),
            "beats repeat the latest stretch: it is still the same when it comes {times} times"
        );
        assert_eq!(again.count(), 1, "a stretch that comes {times} times is one stretch");
        both = again;
    }
    both.told(stretch(1, 99));
    let differs = Differs { last: STRETCH, own: 11, told: 99 };
    let what = "the primary says something else of a stretch that was the same before: it is compared again";
    assert_eq!(checked(both).1, Err(differs), "{what}");
}
