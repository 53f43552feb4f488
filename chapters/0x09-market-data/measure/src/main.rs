//! `cargo run --release -- feed` in the repository's folder: what watching costs for various numbers of readers, compared with a channel per
//! reader.
//!
//! Three questions, each measured for both ways in turn: what an event costs the thread that acknowledges it
//! ([`direct`]), how far the last reader is behind a real engine ([`last_reader`]), and how much an engine at full
//! speed slows down ([`ladder`]).
#![forbid(unsafe_code)]

mod bench;
mod crowd;
mod direct;
mod ladder;
mod last_reader;
mod rounds;
mod sharded;
mod table;

use std::process::ExitCode;
use std::slice;
use std::sync::Arc;

use clap::Parser;
use market::flow::{DEFAULT_SEED, FlowName, generate};
use program::{Verdict, print};
use results::error::MeasureError;
use results::feed_args::FeedArgs;
use results::machine;
use results::progress::{progress_bar, say};
use results::record::{FeedCaseRecord, FeedRecord, Record, Spread, WayRecord};

use crate::bench::Bench;
use crate::crowd::STALLED_ONE_IN;
use crate::direct::{Pass, Recorded};
use crate::last_reader::Way;
use crate::rounds::Rounds;
use market_data::engines::Rung;
use market_data::live::busiest;
use market_data::shown::Shown;
use market_data::update::Cursor;

/// Measures the cost of watching for various numbers of readers, and writes output/feed.json
#[derive(Debug, Parser)]
struct Args {
    #[command(flatten)]
    feed: FeedArgs,
}

fn main() -> ExitCode {
    match Args::try_parse() {
        Ok(args) => program::end(run(&args.feed)),
        Err(error) => program::refuse(&error),
    }
}

/// Measures, prints a table, and writes `feed.json` into the output folder.
///
/// # Errors
/// If the machine could not run it, or the disk can't be written.
fn run(args: &FeedArgs) -> Result<Verdict, MeasureError> {
    let flow = generate(FlowName::Burst, args.commands(), DEFAULT_SEED);
    let market = busiest(&flow).ok_or_else(|| MeasureError::Unusable("the flow has no market".into()))?;
    let recorded = Recorded::of(&flow);
    let bench = Bench { args, flow, market, recorded };
    let folder = args.output.folder();
    std::fs::create_dir_all(&folder).map_err(|error| MeasureError::disk("make the folder", &folder, &error))?;

    let bar = progress_bar(args.cases().len() as u64 + 3);
    let (mut cases, mut bare) = (Vec::new(), Vec::new());
    let (mut market_bytes, mut order_bytes) = (0, 0);
    for readers in args.cases() {
        say(&bar, &format!("{readers} readers"));
        let (case, bytes) = bench.case(readers, &mut bare)?;
        cases.push(case);
        order_bytes = bytes;
        bar.inc(1);
    }
    say(&bar, &format!("1 shard and {}", args.shards));
    let shards = sharded::measure(&bench, &args.shards())?;
    bar.inc(1);
    let mut ladder = Vec::new();
    let classic = generate(FlowName::Classic, if args.quick { 100_000 } else { 2_000_000 }, DEFAULT_SEED);
    let classic_market = busiest(&classic).unwrap_or(market);
    for (rung, name) in [(Rung::Sharding, "0x07"), (Rung::Snapshots, "0x08")] {
        say(&bar, &format!("{name} with a feed and without"));
        ladder.push(ladder::measure(rung, name, &classic, classic_market, args.rounds(), &folder)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    market_bytes += market_data::shown::shown(market, 1, market_data::feed::Settings::default().trades_kept).1.bytes();
    let bare_event_ns = bare.into_iter().collect::<Option<Vec<f64>>>().as_deref().and_then(Spread::of);
    cases.iter_mut().for_each(|case| case.event_ratio = event_ratio(case, bare_event_ns.as_ref()));
    let record = FeedRecord {
        machine: machine::describe(&folder),
        commit: machine::commit(),
        command: args.command_line(),
        rounds: args.rounds(),
        offered_per_s: args.rate,
        stalled_one_in: STALLED_ONE_IN,
        cursor_bytes: size_of::<(Arc<Shown>, Cursor)>(),
        market_bytes,
        resting_order_bytes: order_bytes as f64 / bench.recorded.resting().max(1) as f64,
        bare_event_ns,
        cases,
        ladder,
        shards,
    };
    let out = folder.join("feed.json");
    record.save(&out)?;
    print(format_args!(
        "{}\n{}\nrecord  {}\n",
        table::text(&record, args.lang),
        record.machine.summary(),
        out.display()
    ))?;
    Ok(Verdict::Yes)
}

/// How many times more an event costs with channels than with a mask.
fn event_ratio(case: &FeedCaseRecord, bare: Option<&Spread>) -> Option<f64> {
    let bare = bare?.median;
    let net = |way: &WayRecord| Some(way.event_ns.as_ref()?.median - bare);
    let (mask, channels) = (net(&case.mask)?, net(&case.channels)?);
    (mask > 0.0).then_some(channels / mask)
}

impl Bench<'_> {
    /// One number of readers: both ways and no readers at all, in turn.
    fn case(&self, readers: usize, bare: &mut Vec<Option<f64>>) -> Result<(FeedCaseRecord, usize), MeasureError> {
        let (rate, messages_max) = (self.args.rate, self.args.messages_max());
        // Fewer commands if channels would fill the memory.
        let commands = self.recorded.commands_within(messages_max, readers);
        let (mut mask, mut channels, mut late) = (Vec::new(), Vec::new(), <[Rounds; 2]>::default());
        let mut net_ns = Vec::new();
        for _ in 0..self.args.rounds() {
            let unwatched_ns = direct::unwatched(&self.recorded, rate);
            bare.push(unwatched_ns);
            mask.push(direct::mask(slice::from_ref(&self.recorded), self.market, readers, rate)?);
            net_ns.extend(mask.last().and_then(|pass| Some(pass.event_ns? - unwatched_ns?)));
            late[0].push(self.late(Way::Mask, readers, 1, self.flow.body.len())?);
            channels.push(direct::with_channels(&self.recorded, self.market, readers, rate, messages_max)?);
            late[1].push(self.late(Way::Channels, readers, 1, commands)?);
        }
        let order_bytes = mask.last().map_or(0, |pass| pass.order_bytes);
        let case = FeedCaseRecord {
            name: readers.to_string(),
            readers,
            mask: way(self.flow.body.len(), &mask, &late[0]),
            channels: way(commands, &channels, &late[1]),
            event_ratio: None,
            net_event_ns: Spread::of(&net_ns),
        };
        Ok((case, order_bytes))
    }
}

fn way(commands: usize, passes: &[Pass], late: &Rounds) -> WayRecord {
    let event_ns: Option<Vec<f64>> = passes.iter().map(|pass| pass.event_ns).collect();
    let deliveries: Vec<f64> = passes.iter().map(|pass| pass.deliveries_per_s).collect();
    WayRecord {
        event_ns: event_ns.as_deref().and_then(Spread::of),
        deliveries_per_s: Spread::of(&deliveries).map_or(0.0, |spread| spread.median),
        from_acknowledgement: late.since_acknowledgement(),
        from_due: late.since_due(),
        achieved_per_s: late.achieved_per_s(),
        commands,
        bytes_per_reader: passes.last().map_or(0.0, |pass| pass.bytes_per_reader),
        p99_ms: late.p99_ms(),
        threads: late.threads(),
        void: late.void(),
    }
}
