//! The books balance: for every engine and protocol, the stages of a request add up to the whole, none is negative, and a delay
//! that is planted in one place shows in the stage of that place.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]

#[path = "../../0x0a-gateway/tests/support/client.rs"]
#[allow(dead_code)]
mod client;
#[path = "../../0x0a-gateway/tests/support/server.rs"]
#[allow(dead_code)]
mod server;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use client::Client;
use serde_json::{Value, json};
use server::Server;
use whole_path::clock::now;
use whole_path::http::{PathReport, Request};
use whole_path::stage::{MOMENTS, Moment, NAMES};

const ORDERS: usize = 200;

fn start(folder: &Path, more: &[&str]) -> (Server, Client, Client) {
    let flags = ["--play-money", "100000", "--orders-per-second", "0", "--sample", "1"];
    let server = Server::start(folder, &[&flags[..], more].concat());
    let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
    operator.post("/v1/markets", &json!({ "question": { "en": "Rain?", "zh": "下雨吗？" } })).unwrap();
    let made = operator.post("/v1/accounts", &json!({})).unwrap().json();
    let trader = server.client().with_key(made["key"].as_str().unwrap());
    // A client has its answer a moment before the venue has noted that it was written.
    report(&mut operator, |report| report.whole.count == 2);
    (server, operator, trader)
}

fn order() -> Value {
    json!({ "market": 1, "intent": "buy-yes", "price": 5, "quantity": 1 })
}

/// What the venue has collected, once that holds.
fn report(operator: &mut Client, holds: impl Fn(&PathReport) -> bool) -> PathReport {
    let began = Instant::now();
    loop {
        let report: PathReport = serde_json::from_value(operator.get("/v1/path").unwrap().json()).unwrap();
        if holds(&report) {
            return report;
        }
        let (count, incomplete) = (report.whole.count, report.incomplete);
        assert!(began.elapsed() < Duration::from_secs(20), "{count} requests are through, {incomplete} incomplete");
    }
}

fn balances(request: &Request) {
    let stages: Vec<u64> = request.at_ns.windows(2).map(|two| two[1].checked_sub(two[0]).expect("in order")).collect();
    assert!(request.at_ns.iter().all(|at| *at > 0), "{request:?}");
    assert_eq!(stages.iter().sum::<u64>(), request.at_ns[MOMENTS - 1] - request.at_ns[0]);
}

#[test]
fn the_books_balance_with_every_engine() {
    for engine in ["0x01", "0x02", "0x03", "0x04", "0x05", "0x06", "0x07", "0x08"] {
        let folder = tempfile::tempdir().unwrap();
        let (_server, mut operator, mut trader) = start(folder.path(), &["--engine", engine]);
        let mut waits = Vec::new();
        for _ in 0..ORDERS {
            let sent = now();
            assert_eq!(trader.post("/v1/orders", &order()).unwrap().status, 200);
            waits.push((sent, now()));
        }
        // The market, the deposit of the play money, and the orders.
        let report = report(&mut operator, |report| report.whole.count == ORDERS as u64 + 2);
        assert_eq!(report.incomplete, 0, "{engine}");
        report.sampled.iter().for_each(balances);
        // One clock for both processes: the client sent before the venue read, and had the answer after it was written.
        let orders = &report.sampled[report.sampled.len() - ORDERS..];
        for ((sent, received), request) in waits.iter().zip(orders) {
            assert!(request.at_ns[0] > *sent, "{engine}: read before it was sent: {sent} {request:?}");
            assert!(request.at_ns[Moment::Encoded as usize] < *received, "{engine}: {received} {request:?}");
        }
        let sum: f64 = report.stages.iter().map(|stage| stage.mean_ns).sum();
        assert!((sum - report.whole.mean_ns).abs() < 1.0, "{engine}: means add up: {sum} {}", report.whole.mean_ns);
        assert_eq!(report.sync.count, ORDERS as u64 + 2, "{engine}: one at a time, so one sync each");
    }
}

#[test]
fn the_books_balance_over_websocket_and_with_shards() {
    let folder = tempfile::tempdir().unwrap();
    let (server, mut operator, trader) = start(folder.path(), &["--engine", "0x08", "--shards", "2"]);
    let address = format!("ws://{}/v1/stream", server.address);
    let (mut socket, _) = tungstenite::connect(address).unwrap();
    let mut ask = |message: Value| {
        socket.send(tungstenite::Message::text(message.to_string())).unwrap();
        loop {
            let heard: Value = serde_json::from_str(socket.read().unwrap().to_text().unwrap()).unwrap();
            if heard["re"] == message["id"] {
                assert!(heard["problem"].is_null(), "{heard}");
                return;
            }
        }
    };
    ask(json!({ "id": 1, "do": "login", "key": trader.key }));
    for id in 2..ORDERS + 2 {
        ask(json!({ "id": id, "do": "place", "market": 1, "intent": "buy-yes", "price": 5, "quantity": 1 }));
    }
    let orders = vec![json!({ "market": 1, "intent": "buy-yes", "price": 5, "quantity": 1 }); 50];
    ask(json!({ "id": 1_000, "do": "place", "orders": orders }));
    let report = report(&mut operator, |report| report.whole.count == ORDERS as u64 + 3);
    assert_eq!(report.incomplete, 0);
    report.sampled.iter().for_each(balances);
}

#[test]
fn the_notice_to_the_other_side_joins_the_order_that_it_is_about() {
    let folder = tempfile::tempdir().unwrap();
    let (server, mut operator, mut trader) = start(folder.path(), &[]);
    let made = operator.post("/v1/accounts", &json!({})).unwrap().json();
    let (mut socket, _) = tungstenite::connect(format!("ws://{}/v1/stream", server.address)).unwrap();
    let hear = |socket: &mut tungstenite::WebSocket<_>, holds: &dyn Fn(&Value) -> bool| loop {
        let heard: Value = serde_json::from_str(socket.read().unwrap().to_text().unwrap()).unwrap();
        if holds(&heard) {
            return heard;
        }
    };
    let place = json!({ "id": 3, "do": "place", "market": 1, "intent": "buy-no", "price": 95, "quantity": 1 });
    for ask in [json!({ "id": 1, "do": "login", "key": made["key"] }), json!({ "id": 2, "do": "notices" }), place] {
        socket.send(tungstenite::Message::text(ask.to_string())).unwrap();
        hear(&mut socket, &|heard| heard["re"] == ask["id"]);
    }
    let answer = trader.post("/v1/orders", &order()).unwrap().json();
    let sequence = answer["sequence"].as_u64().unwrap();
    hear(&mut socket, &|heard| heard["kind"] == "notice" && heard["sequence"] == sequence);
    let received = now();
    let report = report(&mut operator, |report| report.told.iter().any(|notice| notice.sequence == sequence));
    let notice = report.told.iter().find(|notice| notice.sequence == sequence).unwrap();
    let order = report.sampled.iter().find(|request| request.sequence == sequence).expect("the order was sampled too");
    assert_eq!(notice.synced_ns, order.at_ns[Moment::Synced as usize], "both have the moment of one frame");
    assert!(notice.synced_ns <= notice.queued_ns && notice.queued_ns <= notice.written_ns, "{notice:?}");
    assert!(notice.queued_ns < received, "{notice:?} was received at {received}");
    let stages: f64 = report.notice_stages.iter().map(|stage| stage.mean_ns).sum();
    assert!((stages - report.notice.mean_ns).abs() < 1.0, "means add up: {stages} {}", report.notice.mean_ns);
}

#[test]
fn requests_that_the_door_answers_count_as_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    let (_server, mut operator, mut trader) = start(folder.path(), &[]);
    let number = json!({ "market": 1, "intent": "buy-yes", "price": 5, "quantity": 1, "lane": 1, "number": 1 });
    for _ in 0..3 {
        assert_eq!(trader.post("/v1/orders", &number).unwrap().status, 200);
    }
    let report = report(&mut operator, |report| report.incomplete == 2);
    assert_eq!(report.whole.count, 3, "the repeats were answered at the door");
    for who in [&mut trader, &mut _server.client()] {
        assert!([401, 403].contains(&who.get("/v1/path").unwrap().status), "the operator's");
    }
}

/// A client's own request, by its header.
fn asked(address: SocketAddr, key: &str, header: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let body = order().to_string();
    let head = format!(
        "POST /v1/orders HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\
         {header}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

#[test]
fn a_client_that_asks_sees_its_own_stages() {
    let folder = tempfile::tempdir().unwrap();
    let (server, mut operator, trader) = start(folder.path(), &[]);
    let key = trader.key.unwrap();
    let id = "0af7651916cd43dd8448eb211c80319c";
    let answer = asked(server.address, &key, &format!("traceparent: 00-{id}-b7ad6b7169203331-01\r\n"));
    let timing = answer.lines().find_map(|line| line.strip_prefix("server-timing: ")).expect("a header");
    let names: Vec<&str> = timing.split(", ").map(|part| part.split(';').next().unwrap()).collect();
    assert_eq!(names, &NAMES[..NAMES.len() - 1], "the last stage is not over when the header is written");
    let report = report(&mut operator, |report| report.whole.count == 3);
    let request = report.sampled.iter().find(|request| request.id == id).expect("its name is kept");
    let sync = format!("sync;dur={:.4}", (request.at_ns[5] - request.at_ns[4]) as f64 / 1e6);
    assert!(timing.contains(&sync), "{timing} has no {sync}");
    assert!(!asked(server.address, &key, "").contains("server-timing"), "no client asked for it");
    // A header that is no name, however long, is not read; one that is too large is refused as any head is.
    assert!(asked(server.address, &key, "traceparent: 00-1-2-01\r\n").starts_with("HTTP/1.1 200"));
    let megabyte = format!("traceparent: {}\r\n", "0".repeat(1 << 20));
    assert!(!asked(server.address, &key, &megabyte).starts_with("HTTP/1.1 200"));
    assert_eq!(server.client().get("/healthz").unwrap().status, 200);
}
