//! A client's messages as JSON: flat, so that they are parsed in one pass.

use std::borrow::Cow;

use market::{AccountId, Command, MarketId, OrderId};
use serde::Deserialize;

use crate::problem::{Problem, Why};
use crate::wire::{Numbered, OrderRequest, client_number};

/// The values of `do`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Do {
    Login,
    Watch,
    Unwatch,
    Place,
    Cancel,
    CancelAll,
}

/// A message, with any of the fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClientMessage<'m> {
    pub id: u64,
    #[serde(rename = "do")]
    pub what: Do,
    #[serde(borrow)]
    pub key: Option<Cow<'m, str>>,
    pub markets: Option<Vec<u32>>,
    pub orders: Option<Vec<OrderRequest>>,
    pub market: Option<u32>,
    pub order: Option<u64>,
    #[serde(borrow)]
    intent: Option<Cow<'m, str>>,
    price: Option<u8>,
    quantity: Option<u32>,
    #[serde(borrow)]
    time_in_force: Option<Cow<'m, str>>,
    client_order_id: Option<u64>,
    lane: Option<u8>,
    number: Option<u64>,
}

/// An invalid message.
pub(super) struct Misread {
    /// Its number, if it has one.
    pub id: Option<u64>,
    /// What is wrong.
    pub problem: Box<Problem>,
}

/// Only the number of a message, to answer one that is otherwise invalid.
#[derive(Deserialize)]
struct OnlyId {
    id: u64,
}

impl<'m> ClientMessage<'m> {
    /// Reads a message.
    ///
    /// # Errors
    /// What is wrong.
    pub(super) fn read(text: &'m str) -> Result<ClientMessage<'m>, Misread> {
        let wrong = |id, what: String| Misread { id, problem: Box::new(Problem::because(Why::BadRequest, what)) };
        let said: ClientMessage = serde_json::from_str(text).map_err(|error| {
            let id = serde_json::from_str::<OnlyId>(text).ok().map(|only| only.id);
            wrong(id, format!("{error}."))
        })?;
        match said.misplaced() {
            Some(field) => Err(wrong(Some(said.id), format!("The field {field} does not belong in this message."))),
            None => Ok(said),
        }
    }

    /// A field that is there and means nothing with this `do`. A client that believes in it has to hear that.
    fn misplaced(&self) -> Option<&'static str> {
        let may: &[&str] = match (self.what, &self.orders) {
            (Do::Login, _) => &["key"],
            (Do::Watch | Do::Unwatch, _) => &["markets"],
            // A number for many orders is refused with advice of its own.
            (Do::Place, Some(_)) => &["orders", "client_order_id", "lane", "number"],
            (Do::Place, None) => {
                &["market", "intent", "price", "quantity", "time_in_force", "client_order_id", "lane", "number"]
            }
            (Do::Cancel, _) => &["market", "order", "lane", "number"],
            (Do::CancelAll, _) => &["market", "client_order_id", "lane", "number"],
        };
        let there = [
            ("key", self.key.is_some()),
            ("markets", self.markets.is_some()),
            ("orders", self.orders.is_some()),
            ("market", self.market.is_some()),
            ("order", self.order.is_some()),
            ("intent", self.intent.is_some()),
            ("price", self.price.is_some()),
            ("quantity", self.quantity.is_some()),
            ("time_in_force", self.time_in_force.is_some()),
            ("client_order_id", self.client_order_id.is_some()),
            ("lane", self.lane.is_some()),
            ("number", self.number.is_some()),
        ];
        there.into_iter().find(|(field, is_there)| *is_there && !may.contains(field)).map(|(field, _)| field)
    }

    /// The client's lane and number.
    pub(super) fn numbered(&self) -> Numbered {
        Numbered { lane: self.lane, number: self.number }
    }

    /// Whether the message has a number, in either form.
    pub(super) fn has_number(&self) -> bool {
        self.numbered() != Numbered::default() || self.client_order_id.is_some()
    }

    /// The command of a `place` with one order, or of a `cancel`.
    ///
    /// # Errors
    /// What is missing.
    pub(super) fn command(&self, account: AccountId) -> Result<Command, Problem> {
        let market = MarketId(self.market.ok_or_else(|| missing("market"))?);
        if self.what == Do::Cancel {
            let order = OrderId(self.order.ok_or_else(|| missing("order"))?);
            return Ok(Command::Cancel { market, account, order, request: self.numbered().short()? });
        }
        let order = OrderRequest::of_words(
            market,
            self.intent.as_deref().ok_or_else(|| missing("intent"))?,
            self.price.ok_or_else(|| missing("price"))?,
            self.quantity.ok_or_else(|| missing("quantity"))?,
            self.time_in_force.as_deref(),
        )?;
        let client_order_id = client_number(self.client_order_id, self.numbered());
        let client_order_id = client_order_id.map_err(|what| Problem::because(Why::BadRequest, format!("{what}.")))?;
        Ok(OrderRequest { client_order_id, ..order }.command(account))
    }
}

pub(super) fn missing(field: &str) -> Problem {
    Problem::because(Why::BadRequest, format!("The field {field} is missing."))
}
