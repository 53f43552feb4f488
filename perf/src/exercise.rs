//! `exercise 0x03`: lays out a folder with the chapter before and this chapter's tests, for a reader who wants to
//! write the chapter. A service or a study is not a copy of the chapter before: `exercise 0x09` lays out the chapter itself,
//! with stubs in it. `--check` runs the tests there, step by step, and says what failed; `--hint`, `--race` and
//! `--diff` are for a reader who is stuck, curious, or done. Nothing shows the solution before that.

mod args;
mod cargo;
mod check;
pub mod chinese_help;
mod differ;
pub mod files;
mod hint;
mod laid_out;
pub mod layout;
mod outcome;
pub mod plan;
mod race;
mod report;

use std::fs;
use std::path::{Path, absolute};

use catalogue::{Catalogue, Chapter};
use program::{Verdict, print};
use results::chapters;
use results::error::MeasureError;
use results::language::Language;

pub use self::args::ExerciseArgs;
pub use self::cargo::{Built, build_tests};
use self::check::{Check, Extent};
use self::differ::Diffs;
use self::laid_out::LaidOut;
use self::layout::Source;
use self::outcome::Outcome;
use self::plan::{Plan, Tests};

/// Lays out an exercise, or does with it what the flags ask for. `false` means that a test fails.
///
/// # Errors
/// When there is no such exercise, or a folder can't be written.
pub fn run(args: &ExerciseArgs) -> Result<Verdict, MeasureError> {
    let language = args.lang.unwrap_or_else(Language::of_the_locale);
    let (root, catalogue) = (chapters::repository(), chapters::catalogue()?);
    // Cargo and the tests run in the exercise's folder, where a relative path would be another one.
    let base = match &args.folder {
        Some(folder) => absolute(folder).map_err(|error| MeasureError::disk("find", folder, &error))?,
        None => root.join("exercises"),
    };
    let name = match &args.chapter {
        Some(name) => name.clone(),
        None if args.uses() => only_one(&base, language)?,
        None => return Err(which_chapter(language)),
    };
    let source = source(&root, &catalogue, &name, language)?;
    let chapter = source.chapter;
    let plan = Plan::of(&source.chapters(), chapter)?;
    let folder = args.folder.as_ref().map(|folder| format!(" --folder {}", folder.display()));
    let lang = args.lang.map(|lang| format!(" --lang {}", lang.tag()));
    let call = |number: &str| [Some(number.to_owned()), folder.clone(), lang.clone()].into_iter().flatten().collect();
    let laid_out = |number: &str| LaidOut::new(base.join(number), &root, call(number));
    let exercise = laid_out(&chapter.number.to_string());
    if args.uses() {
        return use_it(args, &source, &plan, &exercise.there(language)?, language);
    }
    let open = open_before(&catalogue, chapter, &base).filter(|_| !source.is_itself() && !args.force);
    if let Some(open) = open {
        return Err(would_spoil(chapter, &open, &laid_out(&open), language));
    }
    lay_out(&source, &plan, exercise.folder(), args.force, language)?;
    say_laid_out(&source, &plan, &exercise, language)?;
    Ok(Verdict::Yes)
}

/// Where the exercise of this name comes from.
///
/// # Errors
/// When there is none.
fn source<'a>(
    root: &'a Path,
    catalogue: &'a Catalogue,
    name: &str,
    language: Language,
) -> Result<Source<'a>, MeasureError> {
    let itself = catalogue.find(name)?;
    if !itself.is_engine() && Plan::is_there(&root.join("chapters"), itself) {
        return Ok(Source { root, chapter: itself, before: itself });
    }
    let chapter = catalogue.find_engine(name)?;
    let Some(before) = catalogue.engine_before(chapter) else {
        return Err(MeasureError::Unusable(language.pick(
            format!("{} is the first chapter: read it, there is no chapter before it to start from", chapter.folder),
            format!("{} 是第一章，前面没有可以接着写的引擎：请直接读它的代码", chapter.folder),
        )));
    };
    Ok(Source { root, chapter, before })
}

/// Checks an exercise, or does another thing with one.
fn use_it(
    args: &ExerciseArgs,
    source: &Source<'_>,
    plan: &Plan,
    exercise: &LaidOut,
    language: Language,
) -> Result<Verdict, MeasureError> {
    if let Some(number) = args.hint {
        hint::run(plan, exercise, number, language)?;
        return Ok(Verdict::Yes);
    }
    let is_done = |exercise: &LaidOut| Outcome::last(exercise.folder()).is_some_and(|last| last.is_done());
    if args.diff {
        if !is_done(exercise) && !args.force {
            return Err(not_done(exercise, language));
        }
        Diffs::of(source, exercise)?.print(language)?;
        return Ok(Verdict::Yes);
    }
    if args.check {
        let lesson_test = source.chapter.lesson_test_name();
        let extent = match &args.test {
            Some(test) => Extent::Only(Tests::named(test)),
            None if args.all => Extent::All,
            None => Extent::ToFirstFailure,
        };
        if !(Check { exercise, plan, lesson_test, language }).run(&extent)? {
            return Ok(Verdict::No);
        }
        if args.test.is_none() {
            say_done(source, exercise, args.race, language)?;
        }
    }
    if args.race && source.is_itself() {
        return Err(MeasureError::Unusable(language.pick(
            format!("{} has nothing to race: it is not an engine", source.chapter.folder),
            format!("{} 不是引擎，没有可以比快慢的", source.chapter.folder),
        )));
    }
    if args.race {
        race::run(source.chapter, source.before, exercise, language)?;
    }
    Ok(Verdict::Yes)
}

/// Lays out an exercise in `folder`.
///
/// # Errors
/// When the folder exists already, or can't be written.
pub fn lay_out(
    source: &Source<'_>,
    plan: &Plan,
    folder: &Path,
    force: bool,
    language: Language,
) -> Result<(), MeasureError> {
    if folder.exists() && !force {
        let folder = folder.display();
        return Err(MeasureError::Unusable(language.pick(
            format!("{folder} exists already; --force lays it out again over your work"),
            format!("{folder} 已经存在；加 --force 会重新建好练习，盖掉你写的代码"),
        )));
    }
    Outcome::forget(folder)?;
    source.lay_out(plan, folder)
}

/// The exercise that is laid out in `base`, when it is the only one.
///
/// # Errors
/// [`MeasureError::Unusable`] when there is none, or more than one; the message says which.
pub fn only_one(base: &Path, language: Language) -> Result<String, MeasureError> {
    let names = laid_out_in(base);
    let folder = base.display();
    let message = match &names[..] {
        [name] => return Ok(name.clone()),
        [] => language.pick(
            format!("there is no exercise in {folder}; lay one out first, such as: scripts/exercise 0x03"),
            format!("{folder} 里没有练习；先建一个，例如：scripts/exercise 0x03"),
        ),
        several => {
            let (all, first) = (several.join(", "), &several[0]);
            language.pick(
                format!("{folder} has several exercises: {all}; say which, such as: scripts/exercise {first} --check"),
                format!("{folder} 里有好几个练习：{all}；请指明一个，例如：scripts/exercise {first} --check"),
            )
        }
    };
    Err(MeasureError::Unusable(message))
}

/// The exercises in `base`, by their numbers.
fn laid_out_in(base: &Path) -> Vec<String> {
    let entries = fs::read_dir(base).into_iter().flatten().flatten();
    let entries = entries.filter(|entry| entry.path().join("Cargo.toml").is_file());
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// An exercise of an earlier chapter that is not done.
fn open_before(catalogue: &Catalogue, chapter: &Chapter, base: &Path) -> Option<String> {
    let is_open = |name: &String| {
        let earlier = catalogue.find(name).is_ok_and(|other| other.number < chapter.number);
        earlier && !Outcome::last(&base.join(name)).is_some_and(|last| last.is_done())
    };
    laid_out_in(base).into_iter().find(is_open)
}

/// A chapter's exercise begins with the chapter before, which is the answer to that chapter's
/// exercise.
fn would_spoil(chapter: &Chapter, open: &str, exercise: &LaidOut, language: Language) -> MeasureError {
    let (number, check) = (chapter.number, exercise.typed("--check"));
    MeasureError::Unusable(language.pick(
        format!(
            "the exercise {open} is not finished, and {number} begins with its answer; finish it first \
             ({check}), or add --force"
        ),
        format!("练习 {open} 还没完成，而 {number} 一开始就带着它的答案；先完成它（{check}），或者加 --force"),
    ))
}

fn which_chapter(language: Language) -> MeasureError {
    MeasureError::Unusable(language.pick(
        "which chapter? 0x02 or a later one, such as: scripts/exercise 0x03".into(),
        "要写哪一章？0x02 或之后的任一章，例如：scripts/exercise 0x03".into(),
    ))
}

fn not_done(exercise: &LaidOut, language: Language) -> MeasureError {
    let check = exercise.typed("--check");
    MeasureError::Unusable(language.pick(
        format!("the book's diff is the answer; it is shown when all tests pass ({check}), or with --force"),
        format!("书上的改动就是答案；全部测试通过后才给看（{check}），或者加 --force"),
    ))
}

/// Prints what was laid out, what is written in which step, and what to type next.
fn say_laid_out(source: &Source<'_>, plan: &Plan, exercise: &LaidOut, language: Language) -> Result<(), MeasureError> {
    let (folder, before, chapter) = (exercise.folder().display(), &source.before.folder, &source.chapter.folder);
    let src = exercise.folder().join("src");
    let src = written_in(source, &src)?;
    let (check, hint) = (exercise.typed("--check"), exercise.typed("--hint"));
    let words = match source.is_itself() {
        true => language.pick(
            format!("{folder} is {chapter}, with a stub wherever something is left to write\nwrite it in {src}"),
            format!("{folder} 里是 {chapter} 的代码，要你写的地方留空\n请在 {src} 里写"),
        ),
        false => language.pick(
            format!("{folder} is {before} and the tests of {chapter}\nwrite the chapter in {src}"),
            format!("{folder} 里是 {before} 的代码和 {chapter} 的测试\n请在 {src} 里写这一章"),
        ),
    };
    print(format_args!("{words}"))?;
    if plan.steps.is_empty() {
        print(format_args!("\n"))?;
    } else {
        print(format_args!("{}", language.pick(", step by step:\n", "，一步一步来：\n")))?;
    }
    for (at, step) in plan.steps.iter().enumerate() {
        let (number, title, tests) = (at + 1, language.pick(&step.en, &step.zh), step.tests.join(", "));
        print(format_args!("  {number}. {title} ({tests})\n"))?;
    }
    print(format_args!(
        "{}",
        language.pick(
            format!("then: {check}\nand if you are stuck: {hint}\n"),
            format!("然后：{check}\n卡住了就：{hint}\n"),
        )
    ))?;
    Ok(())
}

/// What is written: all sources, or those that are laid out as stubs.
fn written_in(source: &Source<'_>, src: &Path) -> Result<String, MeasureError> {
    if !source.is_itself() {
        return Ok(src.display().to_string());
    }
    let stubs = files::below(&source.stubs().join("src"))?;
    let stubs: Vec<_> = stubs.iter().map(|name| src.join(name).display().to_string()).collect();
    Ok(stubs.join(", "))
}

/// The end of an exercise: compares what the reader wrote with what the book wrote, and shows what
/// else there is.
fn say_done(source: &Source<'_>, exercise: &LaidOut, races: bool, language: Language) -> Result<(), MeasureError> {
    let (diff, race) = (exercise.typed("--diff"), exercise.typed("--race"));
    let begun = match source.is_itself() {
        true => language.pick("the stub", "`todo!`"),
        false => source.before.folder.as_str(),
    };
    let what = language.pick(
        format!("all tests pass. Lines added and removed compared with {begun}:\n"),
        format!("全部测试通过。相对 {begun} 增删的行数：\n"),
    );
    print(format_args!("{what}"))?;
    Diffs::of(source, exercise)?.summary(language)?;
    print(format_args!(
        "{}",
        language.pick(format!("both in full, one below the other: {diff}\n"), format!("逐个文件对照着看：{diff}\n"))
    ))?;
    if !races && !source.is_itself() {
        print(format_args!("{}", language.pick(format!("how fast it is: {race}\n"), format!("看看有多快：{race}\n"))))?;
    }
    Ok(())
}
