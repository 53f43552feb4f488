//! What only a venue in the test's own process can bring about: requests of which a part is refused, and a stream that no
//! sign of life comes between.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]

use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use gateway::door::{Door, Request};
use gateway::front::{Front, Fronts, layers};
use gateway::http::routes;
use gateway::layer::Layer;
use gateway::limits::Allowed;
use gateway::names::change::{Change, Witness};
use gateway::reply::{Refusal, Session};
use gateway::venue::{Running, Venue};
use hyper::Method;
use hyper::body::Bytes;
use load::client::{Http, Stream};
use market::{AccountId, Command, Options};
use market_data::engines::Rung;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A longer wait means that something is stuck. Not a measurement.
const STUCK: Duration = Duration::from_secs(30);

/// A layer that refuses what a test wants.
#[derive(Default)]
struct Refusing {
    /// No change of the names is kept.
    names: AtomicBool,
    /// No deposit enters.
    deposits: AtomicBool,
    /// No market opens.
    opening: AtomicBool,
    /// Markets that are to open and play money wait before the door, and one of them does.
    holding: AtomicBool,
    is_held: AtomicBool,
    /// A list of more than this many cancellations enters in part.
    cancellations: AtomicUsize,
}

impl Layer for Refusing {
    fn door(self: Arc<Self>, inner: Arc<dyn Door>) -> Arc<dyn Door> {
        Arc::new(Refuses(self, inner))
    }
}

impl Front for Refusing {}

struct Refuses(Arc<Refusing>, Arc<dyn Door>);

impl Door for Refuses {
    fn enter(&self, session: Session, mut request: Request) {
        let Refuses(refusing, inner) = self;
        let refuses = |command: &Command| match command {
            Command::Deposit { .. } => refusing.deposits.load(Ordering::Relaxed),
            Command::Open { .. } => refusing.opening.load(Ordering::Relaxed),
            _ => false,
        };
        if request.commands.iter().any(refuses) {
            return request.refuse(Refusal::Busy);
        }
        let waits = matches!(request.commands[..], [Command::Open { .. } | Command::Deposit { .. }]);
        if waits && refusing.holding.load(Ordering::Relaxed) {
            let (refusing, inner) = (Arc::clone(refusing), Arc::clone(inner));
            std::thread::spawn(move || {
                refusing.is_held.store(true, Ordering::Relaxed);
                while refusing.holding.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                inner.enter(session, request);
            });
            return;
        }
        if matches!(request.commands[..], [Command::Cancel { .. }, ..]) {
            request.keep(refusing.cancellations.load(Ordering::Relaxed), Refusal::TooManyInFlight);
        }
        inner.enter(session, request);
    }
}

/// The same for the names.
struct Kept(Arc<Refusing>);

impl Layer for Kept {
    fn witness(&self) -> Option<Arc<dyn Witness>> {
        Some(Arc::new(Kept(Arc::clone(&self.0))))
    }
}

impl Front for Kept {}

impl Witness for Kept {
    fn witness(&self, _: &Change) -> std::io::Result<()> {
        match self.0.names.load(Ordering::Relaxed) {
            true => Err(std::io::Error::other("there is no room")),
            false => Ok(()),
        }
    }
}

/// A class with this layer.
struct Class {
    refusing: Arc<Refusing>,
    running: Running,
    address: SocketAddr,
    operator: String,
    runtime: Runtime,
    _folder: TempDir,
}

impl Class {
    fn start() -> Class {
        let folder = tempfile::tempdir().unwrap();
        let refusing = Arc::<Refusing>::default();
        refusing.cancellations.store(usize::MAX, Ordering::Relaxed);
        let fronts: Fronts = Arc::new([Arc::clone(&refusing) as Arc<dyn Front>, Arc::new(Kept(Arc::clone(&refusing)))]);
        let allowed = Allowed { classroom: true, ..Allowed::ANYTHING };
        let options = Options::new(folder.path());
        let (running, _) = Venue::start(Rung::Naive, &options, 1_000, allowed, layers(&fronts)).unwrap();
        let operator = running.venue().names.operator_key(false).unwrap().unwrap().reveal().to_owned();
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let router = routes(Arc::clone(running.venue()), &fronts, false);
        runtime.spawn(async move { axum::serve(listener, router).await });
        Class { refusing, running, address, operator, runtime, _folder: folder }
    }

    fn ask(&self, method: Method, path: &str, key: &str, body: &Value) -> (u16, Value) {
        let body = Bytes::from(body.to_string());
        let asked = async { Http::connect(self.address).await?.ask(method, path, key, body).await };
        let (status, body) = self.runtime.block_on(asked).unwrap();
        (status, serde_json::from_slice(&body).unwrap())
    }

    /// Sends this, and closes the connection when a command of it waits before the door.
    fn ask_and_go_away(&self, path: &str, key: &str, body: &Value) {
        let (mut client, body) = (TcpStream::connect(self.address).unwrap(), body.to_string());
        let key = if key.is_empty() { String::new() } else { format!("Authorization: Bearer {key}\r\n") };
        let head = format!("POST {path} HTTP/1.1\r\nHost: test\r\n{key}Content-Type: application/json\r\n");
        client.write_all(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
        let began = Instant::now();
        while !self.refusing.is_held.load(Ordering::Relaxed) {
            assert!(began.elapsed() < STUCK, "nothing comes to the door");
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(client);
        // Time in which the server may see that the client is gone.
        std::thread::sleep(Duration::from_millis(300));
    }

    fn open(&self, question: &str) -> (u16, Value) {
        let question = json!({ "question": { "en": question, "zh": question } });
        self.ask(Method::POST, "/v1/markets", &self.operator, &question)
    }

    fn reset(&self) -> (u16, Value) {
        self.ask(Method::POST, "/v1/classroom/reset", &self.operator, &json!({ "outcome": "no" }))
    }

    fn account(&self) -> Value {
        let (status, made) = self.ask(Method::POST, "/v1/accounts", "", &json!({ "name": "Ann" }));
        assert_eq!(status, 201, "{made}");
        made
    }

    fn end(self) {
        drop(self.runtime);
        self.running.close().unwrap();
    }
}

#[test]
fn a_fresh_start_whose_questions_cannot_be_stored_resolves_nothing() {
    let class = Class::start();
    (0..2).for_each(|_| assert_eq!(class.open("Rain?").0, 201));
    class.refusing.names.store(true, Ordering::Relaxed);
    let (status, refused) = class.reset();
    assert_eq!((status, &refused["reason"]), (503, &json!("names")), "{refused}");
    class.refusing.names.store(false, Ordering::Relaxed);
    assert_eq!(class.reset().1["resolved"], json!([1, 2]), "both were still open");
    class.end();
}

#[test]
fn a_fresh_start_that_is_refused_half_way_says_how_far_it_came() {
    let class = Class::start();
    (0..2).for_each(|_| assert_eq!(class.open("Rain?").0, 201));
    class.refusing.opening.store(true, Ordering::Relaxed);
    let (status, anew) = class.reset();
    assert_eq!((status, &anew["resolved"], &anew["opened"]), (200, &json!([1]), &json!([])), "{anew}");
    assert_eq!(anew["problem"]["reason"], "busy", "{anew}");
    class.refusing.opening.store(false, Ordering::Relaxed);
    let (status, anew) = class.reset();
    assert_eq!((status, anew["opened"].as_array().map(Vec::len)), (200, Some(1)), "{anew}");
    assert_eq!((&anew["resolved"], anew.get("problem")), (&json!([2]), None), "{anew}");
    class.end();
}

#[test]
fn a_market_and_an_account_are_there_even_if_their_play_money_was_refused() {
    let class = Class::start();
    let first = class.account();
    assert_eq!((class.open("Rain?").1.get("funded"), first.get("funded")), (None, None));
    class.refusing.deposits.store(true, Ordering::Relaxed);
    let (status, opened) = class.open("Snow?");
    assert_eq!((status, &opened["market"], &opened["funded"]), (201, &json!(2), &json!(false)), "{opened}");
    let made = class.account();
    assert_eq!(made["funded"], json!(false), "{made}");
    let (status, own) = class.ask(Method::GET, "/v1/account", made["key"].as_str().unwrap(), &Value::Null);
    assert_eq!((status, &own["account"]), (200, &made["account"]), "its client has the key");
    class.end();
}

#[test]
fn a_market_has_its_play_money_even_if_its_operator_goes_away() {
    let class = Class::start();
    let key = class.account()["key"].as_str().unwrap().to_owned();
    class.refusing.holding.store(true, Ordering::Relaxed);
    let question = json!({ "question": { "en": "Rain?", "zh": "下雨吗？" } });
    class.ask_and_go_away("/v1/markets", &class.operator, &question);
    class.refusing.holding.store(false, Ordering::Relaxed);
    let began = Instant::now();
    while class.ask(Method::GET, "/v1/account", &key, &Value::Null).1["holdings"] == json!([]) {
        assert!(began.elapsed() < STUCK, "the account has no play money");
        std::thread::sleep(Duration::from_millis(5));
    }
    class.end();
}

#[test]
fn an_account_is_paid_once_even_if_its_client_goes_away_and_asks_again() {
    let class = Class::start();
    class.open("Rain?");
    let key = format!("nnc_{}", "7".repeat(64));
    class.refusing.holding.store(true, Ordering::Relaxed);
    class.ask_and_go_away("/v1/accounts", "", &json!({ "key": key }));
    let refusing = Arc::clone(&class.refusing);
    let later = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        refusing.holding.store(false, Ordering::Relaxed);
    });
    assert_eq!(class.ask(Method::POST, "/v1/accounts", "", &json!({ "key": key })).0, 201);
    later.join().unwrap();
    let account = class.ask(Method::GET, "/v1/account", &key, &Value::Null).1;
    assert_eq!(account["holdings"][0]["cash"], 1_000, "{account}");
    class.end();
}

#[test]
fn a_venue_without_numbers_does_not_blame_the_disk() {
    let class = Class::start();
    class.running.venue().names.new_key(AccountId(u32::MAX)).unwrap();
    let (status, refused) = class.ask(Method::POST, "/v1/accounts", "", &json!({}));
    let expected = json!("Nothing was done: no account number is left above 4294967295.");
    assert_eq!((status, &refused["detail"]), (503, &expected));
    class.end();
}

#[test]
fn cancelling_all_says_what_was_cancelled_when_the_rest_is_refused() {
    let class = Class::start();
    class.open("Rain?");
    let key = class.account()["key"].as_str().unwrap().to_owned();
    let order = json!({ "market": 1, "intent": "buy-yes", "price": 1, "quantity": 1 });
    let orders = Value::Array(vec![order; 5]);
    class.ask(Method::POST, "/v1/orders", &key, &orders);
    class.refusing.cancellations.store(2, Ordering::Relaxed);
    let is_partly = |done: &Value, orders: [u32; 2]| {
        assert_eq!(done["cancelled"], json!(orders), "{done}");
        assert_eq!(done["problem"]["reason"], "too-many-in-flight", "{done}");
    };
    let (status, done) = class.ask(Method::DELETE, "/v1/markets/1/orders", &key, &Value::Null);
    assert_eq!(status, 200, "{done}");
    is_partly(&done, [1, 2]);
    let done = class.runtime.block_on(async {
        let mut stream = Stream::connect(class.address, "/v1/stream").await.unwrap();
        answer(&mut stream, json!({ "do": "login", "key": key })).await;
        answer(&mut stream, json!({ "do": "cancel-all", "market": 1 })).await
    });
    is_partly(&done["ok"], [3, 4]);
    class.refusing.cancellations.store(0, Ordering::Relaxed);
    let (status, refused) = class.ask(Method::DELETE, "/v1/markets/1/orders", &key, &Value::Null);
    assert_eq!((status, &refused["reason"]), (429, &json!("too-many-in-flight")), "nothing was cancelled: {refused}");
    class.end();
}

/// A person who recovers an account goes on over the same connection.
#[test]
fn a_stream_that_logs_in_with_the_new_key_goes_on() {
    let class = Class::start();
    class.open("Rain?");
    let ann = class.account();
    let key = ann["key"].as_str().unwrap();
    let account = ann["account"].as_u64().unwrap() as u32;
    let order = json!({ "do": "place", "market": 1, "intent": "buy-yes", "price": 1, "quantity": 1 });
    class.runtime.block_on(async {
        let mut stream = Stream::connect(class.address, "/v1/stream").await.unwrap();
        assert!(answer(&mut stream, json!({ "do": "login", "key": key })).await.get("ok").is_some());
        let new = class.running.venue().names.new_key(AccountId(account)).unwrap();
        assert!(answer(&mut stream, json!({ "do": "login", "key": new.reveal() })).await.get("ok").is_some());
        assert!(answer(&mut stream, order).await.get("ok").is_some());
    });
    class.end();
}

/// Says this, and waits for the answer.
async fn answer(stream: &mut Stream, mut said: Value) -> Value {
    said["id"] = 1.into();
    stream.say(said.to_string()).await.unwrap();
    loop {
        let heard: Value = serde_json::from_str(&stream.hear().await.unwrap().unwrap()).unwrap();
        if heard["re"] == 1 {
            return heard;
        }
    }
}
