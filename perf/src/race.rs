//! `race BASE [CURRENT]`: did my change make it slower?
//!
//! Two runs minutes apart on a machine that drifts can't be judged by their ranges. So the programs of both trees run
//! in pairs, one right after the other in a random order, and the verdict is based on the pairs' ratios: their
//! interval is exact for programs that do not differ, whatever the noise looks like (`results::pairs`), and wide
//! enough for all figures that are judged together (`verdict`).

mod figures;
mod pairs;
mod series;
mod table;
mod tree;
mod verdict;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use catalogue::Chapter;
use program::{Verdict, print};
use results::chapters;
use results::charts::race_chart;
use results::error::MeasureError;
use results::machine;
use results::output::OutputArgs;
use results::probe::Probe;
use results::progress::{progress_bar, say};
use results::record::{RaceRecord, Record};

use self::pairs::{Contest, Plan};
use self::series::Series;
use self::tree::Tree;
use self::verdict::{ERROR, FIRST_LOOK, Judgement, looks};
use crate::command::command_line;
use crate::flow_args::FlowArgs;

/// The arguments of `race`.
#[derive(Debug, Clone, clap::Args)]
pub struct RaceArgs {
    /// What to judge against: a commit, branch or tag, or a folder with another tree
    pub base: String,
    /// What to judge: the same [default: the tree here, with its changes]
    pub current: Option<String>,
    /// The smallest difference that matters; a smaller one never makes the race exit with 1
    #[arg(long, default_value = "2%", value_name = "PERCENT", value_parser = percent)]
    pub margin: f64,
    /// The maximum number of rounds of a chapter; it ends earlier when more would change nothing [default: 32,
    /// with --quick 6]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200))]
    pub rounds: Option<u32>,
    /// Race only these chapters, such as 0x03,0x05
    #[arg(long, value_name = "CHAPTERS", value_delimiter = ',')]
    pub chapters: Vec<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub flow: FlowArgs,
    /// Six short rounds of each chapter: judges its throughput roughly, and its latency not at all
    #[arg(long)]
    pub quick: bool,
    /// Race this many times, to see how far one race can be trusted: prints a line each, writes all of them to
    /// races.json, gives no verdict
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub times: Option<u32>,
    /// The name of these races in races.json; races with the same name and commits are added there
    #[arg(long, default_value = "races", requires = "times")]
    pub name: String,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs,
}

/// `3%` or `3`: three in a hundred.
fn percent(text: &str) -> Result<f64, String> {
    let number: f64 =
        text.strip_suffix('%').unwrap_or(text).parse().map_err(|_| "not a number of per cent, such as 2%")?;
    if number > 0.0 && number <= 100.0 { Ok(number / 100.0) } else { Err("it must be above 0 and at most 100".into()) }
}

/// Builds both trees, races them, prints the verdict and writes the record and the chart. `No` means that a headline
/// figure is worse; several races have no verdict.
///
/// # Errors
/// When a tree can't be found, built or run, or the results can't be written.
pub fn run(args: &RaceArgs) -> Result<Verdict, MeasureError> {
    let catalogue = chapters::catalogue()?;
    let chapters = chapters::select(&catalogue, &args.chapters)?;
    args.flow.check()?;
    let (base, current) = (Tree::named(Some(&args.base))?, Tree::named(args.current.as_deref())?);
    base.must_be_a_commit()?;
    let output = args.output.folder();
    // Before the steps that take minutes: a record that can't be read is reported at once.
    let series = match args.times {
        Some(times) => Some((times, Series::open(&args.name, output.join("races.json"))?)),
        None => None,
    };
    fs::create_dir_all(tree::folder())
        .map_err(|error| MeasureError::disk("make the folder", &tree::folder(), &error))?;
    // Both run from folders with names of the same length: where a program's stack begins depends
    // on it.
    let place = tempfile::tempdir_in(tree::folder());
    let place = place.map_err(|error| MeasureError::disk("create a folder in", &tree::folder(), &error))?;
    let sides = ["one", "two"].map(|side| place.path().join(side));
    base.programs(&chapters, &sides[0])?;
    current.programs(&chapters, &sides[1])?;
    let (chapters, absent) = in_both(chapters, &sides);
    for chapter in &absent {
        print(format_args!("{chapter}: not raced, because one of the two does not have it\n"))?;
    }
    let once = || once(args, [base.label(), current.label()], &chapters, &sides, place.path());
    let Some((times, mut series)) = series else { return publish(&once()?, args, &output) };
    for _ in 0..times {
        print(format_args!("{}\n", series.keep(&once()?)?))?;
    }
    print(format_args!("record  {}\n", series.path.display()))?;
    Ok(Verdict::Yes)
}

/// One race of the two sides' programs.
fn once(
    args: &RaceArgs,
    [base, current]: [String; 2],
    chapters: &[Chapter],
    sides: &[PathBuf; 2],
    place: &Path,
) -> Result<RaceRecord, MeasureError> {
    let began = Instant::now();
    let plan = Plan::new(args.quick, args.rounds, args.margin);
    let contest = |chapter: &Chapter| {
        let programs = sides.clone().map(|side| side.join(tree::program_name(chapter)));
        Contest::new(chapter.clone(), programs, args.flow.clone())
    };
    let mut contests: Vec<Contest> = chapters.iter().map(contest).collect();
    let probes = race(&mut contests, &plan, place)?;
    Ok(RaceRecord {
        machine: machine::describe(place),
        command: command_line(),
        base,
        current,
        flow: args.flow.record(None),
        margin: args.margin,
        error: ERROR,
        rounds: plan.rounds,
        looks: looks(plan.rounds),
        seconds: began.elapsed().as_secs_f64(),
        probes,
        chapters: contests.into_iter().map(Contest::record).collect(),
    })
}

/// The chapters that both trees have, and the folders of the chapters that one of them lacks.
fn in_both(chapters: Vec<Chapter>, sides: &[PathBuf; 2]) -> (Vec<Chapter>, Vec<String>) {
    let in_both = |chapter: &Chapter| sides.iter().all(|side| side.join(tree::program_name(chapter)).is_file());
    let (both, absent): (Vec<Chapter>, Vec<Chapter>) = chapters.into_iter().partition(in_both);
    (both, absent.into_iter().map(|chapter| chapter.folder).collect())
}

/// Runs a round of each chapter in turn until all are settled, and returns the probes that were
/// taken.
fn race(contests: &mut [Contest], plan: &Plan, place: &Path) -> Result<Vec<Probe>, MeasureError> {
    if contests.is_empty() {
        return Err(MeasureError::Unusable("the two trees have none of these chapters in common".into()));
    }
    let bar = progress_bar(contests.len() as u64 * u64::from(plan.rounds + 1));
    for contest in contests.iter_mut() {
        say(&bar, &format!("{}: how much is a round?", contest.chapter.folder));
        contest.calibrate(plan, place)?;
        bar.inc(1);
    }
    let count = contests.len();
    let mut probes = Vec::new();
    for round in 1..=plan.rounds {
        if contests.iter().all(|contest| contest.settled) {
            break;
        }
        probes.push(Probe::take(place)?);
        for contest in contests.iter_mut() {
            if !contest.settled {
                say(
                    &bar,
                    &format!("{}: round {round} of {}{}", contest.chapter.folder, plan.rounds, contest.closing_in()),
                );
                contest.round(place)?;
                contest.look(plan, count);
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(probes)
}

fn publish(record: &RaceRecord, args: &RaceArgs, output: &Path) -> Result<Verdict, MeasureError> {
    print(format_args!("{} judged against {}\n{}\n", record.current, record.base, table::table(record)))?;
    let judged = table::headlines(record);
    let count = |of: Judgement| judged.iter().filter(|headline| headline.judgement == of).count();
    let (worse, better, none) = (count(Judgement::Worse), count(Judgement::Better), count(Judgement::NotJudged));
    print(format_args!(
        "Headline figures: {worse} worse, {better} better by {:.1} % or more; {none} of {} not judged\n",
        100.0 * record.margin,
        judged.len()
    ))?;
    if none > 0 && record.rounds < FIRST_LOOK {
        let base = &args.base;
        print(format_args!(
            "{} rounds are too few to judge all figures; this judges them: cargo run --release -- race {base}\n",
            record.rounds
        ))?;
    }
    let path = output.join("race.json");
    record.save(&path)?;
    let files = race_chart(record, &chapters::catalogue()?, &output.join("charts"))?;
    print(format_args!("record  {}\n", path.display()))?;
    if !files.is_empty() {
        print(format_args!("chart   {}, English and Chinese\n", output.join("charts").join("race.en.svg").display()))?;
    }
    Ok((worse == 0).into())
}

#[cfg(test)]
mod tests;
