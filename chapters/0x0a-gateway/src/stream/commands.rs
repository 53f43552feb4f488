//! The commands of a message.

use market::AccountId;
use smallvec::smallvec;

use super::client_message::{ClientMessage, Do, missing};
use super::outbox::Words;
use crate::door::Commands;
use crate::http::orders::{ALL_WITH_NUMBER, LIST_WITH_NUMBER, all_cancellations};
use crate::problem::{Problem, Why};
use crate::venue::Venue;
use crate::wire::OrderRequest;

/// The most orders of a list.
const LIST_MAX: usize = 1_000;

/// The commands of a message, and how to encode the answer.
pub(super) fn commands(venue: &Venue, said: &ClientMessage, account: AccountId) -> Result<(Words, Commands), Problem> {
    Ok(match (said.what, &said.orders) {
        (Do::CancelAll, _) if said.has_number() => return Err(Problem::because(Why::BadRequest, ALL_WITH_NUMBER)),
        (Do::Place, Some(_)) if said.has_number() => return Err(Problem::because(Why::BadRequest, LIST_WITH_NUMBER)),
        (Do::CancelAll, _) => {
            let market = said.market.ok_or_else(|| missing("market"))?;
            let (commands, more) = all_cancellations(venue, account, market)?;
            (Words::Cancelled(commands.clone(), more), commands)
        }
        (Do::Place, Some(orders)) if orders.len() > LIST_MAX => {
            return Err(Problem::because(Why::TooLarge, format!("A list has at most {LIST_MAX} orders.")));
        }
        (Do::Place, Some(orders)) => {
            let commands: Commands = orders.iter().map(|order: &OrderRequest| order.command(account)).collect();
            (Words::Orders(commands.clone()), commands)
        }
        _ => {
            let command = said.command(account)?;
            (Words::One(command), smallvec![command])
        }
    })
}
