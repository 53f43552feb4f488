//! `verify`: every chapter over the same flow, and their events compared byte for byte.
//!
//! A market's events must be the same in every chapter. Across markets a sharded engine promises no
//! order, so events are compared by market, in the order of that market's commands.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use market::flow;
use market::log::ShardOf;
use market::model::Model;
use market::{Command, Event, MarketId};

use catalogue::Chapter;
use program::{Unprinted, Verdict, print};
use results::chapters;
use results::error::MeasureError;
use results::output::OutputArgs;
use results::programs::{self, Program};
use results::progress::{progress_bar, say};

use crate::flow_args::FlowArgs;

/// The arguments of `verify`.
#[derive(Debug, Clone, clap::Args)]
pub struct VerifyArgs {
    /// Compare only these chapters
    #[arg(long, value_name = "CHAPTERS", value_delimiter = ',')]
    pub chapters: Vec<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub flow: FlowArgs,
    /// How many commands the flow has after its set-up
    #[arg(long, conflicts_with = "input", default_value_t = 10_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20_000_000))]
    pub orders: u32,
    /// The number of shards, for chapters that have shards
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub shards: u16,
}

/// A chapter's answer to each command of a market, in order.
pub type Answers = BTreeMap<MarketId, Vec<Vec<Event>>>;

/// Runs the chapters and compares. `false` means a difference.
///
/// # Errors
/// When a chapter can't be built or run, or its output is not events.
pub fn run(args: &VerifyArgs) -> Result<Verdict, MeasureError> {
    let chapters = chapters::select(&chapters::catalogue()?, &args.chapters)?;
    let (setup, body) = commands(args)?;
    programs::build(&chapters.iter().map(Program::from).collect::<Vec<_>>())?;
    let output = OutputArgs::default().folder();
    fs::create_dir_all(&output).map_err(|error| MeasureError::disk("make the folder", &output, &error))?;
    let folder = tempfile::Builder::new().prefix("verify-").tempdir_in(&output);
    let folder = folder.map_err(|error| MeasureError::disk("create a folder in", &output, &error))?;

    let bar = progress_bar(chapters.len() as u64);
    let mut first: Option<(Chapter, Answers)> = None;
    let mut same = true;
    for chapter in chapters {
        say(&bar, &format!("{}: {} commands", chapter.folder, body.len()));
        let answers = answers(&chapter, args, &setup, &body, folder.path())?;
        bar.inc(1);
        match &first {
            None => first = Some((chapter, answers)),
            Some((reference, expected)) => match first_difference(expected, &answers) {
                None => bar
                    .suspend(|| print(format_args!("{}: the same events as {}\n", chapter.folder, reference.folder)))?,
                Some(difference) => {
                    same = false;
                    bar.suspend(|| explain(&difference, reference, &chapter, expected, &answers, &setup, &body))?;
                }
            },
        }
    }
    bar.finish_and_clear();
    print(format_args!(
        "{}\n",
        if same { "every chapter gives the same answers" } else { "the chapters do NOT give the same answers" }
    ))?;
    Ok(same.into())
}

fn commands(args: &VerifyArgs) -> Result<(Vec<Command>, Vec<Command>), MeasureError> {
    match &args.flow.input {
        Some(path) => {
            let body = market::csv::read(path).map_err(|error| MeasureError::Unusable(error.to_string()))?;
            Ok((Vec::new(), body))
        }
        None => {
            let flow = flow::generate(args.flow.flow, args.orders as usize, args.flow.seed);
            Ok((flow.setup, flow.body))
        }
    }
}

/// Runs a chapter and reads what it acknowledged.
fn answers(
    chapter: &Chapter,
    args: &VerifyArgs,
    setup: &[Command],
    body: &[Command],
    folder: &Path,
) -> Result<Answers, MeasureError> {
    let path = folder.join(&chapter.package);
    let mut flags = args.flow.flags();
    flags.extend(args.flow.orders_flags(args.orders));
    flags.extend(["--events".into(), path.display().to_string()]);
    let shards = if chapter.shards { args.shards } else { 1 };
    if shards > 1 {
        flags.extend(["--shards".into(), shards.to_string()]);
    }
    Program::from(chapter).run(&flags, folder)?;
    let mut answers = Answers::new();
    for shard in 0..shards {
        let own = |commands: &[Command]| -> Vec<MarketId> {
            let markets = commands.iter().map(Command::market);
            markets.filter(|&market| ShardOf::market(market, shards).shard == shard).collect()
        };
        let markets = own(body);
        let first = own(setup).len() as u64 + 1;
        let file = if shard == 0 { path.clone() } else { PathBuf::from(format!("{}.{shard}", path.display())) };
        let records = read_records(&file)?;
        if records.len() != markets.len() {
            let (said, sent) = (records.len(), markets.len());
            return Err(MeasureError::Unusable(format!("{} acknowledged {said} of {sent} commands", chapter.folder)));
        }
        for (at, ((sequence, events), market)) in records.into_iter().zip(markets).enumerate() {
            if sequence != first + at as u64 {
                let message =
                    format!("{} acknowledged command {sequence} where {} was due", chapter.folder, first + at as u64);
                return Err(MeasureError::Unusable(message));
            }
            answers.entry(market).or_default().push(events);
        }
    }
    Ok(answers)
}

/// Reads a file of acknowledgements: sequence, number of events, the events.
fn read_records(path: &Path) -> Result<Vec<(u64, Vec<Event>)>, MeasureError> {
    let bytes = fs::read(path).map_err(|error| MeasureError::disk("read", path, &error))?;
    let broken = || MeasureError::Unusable(format!("{} is cut short or holds no events", path.display()));
    let mut rest = &bytes[..];
    let mut records = Vec::new();
    while !rest.is_empty() {
        let (header, after) = rest.split_first_chunk::<16>().ok_or_else(broken)?;
        let (sequence, count) = header.split_at(8);
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte));
        let (sequence, count) = (number(sequence), number(count));
        rest = after;
        let mut events = Vec::new();
        for _ in 0..count {
            let (event, after) = rest.split_first_chunk::<{ Event::BYTES }>().ok_or_else(broken)?;
            events.push(Event::decode(event).ok_or_else(broken)?);
            rest = after;
        }
        records.push((sequence, events));
    }
    Ok(records)
}

/// Where two chapters first differ: the market, and the place among its commands after the set-up.
pub fn first_difference(expected: &Answers, found: &Answers) -> Option<(MarketId, usize)> {
    let differs = |market: &MarketId| {
        let (one, other) = (expected.get(market)?, found.get(market)?);
        let at = one.iter().zip(other).position(|(a, b)| a != b);
        at.or((one.len() != other.len()).then_some(one.len().min(other.len()))).map(|at| (*market, at))
    };
    expected.keys().filter_map(differs).min_by_key(|&(_, at)| at)
}

/// Prints the command, both answers, and the book before it, according to the reference model.
fn explain(
    &(market, at): &(MarketId, usize),
    reference: &Chapter,
    chapter: &Chapter,
    expected: &Answers,
    found: &Answers,
    setup: &[Command],
    body: &[Command],
) -> Result<(), Unprinted> {
    let own = |command: &&Command| command.market() == market;
    let mut model = Model::default();
    setup.iter().chain(body.iter().filter(own).take(at)).filter(own).for_each(|command| drop(model.apply(command)));
    let state = model.state();
    print(format_args!(
        "{}: differs from {} in market {market}, at command {} after the set-up\n",
        chapter.folder,
        reference.folder,
        at + 1
    ))?;
    if let Some(command) = body.iter().filter(own).nth(at) {
        print(format_args!("  command  {command:?}\n  model    {:?}\n", model.apply(command)))?;
    }
    for (name, answers) in [(&reference.folder, expected), (&chapter.folder, found)] {
        print(format_args!("  {name}  {:?}\n", answers.get(&market).and_then(|answers| answers.get(at))))?;
    }
    if let Some(before) = state.markets.get(&market) {
        print(format_args!("  the book before it, best first:\n"))?;
        for (side, orders) in [("bid", &before.bids), ("ask", &before.asks)] {
            for order in orders.iter().take(5) {
                print(format_args!(
                    "    {side} {:>2}  {:>8} shares, order {}, account {}\n",
                    order.price, order.quantity, order.order, order.account
                ))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(lists: &[(u32, &[u32])]) -> Answers {
        let events = |ids: &[u32]| ids.iter().map(|&id| vec![Event::Opened { market: MarketId(id) }]).collect();
        lists.iter().map(|(market, ids)| (MarketId(*market), events(ids))).collect()
    }

    #[test]
    fn the_first_difference_is_found_and_only_a_difference_is() {
        let base = answers(&[(1, &[1, 2, 3]), (2, &[7, 8])]);
        assert_eq!(first_difference(&base, &base.clone()), None);
        assert_eq!(first_difference(&base, &answers(&[(1, &[1, 2, 9]), (2, &[7, 8])])), Some((MarketId(1), 2)));
        assert_eq!(first_difference(&base, &answers(&[(1, &[1, 2, 9]), (2, &[9, 8])])), Some((MarketId(2), 0)));
        assert_eq!(first_difference(&base, &answers(&[(1, &[1, 2]), (2, &[7, 8])])), Some((MarketId(1), 2)));
    }
}
