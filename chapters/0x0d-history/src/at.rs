//! `-- at`: a market as it was, for people.

use std::fmt::Write as _;

use keeping::once::shard_count;
use market::{MarketId, Options};
use program::{Verdict, print};

use crate::args::AtArgs;
use crate::error::HistoryError;
use crate::moment::{Moment, levels, moment, sums};
use crate::time::text;

/// Prints a market as it was.
///
/// # Errors
/// [`HistoryError`].
pub fn run(args: &AtArgs) -> Result<Verdict, HistoryError> {
    let mut options = Options::new(&args.data_dir);
    options.shards = shard_count(&options, "look into")?;
    if args.time > options.clock.now() {
        return Err(HistoryError::Asked(format!("{} has not come yet", text(args.time))));
    }
    let found = moment(&options, MarketId(args.market), args.time, u64::MAX)?;
    print(format_args!("{}", words(args.market, &found)))?;
    Ok(Verdict::Yes)
}

fn words(market: u32, found: &Moment) -> String {
    let Moment { last, state, trade, replayed } = found;
    let status = if state.closed { "resolved" } else { "open" };
    let (bids, asks, sums) = (levels(&state.bids), levels(&state.asks), sums(state));
    let mut words = format!(
        "market {market} after command {}, {}: {status}\n\n   bid          ask\n",
        last.sequence,
        text(last.time)
    );
    for row in 0..bids.len().max(asks.len()) {
        let level = |levels: &[(market::Price, u64)]| {
            levels.get(row).map_or(String::new(), |(price, quantity)| format!("{quantity} at {price}"))
        };
        let _ = writeln!(words, "   {:<12} {}", level(&bids), level(&asks));
    }
    let crate::moment::Sums { accounts, cash, yes, no } = sums;
    let _ = writeln!(
        words,
        "\n{accounts} accounts hold {cash} cents, {yes} YES and {no} NO; the pot holds {} cents",
        state.pot.0
    );
    let _ = match trade {
        Some((time, price, quantity)) => writeln!(words, "last trade: {quantity} at {price}, {}", text(*time)),
        None => writeln!(words, "no trade among the {replayed} commands since the snapshot before it"),
    };
    words
}
