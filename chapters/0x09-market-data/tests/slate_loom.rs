//! The slate under `loom`: every interleaving of a small one and every stale value that the orderings permit. To show
//! that these scenarios miss nothing, each ordering and fence is weakened in turn, and then a scenario has to fail.

#[allow(dead_code)]
#[path = "../src/slate.rs"]
mod slate;
#[path = "weakened/mod.rs"]
mod weakened;

use weakened::memory;

use slate::slate;

/// The amounts of a version: the first changes with each version, the second only with version 2.
fn amounts(version: u64) -> [i64; 2] {
    [-(version as i64), if version < 2 { 7 } else { 9 }]
}

/// A reader that had version `since` sees one version intact, or nothing.
fn what_is_taken_is_one_version(since: u64) {
    loom::model(move || {
        let (mut writer, slate) = slate::<2, 1>();
        writer.publish(&amounts(1), &[11]);
        let reading = loom::thread::spawn(move || {
            let mut taken_amounts = [0; 2];
            let Some(taken) = slate.take(since, &mut taken_amounts) else { return };
            let version = taken.version;
            assert_eq!(taken.words, [10 + version]);
            let right = amounts(version);
            for at in 0..2 {
                // What it does not get has not changed since.
                let is_known = since > 0 && amounts(since)[at] == right[at];
                assert_eq!(taken.which >> at & 1 == 1, !is_known, "amount {at} of version {version}");
                assert_eq!(taken_amounts[at], if is_known { 0 } else { right[at] }, "amount {at}");
            }
        });
        writer.publish(&amounts(2), &[12]);
        reading.join().expect("the reader ends");
    });
}

#[test]
fn a_reader_sees_one_version_whole() {
    what_is_taken_is_one_version(0);
    what_is_taken_is_one_version(1);
}

#[test]
fn every_ordering_is_needed() {
    weakened::assert_each_is_needed("slate.rs", || what_is_taken_is_one_version(0));
}
