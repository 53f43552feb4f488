//! A small bot: it keeps one bid and one ask around the middle of a market, over one WebSocket.
//!
//! All it knows of the venue is what the messages say. If the book is stale the middle is unknown, so it cancels its
//! orders there. It sends one request at a time: an answer means the command is on disk, so the bot always knows where
//! its orders are.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use market::{MarketId, Price};
use market_data::{BookView, Freshness, Message};
use program::{Verdict, tell};
use serde_json::{Value, json};

use crate::error::VenueError;
use load::client::{ClientError, Stream};

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

// ANCHOR: bot
struct Bot {
    stream: Stream,
    view: BookView,
    market: MarketId,
    asked: u64,
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
    address: SocketAddr,
    key: &str,
    market: MarketId,
    is_over: impl Future<Output = ()>,
) -> Result<(), ClientError> {
    let (stream, mut is_over) = (Stream::connect(address, "/v1/stream").await?, pin!(is_over));
    let mut bot = Bot { stream, view: BookView::new(market), market, asked: 0 };
    bot.ask(json!({ "do": "login", "key": key })).await?;
    bot.ask(json!({ "do": "watch", "markets": [market.0] })).await?;
    let mut around = None;
    loop {
        let middle = middle(&bot.view);
        if middle != around {
            bot.ask(json!({ "do": "cancel-all", "market": market.0 })).await?;
            if let Some(middle) = middle {
                bot.ask(json!({ "do": "place", "orders": bot.orders(middle) })).await?;
            }
            around = middle;
        }
        tokio::select! {
            heard = bot.hear() => drop(heard?),
            () = is_over.as_mut() => break,
        }
    }
    bot.ask(json!({ "do": "cancel-all", "market": market.0 })).await.map(drop)
}

impl Bot {
    /// Sends a request, and reads messages until its answer arrives.
    async fn ask(&mut self, mut what: Value) -> Result<(), ClientError> {
        self.asked += 1;
        what["id"] = self.asked.into();
        self.stream.say(what.to_string()).await?;
        loop {
            let heard = self.hear().await?;
            if heard["re"] != what["id"] {
                continue;
            }
            // A request that was done in part has its problem beside what was done.
            return match [&heard["problem"], &heard["ok"]["problem"]].into_iter().find(|problem| !problem.is_null()) {
                None => Ok(()),
                Some(problem) => Err(ClientError::Answer(problem.to_string())),
            };
        }
    }

    /// Reads one message. The view takes it if it belongs to the book.
    async fn hear(&mut self) -> Result<Value, ClientError> {
        let gone = || ClientError::Answer("the venue has ended".into());
        let text = self.stream.hear().await?.ok_or_else(gone)?;
        if let Ok(message) = Message::read(text.as_bytes()) {
            // A rejected message leaves a hole, and a book with a hole is not fresh.
            let _ = self.view.apply(&message);
        }
        serde_json::from_str(&text).map_err(|error| ClientError::Answer(error.to_string()))
    }

    /// A bid and an ask. Offering YES at a price is the same as bidding for NO at the rest of a dollar.
    fn orders(&self, middle: u8) -> Value {
        let order = |intent: &str, price: u8| json!({ "market": self.market.0, "intent": intent, "price": price, "quantity": QUANTITY });
        json!([order("buy-yes", middle - AWAY), order("buy-no", 100 - (middle + AWAY))])
    }
}

/// Between the best bid and the best ask, in YES cents; otherwise the last trade's price, otherwise 50. None if it is
/// unknown.
fn middle(view: &BookView) -> Option<u8> {
    let summary = view.summary().filter(|_| view.freshness() == Freshness::Fresh)?;
    let middle = match (summary.best_bid, summary.best_ask) {
        (Some(bid), Some(ask)) => (bid.cents() + ask.cents()) / 2,
        _ => summary.last_trade.map_or(50, |last| last.price.cents()),
    };
    Some(middle.clamp(Price::MIN.cents() + AWAY, Price::MAX.cents() - AWAY))
}
// ANCHOR_END: bot
