//! Hostile numbers and cursors, and the description of what this chapter answers.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]

#[path = "../../0x0a-gateway/tests/support/client.rs"]
#[allow(dead_code)]
mod client;
#[path = "../../0x0a-gateway/tests/support/server.rs"]
#[allow(dead_code)]
mod server;

use client::Client;
use exactly_once::once::Once;
use gateway::front::Fronts;
use gateway::http::openapi::described;
use serde_json::{Value, json};
use server::Server;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

struct Venue {
    server: Server,
    keys: Vec<String>,
    _folder: tempfile::TempDir,
}

impl Venue {
    fn start() -> Venue {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(folder.path(), &["--play-money", "100000", "--orders-per-second", "0"]);
        let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
        operator.post("/v1/markets", &json!({ "question": { "en": "Rain?", "zh": "下雨吗？" } })).unwrap();
        let key =
            |_| server.client().post("/v1/accounts", &json!({})).unwrap().json()["key"].as_str().unwrap().to_owned();
        let keys = (0..2).map(key).collect();
        Venue { server, keys, _folder: folder }
    }

    fn client(&self, which: usize) -> Client {
        self.server.client().with_key(&self.keys[which])
    }
}

fn order(lane: u64, number: u64) -> Value {
    json!({ "market": 1, "intent": "buy-yes", "price": 1, "quantity": 1, "lane": lane, "number": number })
}

#[test]
fn an_account_spoils_its_own_numbers_and_no_other_ones() {
    let venue = Venue::start();
    let (mut hostile, mut honest) = (venue.client(0), venue.client(1));
    let highest = (1u64 << 56) - 1;
    assert_eq!(hostile.post("/v1/orders", &order(0, highest)).unwrap().status, 200);
    assert_eq!(hostile.post("/v1/orders", &order(0, 1)).unwrap().reason(), "number-too-old");
    assert_eq!(hostile.post("/v1/orders", &order(0, highest)).unwrap().status, 200, "a repeat");
    assert_eq!(honest.post("/v1/orders", &order(0, 1)).unwrap().status, 200);
    for (lane, number) in [(0, highest + 1), (256, 1), (0, u64::MAX)] {
        assert_eq!(
            hostile.post("/v1/orders", &order(lane, number)).unwrap().reason(),
            "bad-request",
            "{lane} {number}"
        );
    }
    let both =
        json!({ "market": 1, "intent": "buy-yes", "price": 1, "quantity": 1, "number": 1, "client_order_id": 1 });
    assert_eq!(hostile.post("/v1/orders", &both).unwrap().reason(), "bad-request");
    // Each lane once: 256 are all that there are.
    for lane in 1..256 {
        assert_eq!(hostile.post("/v1/orders", &order(lane, 1)).unwrap().status, 200, "{lane}");
    }
    let lanes = hostile.get("/v1/lanes").unwrap().json()["lanes"].as_array().unwrap().len();
    assert_eq!((lanes, honest.get("/v1/lanes").unwrap().json()["lanes"].as_array().unwrap().len()), (256, 1));
    // The numbers of a list are each their own, and a number twice in one list is one request.
    let list = json!([order(7, 2), order(7, 3), order(7, 2)]);
    let done = hostile.post("/v1/orders", &list).unwrap().json();
    assert_eq!((&done[0], done[0] == done[1]), (&done[2], false));
}

#[test]
fn cursors_of_another_venue_end_with_a_message() {
    let venue = Venue::start();
    let mut client = venue.client(0);
    let begin = {
        let mut stream = venue.client(0);
        let key = &venue.keys[0];
        stream
            .send(format!("GET /v1/notices HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {key}\r\n\r\n").as_bytes())
            .unwrap();
        let head = stream.answer().unwrap();
        assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
        client.get("/v1/account").unwrap()
    };
    assert_eq!(begin.status, 200);
    for (after, status, reason) in [
        ("nonsense", 400, "bad-request"),
        ("00000000.1.0", 410, "no-cursor"),
        ("00000000.1.0-1.0", 410, "no-cursor"),
        ("1.1.1.1", 400, "bad-request"),
    ] {
        let answer = client.get(&format!("/v1/notices?after={after}")).unwrap();
        assert_eq!((answer.status, answer.reason()), (status, reason.to_owned()), "{after}");
    }
    // A ticket reads one account's notices; another's, or half of one, is none.
    let ticket = client.get("/v1/notices/ticket").unwrap().json();
    let (account, ticket) = (ticket["account"].as_u64().unwrap(), ticket["ticket"].as_str().unwrap().to_owned());
    let ask = |query: String| venue.server.client().get(&format!("/v1/notices?{query}")).unwrap();
    for wrong in
        [format!("account={}&ticket={ticket}", account + 1), format!("account={account}&ticket={}", &ticket[1..])]
    {
        assert_eq!(ask(wrong).reason(), "unauthenticated");
    }
    assert_eq!(ask(format!("account={account}")).reason(), "bad-request");
    assert_eq!(ask(String::new()).reason(), "unauthenticated");
    let mut stream = venue.server.client();
    stream
        .send(format!("GET /v1/notices?account={account}&ticket={ticket} HTTP/1.1\r\nHost: test\r\n\r\n").as_bytes())
        .unwrap();
    assert_eq!(stream.answer().unwrap().status, 200);
    assert!(!ticket.contains(&venue.keys[0][4..]), "a ticket is no key");
}

#[test]
fn notices_end_when_their_account_has_another_key() {
    let venue = Venue::start();
    let mut operator = venue.server.client().with_key(venue.server.operator.as_ref().unwrap());
    let ticket = venue.client(0).get("/v1/notices/ticket").unwrap().json();
    let (account, ticket) = (&ticket["account"], ticket["ticket"].as_str().unwrap());
    let with_key = format!("GET /v1/notices HTTP/1.1\r\nAuthorization: Bearer {}\r\n", venue.keys[0]);
    let with_ticket = format!("GET /v1/notices?account={account}&ticket={ticket} HTTP/1.1\r\n");
    let streams = [with_key, with_ticket].map(|head| {
        let mut stream = TcpStream::connect(venue.server.address).unwrap();
        stream.write_all(format!("{head}Host: test\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
        assert!(read_until(&mut stream, "event: begin").contains("event: begin"));
        stream
    });
    assert_eq!(operator.post(&format!("/v1/accounts/{account}/key"), &json!({})).unwrap().status, 200);
    let deposit = json!({ "account": account, "amount": 5 });
    assert_eq!(operator.post("/v1/markets/1/deposits", &deposit).unwrap().status, 200);
    for mut stream in streams {
        let rest = read_until(&mut stream, "event: notice");
        assert!(!rest.contains("event: notice"), "{rest}");
    }
}

/// What is sent until this comes, or the connection ends.
fn read_until(stream: &mut TcpStream, last: &str) -> String {
    let (mut text, mut some) = (String::new(), [0; 1_024]);
    while !text.contains(last) {
        let count = stream.read(&mut some).unwrap();
        if count == 0 {
            break;
        }
        text += std::str::from_utf8(&some[..count]).unwrap();
    }
    text
}

#[test]
fn an_account_that_is_asked_for_twice_is_made_once() {
    let venue = Venue::start();
    let key = format!("nnc_{}", "0123456789abcdef".repeat(4));
    let ask = || venue.server.client().post("/v1/accounts", &json!({ "name": "Ann", "key": key })).unwrap();
    let first = ask();
    assert_eq!(first.status, 201);
    assert_eq!((ask().json(), first.json()["key"].as_str()), (first.json(), Some(&*key)));
    let mut client = venue.server.client().with_key(&key);
    assert_eq!(client.get("/v1/account").unwrap().json()["holdings"][0]["cash"], json!(100_000), "play money once");
    for wrong in ["nnc_", "nnc_0123", &key[4..], &key.to_uppercase()] {
        let made = venue.server.client().post("/v1/accounts", &json!({ "key": wrong })).unwrap();
        assert_eq!(made.reason(), "bad-request", "{wrong}");
    }
}

#[test]
fn the_description_has_this_chapters_requests_too() {
    let fronts: Fronts = Arc::new([Once::new(1)]);
    let all: Value = serde_json::from_str(&described(&fronts)).unwrap();
    let venue = Venue::start();
    assert_eq!(venue.server.client().get("/v1/openapi.json").unwrap().json(), all);
    for path in ["/v1/lanes", "/v1/notices", "/v1/notices/ticket", "/v1/orders"] {
        assert!(all["paths"][path].is_object(), "{path}");
        assert_ne!(venue.server.client().get(path).unwrap().status, 404, "{path}");
    }
    let reasons = all["components"]["schemas"]["Reason"]["enum"].as_array().unwrap();
    let refused = [&exactly_once::table::TOO_OLD, &exactly_once::table::REUSED, &exactly_once::table::DONE];
    assert!(refused.iter().all(|refused| reasons.contains(&json!(refused.word))));
}
