//! An account with many resting orders: it reads them by page, and cancels them in pieces.

use std::collections::BTreeSet;

use crate::support::frames::Frames;
use crate::support::honest::{Venue, venue_with};
use serde_json::{Value, json};

/// Orders per list, and per page.
const LIST: usize = 1_000;

/// More than a connection may have in flight.
const LISTS: usize = 17;

/// Its first account has a resting order in market 1, and many more in market 2.
fn venue() -> Venue {
    let venue = venue_with(&["--orders-per-second", "0"]);
    let mut operator = venue.server.client().with_key(venue.server.operator.as_ref().unwrap());
    operator.post("/v1/markets", &json!({ "question": { "en": "And?", "zh": "还有？" } })).unwrap();
    let mut owner = venue.server.client().with_key(&venue.keys[0]);
    let account = owner.get("/v1/account").unwrap().json()["account"].clone();
    let cash = json!({ "account": account, "amount": LISTS * LIST });
    assert_eq!(operator.post("/v1/markets/2/deposits", &cash).unwrap().status, 200);
    let list = vec![json!({ "market": 2, "intent": "buy-yes", "price": 1, "quantity": 1 }); LIST];
    for _ in 0..LISTS {
        let placed = owner.post("/v1/orders", &json!(list)).unwrap().json();
        assert!(placed.as_array().unwrap().iter().all(|one| one["status"] == "resting"), "{placed}");
    }
    venue
}

fn numbers(orders: &[Value]) -> Vec<(u64, u64)> {
    orders.iter().map(|order| (order["market"].as_u64().unwrap(), order["order"].as_u64().unwrap())).collect()
}

#[test]
fn open_orders_are_read_by_page() {
    let venue = venue();
    let mut owner = venue.server.client().with_key(&venue.keys[0]);
    let first = owner.get("/v1/orders").unwrap().json();
    assert_eq!(first["orders"].as_array().unwrap().len(), LIST);
    assert!(first["next"].is_string(), "{}", first["next"]);
    let all = numbers(&owner.open_orders());
    assert!(all.is_sorted(), "by market and order");
    assert_eq!((all.len(), BTreeSet::from_iter(&all).len()), (LISTS * LIST + 1, all.len()), "each is there once");
    let last = all[all.len() - 1];
    for (query, expected) in [
        ("?limit=2", &all[..2]),
        ("?market=1", &all[..1]),
        ("?market=2&limit=2", &all[1..3]),
        ("?market=1&after=2.5", &[]),
        (&format!("?after={}.{}", last.0, last.1 - 1), &all[all.len() - 1..]),
        (&format!("?after={}.{}", last.0, last.1), &[]),
    ] {
        let page = owner.get(&format!("/v1/orders{query}")).unwrap().json();
        assert_eq!(numbers(page["orders"].as_array().unwrap()), expected, "{query}");
        assert_eq!(page["next"].is_null(), !query.contains("limit"), "{query}: {}", page["next"]);
    }
    for query in ["limit=0", "limit=1001", "after=7", "after=1.x", "after=1.2.3"] {
        let answer = owner.get(&format!("/v1/orders?{query}")).unwrap();
        assert_eq!((answer.status, answer.reason().as_str()), (400, "bad-request"), "{query}");
    }
}

#[test]
fn all_orders_are_cancelled_in_pieces() {
    let venue = venue();
    let mut stream = Frames::connect(venue.server.address, "").unwrap();
    let login = json!({ "id": 1, "do": "login", "key": venue.keys[0] }).to_string();
    assert!(stream.ask(&login).get("ok").is_some());
    let mut owner = venue.server.client().with_key(&venue.keys[0]);
    let over_http = owner.delete("/v1/markets/2/orders").unwrap().json();
    let count = |done: &Value| done["cancelled"].as_array().unwrap_or_else(|| panic!("{done}")).len();
    let mut gone = count(&over_http);
    assert!(gone > 0 && over_http["more"] == true, "{gone} orders are gone");
    loop {
        let done = stream.ask(&json!({ "id": 2, "do": "cancel-all", "market": 2 }).to_string());
        gone += count(&done["ok"]);
        if done["ok"]["more"] != true {
            assert!(done["ok"].get("more").is_none(), "{}", done["ok"]["more"]);
            break;
        }
    }
    assert_eq!(gone, LISTS * LIST);
    assert_eq!(numbers(&owner.open_orders()), [(1, 1)], "the other market's order rests");
}

/// With the usual limits an account may send fewer cancellations at once than it has orders.
#[test]
fn what_the_limits_refuse_of_a_cancellation_of_all_still_rests() {
    let venue = venue_with(&["--orders-per-second", "16"]);
    let mut owner = venue.server.client().with_key(&venue.keys[0]);
    let list = vec![json!({ "market": 1, "intent": "buy-yes", "price": 1, "quantity": 1 }); 30];
    owner.post("/v1/orders", &json!(list)).unwrap();
    let done = owner.delete("/v1/markets/1/orders").unwrap().json();
    let gone = done["cancelled"].as_array().unwrap_or_else(|| panic!("{done}")).len();
    assert!(gone < 31 && done["more"] == true, "{done}");
    assert_eq!(owner.open_orders().len(), 31 - gone);
}
