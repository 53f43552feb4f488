//! Commands, events and states as the page's script represents them.

use market::state::{Holdings, MarketState, RestingOrder};
use market::{Command, Event, Place};
use serde_json::{Value, json};

pub fn command(command: &Command) -> Value {
    let market = command.market().0;
    match *command {
        Command::Open { .. } => json!({ "command": "open", "market": market }),
        Command::Deposit { account, amount, .. } => {
            json!({ "command": "deposit", "market": market, "account": account.0, "amount": amount.0 })
        }
        Command::Withdraw { account, amount, .. } => {
            json!({ "command": "withdraw", "market": market, "account": account.0, "amount": amount.0 })
        }
        Command::Place(Place { account, intent, price, quantity, time_in_force, .. }) => json!({
            "command": "place",
            "market": market,
            "account": account.0,
            "intent": intent.word(),
            "price": price,
            "quantity": quantity,
            "time_in_force": time_in_force.word(),
        }),
        Command::Cancel { account, order, .. } => {
            json!({ "command": "cancel", "market": market, "account": account.0, "order": order.0 })
        }
        Command::Resolve { outcome, .. } => {
            json!({ "command": "resolve", "market": market, "outcome": outcome.word() })
        }
    }
}

pub fn event(event: &Event) -> Value {
    let market = event.market().0;
    match *event {
        Event::Opened { .. } => json!({ "event": "opened", "market": market }),
        Event::Deposited { account, amount, .. } => {
            json!({ "event": "deposited", "market": market, "account": account.0, "amount": amount.0 })
        }
        Event::Withdrawn { account, amount, .. } => {
            json!({ "event": "withdrawn", "market": market, "account": account.0, "amount": amount.0 })
        }
        Event::Accepted { account, order, intent, price, quantity, .. } => json!({
            "event": "accepted",
            "market": market,
            "account": account.0,
            "order": order.0,
            "intent": intent.word(),
            "price": price.cents(),
            "quantity": quantity.0,
        }),
        Event::Traded {
            maker,
            maker_account,
            taker,
            taker_account,
            price,
            quantity,
            maker_intent,
            taker_intent,
            ..
        } => {
            json!({
                "event": "traded",
                "market": market,
                "maker": maker.0,
                "maker_account": maker_account.0,
                "taker": taker.0,
                "taker_account": taker_account.0,
                "price": price.cents(),
                "quantity": quantity.0,
                "maker_intent": maker_intent.word(),
                "taker_intent": taker_intent.word(),
            })
        }
        Event::Cancelled { account, order, quantity, reason, .. } => json!({
            "event": "cancelled",
            "market": market,
            "account": account.0,
            "order": order.0,
            "quantity": quantity.0,
            "reason": format!("{reason:?}"),
        }),
        Event::Paid { account, amount, .. } => {
            json!({ "event": "paid", "market": market, "account": account.0, "amount": amount.0 })
        }
        Event::Resolved { outcome, paid, .. } => {
            json!({ "event": "resolved", "market": market, "outcome": outcome.word(), "paid": paid.0 })
        }
        Event::Rejected { reason, .. } => {
            json!({ "event": "rejected", "market": market, "reason": format!("{reason:?}") })
        }
    }
}

pub fn state(state: &MarketState) -> Value {
    let orders = |orders: &[RestingOrder]| orders.iter().map(order).collect::<Vec<_>>();
    json!({
        "closed": state.closed,
        "pot": state.pot.0,
        "orders_placed": state.orders_placed,
        "bids": orders(&state.bids),
        "asks": orders(&state.asks),
        "accounts": state.accounts.iter().map(|(id, held)| json!([id.0, holdings(held)])).collect::<Vec<_>>(),
    })
}

fn order(order: &RestingOrder) -> Value {
    json!({
        "order": order.order.0,
        "account": order.account.0,
        "intent": order.intent.word(),
        "price": order.price.cents(),
        "quantity": order.quantity.0,
    })
}

fn holdings(held: &Holdings) -> Value {
    json!({
        "cash": held.cash.0,
        "cash_locked": held.cash_locked.0,
        "yes": held.yes.0,
        "yes_locked": held.yes_locked.0,
        "no": held.no.0,
        "no_locked": held.no_locked.0,
    })
}
