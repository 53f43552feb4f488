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
        serde_json::from_str(text).map_err(|error| {
            let id = serde_json::from_str::<OnlyId>(text).ok().map(|only| only.id);
            Misread { id, problem: Box::new(Problem::because(Why::BadRequest, format!("{error}."))) }
        })
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
