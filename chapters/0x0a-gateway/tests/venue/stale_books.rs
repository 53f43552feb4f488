//! A feed that fails does not end the venue: orders are accepted, answered and kept. But nothing old is shown as if it
//! were current, and when the feed can read the log again, everything becomes fresh.
#![cfg(unix)]

use std::time::{Duration, Instant};

use crate::support::client::Client;
use crate::support::feed::{ORDERS, end_the_feed, order, two_accounts};
use crate::support::frames::Frames;
use crate::support::server::Server;
use serde_json::{Value, json};

/// A client that has not been told by then never will be. Not a measurement.
const STUCK: Duration = Duration::from_secs(60);

fn markets(client: &mut Client) -> Value {
    let answer = client.get("/v1/markets").unwrap();
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < STUCK, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The next book on this connection.
fn book(frames: &mut Frames) -> Value {
    let began = Instant::now();
    loop {
        assert!(began.elapsed() < STUCK, "no book arrives");
        // Ticks arrive as long as the connection lives, so this does not wait for ever.
        let message = frames.hear_any(&["message", "time_ms"])["message"].take();
        if message["kind"] == "book" {
            return message;
        }
    }
}

#[test]
fn a_feed_that_fails_is_reported_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--orders-per-second", "0"]);
    let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
    let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
    operator.post("/v1/markets", &question).unwrap();
    let [mut ann, mut bob] = two_accounts(&server, server.operator.as_ref().unwrap());
    let mut watcher = Frames::connect(server.address, "").unwrap();
    watcher.ask(r#"{"id":1,"do":"watch","markets":[1]}"#);
    until("the feed shows the orders", || book(&mut watcher)["depth"] == json!([[1, ORDERS]]));
    assert_eq!(server.client().get("/readyz").unwrap().status, 200);

    let hidden = end_the_feed(folder.path(), &mut bob);
    until("the venue is not ready", || server.client().get("/readyz").unwrap().status == 503);
    let ready = server.client().get("/readyz").unwrap();
    assert_eq!(ready.reason(), "stale-books");
    assert!(ready.json()["detail"].as_str().unwrap().contains("The feed failed"), "{ready:?}");
    until("the watcher gets an old book that is marked as stale", || book(&mut watcher)["is_fresh"] == json!(false));
    let since = markets(&mut ann)["stale_since_ms"].as_u64().expect("since when");
    until("the watcher is told since when", || watcher.hear("stale_since_ms")["stale_since_ms"] == json!(since));

    // Trading continues, and no market is missing.
    let rests = ann.post("/v1/orders", &order("buy-yes", 40, 5)).unwrap();
    assert_eq!(rests.status, 200, "{rests:?}");
    operator.post("/v1/markets", &question).unwrap();
    let told = markets(&mut ann);
    let seen: Vec<_> =
        told["markets"].as_array().unwrap().iter().map(|one| (&one["market"], &one["is_fresh"])).collect();
    assert_eq!(seen, [(&json!(1), &json!(false)), (&json!(2), &json!(false))], "{told}");
    assert_eq!(ann.get("/v1/markets/2/book").unwrap().reason(), "behind");

    // The log is readable again.
    hidden.give_back();
    until("the venue is ready", || server.client().get("/readyz").unwrap().status == 200);
    let now = book(&mut watcher);
    assert_eq!(
        (&now["is_fresh"], &now["from"], &now["depth"]),
        (&json!(true), &Value::Null, &json!([[40, 5]])),
        "{now}"
    );
    let told = markets(&mut ann);
    assert_eq!(told["stale_since_ms"], Value::Null);
    assert!(told["markets"].as_array().unwrap().iter().all(|one| one["is_fresh"] == json!(true)), "{told}");
    bob.post("/v1/orders", &order("buy-no", 60, 2)).unwrap();
    until("the feed continues", || book(&mut watcher)["depth"] == json!([[40, 3]]));

    let said = server.kill();
    assert!(said.contains("error: the feed has ended: ") && said.contains("look at the data directory"), "{said}");
    assert!(said.contains("the feed is running again"), "{said}");
}
