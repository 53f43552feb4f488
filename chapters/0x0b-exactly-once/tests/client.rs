//! The client library survives kills of the venue and of its own program: each order is in the log once, and each notice was
//! counted once.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]

#[path = "../../0x0a-gateway/tests/support/client.rs"]
#[allow(dead_code)]
mod client;
#[path = "../measure/src/proxy.rs"]
#[allow(dead_code)]
mod proxy;
#[path = "../../0x0a-gateway/tests/support/server.rs"]
#[allow(dead_code)]
mod server;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use contract::program::{skip, strace_works};
use exactly_once::client::{Access, Error, Notices, Orders};
use market::log::ShardOf;
use market::log_chain::{read_chain, segments};
use market::{LogError, RealDisk};
use proxy::Proxy;
use serde_json::{Value, json};
use server::Server;
use tokio::time::timeout;

const LANE: u8 = 5;
const ORDERS: u64 = 60;

/// A notice that has not come by then is missing. Not a measurement.
const IN_TIME: Duration = Duration::from_secs(60);

fn start(folder: &Path) -> Server {
    Server::start(folder, &["--play-money", "100000", "--snapshot-every", "50"])
}

fn account(server: &Server) -> String {
    let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
    operator.post("/v1/markets", &json!({ "question": { "en": "Rain?", "zh": "下雨吗？" } })).unwrap();
    operator.post("/v1/accounts", &json!({})).unwrap().json()["key"].as_str().unwrap().to_owned()
}

fn order(number: u64) -> Value {
    json!({ "market": 1, "intent": "buy-yes", "price": 40 + number % 20, "quantity": 1 })
}

/// A life of the trading program: it is killed after so many milliseconds, if it has not placed everything by then.
async fn trade(access: &Access, home: &Path, life: Duration) -> bool {
    let all = async {
        let mut orders = Orders::open(access.clone(), LANE, &home.join("orders.json")).unwrap();
        orders.finish().await.unwrap();
        while orders.used() < ORDERS {
            assert_eq!(orders.place(order(orders.used())).await.unwrap().status, 200);
        }
    };
    timeout(life, all).await.is_ok()
}

/// A life of the program that counts notices.
async fn count(access: &Access, home: &Path, life: Duration) -> u64 {
    let mut notices = Notices::<u64>::open(access.clone(), &home.join("notices.json")).unwrap();
    let all = async {
        // The deposit of the play money, and one notice for each order: they meet nothing.
        while *notices.led_to() <= ORDERS {
            notices.next(|count, _| *count += 1).await.unwrap();
        }
    };
    let _ = timeout(life, all).await;
    *notices.led_to()
}

#[test]
fn each_order_is_placed_once_and_each_notice_is_counted_once() {
    let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut server = start(folder.path());
    let key = account(&server);
    let proxy = Proxy::start(server.address, 5).unwrap();
    let access = Access { addresses: vec![proxy.address], key };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut lives = 0;
    let is_placed = |lives: u64| {
        // Lives of different lengths end at different steps.
        let life = Duration::from_millis(40 + 37 * lives % 150);
        let both = async { tokio::join!(trade(&access, home.path(), life), count(&access, home.path(), life)).0 };
        runtime.block_on(both)
    };
    while !is_placed(lives) {
        lives += 1;
        assert!(lives < 500, "the client makes no progress");
        if lives % 3 == 0 {
            server.kill();
            server = start(folder.path());
            proxy.turn_to(server.address);
        }
    }
    proxy.calm();
    assert_eq!(runtime.block_on(count(&access, home.path(), IN_TIME)), ORDERS + 1);
    // One that came twice would come now.
    assert_eq!(runtime.block_on(again(&access, home.path())), ORDERS + 1);
    server.kill();
    let mut counts = BTreeMap::<u64, u32>::new();
    let pieces = segments(&RealDisk, folder.path(), ShardOf::ONLY).unwrap();
    let read = read_chain::<LogError>(&RealDisk, ShardOf::ONLY, &pieces, None, None, |_, command| {
        if let market::Command::Place(place) = command {
            *counts.entry(place.client_order_id).or_default() += 1;
        }
        Ok(())
    });
    read.unwrap();
    assert_eq!(counts, (1..=ORDERS).map(|number| (u64::from(LANE) << 56 | number, 1)).collect());
    println!("{} connections were cut in {lives} lives of the client", proxy.cuts());
}

/// Counts the notices that come after the saved cursor within a moment.
async fn again(access: &Access, home: &Path) -> u64 {
    let mut notices = Notices::<u64>::open(access.clone(), &home.join("notices.json")).unwrap();
    let _ = timeout(Duration::from_millis(200), notices.next(|count, _| *count += 1)).await;
    *notices.led_to()
}

#[test]
fn what_a_client_cannot_continue_from_ends_with_a_message() {
    let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = start(folder.path());
    let access = Access { addresses: vec![server.address], key: account(&server) };
    let runtime = tokio::runtime::Runtime::new().unwrap();

    let file = home.path().join("broken.json");
    std::fs::write(&file, "{\"lane\":5,\"ne").unwrap();
    let error = Orders::open(access.clone(), LANE, &file).err().expect("half a file is none");
    assert!(matches!(error, Error::File { .. }) && error.to_string().contains("broken.json"), "{error}");

    let file = home.path().join("lane.5");
    std::fs::write(&file, json!({ "lane": 5, "next": 7, "under_way": null }).to_string()).unwrap();
    let error = Orders::open(access.clone(), 6, &file).err().expect("the numbers of another lane");
    assert!(
        matches!(error, Error::OtherLane(_, 5)) && error.to_string().contains("lane.5: it has the numbers of lane 5"),
        "{error}"
    );

    let other = json!({ "cursor": "5f3a9c01.1.0", "led_to": 7 });
    std::fs::write(home.path().join("other.json"), other.to_string()).unwrap();
    let mut notices = Notices::<u64>::open(access, &home.path().join("other.json")).unwrap();
    let error = runtime.block_on(notices.next(|count, _| *count += 1)).expect_err("a cursor of another venue");
    assert!(error.to_string().contains("no-cursor"), "{error}");
    assert_eq!(*notices.led_to(), 7);
}

#[test]
fn files_that_differ_in_their_extension_only_are_not_exchanged() {
    let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = start(folder.path());
    let access = Access { addresses: vec![server.address], key: account(&server) };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // No lane can write here, because the name belongs to none of them.
    std::fs::create_dir(home.path().join("lane.new")).unwrap();
    for lane in [1, 2] {
        let file = home.path().join(format!("lane.{lane}"));
        let mut orders = Orders::open(access.clone(), lane, &file).unwrap();
        assert_eq!(runtime.block_on(orders.place(order(0))).unwrap().status, 200);
        let kept: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        assert_eq!((&kept["lane"], &kept["next"]), (&json!(lane), &json!(2)), "{kept}");
    }
}

/// A power cut after a rename loses the file's name until its folder is synced.
#[test]
#[cfg(target_os = "linux")]
fn the_name_of_the_file_of_numbers_is_on_disk_before_a_request_is_sent() {
    const HOME: &str = "NUMBERS_IN";
    const NAME: &str = "the_name_of_the_file_of_numbers_is_on_disk_before_a_request_is_sent";
    // The same test again, under strace: a client that finds no venue.
    if let Some(home) = std::env::var_os(HOME) {
        let access = Access { addresses: vec![([127, 0, 0, 1], 1).into()], key: "key".into() };
        let mut orders = Orders::open(access, LANE, &Path::new(&home).join("orders.json")).unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let placed = runtime.block_on(async { timeout(Duration::from_millis(500), orders.place(order(0))).await });
        assert!(placed.is_err(), "there is no venue");
        return;
    }
    if !strace_works() {
        return skip("strace is missing, or may not trace: it is unknown what was synced");
    }
    let home = tempfile::tempdir().unwrap();
    let (numbers, trace) = (home.path().join("numbers"), home.path().join("trace"));
    std::fs::create_dir(&numbers).unwrap();
    let mut strace = std::process::Command::new("strace");
    strace.args(["-f", "-y", "-e", "trace=?rename,?renameat,renameat2,fsync,connect", "-o"]).arg(&trace);
    strace.arg(std::env::current_exe().unwrap()).args(["--exact", NAME]);
    let ended = strace.env(HOME, &numbers).output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&[ended.stdout, ended.stderr].concat()));
    let trace = std::fs::read_to_string(trace).unwrap();
    let at = |words: &[&str]| {
        let found = trace.lines().position(|line| words.iter().all(|word| line.contains(word)));
        found.unwrap_or_else(|| panic!("no call with {words:?}:\n{trace}"))
    };
    let folder = numbers.to_str().unwrap();
    let content = at(&["fsync(", &format!("<{folder}/orders.json.new>")]);
    let (named, synced, sent) =
        (at(&["rename", "orders.json.new"]), at(&["fsync(", &format!("<{folder}>")]), at(&["connect("]));
    assert!(content < named && named < synced && synced < sent, "{trace}");
}
