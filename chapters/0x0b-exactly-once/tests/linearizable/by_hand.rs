//! Histories that were written by hand: some that are linearizable, and the same with one flaw each.

use serde_json::{Value, json};

use crate::history::{History, Operation};

fn history(operations: impl Into<Vec<Operation>>) -> History {
    History { cash: 100, markets: vec![1], operations: operations.into() }
}

/// An operation of account 1, with its times.
fn operation(call: u64, end: u64, asked: Value, told: Value) -> Operation {
    Operation { call, told: Some((end, told)), account: 1, asked, attempts: 1 }
}

/// The same whose client gave up.
fn given_up(call: u64, asked: Value) -> Operation {
    Operation { call, told: None, account: 1, asked, attempts: 1 }
}

/// An order for two shares at this price: it locks twice as many cents.
fn place(number: u64, price: u64) -> Value {
    json!({ "do": "place", "lane": 0, "number": number, "market": 1, "price": price, "quantity": 2 })
}

fn placed(order: u64) -> Value {
    json!({ "reason": "", "order": order, "text": format!("200, order {order}") })
}

fn cancel(number: u64, order: u64) -> Value {
    json!({ "do": "cancel", "lane": 0, "number": number, "market": 1, "order": order })
}

fn withdraw(number: u64, amount: u64) -> Value {
    json!({ "do": "withdraw", "lane": 0, "number": number, "market": 1, "amount": amount })
}

fn rejected(reason: &str) -> Value {
    json!({ "reason": reason, "order": 0, "text": format!("422, {reason}") })
}

fn done() -> Value {
    json!({ "reason": "", "order": 0, "text": "200, done" })
}

fn orders() -> Value {
    json!({ "do": "orders" })
}

/// A list of numbers and prices.
fn shown(orders: &[(u64, u64)]) -> Value {
    let of = |&(order, price): &(u64, u64)| json!({ "market": 1, "order": order, "price": price, "quantity": 2 });
    json!({ "orders": orders.iter().map(of).collect::<Vec<_>>() })
}

fn money() -> Value {
    json!({ "do": "money" })
}

fn held(cash: u64, locked: u64) -> Value {
    json!({ "money": [{ "market": 1, "cash": cash, "locked": locked }] })
}

pub fn good() -> [(&'static str, History); 6] {
    [
        ("nothing happened", history([])),
        (
            "an order, a repeat and what they show",
            history([
                operation(10, 20, place(1, 5), placed(7)),
                operation(30, 40, place(1, 5), placed(7)),
                operation(50, 60, orders(), shown(&[(7, 5)])),
                operation(70, 80, money(), held(90, 10)),
                operation(90, 95, cancel(1, 7), done()),
                operation(96, 97, money(), held(100, 0)),
            ]),
        ),
        (
            "an order that a read beside it shows, and another that it does not",
            history([
                operation(10, 50, place(1, 5), placed(7)),
                operation(10, 50, place(2, 6), placed(8)),
                operation(20, 30, orders(), shown(&[(8, 6)])),
                operation(31, 40, orders(), shown(&[(7, 5), (8, 6)])),
            ]),
        ),
        (
            "a client gave up, and its order was placed much later",
            history([
                given_up(10, place(1, 5)),
                operation(30, 40, orders(), shown(&[])),
                operation(50, 60, orders(), shown(&[(7, 5)])),
                operation(70, 80, place(1, 5), placed(7)),
            ]),
        ),
        (
            "a client gave up, and its order never came",
            history([given_up(10, place(1, 5)), operation(30, 40, money(), held(100, 0))]),
        ),
        (
            "of two that were under way together, the later one came first and left too little for the other",
            history([
                operation(10, 50, place(1, 30), rejected("insufficient-cash")),
                operation(20, 40, withdraw(1, 50), done()),
                operation(60, 70, place(1, 30), rejected("insufficient-cash")),
            ]),
        ),
    ]
}

pub fn broken() -> [(&'static str, History); 9] {
    let both = [(7, 5), (8, 5)];
    [
        (
            "an order was carried out twice",
            history([operation(10, 20, place(1, 5), placed(7)), operation(30, 40, orders(), shown(&both))]),
        ),
        (
            "an order was carried out twice, and only the money shows it",
            history([operation(10, 20, place(1, 5), placed(7)), operation(30, 40, money(), held(80, 20))]),
        ),
        (
            "the order of a client that gave up was carried out twice",
            history([given_up(10, place(1, 5)), operation(30, 40, orders(), shown(&both))]),
        ),
        (
            "an order that was acknowledged is not there",
            history([operation(10, 20, place(1, 5), placed(7)), operation(30, 40, orders(), shown(&[]))]),
        ),
        (
            "a read shows an order, and a later one does not yet",
            history([
                operation(10, 60, place(1, 5), placed(7)),
                operation(20, 30, orders(), shown(&[(7, 5)])),
                operation(40, 50, orders(), shown(&[])),
            ]),
        ),
        (
            "a repeat has another answer",
            history([operation(10, 20, place(1, 5), placed(7)), operation(30, 40, place(1, 5), placed(8))]),
        ),
        (
            "a rejection was forgotten, and its repeat placed",
            history([
                operation(10, 20, place(1, 60), rejected("insufficient-cash")),
                operation(30, 40, place(1, 60), placed(7)),
            ]),
        ),
        (
            "there was enough, and it was rejected",
            history([
                operation(10, 20, place(1, 30), rejected("insufficient-cash")),
                operation(30, 40, withdraw(1, 50), done()),
            ]),
        ),
        (
            "an order came back after it was cancelled",
            history([
                operation(10, 20, place(1, 5), placed(7)),
                operation(30, 40, cancel(1, 7), done()),
                operation(50, 60, orders(), shown(&[(7, 5)])),
            ]),
        ),
    ]
}
