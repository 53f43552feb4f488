//! Candles over the stream: the last one whenever it changed, so often at most, the same as over HTTP; and a refusal with
//! a reason for what can't be watched.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

#[path = "../../0x0a-gateway/tests/support/client.rs"]
#[allow(dead_code)]
mod client;
#[path = "../../0x0a-gateway/tests/support/frames.rs"]
#[allow(dead_code)]
mod frames;
#[path = "../../0x0a-gateway/tests/support/server.rs"]
#[allow(dead_code)]
mod server;
#[path = "support/world.rs"]
#[allow(dead_code)]
mod world;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use frames::Frames;
use serde_json::{Value, json};
use server::Server;
use world::World;

/// How long accounts trade while the candles are watched, and how many messages a client gets of a candle in a second.
const TRADING: Duration = Duration::from_secs(4);
const A_SECOND_MAX: f64 = 4.0;

fn watch(stream: &mut Frames, markets: &[u64], width: &str) -> Value {
    let message = json!({ "id": 1, "do": "watch-candles", "markets": markets, "width": width });
    stream.ask(&message.to_string())
}

/// The next candle.
fn next(stream: &mut Frames) -> Value {
    loop {
        let heard = stream.hear("kind");
        match heard["kind"].as_str().unwrap() {
            "candle" => return heard,
            kind => assert!(["hello", "tick"].contains(&kind), "{heard}"),
        }
    }
}

/// A candle without what only the stream says.
fn bare(candle: &Value) -> Value {
    let mut candle = candle.clone();
    for name in ["kind", "market", "width", "through"] {
        assert!(candle.as_object_mut().unwrap().remove(name).is_some(), "{candle} has no {name}");
    }
    candle
}

#[test]
fn all_candles_come_over_the_stream_as_they_are_over_http_and_not_too_often() {
    let world = World::new("2");
    let widths = ["second", "minute", "day"];
    world.trade(1, 1);
    let mut streams = widths.map(|width| {
        let mut stream = Frames::connect(world.server.address, "").unwrap();
        assert_eq!(watch(&mut stream, &[1], width)["ok"], json!({ "width": width, "markets": [1] }));
        // A client begins with the last candle, so none comes before this one.
        let first = next(&mut stream);
        (stream, BTreeMap::from([(first["start_ms"].as_u64().unwrap(), bare(&first))]))
    });
    let (began, mut trades) = (Instant::now(), 1);
    std::thread::scope(|scope| {
        let listeners = streams.each_mut().map(|(stream, heard)| {
            scope.spawn(move || {
                // Until the last trade, which has a price of its own.
                let mut messages = 0;
                loop {
                    let candle = next(stream);
                    messages += 1;
                    let is_last = candle["close"] == 77;
                    heard.insert(candle["start_ms"].as_u64().unwrap(), bare(&candle));
                    if is_last {
                        return (heard, messages);
                    }
                }
            })
        });
        while began.elapsed() < TRADING {
            world.trade(1, 1);
            trades += 1;
        }
        let order = |intent, price| json!({ "market": 1, "intent": intent, "price": price, "quantity": 2 });
        for (which, order) in [(1, order("buy-no", 23)), (0, order("buy-yes", 77))] {
            assert_eq!(world.client(which).post("/v1/orders", &order).unwrap().status, 200);
        }
        trades += 1;
        for (listener, width) in listeners.into_iter().zip(widths) {
            let (heard, messages) = listener.join().unwrap();
            let took = began.elapsed().as_secs_f64();
            let path = format!("/v1/markets/1/candles?width={width}");
            let answer = world.ask_when_there(&mut world.client(0), &path);
            let all = answer["candles"].as_array().unwrap().iter();
            let traded: Vec<_> = all.filter(|candle| candle["trades"].as_u64() > Some(0)).cloned().collect();
            assert_eq!(heard.values().cloned().collect::<Vec<_>>(), traded, "{width}");
            let sum: u64 = traded.iter().map(|candle| candle["trades"].as_u64().unwrap()).sum();
            assert_eq!(sum, trades, "{width}");
            // Each candle but the last was sent again when the next one began.
            let most = took * A_SECOND_MAX + traded.len() as f64 + 1.0;
            assert!(f64::from(messages) <= most, "{messages} messages by {width} in {took} s");
            assert!(messages > 4, "{messages} messages by {width}: it did not move while it was watched");
        }
    });
}

#[test]
fn a_client_that_comes_later_begins_with_the_last_candle_and_gets_no_more_of_what_it_no_longer_watches() {
    let world = World::new("1");
    let mut stream = Frames::connect(world.server.address, "").unwrap();
    world.trade(1, 3);
    world.trade(2, 1);
    world.ask_when_there(&mut world.client(0), "/v1/account/trades");
    assert_eq!(watch(&mut stream, &[2, 1, 1], "day")["ok"]["markets"], json!([1, 2]));
    let mut both = [next(&mut stream), next(&mut stream)];
    both.sort_by_key(|candle| candle["market"].as_u64());
    let seen = both.each_ref().map(|candle| (candle["market"].as_u64().unwrap(), candle["trades"].as_u64().unwrap()));
    assert_eq!(seen, [(1, 3), (2, 1)]);
    let through = both[0]["through"][0].as_u64().unwrap();
    let there = world.client(0).get("/v1/account").unwrap().json()["at"][0].as_u64().unwrap();
    assert_eq!(through, there);
    let unwatch = json!({ "id": 2, "do": "unwatch-candles", "markets": [1, 9], "width": "day" });
    assert_eq!(stream.ask(&unwatch.to_string())["ok"], json!({ "width": "day", "markets": [2] }));
    world.trade(1, 1);
    world.trade(2, 1);
    let candle = next(&mut stream);
    assert_eq!((&candle["market"], &candle["trades"]), (&json!(2), &json!(2)), "{candle}");
    // What is watched again begins again.
    watch(&mut stream, &[2], "day");
    assert_eq!(bare(&next(&mut stream)), bare(&candle));
}

#[test]
fn invalid_watches_are_refused_with_a_reason_and_a_thousand_candles_are_the_most() {
    let world = World::new("2");
    let mut operator = world.server.client().with_key(&world.operator);
    for _ in 3..251 {
        let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
        assert_eq!(operator.post("/v1/markets", &question).unwrap().status, 201);
    }
    world.trade(1, 1);
    let mut stream = Frames::connect(world.server.address, "").unwrap();
    let refused = [
        (json!({ "do": "watch-candles", "markets": [999], "width": "minute" }), "unknown-market", "GET /v1/markets"),
        (json!({ "do": "watch-candles", "markets": [1, 999], "width": "minute" }), "unknown-market", "GET /v1/markets"),
        (json!({ "do": "watch-candles", "markets": [1], "width": "week" }), "bad-request", "second"),
        (json!({ "do": "watch-candles", "markets": [1] }), "bad-request", "width"),
        (json!({ "do": "watch-candles", "width": "minute" }), "bad-request", "markets"),
        (json!({ "do": "watch-candles", "markets": 1, "width": "minute" }), "bad-request", "sequence"),
        (json!({ "do": "watch-candles", "markets": [-1], "width": "minute" }), "bad-request", "-1"),
        (json!({ "do": "watch-candles", "markets": [1], "width": "minute", "key": "x" }), "bad-request", "key"),
        (json!({ "do": "unwatch-candles", "markets": [1], "width": 60 }), "bad-request", "60"),
        (json!({ "do": "watch-candles", "markets": vec![1; 1_001], "width": "minute" }), "too-large", "1000"),
    ];
    for (mut message, reason, words) in refused {
        message["id"] = json!(7);
        let answer = stream.ask(&message.to_string());
        let (said, detail) = (&answer["problem"]["reason"], answer["problem"]["detail"].as_str().unwrap());
        assert!((said, &answer["re"]) == (&json!(reason), &json!(7)) && detail.contains(words), "{message}: {answer}");
    }
    let all: Vec<u64> = (1..=250).collect();
    for width in ["second", "minute", "hour", "day"] {
        assert_eq!(watch(&mut stream, &all, width)["ok"]["markets"], json!(all));
    }
    // Watching the same candles again adds none.
    assert_eq!(watch(&mut stream, &all, "day")["ok"]["markets"], json!(all));
    let refused = watch(&mut stream, &[251], "day");
    assert_eq!(refused["problem"]["reason"], "too-large", "{refused}");
    // All of them are served, the last market too, and another client is.
    world.trade(250, 1);
    let mut widths = Vec::new();
    while widths.len() < 4 {
        let candle = next(&mut stream);
        if candle["market"] == 250 {
            widths.push(candle["width"].as_str().unwrap().to_owned());
        }
    }
    widths.sort();
    assert_eq!(widths, ["day", "hour", "minute", "second"]);
    let mut other = Frames::connect(world.server.address, "").unwrap();
    watch(&mut other, &[250], "second");
    world.trade(250, 1);
    assert_eq!(next(&mut other)["market"], 250);
}

#[test]
fn a_venue_without_history_has_no_candles_to_watch() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--no-history"]);
    let mut stream = Frames::connect(server.address, "").unwrap();
    assert_eq!(watch(&mut stream, &[1], "minute")["problem"]["reason"], "no-history");
}
