//! A request whose answer is lost is sent again: over HTTP, across a kill, on any engine.

#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]

#[path = "../../0x0a-gateway/tests/support/client.rs"]
#[allow(dead_code)]
mod client;
#[path = "../../0x0a-gateway/tests/support/server.rs"]
#[allow(dead_code)]
mod server;

use client::{Answer, Client};
use serde_json::{Value, json};
use server::Server;

/// A venue with a market and an account that has cash in it.
fn set_up(server: &Server) -> (String, String) {
    let operator = server.operator.clone().expect("the first start shows it");
    let question = json!({ "question": { "en": "Rain?", "zh": "下雨吗？" } });
    let opened = server.client().with_key(&operator).post("/v1/markets", &question).unwrap();
    assert_eq!(opened.status, 201);
    let made = server.client().post("/v1/accounts", &json!({ "name": "Ann" })).unwrap().json();
    (operator, made["key"].as_str().unwrap().to_owned())
}

fn order(lane: u8, number: u64, price: u8) -> Value {
    json!({ "market": 1, "intent": "buy-yes", "price": price, "quantity": 10, "lane": lane, "number": number })
}

fn place(client: &mut Client, order: &Value) -> (u16, Value) {
    let answer = client.post("/v1/orders", order).unwrap();
    (answer.status, answer.json())
}

/// Sends a request with its number in the header.
fn with_header(client: &mut Client, request: &str, number: &str, body: &str) -> Answer {
    let key = client.key.clone().unwrap();
    let head = format!("{request} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {key}\r\n");
    let length = body.len();
    let whole = format!("{head}Idempotency-Key: {number}\r\nContent-Length: {length}\r\n\r\n{body}");
    client.send(whole.as_bytes()).unwrap();
    client.answer().unwrap()
}

fn open_orders(client: &mut Client) -> usize {
    client.get("/v1/orders").unwrap().json()["orders"].as_array().unwrap().len()
}

#[test]
fn an_order_that_is_sent_again_gets_the_first_answer_and_is_placed_once() {
    for engine in ["0x08", "0x01", "0x07"] {
        let folder = tempfile::tempdir().unwrap();
        let start = || Server::start(folder.path(), &["--engine", engine, "--play-money", "100000"]);
        let server = start();
        let (_, key) = set_up(&server);
        let mut client = server.client().with_key(&key);
        let first = place(&mut client, &order(3, 1, 40));
        assert_eq!((first.0, &first.1["status"]), (200, &json!("resting")), "{engine}");
        assert_eq!(place(&mut client, &order(3, 1, 40)), first, "{engine}: at once");
        let rejected = place(&mut client, &order(3, 2, 100));
        assert_eq!((rejected.0, &rejected.1["reason"]), (422, &json!("bad-price")), "{engine}");
        // The client does not hear of this one: the venue is killed before it reads the answer.
        let body = order(3, 5, 41).to_string();
        let length = body.len();
        let head = format!("POST /v1/orders HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {key}\r\n");
        client.send(format!("{head}Content-Length: {length}\r\n\r\n{body}").as_bytes()).unwrap();
        server.kill();

        let server = start();
        let mut client = server.client().with_key(&key);
        assert_eq!(place(&mut client, &order(3, 1, 40)), first, "{engine}: after the kill");
        assert_eq!(place(&mut client, &order(3, 2, 100)), rejected, "{engine}: rejected again, with the same sequence");
        let again = place(&mut client, &order(3, 5, 41));
        assert_eq!(again.0, 200, "{engine}: {again:?}");
        assert_eq!(place(&mut client, &order(3, 5, 41)), again, "{engine}");
        assert_eq!(open_orders(&mut client), 2, "{engine}: one for each number");
        let reused = place(&mut client, &order(3, 1, 39));
        assert_eq!((reused.0, &reused.1["reason"]), (422, &json!("number-reused")), "{engine}");
        let lanes = client.get("/v1/lanes").unwrap().json();
        assert_eq!(lanes["lanes"], json!([{ "kind": "orders", "lane": 3, "highest": 5 }]), "{engine}");
    }
}

#[test]
fn numbers_may_overtake_each_other_and_are_refused_when_they_are_too_old() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--play-money", "100000"]);
    let (_, key) = set_up(&server);
    let mut client = server.client().with_key(&key);
    for number in [300, 46, 45, 299] {
        assert_eq!(place(&mut client, &order(0, number, 1)).0, 200, "{number}");
    }
    let too_old = place(&mut client, &order(0, 44, 1));
    assert_eq!((too_old.0, &too_old.1["reason"]), (422, &json!("number-too-old")));
    assert_eq!(place(&mut client, &order(1, 44, 1)).0, 200, "another lane counts for itself");
    assert_eq!(open_orders(&mut client), 5);
    // Each form of the same number is the same number.
    let body = json!({ "market": 1, "intent": "buy-yes", "price": 1, "quantity": 10 }).to_string();
    let again = with_header(&mut client, "POST /v1/orders", "1-44", &body);
    assert_eq!((again.status, &again.json()["order"]), (200, &json!(5)));
    // A cancellation has a number too, and a repeat of it is no second one.
    let cancel = |client: &mut Client| client.delete("/v1/markets/1/orders/5?lane=1&number=7").unwrap();
    let first = cancel(&mut client);
    assert_eq!((first.status, &first.json()["cancelled"]), (200, &json!([5])));
    assert_eq!(cancel(&mut client).body, first.body, "without the number it would be unknown-order");
    assert_eq!(client.delete("/v1/markets/1/orders/5").unwrap().reason(), "unknown-order");
}

#[test]
fn deposits_of_the_operator_are_carried_out_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--play-money", "0"]);
    let (operator, key) = set_up(&server);
    let mut client = server.client().with_key(&operator);
    let deposit = json!({ "account": 1000, "amount": 500, "lane": 0, "number": 1 });
    let first = client.post("/v1/markets/1/deposits", &deposit).unwrap();
    assert_eq!(first.status, 200);
    assert_eq!(client.post("/v1/markets/1/deposits", &deposit).unwrap().body, first.body);
    // A withdrawal under the number of a deposit is another request.
    assert_eq!(client.post("/v1/markets/1/withdrawals", &deposit).unwrap().reason(), "number-reused");
    // The number may be in the header, and then the request has no other one.
    let (deposits, withdrawals) = ("POST /v1/markets/1/deposits", "POST /v1/markets/1/withdrawals");
    let both = with_header(&mut client, deposits, "0-2", &deposit.to_string());
    assert_eq!((both.status, both.reason()), (400, "bad-request".to_owned()));
    for (request, number) in [(deposits, "0-2"), (withdrawals, "0-3")] {
        let body = json!({ "account": 1000, "amount": 70 }).to_string();
        let first = with_header(&mut client, request, number, &body);
        assert_eq!(first.status, 200, "{request}");
        assert_eq!(with_header(&mut client, request, number, &body).body, first.body, "{request}: a second time");
    }
    let held = server.client().with_key(&key).get("/v1/account").unwrap().json();
    assert_eq!(held["holdings"][0]["cash"], json!(500));
}

#[test]
fn cancelling_all_orders_under_one_number_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--play-money", "100000"]);
    let (_, key) = set_up(&server);
    let mut client = server.client().with_key(&key);
    assert_eq!(place(&mut client, &order(0, 1, 40)).0, 200);
    let all = "/v1/markets/1/orders";
    let in_header = with_header(&mut client, &format!("DELETE {all}"), "0-2", "");
    let in_query = client.delete(&format!("{all}?lane=0&number=2")).unwrap();
    for refused in [in_header, in_query] {
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(refused.json()["detail"].as_str().unwrap().contains("under a number of its own"), "{refused:?}");
    }
    assert_eq!(open_orders(&mut client), 1, "nothing was cancelled");
    assert_eq!(client.delete(all).unwrap().json()["cancelled"], json!([1]));
}
