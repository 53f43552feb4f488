//! Placing and cancelling. The answer arrives when the command is on disk.

use std::ops::Not;
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use market::{AccountId, Command, MarketId, OrderId, Reason};
use serde::Serialize;

use super::extract::{InQuery, NumberHeader, Numbers, OneOrMany, Trader};
use super::to_json::ToJson;
use crate::door::Commands;
use crate::limits::IN_FLIGHT_MAX;
use crate::problem::{Problem, Why};
use crate::reply::{Given, Reply, Session};
use crate::venue::Venue;
use crate::wire::{Numbered, OrderDone, OrderRequest, outcomes};

/// The most orders of a list.
const LIST_MAX: usize = 1_000;

/// How many orders are cancelled at once: as many as an account may have in flight.
pub const ALL_MAX: usize = IN_FLIGHT_MAX;

/// The advice where a list is given one number, which would be ignored.
pub const LIST_WITH_NUMBER: &str = "A number is for one order: give each order of a list a lane and a number.";

/// The advice where cancelling all orders is given a number: what "all" means changes with each repeat.
pub const ALL_WITH_NUMBER: &str = "A number is for one order: cancel each order under a number of its own.";

// ANCHOR: place
/// Places one order, or each order of a list, in order.
pub async fn place(
    State(venue): State<Arc<Venue>>,
    Trader(account): Trader,
    NumberHeader(header): NumberHeader,
    asked: OneOrMany<OrderRequest>,
) -> Result<Response, Problem> {
    match asked {
        OneOrMany::One(order) => {
            let command = numbered(order, header)?.command(account);
            let reply = venue.ask(Session::Account(account), command).await?;
            Ok(ToJson(OrderDone::of(&command, &reply)?).into_response())
        }
        OneOrMany::Many(_) if header.is_some() => Err(Problem::because(Why::BadRequest, LIST_WITH_NUMBER)),
        OneOrMany::Many(orders) => place_all(&venue, account, &orders).await,
    }
}
// ANCHOR_END: place

/// The order under the number in the header, if there is one.
fn numbered(order: OrderRequest, header: Option<Numbered>) -> Result<OrderRequest, Problem> {
    match header {
        None => Ok(order),
        Some(number) if order.client_order_id == 0 => Ok(OrderRequest { client_order_id: number.long()?, ..order }),
        Some(_) => {
            let what = "The order has a number of its own, and another in Idempotency-Key.";
            Err(Problem::because(Why::BadRequest, what))
        }
    }
}

async fn place_all(venue: &Venue, account: AccountId, orders: &[OrderRequest]) -> Result<Response, Problem> {
    if orders.len() > LIST_MAX {
        return Err(Problem::because(Why::TooLarge, format!("A list has at most {LIST_MAX} orders.")));
    }
    let commands: Commands = orders.iter().map(|order| order.command(account)).collect();
    let given = venue.ask_all(Session::Account(account), commands.clone()).await;
    Ok(ToJson(outcomes(&commands, &given)).into_response())
}

/// The orders that were cancelled.
#[derive(Serialize)]
pub struct Cancelled {
    cancelled: Vec<u64>,
    sequence: Option<u64>,
    /// Whether more orders still rest, because one request cancels so many at most, or because some were refused. Left out
    /// where that is not so.
    #[serde(skip_serializing_if = "Not::not")]
    more: bool,
    /// Why some of them were not, if some were refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Problem>,
}

/// Cancels one of the account's orders.
pub async fn cancel(
    State(venue): State<Arc<Venue>>,
    Trader(account): Trader,
    Numbers((market, order)): Numbers<(u32, u64)>,
    InQuery(number): InQuery<Numbered>,
    NumberHeader(header): NumberHeader,
) -> Result<ToJson<Cancelled>, Problem> {
    let request = one_number(number, header)?.short()?;
    let reply = venue.ask(Session::Account(account), cancellation(market, account, OrderId(order), request)).await?;
    cancelled(order, &reply).map(ToJson)
}

/// The cancelled order, or the engine's rejection.
///
/// # Errors
/// The engine's rejection.
pub fn cancelled(order: u64, reply: &Reply) -> Result<Cancelled, Problem> {
    let sequence = reply.ticket.sequence;
    match reply.rejected() {
        Some(reason) => Err(Problem::rejected(reason, sequence)),
        None => Ok(Cancelled { cancelled: vec![order], sequence: Some(sequence.0), more: false, problem: None }),
    }
}

/// Cancels all of the account's resting orders in a market, at most [`ALL_MAX`].
pub async fn cancel_all(
    State(venue): State<Arc<Venue>>,
    Trader(account): Trader,
    Numbers(market): Numbers<u32>,
    InQuery(number): InQuery<Numbered>,
    NumberHeader(header): NumberHeader,
) -> Result<ToJson<Cancelled>, Problem> {
    if header.is_some() || number != Numbered::default() {
        return Err(Problem::because(Why::BadRequest, ALL_WITH_NUMBER));
    }
    let (commands, more) = all_cancellations(&venue, account, market)?;
    let given = venue.ask_all(Session::Account(account), commands.clone()).await;
    cancelled_all(&commands, &given, more).map(ToJson)
}

/// The commands that cancel the account's resting orders in a market, at most [`ALL_MAX`], and whether there are more.
///
/// # Errors
/// If there is no such market.
pub fn all_cancellations(venue: &Venue, account: AccountId, market: u32) -> Result<(Commands, bool), Problem> {
    let projection = venue.projection();
    if projection.market(MarketId(market)).is_none() {
        return Err(Problem::new(Why::Rejected(Reason::UnknownMarket)));
    }
    let mut open = projection.open_orders(account, Some(MarketId(market)), None).map(|((_, order), _)| order);
    let commands = open.by_ref().take(ALL_MAX).map(|order| cancellation(market, account, order, 0)).collect();
    Ok((commands, open.next().is_some()))
}

/// The orders that were cancelled, whether more of them still rest, and the first refusal: what was cancelled before it stays
/// cancelled.
///
/// # Errors
/// The refusal, if no order was cancelled.
pub fn cancelled_all(commands: &[Command], given: &[Given], more: bool) -> Result<Cancelled, Problem> {
    let mut all = Cancelled { cancelled: Vec::new(), sequence: None, more, problem: None };
    for (command, given) in commands.iter().zip(given) {
        let Command::Cancel { order, .. } = *command else { continue };
        match given {
            // An order that has traded in the meantime no longer rests, which is what was asked for.
            Ok(reply) if reply.rejected().is_some() => {}
            Ok(reply) => {
                all.cancelled.push(order.0);
                all.sequence = Some(reply.ticket.sequence.0);
            }
            Err(refusal) => {
                all.more = true;
                all.problem = all.problem.or_else(|| Some((*refusal).into()));
            }
        }
    }
    match all.problem {
        Some(problem) if all.cancelled.is_empty() => Err(problem),
        problem => Ok(Cancelled { problem, ..all }),
    }
}

/// The command that cancels an order, under this number.
pub fn cancellation(market: u32, account: AccountId, order: OrderId, request: u32) -> Command {
    Command::Cancel { market: MarketId(market), account, order, request }
}

/// The number in a query or a body, or in a header, but not both.
///
/// # Errors
/// If there are two.
pub fn one_number(asked: Numbered, header: Option<Numbered>) -> Result<Numbered, Problem> {
    match header {
        Some(_) if asked != Numbered::default() => {
            Err(Problem::because(Why::BadRequest, "The request has a number, and another in Idempotency-Key."))
        }
        header => Ok(header.unwrap_or(asked)),
    }
}
