//! A small bot: it keeps one bid and one ask around the middle of a market, over one WebSocket.
//!
//! All it knows of the venue is what the messages say. If the book is stale the middle is unknown, so it cancels its
//! orders there. It sends one request at a time: an answer means the command is on disk, so the bot always knows where
//! its orders are.

use std::net::SocketAddr;
use std::time::Duration;

use market::MarketId;
use program::{Verdict, tell};

use load::client::ClientError;
use crate::error::VenueError;

/// How far from the middle its bid and ask are, in cents.
pub const AWAY: u8 = 2;

/// The quantity of its bid and its ask, in shares.
pub const QUANTITY: u32 = 10;

/// Runs a bot that quotes in a market of a running venue, until Ctrl-C
#[derive(Debug, clap::Args)]
pub struct BotArgs {
    /// Where the venue listens
    pub address: SocketAddr,
    /// The key of its account
    pub key: String,
    /// The market
    #[arg(long, value_name = "ID", default_value_t = 1)]
    pub market: u32,
    /// Stop after this time; 0 means never
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    pub seconds: u64,
}

/// Runs the bot.
///
/// # Errors
/// If the system can't open sockets, or the venue has ended.
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
    tell(format_args!("cancelled the resting orders"));
    Ok(Verdict::Yes)
}

/// Logs in with this key, watches the market, and keeps a bid and an ask of [`QUANTITY`] there, [`AWAY`] from the
/// middle, until `is_over`. Before it returns it cancels the resting orders.
///
/// The middle is between the best bid and the best ask; if one is missing, the price of the last trade; otherwise 50. A
/// stale book has none, and the bot has no orders there then. `load::client::Stream` is the connection, and a
/// `market_data::BookView` builds a book from its messages. The messages are in `src/stream.rs`.
///
/// # Errors
/// [`ClientError`], also if the venue refuses the key or does not know the market.
pub async fn quote(
    _address: SocketAddr,
    _key: &str,
    _market: MarketId,
    _is_over: impl Future<Output = ()>,
) -> Result<(), ClientError> {
    todo!("steps 1 to 4: log in and watch, quote, follow, take back")
}
