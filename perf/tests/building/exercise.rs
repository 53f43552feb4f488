//! Every writing exercise begins with a failing test and a crate that compiles: laid out, each fails its
//! chapter's lesson. That the same tests pass once the chapter is written is tested in the chapter
//! itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use catalogue::{Catalogue, Chapter};
use perf::exercise::files::without_marks;
use perf::exercise::layout::{Source, test_files};
use perf::exercise::plan::{Plan, Tests};
use perf::exercise::{lay_out, only_one};
use program::rounds::Rounds;
use results::chapters;
use results::language::Language::English;
use serde_json::Value;

fn catalogue() -> Catalogue {
    chapters::catalogue().expect("the manifests are sound")
}

/// Every exercise, with its source and its plan.
fn each(mut work: impl FnMut(&Source<'_>, &Plan)) {
    let (root, catalogue) = (chapters::repository(), catalogue());
    for (before, chapter) in catalogue.steps() {
        let source = Source { root: &root, chapter, before };
        work(&source, &Plan::of(&source.chapters(), chapter).expect("a sound plan"));
    }
    let others = catalogue.all().iter().filter(|chapter| !chapter.is_engine());
    for chapter in others.filter(|chapter| Plan::is_there(&root.join("chapters"), chapter)) {
        let source = Source { root: &root, chapter, before: chapter };
        work(&source, &Plan::of(&source.chapters(), chapter).expect("a sound plan"));
    }
}

/// The test that an exercise begins with: the lesson's, or the first of its first step.
fn lesson(chapter: &Chapter, plan: &Plan) -> Tests {
    let first = || plan.steps.first().and_then(|step| step.tests.first());
    Tests::named(chapter.lesson_test_name().or_else(|| first().map(String::as_str)).expect("a test to begin with"))
}

/// All files of a folder and its subfolders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.flat_map(|entry| below(entry.expect("an entry").path())).collect()
}

/// Each is a crate to build. With few rounds, only the last engine's is built.
#[test]
fn each_exercise_compiles_and_fails_its_lesson_before_it_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let last = catalogue().steps().last().map(|(_, chapter)| chapter.number);
    let only = Rounds::asked().pick(last, None);
    let mut lessons = BTreeMap::new();
    each(|source, plan| {
        if only.is_none_or(|only| only == source.chapter.number) {
            let package = source.chapter.package.clone();
            lay_out(source, plan, &folder.path().join(&package), false, English).expect("laid out");
            lessons.insert(package, lesson(source.chapter, plan));
        }
    });
    unite(folder.path(), lessons.keys());
    let programs = build(folder.path(), &lessons);
    for (package, lesson) in &lessons {
        let program =
            programs.get(package).unwrap_or_else(|| panic!("{package}: cargo does not say where {lesson:?} is"));
        let ended = Command::new(program).current_dir(folder.path().join(package)).output().expect("started");
        let output = String::from_utf8_lossy(&ended.stdout);
        assert!(!ended.status.success(), "{package}: the lesson's test passes before it is written: {output}");
        assert!(output.contains("test result: FAILED"), "{package}: {output}");
    }
}

/// Makes one workspace of these exercises, each of which is one for its reader: what they stand on is compiled once, with the
/// features that all of them need together.
fn unite<'a>(folder: &Path, packages: impl Iterator<Item = &'a String>) {
    let mut members = Vec::new();
    let mut shared = String::new();
    for package in packages {
        let path = folder.join(package).join("Cargo.toml");
        let manifest = fs::read_to_string(&path).expect("a manifest");
        let (own, tail) = manifest.split_once("[workspace]\n").expect("a workspace");
        // Other exercises stand on the chapter itself, which has the same name.
        let own = own.replace("version.workspace = true\nedition", "version = \"0.0.0\"\nedition");
        fs::write(&path, own).expect("written");
        fs::copy(folder.join(package).join("Cargo.lock"), folder.join("Cargo.lock")).expect("copied");
        members.push(package);
        shared = tail.to_owned();
    }
    fs::write(folder.join("Cargo.toml"), format!("[workspace]\nmembers = {members:?}\n{shared}")).expect("written");
}

/// Builds what each exercise begins with, and returns the programs.
fn build(folder: &Path, lessons: &BTreeMap<String, Tests>) -> BTreeMap<String, PathBuf> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--no-run", "--workspace", "--quiet", "--message-format=json"]).current_dir(folder);
    // The outer cargo's variables are about its own package.
    std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO_PKG_")).for_each(|(name, _)| {
        cargo.env_remove(name);
    });
    // Dependencies are compiled for the tests already; cargo finds most of them there.
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it is in the target folder");
    cargo.env("CARGO_TARGET_DIR", folder.join("target")).args(["--config", &format!("build.build-dir={built:?}")]);
    // Nothing here runs long enough to be worth optimising.
    cargo.args(["--config", "profile.dev.opt-level=0", "--config", "profile.dev.debug=0"]);
    let files: BTreeSet<&str> = lessons.values().map(|lesson| lesson.file.as_str()).collect();
    cargo.args(files.iter().flat_map(|file| ["--test", file]));
    let ended = cargo.output().expect("cargo");
    let errors = String::from_utf8_lossy(&ended.stderr);
    let output = String::from_utf8_lossy(&ended.stdout);
    let messages: Vec<Value> = output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let rendered: Vec<_> = messages.iter().filter_map(|message| message["message"]["rendered"].as_str()).collect();
    assert!(ended.status.success(), "{errors}\n{}", rendered.join("\n"));
    let program = |message: &Value| {
        let manifest = Path::new(message["manifest_path"].as_str()?);
        let package = manifest.parent()?.file_name()?.to_str()?;
        let is_lesson = message["target"]["name"] == *lessons.get(package)?.file;
        is_lesson.then(|| Some((package.to_owned(), message["executable"].as_str()?.into())))?
    };
    messages.iter().filter_map(program).collect()
}

#[test]
fn nothing_of_the_book_leaks_into_an_exercise() {
    let base = tempfile::tempdir().expect("a folder");
    each(|source, plan| {
        let folder = base.path().join(&source.chapter.package);
        lay_out(source, plan, &folder, false, English).expect("laid out");
        let marked = files(&folder).into_iter().find(|file| {
            let text = fs::read_to_string(file).expect("a text");
            text.contains("ANCHOR")
        });
        assert_eq!(marked, None, "the book's marks are laid out");
        // The lesson's code is there as it was before, or as a stub; never as it will be.
        let read = |path: PathBuf| fs::read_to_string(path).unwrap_or_default();
        if !source.is_itself() {
            let lesson = &source.chapter.lesson;
            assert_ne!(read(folder.join(lesson)), read(source.to().join(lesson)), "{lesson} is laid out written");
        }
        let stubs = files(&source.stubs());
        assert!(!source.is_itself() || !stubs.is_empty(), "{}: nothing is left to write", source.chapter.folder);
        for stub in stubs {
            let name = stub.strip_prefix(source.stubs()).expect("below it");
            let [laid_out, stub, written] = [folder.join(name), stub.clone(), source.to().join(name)].map(read);
            assert_eq!(laid_out, stub, "{} is not laid out as its stub", name.display());
            assert_ne!(laid_out, without_marks(&written), "{} is laid out written", name.display());
        }
    });
}

/// Only the first test of an exercise is compiled above. The others come steps later, and must find what they include.
#[test]
fn nothing_of_what_tests_include_is_missing_in_an_exercise() {
    let base = tempfile::tempdir().expect("a folder");
    each(|source, plan| {
        let folder = base.path().join(&source.chapter.package);
        lay_out(source, plan, &folder, false, English).expect("laid out");
        for file in files(&folder).into_iter().filter(|file| file.extension().is_some_and(|end| end == "rs")) {
            let text = fs::read_to_string(&file).expect("a text");
            for part in text.split("#[path = \"").skip(1) {
                let named = part.split('"').next().expect("it ends");
                let path = file.parent().expect("a folder").join(named);
                assert!(path.is_file(), "{}: {named} is not there: {}", source.chapter.folder, file.display());
            }
        }
    });
}

/// A stub matches the chapter: each of its public items and their documentation is in the chapter's file.
#[test]
fn stubs_are_the_chapters_own_outline() {
    each(|source, _| {
        let stubs = source.to().join("exercise");
        for stub in files(&stubs) {
            let name = stub.strip_prefix(&stubs).expect("below it").to_path_buf();
            let own = fs::read_to_string(source.to().join(&name)).expect("the chapter has the file");
            // A parameter that a stub does not use yet begins with an underscore.
            let own = own.replace('_', "");
            let text = fs::read_to_string(&stub).expect("a text");
            let outline = |line: &&str| line.trim_start().starts_with("///");
            let missing = text.lines().filter(outline).find(|line| !own.contains(&line.replace('_', "")));
            assert_eq!(missing, None, "{}: {} has it differently", source.chapter.folder, name.display());
            let functions = text.lines().filter_map(|line| line.trim().strip_prefix("pub fn ")?.split('(').next());
            let missing =
                functions.map(|name| format!("fn {}(", name.replace('_', ""))).find(|name| !own.contains(name));
            assert_eq!(missing, None, "{}: {} has no such function", source.chapter.folder, name.display());
        }
    });
}

/// Whether the chapter's own files have a test that `tests` names.
fn is_there(chapter: &Chapter, folder: &Path, tests: &Tests) -> bool {
    let part = tests.part.clone().unwrap_or_default();
    let sources = match tests.file.as_str() {
        "lib" => return files(&folder.join("src")).iter().any(|file| file.to_string_lossy().contains(&part)),
        // Its tests are listed in the contract's own crate.
        "contract" => folder.join("../0x00-market/contract/src/list.rs"),
        file => folder.join(format!("tests/{file}.rs")),
    };
    let text = fs::read_to_string(&sources).unwrap_or_else(|error| panic!("{}: {tests:?}: {error}", chapter.folder));
    text.contains(&part)
}

#[test]
fn steps_and_hints_name_existing_tests() {
    each(|source, plan| {
        let (chapter, folder) = (source.chapter, source.to());
        assert!(plan.hints.iter().any(|hint| hint.tests.is_empty()), "{}: no hint for beginners", chapter.folder);
        let named =
            plan.steps.iter().flat_map(|step| &step.tests).chain(plan.hints.iter().flat_map(|hint| &hint.tests));
        for tests in named {
            assert!(is_there(chapter, &folder, &Tests::named(tests)), "{}: there is no {tests}", chapter.folder);
        }
        let files: BTreeSet<String> = test_files(&folder).expect("read").into_iter().collect();
        assert!(plan.long.iter().all(|long| files.contains(long)), "{}: {:?}", chapter.folder, plan.long);
        for text in plan.hints.iter().flat_map(|hint| hint.en.iter().chain(&hint.zh)) {
            assert!(!text.trim().is_empty(), "{}: an empty hint", chapter.folder);
        }
    });
}

#[test]
fn an_exercise_is_not_laid_out_over_a_readers_work() {
    let folder = tempfile::tempdir().expect("a folder");
    each(|source, plan| {
        let refused = lay_out(source, plan, folder.path(), false, English).expect_err("it is there").to_string();
        assert!(refused.contains("--force"), "{refused}");
    });
}

#[test]
fn the_only_exercise_need_not_be_named() {
    let base = tempfile::tempdir().expect("a folder");
    let none = only_one(base.path(), English).expect_err("there is none").to_string();
    assert!(none.contains("lay one out first"), "{none}");
    let add = |number: &str| {
        let folder = base.path().join(number);
        fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join("Cargo.toml"), "")).expect("written");
        only_one(base.path(), English).map_err(|error| error.to_string())
    };
    assert_eq!(add("0x02"), Ok("0x02".into()));
    let several = add("0x03").expect_err("there are two");
    assert!(several.contains("0x02, 0x03"), "{several}");
}
