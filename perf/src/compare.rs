//! `compare BASE CURRENT`: two runs side by side, judged as far as two runs allow it.
//!
//! Many figures are judged at once, and the machine's state changes between runs that are minutes apart. So a
//! difference counts only when the gap between the rounds of the two runs is wider than `MARGIN` and than the wider
//! range of rounds: with four rounds each and seventy figures, noise alone does that to any of them in one comparison
//! of twenty. Runs of fewer rounds, or of a machine in two states, are shown and not judged. `race` judges them.

use std::path::{Path, PathBuf};

use comfy_table::{CellAlignment, Table, presets};
use market::engine::Stage;

use program::{Verdict, print};
use results::error::MeasureError;
use results::figures::{read_figures, round};
use results::language::Language;
use results::probe::{Probe, STATE_FACTOR, same_state};
use results::record::{ChapterRecord, Flow, LadderRecord, Latency, Record, Round, Spread};
use results::units::{duration_text, grouped};

/// How large the gap between two runs' rounds must be, as a share of the base's median.
const MARGIN: f64 = 0.05;

/// With fewer rounds, chance too often puts all of one run above all of the other.
const ROUNDS_LEAST: usize = 4;

/// The arguments of `compare`.
#[derive(Debug, Clone, clap::Args)]
pub struct CompareArgs {
    /// The run to compare with: a ladder.json, or a chapter's baseline.txt
    pub base: PathBuf,
    /// The run to judge: a ladder.json, or a chapter's figures.txt
    pub current: PathBuf,
    /// Print only what differs
    #[arg(long)]
    pub changes: bool,
}

/// Better or worse, or a difference that can't be told from noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judgement {
    NotJudged,
    Same,
    Better,
    Worse,
}

impl Judgement {
    fn words(self) -> &'static str {
        match self {
            Judgement::NotJudged => "not judged",
            Judgement::Same => "no difference seen",
            Judgement::Better => "better",
            Judgement::Worse => "WORSE",
        }
    }
}

/// Selects one percentile of a run's latency.
type PercentileOf = fn(&Latency) -> u64;

/// One figure of both runs.
struct Row {
    /// Its name from [`LadderRecord::runs`].
    run: String,
    figure: String,
    base: Spread,
    current: Spread,
    more_is_better: bool,
    judgement: Judgement,
}

/// Prints the comparison. `false` means a regression.
///
/// # Errors
/// When a run can't be read, or the two have no chapter in common.
pub fn run(args: &CompareArgs) -> Result<Verdict, MeasureError> {
    let (base, current) = (load(&args.base)?, load(&args.current)?);
    let mut rows = rows(&base, &current);
    if rows.is_empty() {
        let message = format!("{} and {} have no chapter in common", args.base.display(), args.current.display());
        return Err(MeasureError::Unusable(message));
    }
    let states = states(&base, &current);
    if !states.is_empty() {
        rows.iter_mut().for_each(|row| row.judgement = Judgement::NotJudged);
    }
    print(format_args!("{}\n", table(&rows, args.changes)))?;
    for difference in states {
        print(format_args!("not the same state: {difference}\n"))?;
    }
    let count = |of: Judgement| rows.iter().filter(|row| row.judgement == of).count();
    let (worse, better, unjudged) = (count(Judgement::Worse), count(Judgement::Better), count(Judgement::NotJudged));
    let same = count(Judgement::Same);
    print(format_args!("{worse} worse, {better} better, {same} with no difference seen, {unjudged} not judged\n"))?;
    if unjudged > 0 {
        let commit = base.commit.trim_end_matches("-dirty");
        let commit = if commit == "unknown" { "HEAD" } else { commit };
        print(format_args!(
            "Only figures with {ROUNDS_LEAST} rounds or more, of one machine in one state, are judged. This judges \
             them all: cargo run --release -- race {commit}\n"
        ))?;
    }
    Ok((worse == 0).into())
}

fn flow_words(record: &LadderRecord) -> String {
    let flow = &record.flow;
    let name = flow.seed.map_or(flow.name.clone(), |seed| format!("{} seed {seed}", flow.name));
    format!("{} in log version {}", flow.input.as_ref().unwrap_or(&name), flow.log_version)
}

/// The differences in what was run, and in the states of the machine.
fn states(base: &LadderRecord, current: &LadderRecord) -> Vec<String> {
    let mut differences = Vec::new();
    if let (Some(one), Some(other)) = (Probe::median_of(&base.probes), Probe::median_of(&current.probes)) {
        differences.extend(same_state(&one, &other, STATE_FACTOR).iter().map(ToString::to_string));
    }
    if base.machine != current.machine && !base.machine.cpu.is_empty() && !current.machine.cpu.is_empty() {
        differences.push(format!("the machines are {} and {}", base.machine.summary(), current.machine.summary()));
    }
    if base.flow != current.flow {
        differences.push(format!("the flows are {} and {}", flow_words(base), flow_words(current)));
    }
    differences
}

/// All figures that both runs have.
fn rows(base: &LadderRecord, current: &LadderRecord) -> Vec<Row> {
    let mut rows = Vec::new();
    for (run, now) in current.runs() {
        let Some((_, before)) = base.runs().find(|(name, _)| *name == run) else { continue };
        let mut push = |figure: String, base: Option<Spread>, current: Option<Spread>, more_is_better: bool| {
            let (Some(base), Some(current)) = (base, current) else { return };
            let judgement = judge(&base, &current, more_is_better);
            rows.push(Row { run: run.clone(), figure, base, current, more_is_better, judgement });
        };
        push("orders/s".into(), Some(before.orders_per_s.clone()), Some(now.orders_per_s.clone()), true);
        let percentiles: [(&str, PercentileOf); 4] =
            [("p50", |l| l.p50), ("p99", |l| l.p99), ("p99.9", |l| l.p999), ("max", |l| l.max)];
        for (name, of) in percentiles {
            let over = |chapter: &ChapterRecord| spread(chapter, |round| Some(of(&round.latency_ns?) as f64));
            push(format!("latency {name}"), over(before), over(now), false);
        }
        for stage in Stage::ALL {
            let over = |chapter: &ChapterRecord| spread(chapter, |round| Some(round.stages_ns?.of(stage)));
            push(stage.key().replace('_', " "), over(before), over(now), false);
        }
    }
    rows
}

fn spread(chapter: &ChapterRecord, of: impl Fn(&Round) -> Option<f64>) -> Option<Spread> {
    let values: Option<Vec<f64>> = chapter.rounds.iter().map(of).collect();
    Spread::of(&values?)
}

/// Compares two figures by their rounds.
pub(crate) fn judge(base: &Spread, current: &Spread, more_is_better: bool) -> Judgement {
    if base.rounds.len().min(current.rounds.len()) < ROUNDS_LEAST {
        return Judgement::NotJudged;
    }
    let widest = (base.max - base.min).max(current.max - current.min);
    // A figure of a nanosecond or less is near the clock's resolution.
    let apart = widest.max(base.median.abs() * MARGIN).max(1.0);
    let higher = current.min > base.max + apart;
    let lower = current.max < base.min - apart;
    match (higher, lower) {
        (false, false) => Judgement::Same,
        (higher, _) if higher == more_is_better => Judgement::Better,
        _ => Judgement::Worse,
    }
}

fn table(rows: &[Row], changes: bool) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(["chapter", "figure", "base", "current", "change", "verdict"]);
    for row in rows.iter().filter(|row| !changes || row.judgement != Judgement::Same) {
        let text = |spread: &Spread| match row.more_is_better {
            true => grouped(spread.median),
            false => duration_text(spread.median, Language::English),
        };
        let change = match row.base.median {
            0.0 => "-".into(),
            before => format!("{:+.1} %", 100.0 * (row.current.median / before - 1.0)),
        };
        let judgement = row.judgement.words().to_string();
        table.add_row([row.run.clone(), row.figure.clone(), text(&row.base), text(&row.current), change, judgement]);
    }
    for column in table.column_iter_mut().skip(2).take(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Reads a ladder's record, or a chapter's `figures.txt` as a ladder of one chapter and one round.
fn load(path: &Path) -> Result<LadderRecord, MeasureError> {
    if path.extension().is_none_or(|extension| extension != "txt") {
        return LadderRecord::load(path);
    }
    let figures = read_figures(path)?;
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let about = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("# {key}: ")));
        line.unwrap_or("unknown").to_string()
    };
    let unusable = || MeasureError::Unusable(format!("{}: its throughput_ops is not a number", path.display()));
    let round = round(&figures, &path.display().to_string())?;
    let chapter = ChapterRecord {
        chapter: about("chapter"),
        shards: None,
        orders: round.orders,
        trades: round.trades,
        orders_per_s: Spread::of(&[round.orders_per_s]).ok_or_else(unusable)?,
        latency_ns: round.latency_ns,
        stages_ns: round.stages_ns,
        processor_ns: round.processor_ns.clone(),
        rounds: vec![round],
    };
    Ok(LadderRecord {
        machine: Default::default(),
        commit: about("commit"),
        command: about("command"),
        flow: Flow {
            name: about("flow"),
            seed: about("seed").parse().ok(),
            orders: None,
            input: None,
            log_version: about("log version").parse().unwrap_or(1),
        },
        rounds: 1,
        probes: Vec::new(),
        chapters: vec![chapter],
        venue: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(rounds: &[f64]) -> Spread {
        Spread::of(rounds).expect("numbers")
    }

    #[test]
    fn noise_is_called_noise() {
        let base = over(&[100.0, 110.0, 105.0, 104.0]);
        for (rounds, why) in [
            ([98.0, 104.0, 90.0, 101.0], "the rounds overlap"),
            ([96.0, 97.0, 98.0, 97.0], "apart, but by less than the margin"),
            ([80.0, 92.0, 85.0, 84.0], "apart by the margin, but by less than the rounds of each"),
        ] {
            assert_eq!(judge(&base, &over(&rounds), true), Judgement::Same, "{why}");
        }
    }

    #[test]
    fn a_change_beyond_the_spread_is_seen_in_both_directions() {
        let base = over(&[100.0, 110.0, 105.0, 104.0]);
        let low = over(&[50.0, 60.0, 55.0, 57.0]);
        assert_eq!(judge(&base, &low, true), Judgement::Worse);
        assert_eq!(judge(&base, &low, false), Judgement::Better);
        assert_eq!(judge(&low, &base, true), Judgement::Better);
    }

    #[test]
    fn few_rounds_judge_nothing() {
        assert_eq!(judge(&over(&[100.0; 3]), &over(&[10.0; 4]), true), Judgement::NotJudged);
        assert_eq!(judge(&over(&[100.0; 4]), &over(&[10.0; 4]), true), Judgement::Worse);
    }

    #[test]
    fn two_runs_of_one_program_seldom_differ() {
        // Four rounds each with a noise of ten per cent, seventy figures a comparison.
        let mut state = 1_u64;
        let mut share = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut round = || 100.0 + 10.0 * ((0..12).map(|_| share()).sum::<f64>() - 6.0);
        let mut differs = || {
            let [base, current] = [(); 2].map(|()| over(&[round(), round(), round(), round()]));
            judge(&base, &current, true) != Judgement::Same
        };
        let alarms = (0..500).filter(|_| (0..70).any(|_| differs())).count();
        assert!(alarms <= 25, "{alarms} of 500 comparisons of equal programs saw a difference");
    }
}
