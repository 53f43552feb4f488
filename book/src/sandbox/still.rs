//! The book and the accounts at one moment, as tables; `book/theme/sandbox.js` draws the same.

use crate::html::escape;
use crate::sandbox::tell::{Teller, count};
use market::state::{MarketState, RestingOrder};
use market::{Price, Quantity, Side};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The book: one row for each price, the highest first, bids on the left and asks on the right.
pub(super) fn book(state: &MarketState, teller: &Teller<'_>) -> Result<String, String> {
    let word = |key| teller.words.get("ui", key).map(escape);
    let mut out = format!(
        "<table class=\"orders\"><caption>{}</caption><thead><tr><th scope=\"col\">{}</th><th scope=\"col\">{}</th>\
         <th scope=\"col\">{}</th></tr></thead><tbody>",
        word("book")?,
        word("bids")?,
        word("price")?,
        word("asks")?
    );
    let resting = || state.bids.iter().chain(&state.asks);
    let prices: BTreeSet<Price> = resting().map(|order| order.price).collect();
    if prices.is_empty() {
        let _ = write!(out, "<tr><td colspan=\"3\">{}</td></tr>", word("empty")?);
    }
    for price in prices.into_iter().rev() {
        let side = |side: Side| -> Result<String, String> {
            let here = resting().filter(|order| order.price == price && order.intent.side() == side);
            here.map(|order| one(order, teller)).collect()
        };
        let (bids, asks) = (side(Side::Bid)?, side(Side::Ask)?);
        let _ = write!(out, "<tr><td>{bids}</td><th scope=\"row\">{price}</th><td>{asks}</td></tr>");
    }
    out.push_str("</tbody></table>");
    Ok(out)
}

/// One resting order, with its own price: that of the share it trades.
fn one(order: &RestingOrder, teller: &Teller<'_>) -> Result<String, String> {
    let side = format!("{:?}", order.intent.side()).to_lowercase();
    let with = [
        ("order", &*order.order.to_string()),
        ("who", &teller.name(order.account)?),
        ("intent", teller.words.get("intent", order.intent.word())?),
        ("quantity", &count(order.quantity.0.into())),
        ("price", &order.intent.in_yes_cents(order.price).to_string()),
    ];
    Ok(format!("<span class=\"order {side}\">{}</span>", escape(&teller.words.say("ui", "order", &with)?)))
}

/// Cash and shares, free and locked, and the pot.
pub(super) fn accounts(state: &MarketState, teller: &Teller<'_>) -> Result<String, String> {
    let word = |group, key| teller.words.get(group, key).map(escape);
    let mut out = format!(
        "<table class=\"holdings\"><caption>{}</caption><thead><tr><th scope=\"col\">{}</th><th scope=\"col\">{}</th>\
         <th scope=\"col\">{}</th><th scope=\"col\">{}</th></tr></thead><tbody>",
        word("ui", "accounts")?,
        word("ui", "who")?,
        word("ui", "cash")?,
        word("share", "yes")?,
        word("share", "no")?
    );
    let cell = |free: u64, locked: u64| -> Result<String, String> {
        let also = match locked {
            0 => String::new(),
            _ => {
                let told = teller.words.say("ui", "locked", &[("amount", &count(locked))])?;
                format!(" <span class=\"locked\">{}</span>", escape(&told))
            }
        };
        Ok(format!("<td>{}{also}</td>", count(free)))
    };
    let shares = |free: Quantity, locked: Quantity| cell(free.0.into(), locked.0.into());
    for (&account, holdings) in &state.accounts {
        let _ = write!(
            out,
            "<tr><th scope=\"row\">{}</th>{}{}{}</tr>",
            escape(&teller.name(account)?),
            cell(holdings.cash.0, holdings.cash_locked.0)?,
            shares(holdings.yes, holdings.yes_locked)?,
            shares(holdings.no, holdings.no_locked)?
        );
    }
    let pot = format!("<tr><th scope=\"row\">{}</th><td>{}</td>", word("ui", "pot")?, count(state.pot.0));
    let _ = write!(out, "</tbody><tfoot>{pot}<td></td><td></td></tr></tfoot></table>");
    Ok(out)
}
