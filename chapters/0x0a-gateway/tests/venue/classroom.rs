//! A class: a short code recovers an account, codes can't be guessed, and a fresh start loses no cent.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::frames::Frames;
use crate::support::server::{PROGRAM, Server};
use serde_json::{Value, json};

fn classroom(folder: &tempfile::TempDir) -> Server {
    Server::start(folder.path(), &["--classroom"])
}

fn open(server: &Server, operator: &str) {
    let mut operator = server.client().with_key(operator);
    assert_eq!(
        operator.post("/v1/markets", &json!({ "question": { "en": "Rain?", "zh": "下雨吗？" } })).unwrap().status,
        201
    );
}

#[test]
fn a_code_recovers_its_account_and_the_old_key_stops_working() {
    let folder = tempfile::tempdir().unwrap();
    let server = classroom(&folder);
    let operator = server.operator.clone().unwrap();
    open(&server, &operator);
    let mut anyone = server.client();
    let ann = anyone.post("/v1/accounts", &json!({ "name": "Ann" })).unwrap().json();
    let (key, code) = (ann["key"].as_str().unwrap(), ann["code"].as_str().unwrap());
    assert_eq!(code.len(), 7, "{ann}");
    let bot = anyone.post("/v1/accounts", &json!({ "name": "bot", "code": false })).unwrap().json();
    assert!(bot.get("code").is_none(), "{bot}");
    let mut owner = server.client().with_key(key);
    owner.post("/v1/orders", &json!({ "market": 1, "intent": "buy-yes", "price": 40, "quantity": 5 })).unwrap();
    server.kill();

    let server = classroom(&folder);
    let mut anyone = server.client();
    // A thief who has the key is connected when its owner comes back.
    let mut thieves = [(); 2].map(|()| Frames::connect(server.address, "").unwrap());
    let login = json!({ "id": 1, "do": "login", "key": key }).to_string();
    thieves.iter_mut().for_each(|thief| assert_eq!(thief.ask(&login)["ok"]["account"], ann["account"]));
    let joined = anyone.post("/v1/classroom/join", &json!({ "code": code.to_lowercase() })).unwrap().json();
    assert_eq!((&joined["account"], &joined["name"], &joined["code"]), (&ann["account"], &json!("Ann"), &json!(code)));
    let new = joined["key"].as_str().unwrap();
    let mut owner = server.client().with_key(new);
    assert_eq!(owner.get("/v1/orders").unwrap().json()["orders"].as_array().map(Vec::len), Some(1));
    assert_eq!(server.client().with_key(key).get("/v1/account").unwrap().status, 401, "the old key");
    let order = json!({ "id": 2, "do": "place", "market": 1, "intent": "buy-yes", "price": 99, "quantity": 1 });
    thieves[0].say(&order.to_string()).unwrap();
    // The second says nothing, and only listens.
    for thief in thieves {
        let ended = thief.end();
        assert_eq!(ended.close, Some((1008, "unauthenticated".into())), "{ended:?}");
        assert!(ended.texts.iter().all(|text| text.get("ok").is_none()), "{ended:?}");
    }
    assert_eq!(owner.get("/v1/orders").unwrap().json()["orders"].as_array().map(Vec::len), Some(1), "no other order");
    let members = server.client().with_key(&operator).get("/v1/classroom").unwrap().json();
    assert_eq!(members["members"], json!([{ "account": ann["account"], "name": "Ann", "code": code }]));
    assert_eq!(owner.get("/v1/classroom").unwrap().status, 403, "codes are for the teacher");
    assert_eq!(owner.post("/v1/classroom/reset", &json!({ "outcome": "no" })).unwrap().status, 403);
    let said = server.kill();
    assert!(!said.contains(new) && !said.contains(code), "{said}");
}

#[test]
fn codes_cannot_be_guessed() {
    let folder = tempfile::tempdir().unwrap();
    let server = classroom(&folder);
    let mut anyone = server.client();
    let ann = anyone.post("/v1/accounts", &json!({})).unwrap().json();
    let mut guess = |code: &str| anyone.post("/v1/classroom/join", &json!({ "code": code })).unwrap();
    let guesses: Vec<_> = (0..11).map(|n| guess(&format!("AAAAA{}", char::from(b'A' + n)))).collect();
    assert!(guesses[..10].iter().all(|answer| (answer.status, answer.reason().as_str()) == (401, "unauthenticated")));
    assert_eq!((guesses[10].status, guesses[10].reason().as_str()), (429, "too-many-requests"));
    let wait: u32 = guesses[10].header("retry-after").unwrap().parse().unwrap();
    assert!((1..=6).contains(&wait), "{wait}");
    assert_eq!(
        guess(ann["code"].as_str().unwrap()).status,
        429,
        "after too many guesses even the right code has to wait"
    );
}

#[test]
fn there_are_no_codes_outside_a_classroom() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let operator = server.operator.clone().unwrap();
    let made = server.client().post("/v1/accounts", &json!({})).unwrap().json();
    assert!(made.get("code").is_none(), "{made}");
    let mut operator = server.client().with_key(&operator);
    assert_eq!(operator.post("/v1/classroom/join", &json!({ "code": "AAAAAA" })).unwrap().status, 404);
    assert_eq!(operator.get("/v1/classroom").unwrap().status, 404);
    assert_eq!(operator.post("/v1/classroom/reset", &json!({ "outcome": "no" })).unwrap().status, 404);
}

#[test]
fn a_fresh_start_keeps_what_was_before() {
    let folder = tempfile::tempdir().unwrap();
    let server = classroom(&folder);
    let operator = server.operator.clone().unwrap();
    (0..2).for_each(|_| open(&server, &operator));
    let key = |server: &Server| {
        server.client().post("/v1/accounts", &json!({})).unwrap().json()["key"].as_str().unwrap().to_owned()
    };
    let keys = [key(&server), key(&server)];
    let order = |intent: &str, price: u32| json!({ "market": 1, "intent": intent, "price": price, "quantity": 10 });
    for (key, order) in keys.iter().zip([order("buy-yes", 40), order("buy-no", 60)]) {
        assert_eq!(server.client().with_key(key).post("/v1/orders", &order).unwrap().status, 200);
    }
    let mut teacher = server.client().with_key(&operator);
    let reset = teacher.post("/v1/classroom/reset", &json!({ "outcome": "yes" })).unwrap();
    assert_eq!((reset.status, reset.json()), (200, json!({ "resolved": [1, 2], "opened": [3, 4] })));

    let holdings = |server: &Server, key: &str| -> Vec<(u64, u64)> {
        let held = server.client().with_key(key).get("/v1/account").unwrap().json()["holdings"].clone();
        let held = held.as_array().unwrap().iter();
        held.map(|held| (held["market"].as_u64().unwrap(), held["cash"].as_u64().unwrap())).collect()
    };
    let (ann, ben) = (holdings(&server, &keys[0]), holdings(&server, &keys[1]));
    assert_eq!(ann, [(1, 100_600), (2, 100_000), (3, 100_000), (4, 100_000)]);
    assert_eq!(ben, [(1, 99_400), (2, 100_000), (3, 100_000), (4, 100_000)]);
    let markets = |server: &Server| -> Vec<Value> {
        let markets = server.client().get("/v1/markets").unwrap().json()["markets"].as_array().unwrap().clone();
        markets.iter().map(|market| json!([market["market"], market["status"], market["question"]["en"]])).collect()
    };
    let expected = [(1, "resolved"), (2, "resolved"), (3, "open"), (4, "open")];
    let expected = expected.map(|(market, status)| json!([market, status, "Rain?"]));
    // The list comes from the feed, which follows the engine.
    let began = Instant::now();
    while markets(&server) != expected {
        assert!(began.elapsed() < Duration::from_secs(30), "{:?}", markets(&server));
        std::thread::sleep(Duration::from_millis(10));
    }
    server.kill();

    let server = classroom(&folder);
    assert_eq!((holdings(&server, &keys[0]), holdings(&server, &keys[1])), (ann, ben), "after a kill");
}

/// Bots trade in the markets after the fresh start, as they did in those before.
#[test]
fn bots_go_on_in_the_markets_after_a_fresh_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(PROGRAM);
    command.args(["--classroom", "--bots", "10", "--data-dir"]).arg(folder.path());
    let server = Server::of(&mut command);
    let mut teacher = server.client().with_key(server.operator.as_ref().unwrap());
    let until_all_have_orders = |markets: [u64; 3]| {
        let began = Instant::now();
        let is_empty = |market: &u64| {
            let book = server.client().get(&format!("/v1/markets/{market}/book")).unwrap().json();
            book["message"]["depth"].as_array().is_none_or(Vec::is_empty)
        };
        while markets.iter().any(is_empty) {
            assert!(began.elapsed() < Duration::from_secs(30), "there are no trades in {markets:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    until_all_have_orders([1, 2, 3]);
    let reset = teacher.post("/v1/classroom/reset", &json!({ "outcome": "no" })).unwrap().json();
    assert_eq!(reset["opened"], json!([4, 5, 6]), "{reset}");
    until_all_have_orders([4, 5, 6]);
}
