//! What the program tells its operator: each line is one JSON object if that was asked for, a storm of refusals is a few lines,
//! and no line holds a key or a name.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::server::Server;

/// What goes to standard output, and not to the operator's log.
const PRINTED: [&str; 3] = ["open http://", "operator's key, shown once: ", "metrics http://"];

const NAME: &str = "Annabel of the lines";

/// The lines for the operator among all that the program said.
fn lines(said: &[String]) -> Vec<&String> {
    said.iter().filter(|line| !PRINTED.iter().any(|start| line.starts_with(start))).collect()
}

/// The events of this name.
fn events(said: &[String], name: &str) -> Vec<Value> {
    let parsed = lines(said).into_iter().map(|line| {
        let event: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(event["time_ms"].is_u64() && event["event"].is_string() && event["message"].is_string(), "{line}");
        event
    });
    parsed.filter(|event| event["event"] == name).collect()
}

/// The first event of this name, once it is there.
fn first(server: &Server, name: &str) -> Value {
    let began = Instant::now();
    loop {
        if let Some(event) = events(&server.said(), name).into_iter().next() {
            return event;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "no {name} in {:?}", server.said());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Makes an account, and sends orders that are refused, for longer than a second. Returns its key and how many were.
fn storm(server: &Server) -> (String, u64) {
    let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
    operator.post("/v1/markets", &json!({ "question": { "en": "Rain?", "zh": "下雨吗？" } })).unwrap();
    let made = operator.post("/v1/accounts", &json!({ "name": NAME })).unwrap().json();
    let key = made["key"].as_str().unwrap().to_owned();
    let (mut trader, mut stranger) = (server.client().with_key(&key), server.client().with_key("nnc_unknown"));
    let order = json!({ "market": 1, "intent": "buy-yes", "price": 5, "quantity": 1 });
    let (mut refused, began) = (0, Instant::now());
    while began.elapsed() < Duration::from_millis(1_500) {
        refused += u64::from(trader.post("/v1/orders", &order).unwrap().status == 429);
        stranger.get("/v1/account").unwrap();
    }
    assert!(refused > 20, "{refused} were refused");
    (key, refused)
}

fn has_no_secret(server: &Server, key: &str) {
    let (said, operator) = (server.said(), server.operator.clone().unwrap());
    for line in lines(&said) {
        for secret in [operator.as_str(), key, "nnc_", NAME, "Annabel"] {
            assert!(!line.contains(secret), "{secret} in {line}");
        }
    }
}

fn counted(refused: &[Value]) -> u64 {
    refused.iter().map(|event| event["count"].as_u64().unwrap()).sum()
}

#[test]
fn a_storm_of_refusals_is_a_line_a_second_with_its_count() {
    let (folder, began) = (tempfile::tempdir().unwrap(), Instant::now());
    let server = Server::start(folder.path(), &["--orders-per-second", "2", "--log-format", "json"]);
    let (key, refused) = storm(&server);
    let told = || events(&server.said(), "refused");
    while counted(&told()) < refused {
        assert!(began.elapsed() < Duration::from_secs(60), "{refused} were refused, and told: {:?}", told());
        std::thread::sleep(Duration::from_millis(20));
    }
    let (told, seconds) = (told(), began.elapsed().as_secs());
    assert!(told.iter().all(|event| event["reason"] == "too-many-requests"), "{told:?}");
    assert_eq!(counted(&told), refused);
    assert!(told.len() as u64 <= seconds + 1, "{} lines in {seconds} s: {told:?}", told.len());
    let started = first(&server, "started");
    assert_eq!((&started["engine"], &started["shards"]), (&json!("0x08"), &json!(1)));
    assert_eq!(started["address"], server.address.to_string());
    assert_eq!(started["data_dir"], folder.path().to_str().unwrap());
    has_no_secret(&server, &key);
}

#[test]
fn start_recovery_and_stop_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--orders-per-second", "2"]);
    let (key, _) = storm(&server);
    has_no_secret(&server, &key);
    let said = server.said();
    assert!(lines(&said).iter().any(|line| line.starts_with("started version ")), "{said:?}");
    server.kill();
    let server = Server::start(folder.path(), &["--log-format", "json"]);
    assert!(first(&server, "recovered")["commands"].as_u64() > Some(3), "{:?}", server.said());
    // A venue that serves clients listens for the signal too.
    assert_eq!(server.client().get("/readyz").unwrap().status, 200);
    #[cfg(unix)]
    {
        let (address, (_, said)) = (server.address.to_string(), server.interrupt());
        let said: Vec<String> = said.lines().map(str::to_owned).collect();
        assert_eq!(events(&said, "draining")[0]["address"], address, "{said:?}");
    }
}
