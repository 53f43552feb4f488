//! `cargo run --release`: runs an engine, a flow, a feed and readers, and draws one market's book meanwhile.

pub mod args;
pub mod audience;
pub mod error;
pub mod picture;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use market::flow::{Flow, generate};
use market::{Command, Engine, MarketId};
use program::{Verdict, print};

use crate::board::Board;
use crate::engines::Work;
use crate::feed::{Feed, Settings};
use crate::feed_thread::FeedThread;
use crate::live::args::LiveArgs;
use crate::live::audience::{Audience, Seen};
use crate::live::error::LiveError;
use crate::offer::{Offered, TAP_RECORDS, offer, open, options};
use crate::past::with_logs;
use crate::shown::Shown;
use crate::tap::taps;

/// How long to wait for the market to open.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs the program with these arguments.
///
/// # Errors
/// [`LiveError`].
pub fn run(args: &LiveArgs) -> Result<Verdict, LiveError> {
    if args.shards > 1 && !args.engine.has_shards() {
        return Err(LiveError::Usage(
            "--shards is for engines 0x07 and 0x08: leave it out, or name one of them".into(),
        ));
    }
    let flow = generate(args.flow, args.commands()?, args.seed);
    let market = match args.market {
        None => busiest(&flow).ok_or_else(|| LiveError::Usage("the flow has no market".into()))?,
        Some(market) => MarketId(market),
    };
    let is_known = flow.setup.iter().chain(&flow.body).any(|command| command.market() == market);
    if !is_known {
        return Err(LiveError::Usage(format!("the flow {} has no market {market}; leave --market out", args.flow)));
    }
    args.engine.run(Live { args, flow: &flow, market })?;
    Ok(Verdict::Yes)
}

/// The market that most orders are for.
pub fn busiest(flow: &Flow) -> Option<MarketId> {
    let mut counts = std::collections::BTreeMap::<MarketId, u64>::new();
    for command in flow.body.iter().filter(|command| matches!(command, Command::Place(_))) {
        *counts.entry(command.market()).or_default() += 1;
    }
    counts.into_iter().max_by_key(|&(_, count)| count).map(|(market, _)| market)
}

struct Live<'a> {
    args: &'a LiveArgs,
    flow: &'a Flow,
    market: MarketId,
}

impl Work for Live<'_> {
    type Done = Result<(), LiveError>;

    // ANCHOR: with
    fn with<E: Engine>(self) -> Result<(), LiveError> {
        let Live { args, flow, market } = self;
        let fresh = tempfile::tempdir().map_err(LiveError::Folder)?;
        let data_dir = args.data_dir.as_deref().unwrap_or(fresh.path());
        let options = options(data_dir, args.shards, flow.setup.len() + flow.body.len());

        let (taps, ends) = taps(options.shards, TAP_RECORDS);
        let feed = FeedThread::start(Feed::new(Settings::default(), with_logs(&options, &ends)))?;
        let mut engine: E = open(&options, &flow.setup, taps, &mut |_, tap| Box::new(tap))?;
        let shown = wait_for(feed.board(), market)?;
        let is_over = Arc::new(AtomicBool::new(false));
        let audience = Audience::start(shown, args.readers, Arc::clone(&is_over))?;

        let time = Duration::from_secs_f64(args.seconds);
        let Offered { tickets, time, .. } =
            offer(&mut engine, &flow.body, args.rate, time, &|| audience.is_finished())?;
        engine.close()?;
        // The engine is gone, so the feed ends once it has published everything, and then the readers end.
        let feed = feed.join()?;
        is_over.store(true, Ordering::Relaxed);
        let seen = audience.join()?;
        summary(args, tickets.len(), time, &feed, &seen)
    }
    // ANCHOR_END: with
}

fn wait_for(board: &Board, market: MarketId) -> Result<Arc<Shown>, LiveError> {
    let began = Instant::now();
    loop {
        if let Some(shown) = board.market(market) {
            return Ok(shown);
        }
        if began.elapsed() > PATIENCE {
            let words = format!("market {market} was not opened; a data directory of another flow may not have it");
            return Err(LiveError::Usage(words));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn summary(args: &LiveArgs, orders: usize, time: Duration, feed: &Feed, seen: &Seen) -> Result<(), LiveError> {
    let per_s = orders as f64 / time.as_secs_f64();
    print(format_args!(
        "\n{orders} commands in {:.1} s, {per_s:.0} a second\n{} readers took {} books and {} trades; gaps announced: {}\n\
         the feed was lapped {} times; it keeps {} bytes for resting orders, and {} for each reader\n",
        time.as_secs_f64(),
        args.readers,
        seen.books,
        seen.trades,
        seen.gaps,
        feed.laps(),
        feed.order_bytes(),
        size_of::<crate::Cursor>() + size_of::<Arc<Shown>>(),
    ))?;
    Ok(())
}
