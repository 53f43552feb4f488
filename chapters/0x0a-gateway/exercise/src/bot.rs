//! A small bot: it keeps one bid and one ask around the middle of a market, over one WebSocket.
//!
//! It knows of the venue what its messages say, and nothing else. Where the book is stale nobody knows the middle, so it
//! takes back what it has there. What it asks is asked one after the other: an answer comes when it is on disk, so when
//! it goes on, its orders are where it left them.

use std::net::SocketAddr;
use std::time::Duration;

use market::MarketId;
use program::{Verdict, tell};

use crate::client::ClientError;
use crate::error::VenueError;

/// How far from the middle it bids and asks, in cents.
pub const AWAY: u8 = 2;

/// How many shares it bids and asks for.
pub const QUANTITY: u32 = 10;

/// Lets a bot quote in a market of a venue that runs, until Ctrl-C
#[derive(Debug, clap::Args)]
pub struct BotArgs {
    /// Where the venue listens
    pub address: SocketAddr,
    /// The key of the account that it trades for
    pub key: String,
    /// The market
    #[arg(long, value_name = "ID", default_value_t = 1)]
    pub market: u32,
    /// End after so long; 0 is never
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    pub seconds: u64,
}

/// Runs the bot.
///
/// # Errors
/// When the system gives no sockets, or the venue has ended.
pub fn run(args: &BotArgs) -> Result<Verdict, VenueError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(VenueError::System)?;
    let is_over = async {
        let time = tokio::time::sleep(Duration::from_secs(args.seconds));
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            () = time, if args.seconds > 0 => {}
        }
    };
    runtime.block_on(quote(args.address, &args.key, MarketId(args.market), is_over)).map_err(VenueError::Bot)?;
    tell(format_args!("took back what rested"));
    Ok(Verdict::Yes)
}

/// Logs in with this key, watches the market, and keeps a bid and an ask of [`QUANTITY`] there, [`AWAY`] from the middle,
/// until it is over. Before it ends it takes back what rests.
///
/// The middle is between the best bid and the best ask; where one is missing, where it traded last; else 50. A stale book
/// has none, and nothing rests there then. `crate::client::Stream` is the connection, and a
/// `market_data::BookView` makes a book of its messages. The messages are in `src/stream.rs`.
///
/// # Errors
/// [`ClientError`], also where the venue refuses the key or does not know the market.
pub async fn quote(
    _address: SocketAddr,
    _key: &str,
    _market: MarketId,
    _is_over: impl Future<Output = ()>,
) -> Result<(), ClientError> {
    todo!("steps 1 to 4: log in and watch, quote, follow, take back")
}
