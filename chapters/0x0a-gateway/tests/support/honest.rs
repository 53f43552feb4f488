//! A venue where an honest client trades while others attack.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::server::Server;

/// How much the program may grow, whatever is done to it. Half-open connections cost a few KiB each.
pub const GROWTH_KIB_MAX: u64 = 200 * 1024;

/// Resident memory, where the system reports it.
pub fn resident_kib(server: &Server) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.trim().parse().ok())
}

/// A venue with two accounts.
pub struct Venue {
    pub server: Server,
    pub keys: [String; 2],
    _folder: tempfile::TempDir,
}

/// A market in which the first of two accounts has a resting order: number 1.
pub fn venue() -> Venue {
    venue_with(&[])
}

/// The same with these flags.
pub fn venue_with(more: &[&str]) -> Venue {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), more);
    let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
    operator.post("/v1/markets", &json!({ "question": { "en": "Will it?", "zh": "会吗？" } })).unwrap();
    let keys = [0, 1].map(|_| {
        let made = operator.post("/v1/accounts", &json!({})).unwrap().json();
        made["key"].as_str().unwrap().to_owned()
    });
    let mut owner = server.client().with_key(&keys[0]);
    let placed = owner.post("/v1/orders", &order(40)).unwrap();
    assert_eq!((placed.status, &placed.json()["order"]), (200, &json!(1)));
    Venue { server, keys, _folder: folder }
}

pub fn order(price: u32) -> Value {
    json!({ "market": 1, "intent": "buy-yes", "price": price, "quantity": 5 })
}

/// Trades as an honest client during `attack`. Returns how many rounds succeeded.
pub fn beside_an_honest_client(venue: &Venue, attack: impl FnOnce()) -> usize {
    let (over, served) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let honest = {
        let (over, served) = (Arc::clone(&over), Arc::clone(&served));
        let mut client = venue.server.client().with_key(&venue.keys[1]);
        std::thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                let placed = client.post("/v1/orders", &order(20)).expect("an honest client is served");
                assert_eq!(placed.status, 200, "{placed:?}");
                let path = format!("/v1/markets/1/orders/{}", placed.json()["order"]);
                let gone = client.delete(&path).expect("an honest client is served");
                assert_eq!(gone.status, 200, "{gone:?}");
                served.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(2));
            }
        })
    };
    attack();
    while served.load(Ordering::Relaxed) < 3 && !honest.is_finished() {
        std::thread::sleep(Duration::from_millis(5));
    }
    over.store(true, Ordering::Relaxed);
    honest.join().expect("an honest client is served throughout");
    served.load(Ordering::Relaxed)
}
