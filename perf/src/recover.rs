//! `recover`: how long a start takes, by replay alone and with a snapshot, and what a snapshot costs while it is
//! made.
//!
//! Each start and each run is a separate process, the program `recovered`, so its memory and its processor time can
//! be measured. Rounds are interleaved. The logs are in the output's folder while it runs, and are removed when it
//! ends.

mod bench;
mod pauses;
mod starts;
mod table;

use std::fs;
use std::path::Path;

use program::{Verdict, print};
use results::chapters;
use results::charts::recover_charts;
use results::error::MeasureError;
use results::figures::{Figures, figure};
use results::machine;
use results::output::OutputArgs;
use results::probe::Probe;
use results::programs::{self, Program};
use results::progress::{progress_bar, say};
use results::record::{Flow, OfferRecord, Record, RecoverRecord, StateRecord};

use crate::command::command_line;
use bench::{Bench, Plan, spread};

/// The arguments of `recover`.
#[derive(Debug, Clone, clap::Args)]
pub struct RecoverArgs {
    /// The logs' lengths, in commands [default: 1000000,10000000,100000000]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1_000..=10_000_000_000))]
    pub commands: Vec<u64>,
    /// How many commands come after the snapshot; at most half of the log [default: 100000]
    #[arg(long, value_name = "N")]
    pub tail: Option<u64>,
    /// How many accounts each of the 64 markets has [default: 10000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(4..=1_000_000))]
    pub accounts: Option<u32>,
    /// How many orders rest in all [default: 1000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=50_000_000))]
    pub resting: Option<u32>,
    /// How many commands a second are offered while snapshots are made [default: 1000000]
    #[arg(long, value_name = "PER_SECOND", value_parser = clap::value_parser!(u64).range(1_000..=100_000_000))]
    pub rate: Option<u64>,
    /// For how long they are offered [default: 4]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=600))]
    pub seconds: Option<u32>,
    /// How many commands lie between two snapshots then [default: two fifths of what is offered]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub every: Option<u64>,
    /// How often each is run [default: 5, and 3 with --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: Option<u32>,
    /// A first look: logs of 30,000, 100,000 and 300,000 commands, less of everything
    #[arg(long)]
    pub quick: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs,
}

impl RecoverArgs {
    fn plan(&self) -> Plan {
        let pick = |asked: Option<u32>, usual, quick| asked.unwrap_or(if self.quick { quick } else { usual });
        let (accounts, resting) = (pick(self.accounts, 10_000, 200), pick(self.resting, 1_000_000, 10_000));
        let lengths = if self.quick { [30_000, 100_000, 300_000] } else { [1_000_000, 10_000_000, 100_000_000] };
        let mut commands = if self.commands.is_empty() { lengths.to_vec() } else { self.commands.clone() };
        commands.sort_unstable();
        commands.dedup();
        let rate = self.rate.unwrap_or(if self.quick { 100_000 } else { 1_000_000 });
        let seconds = f64::from(pick(self.seconds, 4, 1));
        let every = self.every.unwrap_or(((rate as f64 * seconds * 0.4) as u64).max(1));
        Plan {
            commands,
            tail: self.tail.unwrap_or(if self.quick { 10_000 } else { 100_000 }),
            size: ["--accounts".into(), accounts.to_string(), "--resting".into(), resting.to_string()],
            offer: OfferRecord { rate, seconds, every },
            rounds: pick(self.rounds, 5, 3),
        }
    }
}

/// Lays out the logs, starts on them and offers orders, in interleaved rounds.
///
/// # Errors
/// When the program can't be built or run, when there is not enough space, or the results can't be
/// written.
pub fn run(args: &RecoverArgs) -> Result<Verdict, MeasureError> {
    let (output, plan) = (args.output.folder(), args.plan());
    let catalogue = chapters::catalogue()?;
    let program = Program::of_package("recovered");
    programs::build(std::slice::from_ref(&program))?;
    let folder = output.join("recover");
    clear(&folder)?;
    fs::create_dir_all(&folder).map_err(|error| MeasureError::disk("make the folder", &folder, &error))?;
    let lengths = plan.commands.len() as u64;
    let steps = lengths + 1 + u64::from(plan.rounds) * (3 * lengths + 4);
    let bench = Bench { program, folder, bar: progress_bar(steps) };
    let measured = measure(&bench, &plan);
    bench.bar.finish_and_clear();
    // Gigabytes: removed whatever the result was.
    let cleared = clear(&bench.folder);
    let record = measured?;
    cleared?;
    table::print_all(&record)?;
    record.save(&output.join("recover.json"))?;
    let files = recover_charts(&record, &catalogue, &output.join("charts"))?;
    let charts = [0, 4].map(|at| files[at].display().to_string()).join(" ");
    print(format_args!("record  {}\ncharts  {charts}\n", output.join("recover.json").display()))?;
    Ok(Verdict::Yes)
}

fn measure(bench: &Bench, plan: &Plan) -> Result<RecoverRecord, MeasureError> {
    let mut starts = starts::lay(bench, plan)?;
    say(&bench.bar, "laying out a log of just the state");
    bench.run("lay", "state", &plan.size)?;
    let (mut pauses, mut states, mut probes) = (pauses::all(), Vec::new(), Vec::new());
    for round in 1..=plan.rounds {
        let of = format!("round {round} of {}", plan.rounds);
        probes.push(Probe::take(&bench.folder)?);
        starts.iter_mut().try_for_each(|log| log.round(bench, &of))?;
        say(&bench.bar, &format!("a snapshot by itself, {of}"));
        let again = bench.folder.join("again").display().to_string();
        states.push(bench.run("state", "state", &["--folder".into(), again])?);
        pauses.iter_mut().try_for_each(|way| way.round(bench, plan, &of))?;
    }
    let starts = starts.iter().map(starts::Log::record).collect::<Result<Vec<_>, _>>()?;
    let pauses = pauses.iter().map(pauses::Way::record).collect::<Result<Vec<_>, _>>()?;
    Ok(RecoverRecord {
        machine: machine::describe(&bench.folder),
        commit: machine::commit(),
        command: command_line(),
        flow: Flow { name: "year".into(), seed: None, orders: None, input: None, log_version: market::log::VERSION },
        chapter: chapters::catalogue()?.find_verb("recover")?.folder.clone(),
        rounds: plan.rounds,
        probes,
        tail: plan.tail,
        state: state(&states)?,
        meet_commands: RecoverRecord::meet(&starts),
        starts,
        offer: plan.offer,
        pauses,
    })
}

fn state(rounds: &[Figures]) -> Result<StateRecord, MeasureError> {
    let count = |key: &str| figure(&rounds[0], key, "recovered").map(|value| value as u64);
    Ok(StateRecord {
        markets: count("markets")?,
        accounts: count("accounts")?,
        resting: count("resting")?,
        bytes: count("bytes")?,
        load_ns: spread(rounds, "load_ns")?,
        write_ns: spread(rounds, "write_ns")?,
    })
}

fn clear(folder: &Path) -> Result<(), MeasureError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(MeasureError::disk("remove", folder, &error)),
        _ => Ok(()),
    }
}
