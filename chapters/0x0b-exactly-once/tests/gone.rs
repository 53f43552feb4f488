//! The log was trimmed while a reader was away. Over WebSocket too the venue sends the cursor that its notices begin after, and
//! the client library goes on there.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]

#[path = "../../0x0a-gateway/tests/support/client.rs"]
#[allow(dead_code)]
mod client;
#[path = "../../0x0a-gateway/tests/support/frames.rs"]
#[allow(dead_code)]
mod frames;
#[path = "../../0x0a-gateway/tests/support/server.rs"]
#[allow(dead_code)]
mod server;

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use exactly_once::client::{Access, Notices};
use exactly_once::once::Once;
use frames::Frames;
use gateway::front::{Fronts, layers};
use gateway::layer::carried;
use market::log::ShardOf;
use market::log_chain::segments;
use market::{
    AccountId, Acknowledge, Cents, Command, Engine as _, Event, MarketId, Options, RealDisk, Receivers, Stamp,
};
use serde_json::{Value, json};
use server::Server;
use tempfile::TempDir;
use tokio::time::timeout;

/// A notice that has not come by then is missing. Not a measurement.
const IN_TIME: Duration = Duration::from_secs(60);

struct Deaf;

impl Acknowledge for Deaf {
    fn acknowledge(&mut self, _: Stamp, _: &[Event]) {}
}

/// Goes on with the log in segments and snapshots, and removes what is before the last snapshots.
fn trim(folder: &Path) {
    let fronts: Fronts = Arc::new([Once::new(1)]);
    let options = Options { segment_commands: Some(8), trim_log: true, ..Options::new(folder) };
    let options = carried(&options, &layers(&fronts));
    for _ in 0..3 {
        let mut receivers = |_: u16| Box::new(Deaf) as Box<dyn Acknowledge>;
        let (mut engine, _) =
            ch08::Engine::<ch08::metrics::Unmeasured>::open(&options, &mut receivers as &mut Receivers<'_>).unwrap();
        for _ in 0..40 {
            let (market, account) = (MarketId(1), AccountId(1_000));
            engine.submit(Command::Deposit { market, account, amount: Cents(7), request: 0 }).unwrap();
            engine.flush().unwrap();
        }
        engine.close().unwrap();
        keeping::once::snapshot::<ch08::shadow::Shadow>(&options).unwrap();
    }
    let first = segments(&RealDisk, folder, ShardOf::ONLY).unwrap()[0].first;
    assert!(first.0 > 8, "nothing was trimmed: the log begins with command {first}");
}

/// A venue whose log was trimmed after an account was made, and the keys of the account and of the operator.
fn trimmed() -> (TempDir, Server, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let start = || Server::start(folder.path(), &["--play-money", "1000"]);
    let server = start();
    let operator = server.operator.clone().unwrap();
    let question = json!({ "question": { "en": "Rain?", "zh": "下雨吗？" } });
    server.client().with_key(&operator).post("/v1/markets", &question).unwrap();
    let made = server.client().post("/v1/accounts", &json!({})).unwrap().json();
    assert_eq!(made["account"], 1_000);
    server.kill();
    trim(folder.path());
    let server = start();
    (folder, server, made["key"].as_str().unwrap().to_owned(), operator)
}

#[test]
fn the_cursor_is_sent_before_the_connection_ends() {
    let (_folder, server, key, _) = trimmed();
    let listen = |after: &Value| {
        let mut stream = Frames::connect(server.address, "").unwrap();
        assert!(stream.ask(&json!({ "id": 1, "do": "login", "key": key }).to_string())["ok"].is_object());
        assert!(stream.ask(&json!({ "id": 2, "do": "notices", "after": after }).to_string())["ok"].is_object());
        stream
    };
    let ended = listen(&json!("first")).end();
    let told: Vec<_> = ended.texts.iter().filter(|text| text["kind"] != "tick").collect();
    assert_eq!(told.iter().map(|text| &text["kind"]).collect::<Vec<_>>(), ["gone", "bye"], "{ended:?}");
    assert_eq!(ended.bye(), Some("gone"));
    // After that cursor everything is there.
    let notice = listen(&told[0]["cursor"]).hear("cursor");
    assert_eq!((&notice["kind"], &notice["event"]["amount"]), (&json!("notice"), &json!(7)), "{notice}");
}

/// A venue that says `bye` to each client at once.
fn farewell() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut socket) = tungstenite::accept(stream.unwrap()) else { continue };
            let bye = json!({ "kind": "bye", "reason": "draining", "detail": "" });
            let _ = socket.send(bye.to_string().into());
            let _ = socket.close(None);
            while socket.read().is_ok() {}
        }
    });
    address
}

#[test]
fn the_client_library_goes_on_after_the_cursor_and_turns_from_a_venue_that_says_bye() {
    let (_folder, server, key, operator) = trimmed();
    let home = tempfile::tempdir().unwrap();
    let access = Access { addresses: vec![farewell(), server.address], key };
    let mut notices = Notices::<Vec<Value>>::open(access, &home.path().join("notices.json")).unwrap();
    let last = json!({ "account": 1_000, "amount": 99 });
    assert_eq!(server.client().with_key(&operator).post("/v1/markets/1/deposits", &last).unwrap().status, 200);
    let all = async {
        while notices.led_to().last().is_none_or(|notice| notice["event"]["amount"] != 99) {
            notices.next(|all, notice| all.push(notice.clone())).await.unwrap();
        }
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async { timeout(IN_TIME, all).await }).expect("the last notice comes");
    let gone = notices.led_to().iter().filter(|notice| notice["kind"] == "gone").count();
    assert_eq!((gone, &notices.led_to()[0]["kind"]), (1, &json!("gone")), "{:?}", notices.led_to());
}
