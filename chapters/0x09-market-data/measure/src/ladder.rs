//! How much a feed slows down an engine at full speed: the threads of feed and readers compete for the same cores.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use market::flow::Flow;
use market::log::FRAME_COMMANDS_MAX;
use market::{Engine, MarketId, Options};
use results::error::MeasureError;
use results::record::{FedEngineRecord, Spread};

use crate::crowd::sweep_shown;
use crate::direct::unusable;
use market_data::engines::{Rung, Work};
use market_data::feed::{Feed, Settings};
use market_data::feed_thread::FeedThread;
use market_data::offer::{TAP_RECORDS, offer_all, open, options};
use market_data::past::with_logs;
use market_data::tap::taps;

/// How many readers there are.
const READERS: usize = 100;

/// A pass over a flow: with a feed or without.
struct Pass<'a> {
    flow: &'a Flow,
    market: MarketId,
    is_fed: bool,
    folder: &'a Path,
}

impl Work for Pass<'_> {
    type Done = Result<f64, MeasureError>;

    fn with<E: Engine>(self) -> Result<f64, MeasureError> {
        let Pass { flow, market, is_fed, folder } = self;
        let fresh =
            tempfile::tempdir_in(folder).map_err(|error| MeasureError::disk("create a folder in", folder, &error))?;
        let commands = flow.setup.len() + flow.body.len();
        let options =
            Options { snapshot_every: None, batch_max: FRAME_COMMANDS_MAX, ..options(fresh.path(), 1, commands) };
        let (taps, ends) = taps(1, TAP_RECORDS);
        let feed = FeedThread::start(Feed::new(Settings::default(), with_logs(&options, &ends))).map_err(unusable)?;
        let mut behind = |_, tap| match is_fed {
            true => Box::new(tap) as Box<dyn market::Acknowledge>,
            false => Box::new(Discard),
        };
        let engine: E = open(&options, &flow.setup, taps, &mut behind).map_err(unusable)?;
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            if is_fed {
                let (board, is_over) = (feed.board(), &is_over);
                scope.spawn(move || {
                    while !is_over.load(Ordering::Relaxed) {
                        match board.market(market) {
                            Some(shown) => drop(sweep_shown(&shown, READERS, Instant::now(), is_over)),
                            None => thread::sleep(Duration::from_millis(1)),
                        }
                    }
                });
            }
            let offered = offer_all(engine, flow);
            is_over.store(true, Ordering::Relaxed);
            Ok(flow.body.len() as f64 / offered.map_err(unusable)?.0.as_secs_f64())
        })
    }
}

/// Discards acknowledgements.
struct Discard;

impl market::Acknowledge for Discard {
    fn acknowledge(&mut self, _stamp: market::Stamp, _events: &[market::Event]) {}
}

/// Runs an engine with and without a feed, in turn.
///
/// # Errors
/// If it could not be run.
pub fn measure(
    rung: Rung,
    name: &str,
    flow: &Flow,
    market: MarketId,
    rounds: u32,
    folder: &Path,
) -> Result<FedEngineRecord, MeasureError> {
    let (mut bare, mut fed) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        bare.push(rung.run(Pass { flow, market, is_fed: false, folder })?);
        fed.push(rung.run(Pass { flow, market, is_fed: true, folder })?);
    }
    let ratio: Vec<f64> = fed.iter().zip(&bare).map(|(fed, bare)| fed / bare).collect();
    let spread = |rounds: &[f64]| {
        Spread::of(rounds)
            .ok_or_else(|| MeasureError::Unusable(format!("{name}: a round gave no result; run it again")))
    };
    let (bare_per_s, fed_per_s, ratio) = (spread(&bare)?, spread(&fed)?, spread(&ratio)?);
    Ok(FedEngineRecord { name: name.into(), bare_per_s, fed_per_s, ratio, readers: READERS })
}
