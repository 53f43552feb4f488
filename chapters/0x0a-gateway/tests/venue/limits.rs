//! Each limit of the program, reached on purpose: the refusal has its own reason, and others are served.

use std::time::{Duration, Instant};

use crate::support::client::{Answer, Client};
use crate::support::frames::Frames;
use crate::support::server::Server;
use serde_json::json;

/// A client that claims another address than its own, as a proxy would for it.
fn account_for(client: &mut Client, forwarded: &[u8]) -> Answer {
    let head = b"POST /v1/accounts HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\nX-Forwarded-For: ";
    client.send(&[&head[..], forwarded, b"\r\n\r\n{}"].concat()).unwrap();
    client.answer().unwrap()
}

fn key_of(answer: &Answer) -> String {
    answer.json()["key"].as_str().unwrap_or_else(|| panic!("{answer:?}")).to_owned()
}

#[test]
fn an_account_that_is_too_fast_waits_and_others_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--orders-per-second", "2"]);
    let mut client = server.client();
    let keys: Vec<_> = (0..2).map(|_| key_of(&client.post("/v1/accounts", &json!({})).unwrap())).collect();
    let (mut fast, mut other) = (server.client().with_key(&keys[0]), server.client().with_key(&keys[1]));
    let cancel = |client: &mut Client| client.delete("/v1/markets/1/orders/1").unwrap();
    let answers: Vec<_> = (0..20).map(|_| cancel(&mut fast)).collect();
    assert!(answers[..4].iter().all(|answer| answer.reason() == "unknown-market"), "{answers:?}");
    let refused: Vec<_> = answers.iter().filter(|answer| answer.status == 429).collect();
    assert!(!refused.is_empty(), "{answers:?}");
    for refusal in refused {
        assert_eq!((refusal.reason().as_str(), refusal.header("retry-after")), ("too-many-requests", Some("1")));
    }
    let mut stream = Frames::connect(server.address, &format!("Authorization: Bearer {}\r\n", keys[0])).unwrap();
    let refusals =
        (0..20).map(|id| stream.ask(&json!({ "id": id, "do": "cancel", "market": 1, "order": 1 }).to_string()));
    let refusal = refusals.into_iter().find(|answer| answer["problem"]["reason"] == "too-many-requests").unwrap();
    assert_eq!(refusal["problem"]["retry_after_s"], 1, "a message has no headers: {refusal}");
    assert_eq!(cancel(&mut other).reason(), "unknown-market", "another account is served");
    let list = json!(
        (0..8).map(|_| json!({ "market": 1, "intent": "buy-yes", "price": 5, "quantity": 1 })).collect::<Vec<_>>()
    );
    let each = other.post("/v1/orders", &list).unwrap().json();
    let refused = each.as_array().unwrap().iter().filter(|one| one["reason"] == "too-many-requests");
    let refused: Vec<_> = refused.map(|one| one["retry_after_s"].as_u64()).collect();
    assert!(refused.len() >= 3, "a list counts as its orders: {each}");
    assert!(refused.iter().all(Option::is_some), "an order of a list has no headers: {each}");
}

#[test]
fn new_accounts_per_address_are_limited() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--behind-proxy", "--accounts-per-minute", "1"]);
    let mut client = server.client();
    let mut made = |forwarded: &[u8]| account_for(&mut client, forwarded);
    // Twice a minute's number at once, and no more. An address that a client claims is ignored, even one that is no text.
    assert_eq!([made(b"10.9.8.1, 10.0.0.1"), made(b"\xff, 10.0.0.1")].map(|answer| answer.status), [201; 2]);
    let refused = made(b"10.9.8.2, 10.0.0.1");
    let wait: u32 = refused.header("retry-after").unwrap().parse().unwrap();
    assert_eq!((refused.status, (1..=60).contains(&wait)), (429, true), "{refused:?}");
    assert_eq!(made(b"10.0.0.2").status, 201, "another address is served");
    // An address may have a port. A proxy's words that are no address count as one client's: it gets no more than others.
    for [one, other] in [[&b"10.0.0.3:4711"[..], b"10.0.0.3:4712"], [b"unknown", b"\xff"]] {
        assert_eq!([made(one), made(other), made(one)].map(|answer| answer.status), [201, 201, 429], "{one:?}");
    }
}

#[test]
fn connections_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--connections", "3"]);
    let mut held: Vec<_> = (0..3).map(|_| server.client()).collect();
    held.iter_mut().for_each(|client| assert_eq!(client.get("/healthz").unwrap().status, 200));
    let refusal = server.client().get("/healthz").unwrap();
    assert_eq!((refusal.status, refusal.reason().as_str()), (503, "too-many-connections"));
    assert_eq!((refusal.header("retry-after"), refusal.header("connection")), (Some("10"), Some("close")));
    assert_eq!(held[0].get("/healthz").unwrap().status, 200, "earlier connections are still served");
    held.pop();
    let began = Instant::now();
    while server.client().get("/healthz").is_ok_and(|answer| answer.status == 503) {
        assert!(began.elapsed() < Duration::from_secs(30), "no connection is accepted although one has closed");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn streams_per_account_are_limited() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--connections-per-account", "2"]);
    let mut client = server.client();
    let keys: Vec<_> = (0..2).map(|_| key_of(&client.post("/v1/accounts", &json!({})).unwrap())).collect();
    let connect = |lines: &str| Frames::connect(server.address, lines).unwrap();
    let login = |key: &str| json!({ "id": 1, "do": "login", "key": key }).to_string();
    let by_header = format!("Authorization: Bearer {}\r\n", keys[0]);
    let (first, mut second, mut third) = (connect(&by_header), connect(""), connect(""));
    assert!(first.head.starts_with("HTTP/1.1 101"), "{}", first.head);
    assert!(second.ask(&login(&keys[0])).get("ok").is_some());
    assert!(second.ask(&login(&keys[0])).get("ok").is_some(), "a repeated login is not another connection");
    assert_eq!(third.ask(&login(&keys[0]))["problem"]["reason"], "too-many-streams");
    assert!(third.ask(&login(&keys[1])).get("ok").is_some(), "another account is served on the same connection");
    let refused = connect(&by_header).head;
    assert!(refused.starts_with("HTTP/1.1 429"), "{refused}");
    drop((first, second));
    let began = Instant::now();
    while !connect(&by_header).head.starts_with("HTTP/1.1 101") {
        assert!(began.elapsed() < Duration::from_secs(30), "no connection is accepted although two have closed");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn oversized_requests_are_refused_before_they_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let headers = |count: usize, value: usize| -> String {
        (0..count).map(|n| format!("X-{n}: {}\r\n", "a".repeat(value))).collect()
    };
    let long = "a".repeat(3_000);
    for (request, status, reason) in [
        (format!("GET /healthz?{long} HTTP/1.1\r\nHost: a\r\n\r\n"), 414, "uri-too-long"),
        (format!("GET /healthz HTTP/1.1\r\nHost: a\r\n{}\r\n", headers(70, 1)), 431, "headers-too-large"),
        (format!("GET /healthz HTTP/1.1\r\nHost: a\r\n{}\r\n", headers(5, 2_000)), 431, "headers-too-large"),
        ("POST /v1/orders HTTP/1.1\r\nHost: a\r\nContent-Length: 1073741824\r\n\r\n".into(), 413, "too-large"),
        (
            "POST /v1/accounts HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\n".into(),
            415,
            "encoded",
        ),
        (
            "POST /v1/accounts HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n".into(),
            415,
            "encoded",
        ),
    ] {
        let mut client = server.client();
        client.send(request.as_bytes()).unwrap();
        let answer = client.answer().unwrap();
        assert_eq!((answer.status, answer.reason().as_str()), (status, reason), "{request}");
        assert_eq!(answer.header("connection"), Some("close"), "{reason}: the rest is not read");
        assert!(client.answer().is_err(), "{reason}: nothing follows it");
    }
}
