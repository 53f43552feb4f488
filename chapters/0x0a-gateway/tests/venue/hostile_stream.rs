//! Hostile clients over the WebSocket: each of them is refused, or disconnected with a code and a reason. Memory stays
//! bounded, and an honest client is served throughout.

use std::time::{Duration, Instant};

use crate::rounds;
use crate::support::frames::{BINARY, CLOSE, CONTINUATION, Ended, FIN, Frames, PING, TEXT, head, masked};
use crate::support::honest::{GROWTH_KIB_MAX, Venue, beside_an_honest_client, resident_kib, venue};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng as _, SeedableRng as _};
use serde_json::json;

/// The largest message, in bytes.
const MESSAGE_BYTES_MAX: usize = 256 * 1024;

fn connect(venue: &Venue) -> Frames {
    Frames::connect(venue.server.address, "").unwrap()
}

/// The beginning of a message with this claimed length.
fn promised(length: u64) -> Vec<u8> {
    [head(FIN | TEXT, 0x80, length), vec![0; 4]].concat()
}

/// Sends bytes on a new connection; returns how it ended.
fn ended_by(venue: &Venue, bytes: &[u8]) -> Ended {
    let mut frames = connect(venue);
    // It may be closed before all bytes are accepted.
    let _ = frames.send(bytes);
    frames.end()
}

#[test]
fn invalid_frames_are_closed_with_a_code_and_a_reason() {
    let venue = venue();
    let login = json!({ "id": 1, "do": "login", "key": venue.keys[0] }).to_string();
    let unmasked = [head(FIN | TEXT, 0, login.len() as u64), login.clone().into_bytes()].concat();
    let compressed = masked(FIN | TEXT | 0x40, &[0xab, 0x56, 0xca, 0x48, 0x01, 0x00]);
    let begun = masked(TEXT, b"{");
    let cases: Vec<(&str, Vec<u8>, u16, &str)> = vec![
        ("not masked", unmasked, 1002, "protocol"),
        ("a compressed frame without negotiation", compressed, 1002, "protocol"),
        ("the second reserved bit", masked(FIN | TEXT | 0x20, b"{}"), 1002, "protocol"),
        ("the third reserved bit", masked(FIN | TEXT | 0x10, b"{}"), 1002, "protocol"),
        ("a reserved kind of data", masked(FIN | 3, b"{}"), 1002, "protocol"),
        ("a reserved kind of control", masked(FIN | 11, b""), 1002, "protocol"),
        ("a control frame too long", masked(FIN | PING, &[b'a'; 126]), 1002, "protocol"),
        ("a control frame in parts", masked(PING, b"a"), 1002, "protocol"),
        ("a close of one byte", masked(FIN | CLOSE, &[3]), 1002, "protocol"),
        ("a part of nothing", masked(FIN | CONTINUATION, b"{}"), 1002, "protocol"),
        ("a message in a message", [begun.clone(), begun].concat(), 1002, "protocol"),
        ("invalid UTF-8", masked(FIN | TEXT, b"{\"id\":\xc3\x28}"), 1007, "not-utf-8"),
        ("a binary message where text was agreed on", masked(FIN | BINARY, b"{}"), 1003, "not-text"),
        ("a message too long", masked(FIN | TEXT, &vec![b' '; MESSAGE_BYTES_MAX + 1]), 1009, "too-large"),
        ("a length of 2^63", promised(1 << 63), 1009, "too-large"),
        ("a length of a megabyte", promised(1 << 20), 1009, "too-large"),
    ];
    let served = beside_an_honest_client(&venue, || {
        for (name, bytes, code, word) in &cases {
            let ended = ended_by(&venue, bytes);
            assert_eq!(ended.close, Some((*code, (*word).to_owned())), "{name}: {ended:?}");
            assert_eq!(ended.bye(), Some(*word), "{name}: {ended:?}");
        }
    });
    assert!(served > 0);
}

#[test]
fn a_close_is_answered() {
    let venue = venue();
    let ended = ended_by(&venue, &masked(FIN | CLOSE, &[&1000u16.to_be_bytes()[..], b"enough"].concat()));
    assert_eq!(ended.close, Some((1000, "enough".into())), "{ended:?}");
}

#[test]
fn compression_is_not_negotiated() {
    let venue = venue();
    let mut offered =
        Frames::connect(venue.server.address, "Sec-WebSocket-Extensions: permessage-deflate\r\n").unwrap();
    assert!(!offered.head.to_ascii_lowercase().contains("sec-websocket-extensions"), "{}", offered.head);
    assert_eq!(offered.ask(r#"{"id":1,"do":"watch","markets":[1]}"#)["ok"], json!({ "markets": [1] }));
}

#[test]
fn fragmented_messages_end_at_the_limit() {
    let venue = venue();
    let before = resident_kib(&venue.server);
    let served = beside_an_honest_client(&venue, || {
        // Endless fragments are closed when they exceed the limit of a message.
        let part = masked(CONTINUATION, &[b' '; 1_000]);
        let ended = ended_by(&venue, &[masked(TEXT, b"{"), part.repeat(300)].concat());
        assert_eq!(ended.close, Some((1009, "too-large".into())), "{ended:?}");
        let count = rounds().pick(50_000, 500_000);
        // Empty fragments never exceed it. Their sender is still served, and gets other messages, once the message
        // ends.
        let mut empty = connect(&venue);
        empty.send(&masked(TEXT, br#"{"id":7,"do":"watch","markets":[1]"#)).unwrap();
        let part = masked(CONTINUATION, b"").repeat(1_000);
        (0..count / 1_000).for_each(|_| empty.send(&part).unwrap());
        empty.send(&masked(FIN | CONTINUATION, b"}")).unwrap();
        assert_eq!(empty.hear("re")["ok"], json!({ "markets": [1] }));
        // A hundred clients that announce a message and send almost all of it.
        let most = promised(MESSAGE_BYTES_MAX as u64);
        let mut waiting: Vec<_> = (0..100).map(|_| connect(&venue)).collect();
        for frames in &mut waiting {
            frames.send(&[&most[..], &vec![b' '; MESSAGE_BYTES_MAX - 1]].concat()).unwrap();
        }
        if let (Some(before), Some(now)) = (before, resident_kib(&venue.server)) {
            println!("a hundred messages that do not end: {before} KiB, then {now} KiB");
            assert!(now < before + GROWTH_KIB_MAX, "{before} KiB, then {now} KiB");
        }
    });
    assert!(served > 0);
}

#[test]
fn invalid_messages_are_refused_and_the_connection_stays() {
    let venue = venue();
    let place = |price: &str, quantity: &str| {
        format!(r#"{{"id":5,"do":"place","market":1,"intent":"buy-yes","price":{price},"quantity":{quantity}}}"#)
    };
    let deep = |field: &str| format!(r#"{{"id":5,"{field}":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    let objects = format!(r#"{{"id":5,"do":{}1{}}}"#, r#"{"a":"#.repeat(10_000), "}".repeat(10_000));
    let order = r#"{"market":1,"intent":"buy-yes","price":1,"quantity":1}"#;
    let many = format!(r#"{{"id":5,"do":"place","orders":[{}]}}"#, vec![order; 1_001].join(","));
    let markets = format!(r#"{{"id":5,"do":"watch","markets":[{}]}}"#, vec!["1"; 100_000].join(","));
    let bad = "bad-request";
    let cases: Vec<(String, Option<u64>, &str)> = vec![
        (deep("markets"), Some(5), bad),
        (deep("x"), Some(5), bad),
        (objects, Some(5), bad),
        (place("256", "1"), Some(5), bad),
        (place("-1", "1"), Some(5), bad),
        (place("1e400", "1"), Some(5), bad),
        (place("50", "4294967296"), Some(5), bad),
        (place("50", "99999999999999999999999999"), Some(5), bad),
        (place("0", "1"), Some(5), "bad-price"),
        (place("50", "0"), Some(5), "zero-quantity"),
        (place("50", "1").replace('5', "18446744073709551616"), None, bad),
        (place("50", "1").replace("place", "steal"), Some(5), bad),
        (place("50", "1").replace("buy-yes", r"\ud800"), Some(5), bad),
        (place("50", "1,\"account\":1001"), Some(5), bad),
        // Fields of other messages.
        (place("50", "1,\"orders\":[]"), Some(5), bad),
        (place("50", "1,\"order\":1"), Some(5), bad),
        (r#"{"id":5,"do":"cancel-all","market":1,"order":1}"#.into(), Some(5), bad),
        (r#"{"id":5,"do":"cancel","market":1,"order":1,"client_order_id":7}"#.into(), Some(5), bad),
        (r#"{"id":5,"do":"watch","markets":[1],"market":1}"#.into(), Some(5), bad),
        (r#"{"id":5,"do":"login","key":"nnc_","price":1}"#.into(), Some(5), bad),
        ("[]".into(), None, bad),
        ("null".into(), None, bad),
        (String::new(), None, bad),
        (many, Some(5), "too-large"),
        (markets, Some(5), "too-large"),
        (r#"{"id":5,"do":"watch","markets":[1,4000000000]}"#.into(), Some(5), "unknown-market"),
        (r#"{"id":5,"do":"cancel","market":1,"order":1}"#.into(), Some(5), "not-the-owner"),
    ];
    let served = beside_an_honest_client(&venue, || {
        let mut frames = connect(&venue);
        let login = json!({ "id": 1, "do": "login", "key": venue.keys[1] }).to_string();
        assert!(frames.ask(&login).get("ok").is_some());
        for (text, id, reason) in &cases {
            let answer = frames.ask(text);
            let start: String = text.chars().take(80).collect();
            assert_eq!((answer["re"].as_u64(), answer["problem"]["reason"].as_str()), (*id, Some(*reason)), "{start}");
        }
        let answer = frames.ask(r#"{"id":6,"do":"unwatch","markets":[]}"#);
        assert_eq!(answer["ok"], json!({ "markets": [] }), "if one can't be watched, none is");
    });
    assert!(served > 0);
}

#[test]
fn a_number_for_several_requests_is_refused_and_not_ignored() {
    let venue = venue();
    let mut frames = connect(&venue);
    let login = json!({ "id": 1, "do": "login", "key": venue.keys[0] }).to_string();
    assert!(frames.ask(&login).get("ok").is_some());
    let order = json!({ "market": 1, "intent": "buy-yes", "price": 1, "quantity": 1 });
    let list = json!({ "id": 5, "do": "place", "orders": [order] });
    let all = json!({ "id": 5, "do": "cancel-all", "market": 1 });
    for (message, words) in [(&list, "give each order of a list"), (&all, "cancel each order")] {
        for (field, value) in [("lane", 1), ("number", 7), ("client_order_id", 7)] {
            let mut numbered = message.clone();
            numbered[field] = value.into();
            let problem = frames.ask(&numbered.to_string())["problem"].clone();
            let detail = problem["detail"].as_str().unwrap_or_default();
            assert!(problem["reason"] == "bad-request" && detail.contains(words), "{numbered}: {problem}");
        }
    }
    let open = venue.server.client().with_key(&venue.keys[0]).get("/v1/orders").unwrap().json();
    assert_eq!(open["orders"].as_array().unwrap().len(), 1, "nothing was done: {open}");
    assert_eq!(frames.ask(&all.to_string())["ok"]["cancelled"], json!([1]));
}

#[test]
fn a_million_subscriptions_count_as_one() {
    let venue = venue();
    let before = resident_kib(&venue.server);
    let served = beside_an_honest_client(&venue, || {
        let mut frames = connect(&venue);
        let (messages, each) = (rounds().pick(100, 1_000), 1_000);
        let watch = format!(r#"{{"id":1,"do":"watch","markets":[{}]}}"#, vec!["1"; each].join(","));
        for _ in 0..messages {
            let answer = frames.ask(&watch);
            assert_eq!(answer["ok"], json!({ "markets": [1] }), "{answer}");
        }
        let unknown = frames.ask(r#"{"id":1,"do":"watch","markets":[2,3,4294967295]}"#);
        assert_eq!(unknown["problem"]["reason"], "unknown-market");
    });
    if let (Some(before), Some(now)) = (before, resident_kib(&venue.server)) {
        assert!(now < before + GROWTH_KIB_MAX, "{before} KiB, then {now} KiB");
    }
    assert!(served > 0);
}

/// Frames of any kind, most of them nearly valid; each connection ends in a close, or turns out to be a valid one.
#[test]
fn any_frames_end_in_a_close_or_in_answers() {
    let venue = venue();
    let (count, before) = (rounds().pick(100, 2_000), resident_kib(&venue.server));
    let (mut closed, mut good) = (0, 0);
    let served = beside_an_honest_client(&venue, || {
        for seed in 0..count {
            let mut random = Pcg64Mcg::seed_from_u64(seed);
            let lines = ["", "Sec-WebSocket-Protocol: cents.binary.1\r\n"][(random.next_u32() % 2) as usize];
            let mut frames = Frames::connect(venue.server.address, lines).unwrap();
            let some = random.next_u32() % 8 + 1;
            let bytes: Vec<u8> = (0..some).flat_map(|_| any_frame(&mut random)).collect();
            let _ = frames.send(&bytes);
            // The last frame asks to be closed, unless an earlier one led to that.
            let _ = frames.send(&masked(FIN | CLOSE, &1000u16.to_be_bytes()));
            frames.finish();
            let began = Instant::now();
            let ended = frames.end();
            assert!(began.elapsed() < Duration::from_secs(30), "seed {seed}: {ended:?}");
            let code = ended.close.as_ref().map(|(code, _)| *code);
            closed += u64::from(code.is_some_and(|code| code != 1000));
            // A client whose frames were valid gets its own close back.
            good += u64::from(code == Some(1000));
            let words = ["protocol", "not-utf-8", "too-large", "not-text", "no-commands", "unauthenticated"];
            let is_known = |word: &str| words.contains(&word);
            assert!(ended.bye().is_none_or(is_known), "seed {seed}: {ended:?}");
        }
    });
    println!("{count} connections: {closed} closed by the server, {good} by themselves; {served} orders beside them");
    assert!(closed > count / 4 && good > count / 20, "{closed} and {good} of {count}");
    if let (Some(before), Some(now)) = (before, resident_kib(&venue.server)) {
        assert!(now < before + GROWTH_KIB_MAX, "{before} KiB, then {now} KiB");
    }
}

/// A frame that is valid, or invalid in one or two ways.
fn any_frame(random: &mut Pcg64Mcg) -> Vec<u8> {
    let below = |random: &mut Pcg64Mcg, bound: u32| random.next_u32() % bound;
    let payload: Vec<u8> = match below(random, 8) {
        0..5 => br#"{"id":1,"do":"watch","markets":[1]}"#.to_vec(),
        5 => vec![b'['; below(random, 70_000) as usize],
        6 => (0..below(random, 200)).map(|_| random.next_u32() as u8).collect(),
        _ => Vec::new(),
    };
    let opcode = [TEXT, TEXT, TEXT, TEXT, TEXT, BINARY, CONTINUATION, PING, 10, 3][below(random, 10) as usize];
    let bits = if below(random, 4) > 0 { FIN } else { [0, FIN | 0x40, FIN | 0x10][below(random, 3) as usize] };
    let mut frame = match below(random, 16) {
        0 => [head(bits | opcode, 0, payload.len() as u64), payload].concat(),
        _ => masked(bits | opcode, &payload),
    };
    if below(random, 16) == 0 {
        let at = below(random, frame.len() as u32) as usize;
        frame[at] ^= 1 << below(random, 8);
    }
    frame
}
