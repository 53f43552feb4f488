//! Notices over WebSocket: with a cursor each, in place of the gateway's own, and the same as over HTTP.
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

use frames::Frames;
use serde_json::{Value, json};
use server::Server;

fn order(intent: &str, number: u64) -> Value {
    json!({ "market": 1, "intent": intent, "price": 50, "quantity": 1, "lane": 1, "number": number })
}

/// The next message of this kind.
fn next(stream: &mut Frames, kind: &str) -> Value {
    loop {
        let heard = stream.hear("kind");
        if heard["kind"] == kind {
            return heard;
        }
        assert!(["hello", "tick"].contains(&heard["kind"].as_str().unwrap()), "{heard}");
    }
}

#[test]
fn each_notice_comes_once_with_its_cursor_and_the_stream_resumes_behind_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--play-money", "1000"]);
    let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
    operator.post("/v1/markets", &json!({ "question": { "en": "Rain?", "zh": "下雨吗？" } })).unwrap();
    let key = || server.client().post("/v1/accounts", &json!({})).unwrap().json()["key"].as_str().unwrap().to_owned();
    let (ann, ben) = (key(), key());
    let listen = |after: Option<&str>| {
        let mut stream = Frames::connect(server.address, "").unwrap();
        let login = json!({ "id": 1, "do": "login", "key": ann });
        assert!(stream.ask(&login.to_string())["ok"].is_object());
        let begun = stream.ask(&json!({ "id": 2, "do": "notices", "after": after }).to_string());
        (stream, begun["ok"]["cursor"].as_str().unwrap_or_else(|| panic!("{begun}")).to_owned())
    };
    let (mut stream, _) = listen(Some("first"));
    let first = next(&mut stream, "notice");
    assert_eq!((&first["event"]["event"], &first["event"]["amount"]), (&json!("deposited"), &json!(1_000)));

    let mut buyer = server.client().with_key(&ann);
    assert_eq!(buyer.post("/v1/orders", &order("buy-yes", 1)).unwrap().status, 200);
    assert_eq!(next(&mut stream, "notice")["event"]["event"], "accepted");
    // While she is away, Ben's order meets hers, and the market ends.
    let cursor = {
        let (_, now) = listen(None);
        drop(stream);
        now
    };
    let mut seller = server.client().with_key(&ben);
    assert_eq!(seller.post("/v1/orders", &order("buy-no", 1)).unwrap().status, 200);
    operator.post("/v1/markets/1/resolve", &json!({ "outcome": "yes" })).unwrap();
    let (mut stream, begun) = listen(Some(&cursor));
    assert_eq!(begun, cursor);
    let behind: Vec<_> = (0..3).map(|_| next(&mut stream, "notice")).collect();
    let words: Vec<_> = behind.iter().map(|notice| notice["event"]["event"].as_str().unwrap()).collect();
    assert_eq!(words, ["traded", "paid", "resolved"]);
    assert_eq!((&behind[0]["event"]["role"], &behind[0]["order"]), (&json!("maker"), &json!(1)));
    let sequences: Vec<_> = behind.iter().map(|notice| notice["sequence"].as_u64()).collect();
    assert!(sequences.is_sorted(), "{sequences:?}");
    // After the second of them comes the third, and nothing else: the gateway's own notices are left out.
    let (mut stream, _) = listen(behind[1]["cursor"].as_str());
    assert_eq!(next(&mut stream, "notice"), behind[2]);
    // Without a login, and with what is no cursor.
    let mut stranger = Frames::connect(server.address, "").unwrap();
    let ask = |stream: &mut Frames, message: Value| stream.ask(&message.to_string())["problem"]["reason"].clone();
    assert_eq!(ask(&mut stranger, json!({ "id": 1, "do": "notices" })), "unauthenticated");
    assert_eq!(ask(&mut stream, json!({ "id": 3, "do": "notices", "after": 7 })), "bad-request");
    assert_eq!(ask(&mut stream, json!({ "id": 4, "do": "notices", "after": "00000000.1.0" })), "no-cursor");
    assert_eq!(ask(&mut stream, json!({ "id": 5, "do": "nonsense" })), "bad-request");
}
