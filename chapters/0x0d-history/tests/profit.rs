//! Profit and loss: with the deposits and withdrawals it is all of the model's cash and shares, to the cent; over HTTP it is the
//! account's own, by market and in all.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

#[path = "../../0x0a-gateway/tests/support/client.rs"]
#[allow(dead_code)]
mod client;
#[path = "support/engine.rs"]
mod engine;
#[path = "support/made.rs"]
#[allow(dead_code)]
mod made;
#[path = "../../0x0a-gateway/tests/support/server.rs"]
#[allow(dead_code)]
mod server;
#[path = "support/world.rs"]
#[allow(dead_code)]
mod world;

use std::collections::BTreeMap;

use engine::{commands, options, run};
use history::profit::{Profit, profits};
use market::model::Model;
use market::{AccountId, Event};
use program::rounds::Rounds;
use serde_json::{Value, json};
use world::World;

#[test]
fn profit_and_loss_with_deposits_and_withdrawals_is_the_models_cash_and_shares() {
    let (mut lost, mut won, mut resolved) = (0, 0, 0);
    for seed in 0..Rounds::asked().pick(8, 80) {
        let shards = [1, 3][seed as usize % 2];
        let folder = tempfile::tempdir().unwrap();
        let options = options(folder.path(), shards, false);
        let all = commands(seed, 700);
        run(&options, &all, || {});
        let store = made::opened(&options);
        made::rows_catch_up(&options, &store);
        let (mut model, mut moved, mut last) = (Model::default(), BTreeMap::<_, i64>::new(), BTreeMap::new());
        for event in all.iter().flat_map(|command| model.apply(command)) {
            match event {
                Event::Deposited { market, account, amount } => {
                    *moved.entry((market, account)).or_default() += amount.0 as i64
                }
                Event::Withdrawn { market, account, amount } => {
                    *moved.entry((market, account)).or_default() -= amount.0 as i64
                }
                Event::Traded { market, price, .. } => drop(last.insert(market, i64::from(price.cents()))),
                _ => {}
            }
        }
        let state = model.state();
        let mut accounts: Vec<AccountId> = moved.keys().map(|(_, account)| *account).collect();
        accounts.sort_unstable();
        accounts.dedup();
        for account in accounts {
            // One market at a time, as pages do it.
            let (mut rows, mut after) = (BTreeMap::new(), None);
            loop {
                let (page, next) = profits(&store, account, after, 1).unwrap();
                rows.extend(page.into_iter().map(|(market, row, of)| (market, (row, of))));
                match next {
                    Some(next) => after = Some(next),
                    None => break,
                }
            }
            for (market, now) in &state.markets {
                let Some(held) = now.accounts.get(&account) else { continue };
                let (row, of) = rows.remove(market).unwrap_or_default();
                let cash = (held.cash.0 + held.cash_locked.0) as i64;
                let moved = moved.get(&(*market, account)).copied().unwrap_or_default();
                let (yes, no) = (i64::from(held.yes.0 + held.yes_locked.0), i64::from(held.no.0 + held.no_locked.0));
                let price = last.get(market).copied().unwrap_or_default();
                let value = yes * price + no * (100 - price);
                let profit = row.profit(&of);
                assert_eq!(profit, cash - moved + value, "seed {seed}: {account} in {market}: {row:?}");
                assert_eq!(row.value(&of), value, "seed {seed}: {account} in {market}: {row:?}");
                if now.closed {
                    resolved += usize::from(row != Profit::default());
                } else {
                    assert_eq!((row.yes, row.no), (yes, no), "seed {seed}: {account} in {market}");
                }
                lost += usize::from(profit < 0);
                won += usize::from(profit > 0);
            }
            assert!(rows.is_empty(), "seed {seed}: {account} has {rows:?}, and the model has no such market");
        }
    }
    assert!(lost > 20 && won > 20 && resolved > 10, "too little happened: {lost}, {won}, {resolved}");
}

#[test]
fn an_account_sees_its_own_profit_and_loss_by_market_and_in_all() {
    let world = World::new("2");
    let mut client = world.client(0);
    // Two shares at 60 in each of two markets, and one of them sold at 75.
    world.trade(1, 1);
    world.trade(2, 1);
    let order = |intent, price| json!({ "market": 1, "intent": intent, "price": price, "quantity": 1 });
    for (which, order) in [(1, order("sell-no", 25)), (0, order("sell-yes", 75))] {
        assert_eq!(world.client(which).post("/v1/orders", &order).unwrap().status, 200);
    }
    let of = |answer: &Value, market: usize| {
        let row = &answer["markets"][market];
        ["market", "paid", "received", "payout", "yes", "no", "last_price", "value", "profit"]
            .map(|name| row[name].as_i64().unwrap())
    };
    let answer = world.ask_when_there(&mut client, "/v1/account/profit");
    assert_eq!(of(&answer, 0), [1, 120, 75, 0, 1, 0, 75, 75, 30]);
    assert_eq!(of(&answer, 1), [2, 120, 0, 0, 2, 0, 60, 120, 0]);
    let all = json!({ "paid": 240, "received": 75, "payout": 0, "value": 195, "profit": 30 });
    assert_eq!((&answer["all"], &answer["next"]), (&all, &Value::Null));
    // What one has won, the other has lost.
    let other = world.ask_when_there(&mut world.client(1), "/v1/account/profit");
    assert_eq!(other["all"]["profit"], json!(-30));
    let mut operator = world.server.client().with_key(&world.operator);
    assert_eq!(operator.post("/v1/markets/1/resolve", &json!({ "outcome": "no" })).unwrap().status, 200);
    assert_eq!(operator.post("/v1/markets/2/resolve", &json!({ "outcome": "yes" })).unwrap().status, 200);
    let answer = world.ask_when_there(&mut client, "/v1/account/profit");
    assert_eq!(of(&answer, 0), [1, 120, 75, 0, 0, 0, 75, 0, -45]);
    assert_eq!(of(&answer, 1), [2, 120, 0, 200, 0, 0, 60, 0, 80]);
    assert_eq!(answer["all"]["profit"], json!(35));
    // By page, each with its own sum.
    let first = client.get("/v1/account/profit?limit=1").unwrap().json();
    assert_eq!((&first["all"]["profit"], &first["next"]), (&json!(-45), &json!(1)));
    let second = client.get("/v1/account/profit?limit=1&after=1").unwrap().json();
    assert_eq!((&second["all"]["profit"], &second["next"]), (&json!(80), &Value::Null));
    // An account that has not traded, and what is no question.
    let none = world.ask_when_there(&mut world.client(2), "/v1/account/profit");
    assert_eq!((&none["markets"], &none["all"]["profit"]), (&json!([]), &json!(0)));
    for query in ["limit=0", "limit=501", "limit=x", "after=-1", "after=4294967296", "account=1", "from=0"] {
        let refused = client.get(&format!("/v1/account/profit?{query}")).unwrap();
        assert_eq!((refused.status, refused.reason().as_str()), (400, "bad-request"), "{query}");
    }
    assert_eq!(client.get("/v1/account/profit?after=4294967295").unwrap().json()["markets"], json!([]));
    assert_eq!(world.server.client().get("/v1/account/profit").unwrap().status, 401);
    assert_eq!(operator.get("/v1/account/profit").unwrap().status, 403);
}
