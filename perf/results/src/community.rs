//! Records of the ladder that readers sent from their machines: `output/community/NAME.json`, as their run wrote them.
//!
//! A record is taken when it is whole and as honest as can be seen from here: all chapters, counts that add up, a
//! spread, a machine with its name, a commit without changes, and nothing that names a person or a folder. A test of
//! the crate `perf` asks git for the commit. Whether the machine was quiet, only its owner knows.

use std::fs;
use std::path::{Path, PathBuf};

use catalogue::Catalogue;
use market::flow::DEFAULT_SEED;

use crate::error::MeasureError;
use crate::machine::{Machine, UNKNOWN};
use crate::record::{ChapterRecord, LadderRecord, Record};

/// The folder, from the root.
pub const FOLDER: &str = "output/community";

/// With fewer rounds, a median says little and a spread nothing.
const ROUNDS_LEAST: u32 = 4;

/// The files of the folder, by name. None when there is no folder.
pub fn files(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root.join(FOLDER)).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|kind| kind == "json"));
    files.sort();
    files
}

/// Reads a file and checks it.
///
/// # Errors
/// [`MeasureError::Unusable`] with every problem that is seen.
pub fn read(file: &Path, chapters: &Catalogue) -> Result<LadderRecord, MeasureError> {
    let record = LadderRecord::load(file)?;
    let mut problems = problems(&record, chapters);
    problems.extend(fs::read_to_string(file).ok().as_deref().and_then(personal));
    if problems.is_empty() {
        return Ok(record);
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    Err(MeasureError::Unusable(format!("{FOLDER}/{name}: {}", problems.join("; "))))
}

/// What is missing in a record, or can't be.
pub fn problems(record: &LadderRecord, chapters: &Catalogue) -> Vec<String> {
    let mut problems = Vec::new();
    let mut demand = |holds: bool, problem: &dyn Fn() -> String| {
        if !holds {
            problems.push(problem());
        }
    };
    let expected: Vec<&str> = chapters.engines().map(|chapter| chapter.folder.as_str()).collect();
    let found: Vec<&str> = record.chapters.iter().map(|chapter| chapter.chapter.as_str()).collect();
    demand(found == expected, &|| {
        format!("it has the chapters {}, and the ladder has {}", found.join(", "), expected.join(", "))
    });
    demand(record.rounds >= ROUNDS_LEAST, &|| format!("fewer than {ROUNDS_LEAST} rounds: run without --quick"));
    demand(record.probes.len() == record.rounds as usize, &|| "it has not one probe for each round".into());
    let is_standard =
        record.flow.name == "classic" && record.flow.seed == Some(DEFAULT_SEED) && record.flow.input.is_none();
    demand(is_standard, &|| {
        format!("it is not the flow classic with the seed {DEFAULT_SEED}, which the other machines ran")
    });
    let is_commit = record.commit.len() >= 12 && record.commit.chars().all(|c| c.is_ascii_hexdigit());
    demand(is_commit, &|| format!("{} is not a commit without changes", record.commit));
    for part in unnamed(&record.machine) {
        demand(false, &|| format!("the machine's {part} is not named"));
    }
    for chapter in &record.chapters {
        problems.extend(sums(chapter, record.rounds).map(|problem| format!("{}: {problem}", chapter.chapter)));
    }
    problems
}

/// The parts of a machine that have no name.
fn unnamed(machine: &Machine) -> Vec<&'static str> {
    let is_unnamed = |name: &str| name.is_empty() || name == UNKNOWN;
    let Machine { cpu, kernel, compiler, os, arch, filesystem, .. } = machine;
    let parts = [("cpu", cpu), ("kernel", kernel), ("compiler", compiler), ("os", os), ("arch", arch)];
    let parts = parts.into_iter().chain([("filesystem", filesystem)]);
    parts.filter(|(_, name)| is_unnamed(name)).map(|(part, _)| part).collect()
}

/// The first count of a chapter that does not add up.
fn sums(chapter: &ChapterRecord, rounds: u32) -> Option<String> {
    let counts = [chapter.rounds.len(), chapter.orders_per_s.rounds.len()];
    if counts != [rounds as usize; 2] {
        return Some(format!("{} and {} rounds, where the run had {rounds}", counts[0], counts[1]));
    }
    if chapter.trades > chapter.orders {
        return Some(format!("{} trades of {} orders", chapter.trades, chapter.orders));
    }
    // A slow round stops at the time limit, before it has sent all orders. But the flow is the same, so rounds with as many
    // orders have as many trades, and rounds with more have no fewer.
    let mut counts: Vec<_> = chapter.rounds.iter().map(|round| (round.orders, round.trades)).collect();
    counts.sort_unstable();
    let fits = |one: &[(u64, u64)]| (one[0].0 < one[1].0 && one[0].1 <= one[1].1) || one[0] == one[1];
    if let Some([(orders, trades), (more, others)]) = counts.windows(2).find(|two| !fits(two)) {
        return Some(format!("a round of {orders} orders and {trades} trades, and one of {more} and {others}"));
    }
    if !counts.contains(&(chapter.orders, chapter.trades)) {
        return Some(format!("no round of {} orders and {} trades, which it names", chapter.orders, chapter.trades));
    }
    let same =
        chapter.rounds.iter().zip(&chapter.orders_per_s.rounds).all(|(round, speed)| round.orders_per_s == *speed);
    if !same {
        return Some("its rounds and its spread differ".into());
    }
    (chapter.orders_per_s.min == chapter.orders_per_s.max).then(|| "all rounds are equal, which no run is".into())
}

/// The first word of a file that is a path or an address of a person.
fn personal(text: &str) -> Option<String> {
    let words = text.split(|c: char| c.is_whitespace() || c == '"' || c == '=');
    let is_personal = |word: &&str| {
        let is_path = word.starts_with(['/', '~', '\\']) || word.contains(":\\") || word.contains("/home/");
        let is_address = word.split_once('@').is_some_and(|(before, after)| !before.is_empty() && after.contains('.'));
        is_path || word.contains("/Users/") || is_address
    };
    words.into_iter().find(is_personal).map(|word| format!("`{word}` names a folder or a person: leave it out"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chapters;

    fn reference() -> LadderRecord {
        let root = chapters::repository();
        LadderRecord::load(&root.join("output/reference/ladder.json")).expect("a sound record")
    }

    fn told(spoil: impl Fn(&mut LadderRecord)) -> Vec<String> {
        let mut record = reference();
        spoil(&mut record);
        problems(&record, &chapters::catalogue().expect("the manifests are sound"))
    }

    #[test]
    fn a_whole_record_is_taken_and_each_gap_is_named() {
        assert_eq!(told(|_| ()), Vec::<String>::new());
        type Spoil = fn(&mut LadderRecord);
        let spoils: [(Spoil, &str); 13] = [
            (|r| drop(r.chapters.pop()), "the ladder has 0x01-naive"),
            (|r| r.rounds = 2, "fewer than 4 rounds"),
            (|r| r.probes.truncate(9), "one probe for each round"),
            (|r| r.flow.seed = Some(1), "the seed 99"),
            (|r| r.flow.input = Some("mine.csv".into()), "the seed 99"),
            (|r| r.commit.push_str("-dirty"), "a commit without changes"),
            (|r| r.machine.cpu = "unknown".into(), "the machine's cpu"),
            (|r| drop(r.chapters[0].rounds.pop()), "0x01-naive: 9 and 10 rounds"),
            (|r| r.chapters[0].trades = r.chapters[0].orders + 1, "trades of"),
            (|r| r.chapters[1].rounds[3].trades += 1, "0x02-perf-metrics: a round of"),
            (|r| r.chapters[1].rounds.iter_mut().for_each(|round| round.orders += 1), "0x02-perf-metrics: no round of"),
            (|r| r.chapters[0].rounds[0].orders_per_s += 1.0, "differ"),
            (
                |r| {
                    let chapter = &mut r.chapters[0];
                    chapter.rounds.iter_mut().for_each(|round| round.orders_per_s = 9.0);
                    let rounds = vec![9.0; 10];
                    chapter.orders_per_s = crate::spread::Spread::of(&rounds).expect("numbers");
                },
                "all rounds are equal",
            ),
        ];
        for (spoil, words) in spoils {
            let found = told(spoil);
            assert!(found.iter().any(|problem| problem.contains(words)), "{words}: {found:?}");
        }
    }

    #[test]
    fn paths_and_people_are_found_and_processors_are_not() {
        for text in [
            r#""--input /home/ann/o.csv""#,
            r#""--output=/srv/ann""#,
            r#""C:\\Users\\ann""#,
            r#""~/orders""#,
            r#""a ann@example.org""#,
        ] {
            assert!(personal(text).is_some(), "{text}");
        }
        for text in
            [r#""Intel(R) Core(TM) i7 @ 2.60GHz""#, r#""AMD A10-7850K w/ Radeon""#, r#""rustc 1.95.0 (5980 2026)""#]
        {
            assert_eq!(personal(text), None, "{text}");
        }
    }

    #[test]
    fn a_file_is_refused_with_all_its_problems() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join(FOLDER).join("mine.json");
        let mut record = reference();
        let catalogue = chapters::catalogue().expect("the manifests are sound");
        record.save(&file).expect("saved");
        assert_eq!(files(folder.path()), std::slice::from_ref(&file));
        assert_eq!(read(&file, &catalogue).expect("a whole record").commit, record.commit);
        record.command = "cargo run --release -- --output /tmp/ann".into();
        record.commit = "unknown".into();
        record.save(&file).expect("saved");
        let error = read(&file, &catalogue).expect_err("two problems").to_string();
        assert!(error.contains("output/community/mine.json") && error.contains("unknown is not a commit"), "{error}");
        assert!(error.contains("`/tmp/ann`"), "{error}");
    }
}
