//! Every writing exercise begins with a failing test and a crate that compiles: laid out, each fails its
//! chapter's lesson. That the same tests pass when the chapter is written is seen in the chapter itself.

use catalogue::Catalogue;
use perf::exercise::{cargo, lay_out, only_one};
use results::chapters;

fn catalogue() -> Catalogue {
    chapters::catalogue().expect("the manifests are sound")
}

#[test]
fn each_exercise_compiles_and_fails_its_lesson_before_it_is_written() {
    let catalogue = catalogue();
    let folder = tempfile::tempdir().expect("a folder");
    for (before, chapter) in catalogue.steps() {
        let test = chapter.lesson_test_name().expect("every step has a test of its lesson");
        let place = folder.path().join(&chapter.package);
        lay_out(chapter, before, &place, false).expect("laid out");
        // Nothing here runs long enough to be optimised for.
        let plain = ["--quiet", "--config", "profile.dev.opt-level=0", "--config", "profile.dev.debug=0"];
        let (compiles, output) = cargo(&place, &[&["build"][..], &plain].concat()).expect("cargo");
        assert!(compiles, "{}: {output}", chapter.folder);
        let (passes, output) = cargo(&place, &[&["test", "--test", test][..], &plain].concat()).expect("cargo");
        assert!(!passes, "{}: the lesson's test passes on the chapter before: {output}", chapter.folder);
    }
}

#[test]
fn an_exercise_is_not_laid_out_over_somebodys_work() {
    let catalogue = catalogue();
    let (before, chapter) = catalogue.steps().next().expect("a step");
    let folder = tempfile::tempdir().expect("a folder");
    let refused = lay_out(chapter, before, folder.path(), false).expect_err("it is there").to_string();
    assert!(refused.contains("--force"), "{refused}");
}

#[test]
fn the_only_exercise_need_not_be_named() {
    let catalogue = catalogue();
    let [one, other] = [0, 1].map(|step| catalogue.steps().nth(step).expect("two steps"));
    let base = tempfile::tempdir().expect("a folder");
    let none = only_one(base.path()).expect_err("there is none").to_string();
    assert!(none.contains("lay one out first"), "{none}");
    let names = [one, other].map(|(before, chapter)| {
        let name = chapter.number.to_string();
        lay_out(chapter, before, &base.path().join(&name), false).expect("laid out");
        only_one(base.path()).map_err(|error| error.to_string()).map(|only| assert_eq!(only, name)).err()
    });
    let [None, Some(several)] = names else { panic!("{names:?}") };
    let both = format!("{}, {}", one.1.number, other.1.number);
    assert!(several.contains(&both), "{several}");
}
