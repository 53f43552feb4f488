//! A test that a page names must exist.

use crate::fixture::Mini;
use std::fs;

#[test]
fn a_missing_test_is_reported() {
    let mini = Mini::new();
    assert_eq!(mini.problems(), []);
    let command = "title=\"cargo test -p plain --test contract simulation -- --exact\"";
    assert!(mini.built("en/one.html").contains(command) && mini.built("zh/one.html").contains(command));
    for (named, told) in [
        ("plain::promises::what_was_lost", "no test `what_was_lost` in tests/promises.rs of `plain`"),
        ("plain::promises::no_test", "no test `no_test`"),
        ("plain::promises::for_a_week", "`for_a_week` is ignored"),
        ("plain::contract::simulation_in_shards", "no test `simulation_in_shards`"),
        ("plain::threats::simulation", "`plain` has no tests/threats.rs"),
        ("fancy::contract::simulation", "no crate of this repository is called `fancy`"),
        ("plain::promises::kept::there", "`plain` has no tests/promises/kept.rs"),
        ("simulation", "not of the form package::file::test"),
    ] {
        let mini = Mini::new();
        assert_eq!(mini.edit("book/en/one.md", "plain::contract::simulation", named).bites("book/en/one.md", told), 32);
    }
    // A test in a module below is named as its program names it.
    let mini = Mini::new();
    fs::create_dir_all(mini.path("chapters/0x01-plain/tests/promises")).unwrap();
    fs::write(mini.path("chapters/0x01-plain/tests/promises/kept.rs"), "#[test]\nfn there() {}\n").unwrap();
    mini.edit("book/zh/one.md", "plain::contract::simulation", "plain::promises::there");
    mini.bites("book/zh/one.md", "no test `there` in tests/promises.rs of `plain`");
    mini.edit("book/zh/one.md", "plain::promises::there", "plain::promises::kept::there").stamped();
    assert_eq!(mini.problems(), []);
    let command = "title=\"cargo test -p plain --test promises kept::there -- --exact\"";
    assert!(mini.built("zh/one.html").contains(command));

    let mini = Mini::new();
    let renamed = mini.edit("chapters/0x01-plain/tests/promises.rs", "what_was_acknowledged", "what_was_promised");
    renamed.bites("book/zh/one.md", "no test `what_was_acknowledged_is_there`");
    mini.edit("chapters/contract/src/list.rs", "            simulation is", "            lives is");
    mini.bites("book/zh/one.md", "no test `simulation`");
    mini.edit("chapters/0x01-plain/tests/contract.rs", "Chapter)", "Chapter, in shards)");
    mini.edit("book/zh/one.md", "contract::simulation", "contract::simulation_in_shards");
    assert!(mini.problems().iter().all(|problem| !problem.reason.contains("simulation_in_shards")));
}
