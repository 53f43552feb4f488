//! `guard`: instruction counts of every layer and every engine against the committed ones, and ratios
//! between chapters.
//!
//! Times on a shared machine say little about a change of a few per cent. The number of instructions does
//! not depend on other load, so a small threshold works. It is not the time (a cache miss counts as one
//! instruction), which is why the ratios are by the clock, with margins wide enough for any machine.

mod counter;
mod record;

use std::collections::BTreeMap;
use std::path::PathBuf;

use comfy_table::{CellAlignment, Table, presets};

use counter::WHOLE;
pub use counter::{Counter, environment};
use program::{Verdict, print};
pub use record::{Count, Environment, GuardRecord, Judgement, judge};
use results::chapters::repository;
use results::error::MeasureError;
use results::progress::{progress_bar, say};
use results::units::{factor_text, grouped};

/// The arguments of `guard`.
#[derive(Debug, Clone, clap::Args)]
pub struct GuardArgs {
    /// Record the counts as the new ones
    #[arg(long)]
    pub accept: bool,
    /// Count only these works, and skip the ratios
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Do 5% too much in this work, to see the guard detect it
    #[arg(long, value_name = "NAME", conflicts_with = "accept")]
    pub slow: Option<String>,
    /// The committed counts [default: perf/guard.json]
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// The cargo profile for the counting program. The guard's tests don't need a fast one, nor a second
    /// build
    #[arg(long, value_name = "PROFILE", default_value = WHOLE, hide = true, requires = "record")]
    pub profile: String,
}

/// Counts, measures and judges. `false` means that something got worse.
///
/// # Errors
/// When the counting program can't be built or run, or valgrind is missing where it is required.
pub fn run(args: &GuardArgs) -> Result<Verdict, MeasureError> {
    if let Some(slow) = args.slow.as_ref().filter(|slow| !args.only.is_empty() && !args.only.contains(slow)) {
        let words =
            format!("--slow {slow:?} is not among the works of --only, so it would not be counted: add it there");
        return Err(MeasureError::Unusable(words));
    }
    let path = args.record.clone().unwrap_or_else(|| repository().join("perf/guard.json"));
    let recorded = GuardRecord::load(&path)?;
    let counter = Counter::build(&args.profile)?;
    let mut good = true;
    match environment(&counter.compiler) {
        Some(environment) => {
            let now = GuardRecord { environment, counts: count(&counter, args)? };
            good &= if args.accept { accept(args, recorded, now, &path)? } else { compare(args, recorded, &now)? };
        }
        None => no_valgrind(args)?,
    }
    if args.only.is_empty() {
        good &= ratios(&counter)?;
    }
    Ok(good.into())
}

/// A reader without valgrind continues; a build that is meant to guard does not.
fn no_valgrind(args: &GuardArgs) -> Result<(), MeasureError> {
    let words = "valgrind is not installed, so no instructions were counted (Debian: apt install valgrind)";
    if args.accept || std::env::var_os("CI").is_some() {
        return Err(MeasureError::Unusable(words.into()));
    }
    print(format_args!("SKIPPED: {words}\n"))?;
    Ok(())
}

fn count(counter: &Counter, args: &GuardArgs) -> Result<BTreeMap<String, Count>, MeasureError> {
    let known: Vec<&str> = counter.works.iter().map(|work| work.name.as_str()).collect();
    if let Some(name) = args.only.iter().chain(&args.slow).find(|name| !known.contains(&name.as_str())) {
        return Err(MeasureError::Unusable(format!("there is no work {name:?}; there are {}", known.join(", "))));
    }
    let wanted = || counter.works.iter().filter(|work| args.only.is_empty() || args.only.contains(&work.name));
    let bar = progress_bar(wanted().count() as u64);
    let mut counts = BTreeMap::new();
    for work in wanted() {
        say(&bar, &format!("counting {}", work.name));
        counts.insert(work.name.clone(), counter.count(work, args.slow.as_ref() == Some(&work.name))?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(counts)
}

fn accept(
    args: &GuardArgs,
    recorded: Option<GuardRecord>,
    mut now: GuardRecord,
    path: &std::path::Path,
) -> Result<bool, MeasureError> {
    let before = recorded.as_ref().map(|recorded| recorded.counts.clone()).unwrap_or_default();
    print(format_args!("{}\n", table(&judge(&before, &now.counts, &args.only), &before, &now.counts)))?;
    if let Some(recorded) = recorded.filter(|_| !args.only.is_empty()) {
        if recorded.environment != now.environment {
            let words = "the other counts come from another environment: accept all of them, without --only";
            return Err(MeasureError::Unusable(words.into()));
        }
        now.counts = recorded.counts.into_iter().chain(now.counts).collect();
    }
    now.save(path)?;
    print(format_args!("recorded in {}; commit it with the change that explains it\n", path.display()))?;
    Ok(true)
}

/// Prints the counts beside the recorded ones. `false` if our code made something worse.
fn compare(args: &GuardArgs, recorded: Option<GuardRecord>, now: &GuardRecord) -> Result<bool, MeasureError> {
    let Some(recorded) = recorded else {
        return Err(MeasureError::Unusable(
            "there are no recorded counts: `scripts/guard --accept` records them".into(),
        ));
    };
    if recorded.environment.arch != now.environment.arch {
        let (there, here) = (&recorded.environment.arch, &now.environment.arch);
        print(format_args!(
            "SKIPPED: the recorded counts are of {there} instructions, which cannot be compared with {here}'s\n"
        ))?;
        return Ok(true);
    }
    let judged = judge(&recorded.counts, &now.counts, &args.only);
    print(format_args!("{}\n", table(&judged, &recorded.counts, &now.counts)))?;
    let number = |of: &dyn Fn(Judgement) -> bool| judged.iter().filter(|(_, verdict)| of(*verdict)).count();
    let (failed, better) = (number(&Judgement::fails), number(&|verdict| verdict == Judgement::Better));
    print(format_args!(
        "{failed} worse, new or gone, {better} better, {} as recorded\n",
        judged.len() - failed - better
    ))?;
    let differences = differences(&recorded.environment, &now.environment);
    if failed + better > 0 {
        print(format_args!(
            "On purpose? `scripts/guard --accept` records these counts; commit perf/guard.json with the change.\n"
        ))?;
    }
    if differences.is_empty() {
        return Ok(failed == 0);
    }
    print(format_args!("NOT THE ENVIRONMENT OF THE RECORD, so the counts above say nothing about the code:\n"))?;
    for difference in &differences {
        print(format_args!("  {difference}\n"))?;
    }
    print(format_args!(
        "If the code is as recorded, `scripts/guard --accept` records the counts of this environment.\n"
    ))?;
    Ok(true)
}

/// The differences between two environments, a line each. Other counts may then not be the code's
/// fault.
fn differences(recorded: &Environment, now: &Environment) -> Vec<String> {
    let pairs = [
        ("compiler", &recorded.compiler, &now.compiler),
        ("C library", &recorded.libc, &now.libc),
        ("valgrind", &recorded.valgrind, &now.valgrind),
    ];
    let differ = pairs.into_iter().filter(|(_, recorded, now)| recorded != now);
    differ.map(|(what, recorded, now)| format!("{what}: {now}; recorded with {recorded}")).collect()
}

fn table(judged: &[(&str, Judgement)], base: &BTreeMap<String, Count>, now: &BTreeMap<String, Count>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(["work", "one time", "instructions", "recorded", "change", ""]);
    for &(name, verdict) in judged {
        let (base, now) = (base.get(name), now.get(name));
        let cell = |count: Option<&Count>| count.map_or("–".into(), |count| grouped(count.instructions));
        let change = match (base, now) {
            (Some(base), Some(now)) => format!("{:+.1} %", 100.0 * (now.instructions / base.instructions - 1.0)),
            _ => "–".into(),
        };
        let per = now.or(base).map_or("", |count| &count.per);
        table.add_row([name.into(), per.into(), cell(now), cell(base), change, verdict.words().to_string()]);
    }
    for column in [2, 3, 4] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Measures the ratios between chapters. `false` where one is below what holds on any machine.
fn ratios(counter: &Counter) -> Result<bool, MeasureError> {
    let mut good = true;
    for ratio in counter.ratios()? {
        let fine = ratio.measured >= ratio.least;
        good &= fine;
        let (measured, least) = (factor_text(ratio.measured), factor_text(ratio.least));
        let verdict = if fine { "fine" } else { "TOO LITTLE" };
        print(format_args!("{}: {measured}, at least {least} is due: {verdict}\n", ratio.name))?;
    }
    Ok(good)
}
