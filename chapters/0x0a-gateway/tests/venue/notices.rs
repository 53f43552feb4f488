//! Notices to an account: about each of its orders by the client's own number, and about the end of a market, also to
//! the losers.

use std::time::{Duration, Instant};

use crate::support::client::Client;
use crate::support::frames::Frames;
use crate::support::server::Server;
use serde_json::{Value, json};

/// A notice has to arrive within this time.
const IN_TIME: Duration = Duration::from_secs(30);

struct Person {
    client: Client,
    stream: Frames,
}

impl Person {
    fn new(server: &Server, key: &str) -> Person {
        let client = server.client().with_key(key);
        let mut stream = Frames::connect(server.address, "").unwrap();
        assert!(stream.ask(&json!({ "id": 1, "do": "login", "key": key }).to_string()).get("ok").is_some());
        Person { client, stream }
    }

    fn place(&mut self, intent: &str, price: u32, quantity: u32, client_order_id: Option<u64>) -> Value {
        let mut order =
            json!({ "id": 2, "do": "place", "market": 1, "intent": intent, "price": price, "quantity": quantity });
        if let Some(id) = client_order_id {
            order["client_order_id"] = json!(id);
        }
        let answer = self.stream.ask(&order.to_string());
        answer.get("ok").unwrap_or_else(|| panic!("{answer}")).clone()
    }

    /// The next notice.
    fn notice(&mut self) -> Value {
        let began = Instant::now();
        loop {
            let heard = self.stream.hear("kind");
            if heard["kind"] == "notice" {
                return heard;
            }
            assert!(began.elapsed() < IN_TIME, "no notice arrived: {heard}");
        }
    }

    fn list(&mut self, path: &str, name: &str) -> Vec<Value> {
        self.client.get(path).unwrap().json()[name].as_array().unwrap().clone()
    }
}

/// A venue with one market and two accounts.
fn venue(folder: &tempfile::TempDir) -> (Server, [String; 2]) {
    let server = Server::start(folder.path(), &[]);
    let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
    operator.post("/v1/markets", &json!({ "question": { "en": "Rain?", "zh": "下雨吗？" } })).unwrap();
    let keys =
        [0, 1].map(|_| operator.post("/v1/accounts", &json!({})).unwrap().json()["key"].as_str().unwrap().to_owned());
    (server, keys)
}

#[test]
fn notices_have_the_clients_order_number_until_the_venue_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let (server, keys) = venue(&folder);
    let (mut ann, mut ben) = (Person::new(&server, &keys[0]), Person::new(&server, &keys[1]));
    ann.place("buy-yes", 40, 10, Some(77));
    ann.place("buy-yes", 30, 10, None);
    let names = |orders: Vec<Value>| orders.iter().map(|one| one["client_order_id"].clone()).collect::<Vec<_>>();
    assert_eq!(names(ann.list("/v1/orders", "orders")), [json!(77), json!(0)], "0 means none");
    ben.place("buy-no", 60, 4, Some(u64::MAX));
    let notice = ann.notice();
    assert_eq!((&notice["event"]["event"], &notice["client_order_id"]), (&json!("traded"), &json!(77)), "{notice}");
    assert_eq!(names(ann.list("/v1/fills", "fills")), [json!(77)]);
    assert_eq!(names(ben.list("/v1/fills", "fills")), [json!(u64::MAX)]);
    server.kill();

    // The log has the command and the recovered state does not, so the number is reported as unknown.
    let server = Server::start(folder.path(), &[]);
    let (mut ann, mut ben) = (Person::new(&server, &keys[0]), Person::new(&server, &keys[1]));
    assert_eq!(names(ann.list("/v1/orders", "orders")), [Value::Null, Value::Null]);
    ben.place("buy-no", 60, 1, Some(5));
    let notice = ann.notice();
    assert_eq!((&notice["order"], &notice["client_order_id"]), (&json!(1), &Value::Null), "{notice}");
    assert_eq!(names(ann.list("/v1/fills", "fills")), [Value::Null]);
    assert_eq!(names(ben.list("/v1/fills", "fills")), [json!(5)]);
}

#[test]
fn a_market_can_be_watched_when_its_opening_was_answered() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
    let mut stream = Frames::connect(server.address, "").unwrap();
    for market in 1..=300 {
        operator.post("/v1/markets", &json!({ "question": { "en": "Rain?", "zh": "下雨吗？" } })).unwrap();
        let answer = stream.ask(&json!({ "id": market, "do": "watch", "markets": [market] }).to_string());
        assert!(answer.get("ok").is_some(), "{answer}");
    }
}

#[test]
fn every_holder_gets_a_notice_of_the_end_of_a_market() {
    let folder = tempfile::tempdir().unwrap();
    let (server, keys) = venue(&folder);
    let (mut ann, mut ben) = (Person::new(&server, &keys[0]), Person::new(&server, &keys[1]));
    let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
    operator.post("/v1/markets", &json!({ "question": { "en": "Snow?", "zh": "下雪吗？" } })).unwrap();
    ann.place("buy-yes", 40, 10, Some(1));
    ben.place("buy-no", 60, 10, Some(2));
    ann.place("sell-yes", 90, 3, Some(3));
    // An account that has withdrawn all its cash before the end no longer holds anything.
    let poor = operator.post("/v1/accounts", &json!({})).unwrap().json();
    let mut poor_stream = Person::new(&server, poor["key"].as_str().unwrap());
    let all = json!({ "account": poor["account"], "amount": 100_000 });
    assert_eq!(operator.post("/v1/markets/1/withdrawals", &all).unwrap().status, 200);
    assert_eq!(poor_stream.notice()["event"]["event"], "withdrawn");
    operator.post("/v1/markets/1/resolve", &json!({ "outcome": "yes" })).unwrap();
    operator.post("/v1/markets/2/resolve", &json!({ "outcome": "no" })).unwrap();

    // Play money in a market that opens after all this: its notice comes after all earlier ones.
    operator.post("/v1/markets", &json!({ "question": { "en": "Hail?", "zh": "下冰雹吗？" } })).unwrap();
    let all_of = |person: &mut Person| {
        let mut all = vec![];
        loop {
            let notice = person.notice();
            if notice["event"]["event"] == "deposited" && notice["market"] == 3 {
                return all;
            }
            all.push(notice);
        }
    };
    let heard = all_of(&mut ann);
    let over = heard.iter().filter(|one| one["event"]["event"] == "resolved");
    let over: Vec<_> = over.filter(|one| one["market"] == 1).collect();
    assert_eq!(over.len(), 1, "the winner gets one notice of it: {heard:?}");
    let last = over[0];
    let words = json!({ "event": "resolved", "outcome": "yes", "yes": 10, "no": 0, "paid": 1_000 });
    assert_eq!((&last["event"], &last["market"], &last["order"]), (&words, &json!(1), &Value::Null), "{last}");
    assert!(last.get("client_order_id").is_none(), "it is not about an order: {last}");
    let paid = heard.iter().find(|one| one["event"]["event"] == "paid").unwrap();
    assert_eq!(paid["event"]["amount"], 1_000);
    let gone = heard.iter().find(|one| one["event"]["event"] == "cancelled").unwrap();
    assert_eq!(gone["client_order_id"], 3, "{gone}");

    let heard = all_of(&mut ben);
    let words = json!({ "event": "resolved", "outcome": "yes", "yes": 0, "no": 10, "paid": 0 });
    assert!(heard.iter().any(|one| one["event"] == words), "the loser gets a notice: {heard:?}");
    let mut held = ben.list("/v1/account", "holdings");
    held.retain(|held| held["market"] == 1);
    assert_eq!((&held[0]["no"], &held[0]["cash"]), (&json!(0), &json!(100_000 - 600)), "{held:?}");
    let heard = all_of(&mut poor_stream);
    assert!(heard.iter().all(|one| one["market"] == 2), "an account that held nothing gets no notice: {heard:?}");
}
