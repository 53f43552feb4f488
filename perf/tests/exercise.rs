//! Every writing exercise begins with a failing test and a crate that compiles: laid out, each fails its
//! chapter's lesson. That the same tests pass when the chapter is written is seen in the chapter itself.

use perf::chapters;
use perf::exercise::{cargo, lay_out, only_one};

/// The test that the exercise of a chapter is about.
fn lesson(package: &str) -> &'static str {
    match package {
        "ch04" => "allocations",
        "ch05" => "memory",
        _ => "lesson",
    }
}

#[test]
fn each_exercise_compiles_and_fails_its_lesson_before_it_is_written() {
    let all = chapters::all().expect("chapters");
    let folder = tempfile::tempdir().expect("a folder");
    for pair in all.windows(2) {
        let (before, chapter) = (&pair[0], &pair[1]);
        let place = folder.path().join(&chapter.package);
        lay_out(chapter, before, &place, false).expect("laid out");
        let (compiles, output) = cargo(&place, &["build", "--quiet"]).expect("cargo");
        assert!(compiles, "{}: {output}", chapter.name);
        let (passes, output) = cargo(&place, &["test", "--quiet", "--test", lesson(&chapter.package)]).expect("cargo");
        assert!(!passes, "{}: the lesson's test passes on the chapter before: {output}", chapter.name);
    }
}

#[test]
fn an_exercise_is_not_laid_out_over_somebodys_work() {
    let all = chapters::all().expect("chapters");
    let folder = tempfile::tempdir().expect("a folder");
    let refused = lay_out(&all[1], &all[0], folder.path(), false).expect_err("it is there").to_string();
    assert!(refused.contains("--force"), "{refused}");
}

#[test]
fn the_only_exercise_need_not_be_named() {
    let all = chapters::all().expect("chapters");
    let base = tempfile::tempdir().expect("a folder");
    let none = only_one(base.path()).expect_err("there is none").to_string();
    assert!(none.contains("lay one out first"), "{none}");
    lay_out(&all[2], &all[1], &base.path().join("0x03"), false).expect("laid out");
    assert_eq!(only_one(base.path()).expect("one"), "0x03");
    lay_out(&all[4], &all[3], &base.path().join("0x05"), false).expect("laid out");
    let several = only_one(base.path()).expect_err("there are two").to_string();
    assert!(several.contains("0x03, 0x05"), "{several}");
}
