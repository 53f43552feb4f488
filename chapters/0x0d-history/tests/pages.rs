//! What clients read of the past: pages that stay the same while rows are added, an account's own rows and no other's, public
//! trades without names, candles, and a refusal with a reason for every invalid request.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

#[path = "../../0x0a-gateway/tests/support/client.rs"]
#[allow(dead_code)]
mod client;
#[path = "../../0x0a-gateway/tests/support/server.rs"]
#[allow(dead_code)]
mod server;
#[path = "support/world.rs"]
mod world;

use std::time::Duration;

use client::Client;
use serde_json::{Value, json};
use world::{World, pages};

#[test]
fn pages_stay_the_same_while_rows_are_added() {
    let world = World::new("2");
    world.trade(1, 12);
    world.trade(2, 12);
    let mut client = world.client(0);
    let all = world.ask_when_there(&mut client, "/v1/account/trades?limit=500");
    let all = all["trades"].as_array().unwrap();
    assert_eq!(all.len(), 24);
    assert!(all.is_sorted_by_key(|trade| std::cmp::Reverse(trade["time_ms"].as_u64())));
    let by_page = pages(&mut client, "/v1/account/trades?limit=5", "trades", || world.trade(1, 1));
    assert_eq!(&by_page, all);
    // Both sides see their own.
    let own = &all[0];
    assert_eq!(
        (own["intent"].as_str(), own["price"].as_u64(), own["role"].as_str()),
        (Some("buy-yes"), Some(60), Some("taker"))
    );
    let other = world.ask_when_there(&mut world.client(1), "/v1/account/trades?limit=1");
    let other = &other["trades"][0];
    assert_eq!(
        (other["intent"].as_str(), other["price"].as_u64(), other["role"].as_str()),
        (Some("buy-no"), Some(40), Some("maker"))
    );
    // The third account has traded nothing.
    let none = world.ask_when_there(&mut world.client(2), "/v1/account/trades");
    assert_eq!((none["trades"].as_array().unwrap().len(), &none["next"]), (0, &Value::Null));
    // From and to cut at the millisecond.
    let time = all[10]["time_ms"].as_u64().unwrap();
    let after = world.ask_when_there(&mut client, &format!("/v1/account/trades?to={time}&limit=500"));
    let expected: Vec<_> = all.iter().filter(|trade| trade["time_ms"].as_u64() < Some(time)).cloned().collect();
    assert_eq!(after["trades"], json!(expected));
    let at = world.ask_when_there(&mut client, &format!("/v1/account/trades?from={time}&to={}", time + 1));
    assert!(at["trades"].as_array().unwrap().contains(&all[10]));
}

#[test]
fn an_operator_sees_how_far_the_rows_are_behind() {
    let world = World::new("2");
    world.trade(1, 1);
    world.ask_when_there(&mut world.client(0), "/v1/account/trades");
    let said = world.server.said();
    let metrics = said.iter().find_map(|line| line.strip_prefix("metrics http://")?.strip_suffix("/metrics"));
    let mut client = Client::connect(metrics.unwrap().parse().unwrap()).unwrap();
    let text = String::from_utf8(client.get("/metrics").unwrap().body).unwrap();
    for shard in ["0", "1"] {
        assert!(text.contains(&format!("venue_history_behind_commands{{shard=\"{shard}\"}} ")), "{text}");
        assert!(text.contains(&format!("venue_history_ended{{shard=\"{shard}\"}} 0")), "{text}");
    }
}

#[test]
fn orders_and_money_say_what_became_of_them() {
    let world = World::new("1");
    world.trade(1, 1);
    let mut client = world.client(0);
    let place = |client: &mut Client, price: u64, quantity: u64, number: u64| {
        let order = json!({ "market": 1, "intent": "buy-yes", "price": price, "quantity": quantity, "lane": 1, "number": number });
        client.post("/v1/orders", &order).unwrap()
    };
    assert_eq!(place(&mut client, 20, 7, 1).status, 200);
    let resting = place(&mut client, 21, 7, 2).json()["order"].as_u64().unwrap();
    assert_eq!(client.delete(&format!("/v1/markets/1/orders/{resting}")).unwrap().status, 200);
    assert_eq!(place(&mut client, 100, 7, 3).status, 422);
    let mut operator = world.server.client().with_key(&world.operator);
    let account = world.keys[0].0;
    assert_eq!(
        operator.post("/v1/markets/1/withdrawals", &json!({ "account": account, "amount": 5 })).unwrap().status,
        200
    );
    assert_eq!(operator.post("/v1/markets/1/resolve", &json!({ "outcome": "yes" })).unwrap().status, 200);
    let orders = world.ask_when_there(&mut client, "/v1/account/orders");
    let states: Vec<_> = orders["orders"]
        .as_array()
        .unwrap()
        .iter()
        .map(|order| (order["state"].as_str().unwrap(), order["reason"].as_str(), order["filled"].as_u64().unwrap()))
        .collect();
    let expected = [
        ("rejected", Some("bad-price"), 0),
        ("cancelled", Some("requested"), 0),
        ("cancelled", Some("resolved"), 0),
        ("filled", None, 2),
    ];
    assert_eq!(states, expected);
    assert_eq!(orders["orders"][0]["client_order_id"].as_u64(), Some(1 << 56 | 3));
    let money = world.ask_when_there(&mut client, "/v1/account/money");
    let money: Vec<_> = money["money"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["movement"].as_str().unwrap().to_owned(),
                row["market"].as_u64().unwrap(),
                row["amount"].as_u64().unwrap(),
            )
        })
        .collect();
    let play = |market| ("deposit".to_owned(), market, 1_000_000);
    let expected = [("payout".to_owned(), 1, 200), ("withdrawal".to_owned(), 1, 5), play(3), play(2), play(1)];
    assert_eq!(money, expected);
}

#[test]
fn public_trades_name_no_account_and_candles_add_up() {
    let world = World::new("1");
    world.trade(1, 30);
    let mut client = world.client(0);
    world.ask_when_there(&mut client, "/v1/account/trades");
    let mut anyone = world.server.client();
    let all = pages(&mut anyone, "/v1/markets/1/trades?limit=500&from=0", "trades", || ());
    assert_eq!(all.len(), 30);
    let names: Vec<_> = all[0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, ["id", "price", "quantity", "taker", "time_ms", "trade"]);
    // The layer below lists the same, and each page has its newest last.
    assert_eq!(anyone.get("/v1/markets/1/trades").unwrap().json()["trades"], json!(all));
    let newest = anyone.get("/v1/markets/1/trades?before=now&limit=3").unwrap().json();
    assert_eq!(newest["trades"], json!(all[27..]));
    for width in ["second", "minute", "hour", "day"] {
        let answer = anyone.get(&format!("/v1/markets/1/candles?width={width}")).unwrap().json();
        let candles = answer["candles"].as_array().unwrap();
        let sum = |name: &str| candles.iter().map(|candle| candle[name].as_u64().unwrap()).sum::<u64>();
        assert_eq!((sum("trades"), sum("shares")), (30, 60), "{width}: {answer}");
        let starts: Vec<_> = candles.iter().map(|candle| candle["start_ms"].as_u64().unwrap()).collect();
        assert!(starts.windows(2).all(|pair| pair[0] < pair[1]));
    }
    assert_eq!(anyone.get("/v1/markets/9/candles").unwrap().reason(), "unknown-market");
}

/// Each gets a refusal with a reason, or an answer of bounded size.
#[test]
fn invalid_requests_are_refused_with_a_reason() {
    let world = World::new("2");
    world.trade(1, 3);
    let mut client = world.client(0);
    world.ask_when_there(&mut client, "/v1/account/trades");
    let bad = [
        "limit=0",
        "limit=501",
        "limit=1000000000",
        "limit=99999999999999999999999",
        "limit=-1",
        "limit=x",
        "from=x",
        "from=-1",
        "from=5&to=5",
        "from=6&to=5",
        "from=99999999999999999999",
        "before=",
        "before=x",
        "before=1.2.3",
        "before=1.2.3.4.5",
        "before=1.70000.3.4",
        "before=%00",
        "before=%F0%9F%92%A5",
        "account=1",
        "offset=10",
        "limit=1&limit=2",
    ];
    for path in ["/v1/account/trades", "/v1/account/orders", "/v1/account/money"] {
        for query in bad {
            let answer = client.get(&format!("{path}?{query}")).unwrap();
            assert_eq!((answer.status, answer.reason().as_str()), (400, "bad-request"), "{path}?{query}");
        }
        // A cursor at which nothing stands, and a range of ten thousand years, get an answer.
        for query in [
            "before=0.0.0.0",
            "before=18446744073709551615.65535.18446744073709551615.4294967295",
            "from=0&to=315537897600000",
            "to=1",
            "from=18446744073709551614",
        ] {
            assert_eq!(client.get(&format!("{path}?{query}")).unwrap().status, 200, "{path}?{query}");
        }
        assert_eq!(world.server.client().get(path).unwrap().status, 401);
        assert_eq!(world.server.client().with_key(&world.operator).get(path).unwrap().status, 403);
    }
    // A market's cursor is a place and no more: with it an account reads its own rows and no other's.
    let mut other = world.client(2);
    let page = client.get("/v1/account/trades?limit=1").unwrap().json();
    let next = page["next"].as_str().unwrap();
    let answer = other.get(&format!("/v1/account/trades?before={next}")).unwrap().json();
    assert_eq!(answer["trades"], json!([]));
}

#[test]
fn invalid_requests_about_a_market_are_refused_with_a_reason() {
    let world = World::new("1");
    let mut client = world.server.client();
    // A million candles are refused; so is a width that is none.
    for query in [
        "width=second&from=0",
        "width=day&from=0&to=315537897600000",
        "width=week",
        "width=second&from=1772900000000&to=1773900000000",
        "from=9&to=9",
        "to=0",
        "limit=5",
        "width=",
    ] {
        let answer = client.get(&format!("/v1/markets/1/candles?{query}")).unwrap();
        assert_eq!((answer.status, answer.reason().as_str()), (400, "bad-request"), "{query}: {answer:?}");
    }
    for query in ["before=x", "from=5&to=4", "before=now&limit=0", "before=now&at_least=1"] {
        assert_eq!(client.get(&format!("/v1/markets/1/trades?{query}")).unwrap().status, 400, "{query}");
    }
}

#[test]
fn the_book_at_a_moment_is_shown_and_an_invalid_moment_is_refused() {
    let world = World::new("1");
    let mut client = world.client(0);
    let order = json!({ "market": 1, "intent": "buy-yes", "price": 33, "quantity": 7 });
    assert_eq!(client.post("/v1/orders", &order).unwrap().status, 200);
    std::thread::sleep(Duration::from_millis(3));
    world.trade(1, 1);
    let trades = world.ask_when_there(&mut client, "/v1/account/trades");
    let time = trades["trades"][0]["time_ms"].as_u64().unwrap();
    let mut anyone = world.server.client();
    let mut book = |at: &str| anyone.get(&format!("/v1/markets/1/book?at={at}")).unwrap();
    let now = book(&time.to_string()).json();
    assert_eq!((&now["bids"], &now["asks"]), (&json!([[33, 7]]), &json!([])), "{now}");
    assert_eq!((now["last_trade"]["price"].as_u64(), now["held"]["accounts"].as_u64()), (Some(60), Some(3)), "{now}");
    assert_eq!((now["held"]["yes"].as_u64(), now["held"]["pot"].as_u64()), (Some(2), Some(200)), "{now}");
    let before = book(&(time - 1).to_string()).json();
    assert_eq!((&before["last_trade"], before["held"]["yes"].as_u64()), (&Value::Null, Some(0)), "{before}");
    for (at, words) in [
        ("0", "Nothing had happened"),
        ("1970-01-01T00:00:00", "Nothing had happened"),
        ("9999-01-01", "not come yet"),
        ("noon", "2026-03-14"),
        ("", "2026-03-14"),
        ("5&limit=3", "limit"),
    ] {
        let answer = book(at);
        let detail = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(answer.status == 400 && detail.contains(words), "{at}: {detail}");
    }
    // Without a moment it is the layer's below.
    let below = anyone.get("/v1/markets/1/book").unwrap();
    assert!(below.status == 200 && below.json().get("held").is_none(), "{below:?}");
}

#[test]
fn the_description_names_every_address_and_every_parameter() {
    let world = World::new("1");
    let description = world.server.client().get("/v1/openapi.json").unwrap().json();
    let parameters = |path: &str| -> Vec<String> {
        let all = description["paths"][path]["get"]["parameters"].as_array().unwrap_or_else(|| panic!("{path}"));
        let resolve = |one: &Value| match one["$ref"].as_str() {
            Some(to) => description.pointer(to.trim_start_matches('#')).unwrap()["name"].as_str().unwrap().to_owned(),
            None => one["name"].as_str().unwrap().to_owned(),
        };
        all.iter().map(resolve).collect()
    };
    for path in ["/v1/account/trades", "/v1/account/orders", "/v1/account/money"] {
        assert_eq!(parameters(path), ["from", "to", "before", "limit"]);
        let schema = &description["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        let answer = world.client(0).get(path).unwrap().json();
        for name in schema["required"].as_array().unwrap() {
            assert!(answer.get(name.as_str().unwrap()).is_some(), "{path} has no {name}");
        }
    }
    assert_eq!(parameters("/v1/account/profit"), ["after", "limit"]);
    assert_eq!(parameters("/v1/markets/{market}/trades"), ["market", "limit", "at_least", "from", "to", "before"]);
    assert!(parameters("/v1/markets/{market}/book").contains(&"at".to_owned()));
    assert_eq!(parameters("/v1/markets/{market}/candles"), ["market", "width", "from", "to"]);
    let stream = &description["paths"]["/v1/stream"]["get"];
    assert_eq!(stream["summary"], "All of it over one WebSocket");
    for word in ["watch-candles", "unwatch-candles", "candles-skipped"] {
        assert!(stream["description"].as_str().unwrap().contains(word), "{stream}");
    }
}
