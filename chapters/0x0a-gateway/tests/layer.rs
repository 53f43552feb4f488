//! A layer is one small type, and one line where a venue is put together: this one refuses orders at 13 cents, and counts.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::ws::Utf8Bytes;
use axum::routing::get;
use gateway::door::{Door, Request};
use gateway::front::{Front, Fronts, Part, Ready, Routes, layers};
use gateway::http::routes;
use gateway::layer::Layer;
use gateway::limits::Allowed;
use gateway::problem::Problem;
use gateway::projection::Projection;
use gateway::reply::{Refusal, Refused, Session};
use gateway::venue::Venue;
use gateway::watch::Watcher;
use hyper::Method;
use hyper::body::Bytes;
use load::client::{Http, Stream};
use market::{AccountId, Command, Event, Intent, MarketId, Options, Place, Sequence, Stamp, Ticket, TimeInForce};
use market_data::engines::Rung;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

static UNLUCKY: Refused =
    Refused { word: "unlucky", status: 422, title: "An unlucky price", advice: "Take another price.", outcome: 100 };

#[derive(Default)]
struct Superstition {
    durable: AtomicU64,
}

impl Layer for Superstition {
    fn door(self: Arc<Self>, inner: Arc<dyn Door>) -> Arc<dyn Door> {
        Arc::new(Careful(inner))
    }

    fn observe(&self, _: Ticket, _: Stamp, _: &[Event], _: &Projection) {
        self.durable.fetch_add(1, Ordering::Relaxed);
    }
}

impl Front for Superstition {
    fn routes(self: Arc<Self>) -> Routes {
        vec![("/v1/count", get(move || async move { self.durable.load(Ordering::Relaxed).to_string() }))]
    }
}

struct Careful(Arc<dyn Door>);

impl Door for Careful {
    fn enter(&self, session: Session, request: Request) {
        match request.commands.iter().any(|command| matches!(command, Command::Place(Place { price: 13, .. }))) {
            true => request.refuse(Refusal::Layer(&UNLUCKY, None)),
            false => self.0.enter(session, request),
        }
    }
}

/// A part that has something to send, and does not say when.
struct Silent;

impl Layer for Silent {}

impl Front for Silent {
    fn part(self: Arc<Self>) -> Option<Box<dyn Part>> {
        Some(Box::new(Silent))
    }
}

impl Part for Silent {
    fn obey(&mut self, _: &Venue, _: Option<Session>, _: &Value) -> Option<Result<Value, Problem>> {
        None
    }

    fn ready(&mut self) -> Ready<'_> {
        Box::pin(std::future::pending())
    }

    fn take(&mut self, _: &Venue, _: &Watcher, messages: &mut Vec<Utf8Bytes>) -> Result<(), Problem> {
        messages.push(json!({ "kind": "silent" }).to_string().into());
        Ok(())
    }
}

#[test]
fn a_part_is_asked_at_each_sign_of_life() {
    let folder = tempfile::tempdir().unwrap();
    let fronts: Fronts = Arc::new([Arc::new(Silent)]);
    let (running, _) =
        Venue::start(Rung::Naive, &Options::new(folder.path()), 0, Allowed::ANYTHING, layers(&fronts)).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let address = served(&runtime, running.venue(), &fronts);
    let heard = runtime.block_on(async {
        let mut stream = Stream::connect(address, "/v1/stream").await.unwrap();
        let mut kinds = Vec::new();
        while kinds.last().is_none_or(|kind| kind != "tick") {
            let message: Value = serde_json::from_str(&stream.hear().await.unwrap().unwrap()).unwrap();
            kinds.push(message["kind"].as_str().unwrap().to_owned());
            running.venue().life.send_replace(());
        }
        kinds
    });
    assert_eq!(heard, ["hello", "silent", "tick"]);
    drop(runtime);
    running.close().unwrap();
}

/// Serves this venue at a free port.
fn served(runtime: &Runtime, venue: &Arc<Venue>, fronts: &Fronts) -> SocketAddr {
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let router = routes(Arc::clone(venue), fronts, false);
    runtime.spawn(async move { axum::serve(listener, router).await });
    address
}

#[test]
fn a_layer_adds_a_door_a_receiver_and_an_address() {
    let folder = tempfile::tempdir().unwrap();
    let fronts: Fronts = Arc::new([Arc::new(Superstition::default())]);
    let (running, _) =
        Venue::start(Rung::Naive, &Options::new(folder.path()), 0, Allowed::ANYTHING, layers(&fronts)).unwrap();
    let venue = running.venue();
    let (market, account) = (MarketId(1), AccountId(7));
    let ask = |session, command| venue.enter(session, [command].into()).blocking_recv().unwrap().pop().unwrap();
    ask(Session::Operator, Command::Open { market }).unwrap();
    let order = |price| {
        let (intent, time_in_force) = (Intent::BuyYes, TimeInForce::Gtc);
        Command::Place(Place { intent, time_in_force, price, market, account, quantity: 1, client_order_id: 0 })
    };
    assert_eq!(ask(Session::Account(account), order(13)), Err(Refusal::Layer(&UNLUCKY, None)));
    assert!(ask(Session::Account(account), order(14)).unwrap().rejected().is_some(), "it has no cash");

    let runtime = tokio::runtime::Runtime::new().unwrap();
    let address = served(&runtime, venue, &fronts);
    let asked = async { Http::connect(address).await?.ask(Method::GET, "/v1/count", "", Bytes::new()).await };
    assert_eq!(runtime.block_on(asked).unwrap(), (200, Bytes::from("2")));
    drop(runtime);
    running.close().unwrap();
}

#[test]
fn a_venue_that_has_ended_does_not_pass_for_one_that_has_come_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let fronts: Fronts = Arc::new([]);
    let (running, _) =
        Venue::start(Rung::Naive, &Options::new(folder.path()), 0, Allowed::ANYTHING, layers(&fronts)).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (venue, address) = (Arc::clone(running.venue()), served(&runtime, running.venue(), &fronts));
    assert!(runtime.block_on(venue.wait_for(&[Sequence(0)])), "so far it is");
    // What ends a machine that was replaced, while some clients still ask it.
    running.close().unwrap();
    let asked = async {
        let mut client = Http::connect(address).await?;
        client.ask(Method::GET, "/v1/markets?at_least=1", "", Bytes::new()).await
    };
    let (status, body) = runtime.block_on(asked).unwrap();
    let problem: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((status, &problem["reason"]), (503, &json!("behind")), "{problem}");
}
