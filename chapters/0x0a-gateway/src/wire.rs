//! The JSON of HTTP and WebSocket alike. Words are those of the CSV; prices are in cents of the share that the intent
//! names, amounts in cents.

mod number;
mod own;

use market::{AccountId, Command, Intent, MarketId, OrderId, Outcome, Place, Sequence, TimeInForce};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

pub use number::{NUMBER_BITS, Numbered, SHORT_NUMBER_BITS};
pub use own::{OwnEvent, OwnEvents, cancel_word, kind_word};

use crate::problem::{Problem, Why};
use crate::projection::{Fill, OpenOrder};
use crate::reply::{Given, Reply};

/// An order in a request.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "OrderFields")]
pub struct OrderRequest {
    /// The market.
    pub market: u32,
    /// The intent.
    pub intent: Intent,
    /// The limit price, 1 to 99.
    pub price: u8,
    /// How many shares.
    pub quantity: u32,
    /// What happens to the part that does not trade at once.
    pub time_in_force: TimeInForce,
    /// The client's own number for the order, 0 for none.
    pub client_order_id: u64,
}

/// The fields of an order, of which some exclude each other.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OrderFields {
    market: u32,
    #[serde(deserialize_with = "intent")]
    intent: Intent,
    price: u8,
    quantity: u32,
    #[serde(deserialize_with = "time_in_force", default = "good_till_cancelled")]
    time_in_force: TimeInForce,
    client_order_id: Option<u64>,
    lane: Option<u8>,
    number: Option<u64>,
}

impl TryFrom<OrderFields> for OrderRequest {
    type Error = String;

    fn try_from(fields: OrderFields) -> Result<OrderRequest, String> {
        let OrderFields { market, intent, price, quantity, time_in_force, client_order_id, lane, number } = fields;
        let client_order_id = client_number(client_order_id, Numbered { lane, number })?;
        Ok(OrderRequest { market, intent, price, quantity, time_in_force, client_order_id })
    }
}

/// The client's own number for an order, in one piece or as lane and number.
pub(crate) fn client_number(client_order_id: Option<u64>, numbered: Numbered) -> Result<u64, String> {
    match client_order_id {
        Some(_) if numbered != Numbered::default() => {
            Err("an order has a client_order_id, or a lane and a number, but not both".into())
        }
        Some(client_order_id) => Ok(client_order_id),
        None => numbered.long().map_err(|problem| problem.detail().trim_end_matches('.').to_owned()),
    }
}

impl OrderRequest {
    /// Parses an order from its words.
    ///
    /// # Errors
    /// An unknown word.
    pub fn of_words(
        MarketId(market): MarketId,
        intent: &str,
        price: u8,
        quantity: u32,
        time_in_force: Option<&str>,
    ) -> Result<OrderRequest, Problem> {
        let bad = |words: String| Problem::because(Why::BadRequest, format!("{words}."));
        let intent = of_word(intent, Intent::ALL, Intent::word).map_err(bad)?;
        let time_in_force = time_in_force.map(|said| of_word(said, TimeInForce::ALL, TimeInForce::word));
        let time_in_force = time_in_force.transpose().map_err(bad)?.unwrap_or_else(good_till_cancelled);
        Ok(OrderRequest { market, intent, price, quantity, time_in_force, client_order_id: 0 })
    }

    /// The command of this account.
    pub fn command(&self, account: AccountId) -> Command {
        let OrderRequest { market, intent, price, quantity, time_in_force, client_order_id } = *self;
        Command::Place(Place {
            intent,
            time_in_force,
            price,
            market: MarketId(market),
            account,
            quantity,
            client_order_id,
        })
    }
}

/// The outcome of a market.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResolveRequest {
    /// Which side won.
    #[serde(deserialize_with = "outcome")]
    pub outcome: Outcome,
}

/// A deposit or a withdrawal.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransferRequest {
    /// The account.
    pub account: u32,
    /// The amount, in cents.
    pub amount: u64,
    /// The client's lane.
    pub lane: Option<u8>,
    /// The client's number for this request in its lane.
    pub number: Option<u64>,
}

impl TransferRequest {
    /// The client's lane and number.
    pub fn numbered(&self) -> Numbered {
        Numbered { lane: self.lane, number: self.number }
    }
}

fn good_till_cancelled() -> TimeInForce {
    TimeInForce::Gtc
}

fn intent<'de, D: Deserializer<'de>>(from: D) -> Result<Intent, D::Error> {
    word(from, Intent::ALL, Intent::word)
}

fn time_in_force<'de, D: Deserializer<'de>>(from: D) -> Result<TimeInForce, D::Error> {
    word(from, TimeInForce::ALL, TimeInForce::word)
}

fn outcome<'de, D: Deserializer<'de>>(from: D) -> Result<Outcome, D::Error> {
    word(from, Outcome::ALL, Outcome::word)
}

fn word<'de, D: Deserializer<'de>, T: Copy>(from: D, all: &[T], of: fn(T) -> &'static str) -> Result<T, D::Error> {
    let said = std::borrow::Cow::<str>::deserialize(from)?;
    of_word(&said, all, of).map_err(D::Error::custom)
}

fn of_word<T: Copy>(said: &str, all: &[T], of: fn(T) -> &'static str) -> Result<T, String> {
    all.iter().copied().find(|&one| of(one) == said).ok_or_else(|| {
        let words = all.iter().map(|&one| of(one)).collect::<Vec<_>>().join(", ");
        format!("one of {words} is expected")
    })
}

/// The result of an order, once it is on disk.
#[derive(Clone, Debug, Serialize)]
pub struct OrderDone<'r> {
    market: u32,
    order: u64,
    shard: u16,
    sequence: u64,
    time_ms: u64,
    status: &'static str,
    filled: u64,
    left: u64,
    events: OwnEvents<'r>,
    #[serde(skip_serializing_if = "is_none")]
    events_left_out: u64,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

impl<'r> OrderDone<'r> {
    /// The result of a `Place` command.
    ///
    /// # Errors
    /// The engine's rejection.
    pub fn of(command: &Command, reply: &'r Reply) -> Result<OrderDone<'r>, Problem> {
        let sequence = reply.ticket.sequence;
        let Command::Place(Place { market, account, quantity, .. }) = *command else {
            return Err(Problem::because(Why::BadRequest, "That is not an order."));
        };
        if let Some(reason) = reply.rejected() {
            return Err(Problem::rejected(reason, sequence));
        }
        let events = OwnEvents { events: &reply.events, account };
        let order = events.iter().find_map(|event| match event {
            OwnEvent::Accepted { order, .. } => Some(order),
            _ => None,
        });
        // The last of its events cancels the rest. A long list of events keeps it.
        let cancelled = events.iter().any(|event| matches!(event, OwnEvent::Cancelled { .. }));
        let left = u64::from(quantity) - reply.filled;
        let (status, left) = match (left, cancelled) {
            (0, _) => ("filled", 0),
            (_, true) => ("cancelled", 0),
            (left, false) => ("resting", left),
        };
        Ok(OrderDone {
            market: market.0,
            order: order.unwrap_or_default(),
            shard: reply.ticket.shard,
            sequence: sequence.0,
            time_ms: reply.stamp.time.0,
            status,
            filled: reply.filled,
            left,
            events,
            events_left_out: reply.left_out,
        })
    }
}

/// The result of one order of a list.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum OrderOutcome<'r> {
    /// It is on disk.
    Done(OrderDone<'r>),
    /// It was not executed.
    Problem(Problem),
}

/// The result of each order of a list.
pub fn outcomes<'r>(commands: &[Command], given: &'r [Given]) -> Vec<OrderOutcome<'r>> {
    let outcome = |(command, given): (&Command, &'r Given)| {
        let done = given.as_ref().map_err(|&refusal| Problem::from(refusal));
        done.and_then(|reply| OrderDone::of(command, reply)).map_or_else(OrderOutcome::Problem, OrderOutcome::Done)
    };
    commands.iter().zip(given).map(outcome).collect()
}

/// One of the account's resting orders.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct OpenOrderJson {
    market: u32,
    order: u64,
    intent: &'static str,
    price: u8,
    quantity: u32,
    left: u32,
    time_ms: Option<u64>,
    client_order_id: Option<u64>,
}

impl OpenOrderJson {
    /// From the projection.
    pub fn of((market, order): (MarketId, OrderId), open: &OpenOrder) -> OpenOrderJson {
        let OpenOrder { intent, limit, quantity, left, time, client_order_id } = *open;
        OpenOrderJson {
            market: market.0,
            order: order.0,
            intent: intent.word(),
            price: limit.cents(),
            quantity: quantity.0,
            left: left.0,
            time_ms: (time.0 > 0).then_some(time.0),
            client_order_id,
        }
    }
}

/// One of the account's trades.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FillJson {
    market: u32,
    order: u64,
    role: &'static str,
    intent: &'static str,
    price: u8,
    quantity: u32,
    sequence: u64,
    time_ms: u64,
    client_order_id: Option<u64>,
}

impl FillJson {
    /// From the projection.
    pub fn of(fill: &Fill) -> FillJson {
        FillJson {
            market: fill.market.0,
            order: fill.order.0,
            role: fill.role.word(),
            intent: fill.intent.word(),
            price: fill.price.cents(),
            quantity: fill.quantity.0,
            sequence: fill.stamp.sequence.0,
            time_ms: fill.stamp.time.0,
            client_order_id: fill.client_order_id,
        }
    }
}

/// A vector of sequences, one per shard.
pub fn sequences(at: &[Sequence]) -> Vec<u64> {
    at.iter().map(|sequence| sequence.0).collect()
}
