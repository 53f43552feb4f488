//! Hostile clients: each of them is refused or disconnected, memory stays bounded, none reads or moves another
//! account's property, and an honest client is served throughout.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::rounds;
use crate::support::client::Client;
use crate::support::honest::{GROWTH_KIB_MAX, Venue, beside_an_honest_client, resident_kib, venue};
use program::rounds::Rounds;
use serde_json::{Value, json};

#[test]
fn silent_and_slow_connections() {
    let venue = venue();
    let before = resident_kib(&venue.server);
    let count = rounds().pick(500, 5_000);
    let served = beside_an_honest_client(&venue, || {
        let starts = [
            "",
            "G",
            "GET /v1/markets HTTP/1.1\r\nHost: a\r\nX: ",
            "POST /v1/orders HTTP/1.1\r\nContent-Length: 9\r\n\r\n{",
        ];
        let mut half_open: Vec<_> = starts
            .iter()
            .cycle()
            .take(count)
            .map(|start| {
                let mut stream = TcpStream::connect(venue.server.address).expect("there is room");
                let _ = stream.write_all(start.as_bytes());
                stream
            })
            .collect();
        // A byte from time to time, for longer than a head may take.
        for _ in 0..rounds().pick(2, 13) {
            std::thread::sleep(Duration::from_secs(1));
            half_open.iter_mut().step_by(4).skip(2).for_each(|stream| drop(stream.write_all(b"a")));
        }
        if let (Some(before), Some(now)) = (before, resident_kib(&venue.server)) {
            println!("{count} half-open connections: {before} KiB, then {now} KiB");
            assert!(now < before + GROWTH_KIB_MAX, "{before} KiB, then {now} KiB");
        }
        if rounds() == Rounds::Full {
            let slow = &mut half_open[2];
            slow.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            let mut rest = Vec::new();
            // It was closed, with a problem or without.
            let _ = slow.read_to_end(&mut rest);
            assert!(rest.is_empty() || rest.starts_with(b"HTTP/1.1 4"), "{}", String::from_utf8_lossy(&rest));
        }
    });
    println!("meanwhile an honest client placed and cancelled {served} orders");
}

/// Sends bytes unchanged; returns the status and the reason of each answer until the connection ends.
fn answers(venue: &Venue, bytes: &[u8]) -> Vec<(u16, String)> {
    let mut client = venue.server.client().with_key(&venue.keys[0]);
    let _ = client.send(bytes);
    let mut all = Vec::new();
    while let Ok(answer) = client.answer() {
        let reason = serde_json::from_slice::<Value>(&answer.body).ok();
        let reason = reason.and_then(|body| Some(body["reason"].as_str()?.to_owned())).unwrap_or_default();
        let is_last = answer.header("connection") == Some("close");
        all.push((answer.status, reason));
        if is_last || all.len() == 3 {
            break;
        }
    }
    all
}

fn post(key: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST /v1/orders HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n{headers}\r\n"
    );
    [head.as_bytes(), body].concat()
}

#[test]
fn bodies_that_are_not_orders() {
    let venue = venue();
    let key = venue.keys[0].clone();
    let deep = ["[".repeat(10_000), "]".repeat(10_000)].concat();
    let deep_object = [r#"{"a":"#.repeat(10_000), "1".into(), "}".repeat(10_000)].concat();
    let field = |price: &str, quantity: &str| {
        format!(r#"{{"market":1,"intent":"buy-yes","price":{price},"quantity":{quantity}}}"#)
    };
    let list = format!("[{}]", vec![field("1", "1"); 1_001].join(","));
    let bodies = [
        deep.into_bytes(),
        deep_object.into_bytes(),
        field("256", "1").into_bytes(),
        field("-1", "1").into_bytes(),
        field("1e400", "1").into_bytes(),
        field("1.5", "1").into_bytes(),
        field("50", "4294967296").into_bytes(),
        field("50", "99999999999999999999999999").into_bytes(),
        field("50", "1").replace("buy-yes", "buy-all").into_bytes(),
        [field("50", "1").into_bytes(), vec![0xff, 0xfe]].concat(),
        br#"{"market":1,"intent":"\ud800","price":50,"quantity":1}"#.to_vec(),
        b"\xc3\x28".to_vec(),
        br#"{"market":1,"market":1,"intent":"buy-yes","price":50,"quantity":1}"#.to_vec(),
        br#"{"market":1,"intent":"buy-yes","price":50,"quantity":1,"account":1001}"#.to_vec(),
        list.into_bytes(),
        Vec::new(),
    ];
    let served = beside_an_honest_client(&venue, || {
        for body in &bodies {
            let request = post(&key, &format!("Content-Length: {}\r\n", body.len()), body);
            let all = answers(&venue, &request);
            let start = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
            assert!(
                matches!(&all[..], [(400 | 413, reason)] if reason == "bad-request" || reason == "too-large"),
                "{start}: {all:?}"
            );
        }
        for (price, quantity) in [("0", "1"), ("100", "1"), ("255", "1"), ("50", "0"), ("99", "4294967295")] {
            let body = field(price, quantity);
            let all = answers(&venue, &post(&key, &format!("Content-Length: {}\r\n", body.len()), body.as_bytes()));
            assert!(matches!(&all[..], [(422, _)]), "{body}: {all:?}");
        }
    });
    assert!(served > 0);
}

#[test]
fn requests_smuggled_in_requests() {
    let venue = venue();
    let key = venue.keys[0].clone();
    // This would cancel the order, if the end of the first request were ambiguous.
    let hidden = format!("DELETE /v1/markets/1/orders/1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n");
    let (length, head) = (hidden.len(), "POST /v1/accounts HTTP/1.1\r\nHost: a\r\n");
    for headers in [
        format!("Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n"),
        format!("Transfer-Encoding: chunked\r\nContent-Length: {length}\r\n"),
        format!("Content-Length: 0\r\nContent-Length: {length}\r\n"),
        format!("Content-Length: {length}\r\nContent-Length: 0\r\n"),
        format!("Content-Length: {length}, 0\r\n"),
        "Content-Length: +0\r\n".into(),
        "Content-Length: 0x0\r\n".into(),
        "Content-Length: -1\r\n".into(),
        format!("Transfer-Encoding: chunked, identity\r\nContent-Length: {length}\r\n"),
        "Transfer-Encoding : chunked\r\n".into(),
        "Transfer-Encoding: xchunked\r\n".into(),
    ] {
        let all = answers(&venue, format!("{head}{headers}\r\n0\r\n\r\n{hidden}").as_bytes());
        assert!(all.len() <= 1 && all.iter().all(|(status, _)| (400..500).contains(status)), "{headers}: {all:?}");
    }
    let mut owner = venue.server.client().with_key(&key);
    let orders = owner.get("/v1/orders").unwrap().json();
    assert_eq!(orders["orders"].as_array().map(Vec::len), Some(1), "the order rests: {orders}");
}

#[test]
fn endless_bodies_and_bombs() {
    let venue = venue();
    let key = venue.keys[0].clone();
    let before = resident_kib(&venue.server);
    let served = beside_an_honest_client(&venue, || {
        let gigabyte = post(&key, "Content-Length: 1073741824\r\n", &[b' '; 1_000]);
        assert_eq!(answers(&venue, &gigabyte), [(413, "too-large".into())]);
        // As many bytes as allowed, and then more than announced: the rest is another request, and an invalid one.
        let spaces = vec![b' '; 256 * 1024];
        let request = post(&key, "Content-Length: 262144\r\n", &spaces);
        assert_eq!(answers(&venue, &request), [(400, "bad-request".into())]);
        for encoding in ["gzip", "deflate", "br", "zstd", "gzip, gzip"] {
            let bomb = post(&key, &format!("Content-Encoding: {encoding}\r\nContent-Length: 20\r\n"), &[0x1f; 20]);
            assert_eq!(answers(&venue, &bomb), [(415, "encoded".into())], "{encoding}");
        }
        let mut endless = venue.server.client();
        let line = format!("X-Header: {}\r\n", "a".repeat(1_000));
        endless.send(b"GET /healthz HTTP/1.1\r\nHost: a\r\n").unwrap();
        // It is refused long before it ends; how much of it is sent depends on the system's buffers.
        let sent = (0..100_000).take_while(|_| endless.send(line.as_bytes()).is_ok()).count();
        assert!(sent < 100_000, "an endless head was accepted");
    });
    if let (Some(before), Some(now)) = (before, resident_kib(&venue.server)) {
        assert!(now < before + GROWTH_KIB_MAX, "{before} KiB, then {now} KiB");
    }
    assert!(served > 0);
}

#[test]
fn every_answer_tells_a_browser_to_load_and_keep_nothing() {
    let venue = venue();
    let long = format!("/{}", "a".repeat(3_000));
    // A page, an answer in JSON, a problem of a route, no route at all, and a head that no route sees.
    for (path, status) in [("/", 200), ("/v1/markets", 200), ("/v1/account", 401), ("/nowhere", 404), (&long, 414)] {
        let answer = venue.server.client().get(path).unwrap();
        assert_eq!(answer.status, status, "{path}");
        let policy = answer.header("content-security-policy");
        assert!(policy.is_some_and(|policy| policy.starts_with("default-src 'none';")), "{path}: {policy:?}");
        let others = ["x-content-type-options", "referrer-policy", "cache-control"].map(|name| answer.header(name));
        assert_eq!(others, [Some("nosniff"), Some("no-referrer"), Some("no-store")], "{path}");
    }
}

#[test]
fn keys_cannot_be_guessed_and_no_account_acts_for_another() {
    let venue = venue();
    let mut stranger = venue.server.client().with_key(&venue.keys[1]);
    let account = |key: &str| venue.server.client().with_key(key).get("/v1/account").unwrap().json();
    let owner = account(&venue.keys[0])["account"].clone();
    let mine = stranger.delete("/v1/markets/1/orders/1").unwrap();
    assert_eq!((mine.status, mine.reason().as_str()), (403, "not-the-owner"));
    let money = json!({ "account": owner, "amount": 1 });
    for (method, path, body) in [
        ("POST", "/v1/markets/1/deposits".to_owned(), money.to_string()),
        ("POST", "/v1/markets/1/withdrawals".into(), money.to_string()),
        ("POST", "/v1/markets/1/resolve".into(), r#"{"outcome":"yes"}"#.into()),
        ("POST", format!("/v1/accounts/{owner}/key"), String::new()),
    ] {
        let answer = stranger.ask(method, &path, &body).unwrap();
        assert_eq!((answer.status, answer.reason().as_str()), (403, "forbidden"), "{path}");
    }
    let good = venue.keys[0].clone();
    let mut guesses: Vec<String> = (0..200).map(|n| format!("nnc_{n:064x}")).collect();
    guesses.extend([
        String::new(),
        "nnc_".into(),
        good[..good.len() - 1].into(),
        good.to_uppercase(),
        format!("{good}0"),
    ]);
    guesses.extend(["' OR 1=1 --".into(), "Bearer".into(), "ÿ".into(), "a".repeat(4_000)]);
    // The name of the scheme is case-insensitive.
    for (scheme, status) in [("Bearer", 200), ("bearer", 200), ("BEARER ", 200), ("Basic", 401), ("Bearer,", 401)] {
        let head = format!("GET /v1/account HTTP/1.1\r\nHost: a\r\nAuthorization: {scheme} {good}\r\n\r\n");
        let mut client = venue.server.client();
        client.send(head.as_bytes()).unwrap();
        assert_eq!(client.answer().unwrap().status, status, "{scheme}");
    }
    for guess in &guesses {
        let answer = venue.server.client().with_key(guess).get("/v1/account").unwrap();
        assert_eq!(answer.status, 401, "{guess}");
        let body = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(guess.len() < 8 || !body.contains(guess.as_str()), "an error contains a key: {body}");
    }
    assert!(Client::connect(venue.server.address).is_ok());
    let Venue { server, keys, .. } = venue;
    let operator = server.operator.clone().unwrap();
    let said = server.kill();
    for key in &keys {
        assert!(!said.contains(key.as_str()), "the program printed a key: {said}");
    }
    assert_eq!(said.matches(&operator).count(), 1, "the operator's key is shown once: {said}");
}
