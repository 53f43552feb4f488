//! `cargo run --release -- feed`: what watching costs, for any number of readers, and beside it a channel for each.
//!
//! Three questions, each asked of both ways in turn: what an event costs the thread that acknowledges it ([`direct`]), how
//! late the last reader is behind a real engine ([`last_reader`]), and what an engine loses that goes as fast as it can
//! ([`ladder`]).

pub mod crowd;
pub mod direct;
pub mod ladder;
pub mod last_reader;
pub mod table;

use std::sync::Arc;

use market::MarketId;
use market::flow::{DEFAULT_SEED, Flow, FlowName, generate};
use program::{Verdict, print};
use results::error::MeasureError;
use results::feed_args::FeedArgs;
use results::machine;
use results::progress::{progress_bar, say};
use results::record::{FeedCaseRecord, FeedRecord, Record, Spread, WayRecord};

use crate::engines::{Rung, Work};
use crate::live::busiest;
use crate::measure::crowd::STALLED_ONE_IN;
use crate::measure::direct::{Pass, Recorded};
use crate::measure::last_reader::{Late, Way};
use crate::shown::Shown;
use crate::update::Cursor;

/// What one measurement has in hand.
struct Bench<'a> {
    args: &'a FeedArgs,
    flow: Flow,
    market: MarketId,
    recorded: Recorded,
}

/// Measures, prints a table, and writes `feed.json` into the output folder.
///
/// # Errors
/// When the machine could not do it, or the disk can't be written.
pub fn run(args: &FeedArgs) -> Result<Verdict, MeasureError> {
    let flow = generate(FlowName::Burst, args.commands(), DEFAULT_SEED);
    let market = busiest(&flow).ok_or_else(|| MeasureError::Unusable("the flow has no market".into()))?;
    let recorded = Recorded::of(&flow);
    let bench = Bench { args, flow, market, recorded };
    let folder = args.output.folder();
    std::fs::create_dir_all(&folder).map_err(|error| MeasureError::disk("make the folder", &folder, &error))?;

    let bar = progress_bar(args.cases().len() as u64 + 2);
    let mut cases = Vec::new();
    let (mut market_bytes, mut order_bytes) = (0, 0);
    for readers in args.cases() {
        say(&bar, &format!("{readers} readers"));
        let (case, bytes) = bench.case(readers)?;
        cases.push(case);
        order_bytes = bytes;
        bar.inc(1);
    }
    let mut ladder = Vec::new();
    let classic = generate(FlowName::Classic, if args.quick { 100_000 } else { 2_000_000 }, DEFAULT_SEED);
    let classic_market = busiest(&classic).unwrap_or(market);
    for (rung, name) in [(Rung::Sharding, "0x07"), (Rung::Snapshots, "0x08")] {
        say(&bar, &format!("{name} with a feed and without"));
        ladder.push(ladder::measure(rung, name, &classic, classic_market, args.rounds(), &folder)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let bare: Option<Vec<f64>> = (0..args.rounds()).map(|_| direct::nobody(&bench.recorded, args.rate)).collect();
    market_bytes += crate::shown::shown(market, 1, crate::feed::Settings::default().trades_kept).1.bytes();
    let bare_event_ns = bare.as_deref().and_then(Spread::of);
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

/// What channels cost an event more than a mask does.
fn event_ratio(case: &FeedCaseRecord, bare: Option<&Spread>) -> Option<f64> {
    let bare = bare?.median;
    let net = |way: &WayRecord| Some(way.event_ns.as_ref()?.median - bare);
    let (mask, channels) = (net(&case.mask)?, net(&case.channels)?);
    (mask > 0.0).then_some(channels / mask)
}

impl Bench<'_> {
    /// So many readers, both ways in turn.
    fn case(&self, readers: usize) -> Result<(FeedCaseRecord, usize), MeasureError> {
        let (rate, messages_max) = (self.args.rate, self.args.messages_max());
        let (mut mask, mut channels) = (Vec::new(), Vec::new());
        for _ in 0..self.args.rounds() {
            mask.push(direct::mask(&self.recorded, self.market, readers, rate)?);
            channels.push(direct::with_channels(&self.recorded, self.market, readers, rate, messages_max)?);
        }
        let order_bytes = mask.last().map_or(0, |pass| pass.order_bytes);
        let case = FeedCaseRecord {
            name: readers.to_string(),
            readers,
            mask: self.way(Way::Mask, readers, &mask)?,
            channels: self.way(Way::Channels, readers, &channels)?,
            event_ratio: None,
        };
        Ok((case, order_bytes))
    }

    fn way(&self, way: Way, readers: usize, passes: &[Pass]) -> Result<WayRecord, MeasureError> {
        let commands = match way {
            Way::Mask => self.flow.body.len(),
            Way::Channels => self.recorded.commands_within(self.args.messages_max(), readers),
        };
        let folder = self.args.output.folder();
        let fresh =
            tempfile::tempdir_in(&folder).map_err(|error| MeasureError::disk("make a folder in", &folder, &error))?;
        let (rate, data_dir) = (self.args.rate, fresh.path());
        let late = Late { flow: &self.flow, commands, market: self.market, readers, way, rate, data_dir };
        let late = late.with::<<ch08::Chapter as runner::Chapter>::Engine>()?;
        let event_ns: Option<Vec<f64>> = passes.iter().map(|pass| pass.event_ns).collect();
        let deliveries: Vec<f64> = passes.iter().map(|pass| pass.deliveries_per_s).collect();
        Ok(WayRecord {
            event_ns: event_ns.as_deref().and_then(Spread::of),
            deliveries_per_s: Spread::of(&deliveries).map_or(0.0, |spread| spread.median),
            from_acknowledgement: late.from_acknowledgement,
            from_due: late.from_due,
            achieved_per_s: late.achieved_per_s,
            commands,
            bytes_per_reader: passes.last().map_or(0.0, |pass| pass.bytes_per_reader),
        })
    }
}
