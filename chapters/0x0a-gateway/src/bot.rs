//! A small bot: it keeps one bid and one ask around the middle of a market, over one WebSocket.
//!
//! It knows of the venue what its messages say, and nothing else. Where the book is stale nobody knows the middle, so it
//! takes back what it has there. What it asks is asked one after the other: an answer comes when it is on disk, so when
//! it goes on, its orders are where it left them.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use market::{MarketId, Price};
use market_data::{BookView, Freshness, Message};
use program::{Verdict, tell};
use serde_json::{Value, json};

use crate::client::{ClientError, Stream};
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

// ANCHOR: bot
struct Bot {
    stream: Stream,
    view: BookView,
    market: MarketId,
    asked: u64,
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
    /// Asks, and goes on hearing until its answer is there.
    async fn ask(&mut self, mut what: Value) -> Result<(), ClientError> {
        self.asked += 1;
        what["id"] = self.asked.into();
        self.stream.say(what.to_string()).await?;
        loop {
            let heard = self.hear().await?;
            match &heard["problem"] {
                _ if heard["re"] != what["id"] => {}
                Value::Null => return Ok(()),
                problem => return Err(ClientError::Answer(problem.to_string())),
            }
        }
    }

    /// Hears one message. If it is of the book, the view has it.
    async fn hear(&mut self) -> Result<Value, ClientError> {
        let gone = || ClientError::Answer("the venue has ended".into());
        let text = self.stream.hear().await?.ok_or_else(gone)?;
        if let Ok(message) = Message::read(text.as_bytes()) {
            // What is refused leaves a hole, and a book with a hole is not fresh.
            let _ = self.view.apply(&message);
        }
        serde_json::from_str(&text).map_err(|error| ClientError::Answer(error.to_string()))
    }

    /// A bid and an ask. To offer YES at a price is to bid for NO at what is left of a dollar.
    fn orders(&self, middle: u8) -> Value {
        let order = |intent: &str, price: u8| json!({ "market": self.market.0, "intent": intent, "price": price, "quantity": QUANTITY });
        json!([order("buy-yes", middle - AWAY), order("buy-no", 100 - (middle + AWAY))])
    }
}

/// Between the best bid and the best ask, in YES cents; else where it traded last, else 50. None where nobody knows.
fn middle(view: &BookView) -> Option<u8> {
    let summary = view.summary().filter(|_| view.freshness() == Freshness::Fresh)?;
    let middle = match (summary.best_bid, summary.best_ask) {
        (Some(bid), Some(ask)) => (bid.cents() + ask.cents()) / 2,
        _ => summary.last_trade.map_or(50, |last| last.price.cents()),
    };
    Some(middle.clamp(Price::MIN.cents() + AWAY, Price::MAX.cents() - AWAY))
}
// ANCHOR_END: bot
