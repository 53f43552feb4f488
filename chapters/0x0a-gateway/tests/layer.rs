//! A layer is one small type, and one line where a venue is put together: this one refuses orders at 13 cents, and counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::routing::get;
use gateway::door::{Door, Request};
use gateway::front::{Front, Fronts, Routes, layers};
use gateway::http::routes;
use gateway::layer::Layer;
use gateway::limits::Allowed;
use gateway::projection::Projection;
use gateway::reply::{Refusal, Refused, Session};
use gateway::venue::Venue;
use hyper::Method;
use hyper::body::Bytes;
use load::client::Http;
use market::{AccountId, Command, Event, Intent, MarketId, Options, Place, Stamp, Ticket, TimeInForce};
use market_data::engines::Rung;

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
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let router = routes(Arc::clone(venue), &fronts, false);
    runtime.spawn(async move { axum::serve(listener, router).await });
    let asked = async { Http::connect(address).await?.ask(Method::GET, "/v1/count", "", Bytes::new()).await };
    assert_eq!(runtime.block_on(asked).unwrap(), (200, Bytes::from("2")));
    drop(runtime);
    running.close().unwrap();
}
