//! A class on election night: thirty laptops, one venue. Each student gets an account, returns with its code, and
//! trades. The market is resolved, every student sees the payout, and the next market begins with play money again.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::server::Server;

const STUDENTS: u8 = 30;
/// Orders of each student: a few seconds on a busy machine.
const ORDERS: u32 = 20;
const PLAY_MONEY: u64 = 100_000;

/// A connection from a laptop with its own address. An address may try ten codes a minute, so thirty students behind
/// one address could not all return at once. Only Linux has more than one loopback address without being asked.
fn laptop(server: &Server, student: u8) -> Client {
    let host = if cfg!(target_os = "linux") { 2 + student } else { 1 };
    let from = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 0, 0, host)), 0);
    let connected = || -> io::Result<std::net::TcpStream> {
        let socket = tokio::net::TcpSocket::new_v4()?;
        socket.bind(from)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let stream = runtime.block_on(socket.connect(server.address))?.into_std()?;
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(stream)
    };
    Client::over(connected().unwrap())
}

/// What an account has in a market: cash, free and locked, and its YES and NO shares.
fn held(server: &Server, key: &str, market: u32) -> [u64; 3] {
    let account = server.client().with_key(key).get(&format!("/v1/account?market={market}")).unwrap().json();
    let held = &account["holdings"][0];
    let of = |key: &str| held[key].as_u64().unwrap_or_else(|| panic!("{account}"));
    [of("cash") + of("cash_locked"), of("yes") + of("yes_locked"), of("no") + of("no_locked")]
}

/// Trades like a student with an opinion: buys one outcome around the price at which the class disagrees.
fn trade(client: &mut Client, student: u8) {
    for place in 0..ORDERS {
        let price = 45 + (u32::from(student) * 7 + place * 3) % 11;
        let intent = if student.is_multiple_of(2) { "buy-yes" } else { "buy-no" };
        let order = json!({ "market": 1, "intent": intent, "price": price, "quantity": 1 + place % 9 });
        let answer = client.post("/v1/orders", &order).unwrap();
        assert_eq!(answer.status, 200, "{answer:?}");
        if place % 8 == 0 {
            assert_eq!(client.get("/v1/markets/1/book").unwrap().status, 200);
        }
    }
}

/// One student's evening up to the result; returns the key. The venue closes idle connections, so what comes later is
/// asked over new ones.
fn evening(server: &Server, student: u8) -> String {
    let name = format!("Student {student}");
    let made = laptop(server, student).post("/v1/accounts", &json!({ "name": name })).unwrap().json();
    let code = made["code"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
    let mut client = laptop(server, student);
    // Off Linux they share an address, and only the first ten may return by code.
    let key = if cfg!(target_os = "linux") || student < 10 {
        let joined = client.post("/v1/classroom/join", &json!({ "code": code })).unwrap();
        assert_eq!((joined.status, &joined.json()["name"]), (200, &json!(name)));
        joined.json()["key"].clone()
    } else {
        made["key"].clone()
    };
    let key = key.as_str().unwrap();
    trade(&mut client.with_key(key), student);
    key.to_owned()
}

fn teacher(server: &Server) -> Client {
    server.client().with_key(server.operator.as_ref().unwrap())
}

fn open(server: &Server, en: &str, zh: &str) {
    let question = json!({ "question": { "en": en, "zh": zh } });
    let asked = teacher(server).post("/v1/markets", &question).unwrap();
    assert_eq!(asked.status, 201, "{asked:?}");
}

#[test]
fn thirty_students_trade_and_each_sees_the_payout() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--classroom"]);
    open(&server, "Does the mayor stay?", "市长连任吗？");

    let class: Vec<String> = thread::scope(|scope| {
        let server = &server;
        let students: Vec<_> = (0..STUDENTS).map(|student| scope.spawn(move || evening(server, student))).collect();
        students.into_iter().map(|student| student.join().unwrap()).collect()
    });
    let before: Vec<[u64; 3]> = class.iter().map(|key| held(&server, key, 1)).collect();
    let resolved = teacher(&server).post("/v1/markets/1/resolve", &json!({ "outcome": "yes" })).unwrap();
    assert_eq!(resolved.status, 200, "{resolved:?}");
    let after: Vec<[u64; 3]> = class.iter().map(|key| held(&server, key, 1)).collect();

    let sum = |held: &[[u64; 3]], what: usize| held.iter().map(|held| held[what]).sum::<u64>();
    let (all, yes, no) = (u64::from(STUDENTS) * PLAY_MONEY, sum(&before, 1), sum(&before, 2));
    assert!(yes == no && yes > 100, "{yes} YES shares and {no} NO shares");
    assert_eq!(sum(&before, 0) + 100 * yes, all, "before the result");
    assert_eq!(sum(&after, 0), all, "after the result no cent is missing");
    for (student, ([cash, yes, _], after)) in before.iter().zip(&after).enumerate() {
        assert_eq!(after, &[cash + 100 * yes, 0, 0], "student {student}");
    }
    let changed = after.iter().filter(|[cash, ..]| *cash != PLAY_MONEY).count();
    assert!(changed >= usize::from(STUDENTS) / 2, "only {changed} won or lost anything");
    let late = json!({ "market": 1, "intent": "buy-yes", "price": 99, "quantity": 1 });
    for key in &class {
        assert_eq!(server.client().with_key(key).post("/v1/orders", &late).unwrap().reason(), "market-closed");
    }
    open(&server, "And the council?", "议会呢？");
    for key in &class {
        assert_eq!(held(&server, key, 2), [PLAY_MONEY, 0, 0], "the next market has play money for all");
    }
    let members: Value = teacher(&server).get("/v1/classroom").unwrap().json();
    assert_eq!(members["members"].as_array().map(Vec::len), Some(usize::from(STUDENTS)), "{members}");
}
