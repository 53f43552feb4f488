//! The ticket's estimate of an order (`page/estimate.js`) matches what the reference model then does, given the book
//! that the page has.

use contract::streams::{Random, prologue};
use market::model::Model;
use market::state::{MarketState, RestingOrder};
use market::{Command, Event, Intent, MarketId, Place, Price, Reason, TimeInForce};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::Server;

const MARKET: MarketId = MarketId(0);
const RUNS: u64 = 60;
const LENGTH: usize = 120;

/// The book and the account's own orders, as a page knows them.
fn known(market: &MarketState, place: &Place) -> Value {
    let mut depth = [0_i64; 100];
    for order in &market.bids {
        depth[usize::from(order.price.cents())] += i64::from(order.quantity.0);
    }
    for order in &market.asks {
        depth[usize::from(order.price.cents())] -= i64::from(order.quantity.0);
    }
    let Place { account, intent, price, quantity, time_in_force, .. } = *place;
    let own = market.bids.iter().chain(&market.asks).filter(|order| order.account == account).map(|order| {
        json!({"intent": order.intent.word(), "price": order.intent.in_yes_cents(order.price).cents(), "left": order.quantity.0})
    });
    let asked = json!({"intent": intent.word(), "price": price, "quantity": quantity, "time": time_in_force.word()});
    json!({"asked": asked, "depth": depth.to_vec(), "own": own.collect::<Vec<_>>()})
}

/// Whether the page can know the order in which own and other orders trade: not if they share a price.
fn is_certain(market: &MarketState, place: &Place) -> bool {
    let account = place.account;
    let own = |order: &&RestingOrder| order.account == account;
    let all = || market.bids.iter().chain(&market.asks);
    all().filter(own).all(|mine| all().all(|other| own(&other) || other.price != mine.price))
}

/// The model's result in the estimate's format; none if the order was rejected for another reason.
fn outcome(events: &[Event], place: &Place) -> Option<Value> {
    let (mut traded, mut value, mut cancelled) = (0_u64, 0_u64, 0_u64);
    for event in events {
        match *event {
            Event::Traded { price, quantity, .. } => {
                traded += u64::from(quantity.0);
                value += place.intent.in_yes_cents(price).times(quantity).0;
            }
            Event::Cancelled { quantity, .. } => cancelled = u64::from(quantity.0),
            Event::Rejected { reason: Reason::WouldCross, .. } => return Some(json!({"refused": "would-cross"})),
            Event::Rejected { reason: Reason::CannotFill, .. } => return Some(json!({"refused": "cannot-fill"})),
            Event::Rejected { .. } => return None,
            _ => {}
        }
    }
    let rests = u64::from(place.quantity) - traded - cancelled;
    let price = u64::from(place.price);
    let (cash, shares) = if place.intent.buys() { (price * rests, 0) } else { (0, rests) };
    let locks = json!({"cash": cash, "shares": shares});
    Some(
        json!({"refused": null, "traded": traded, "value": value, "rests": rests, "cancelled": cancelled, "locks": locks}),
    )
}

const COMPARE: &str = "(async cases => {
    const { estimate } = await import('/page/estimate.js');
    for (const { asked, depth, own, expected } of cases) {
        const found = estimate(asked, depth, own);
        for (const key of Object.keys(expected)) {
            const [one, other] = [JSON.stringify(expected[key]), JSON.stringify(found[key])];
            if (one !== other) return `${JSON.stringify({ asked, depth, own })}: ${key} is ${one}, and the page says ${other}`;
        }
    }
    return '';
})";

/// Cases from random streams: every order on a book about which the page could know everything that matters.
fn cases() -> Vec<Value> {
    let mut cases = Vec::new();
    for seed in 0..RUNS {
        let (mut random, mut model) = (Random::new(seed), Model::default());
        for command in prologue() {
            model.apply(&command);
        }
        for _ in 0..LENGTH {
            let command = random.command();
            let state = model.state();
            let events = model.apply(&command);
            let (Command::Place(place), Some(market)) = (command, state.markets.get(&MARKET)) else { continue };
            let Place { market: named, price, quantity, .. } = place;
            let is_asked = Price::new(price).is_some() && quantity > 0;
            if named != MARKET || !is_asked || !is_certain(market, &place) {
                continue;
            }
            if let Some(expected) = outcome(&events, &place) {
                let mut case = known(market, &place);
                case["expected"] = expected;
                cases.push(case);
            }
        }
    }
    cases
}

#[test]
fn the_estimate_matches_the_model() {
    let Some(mut browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    browser.open(&server.url("/page/icon.svg"));
    let cases = cases();
    // All possible results have occurred, with every intent and time in force.
    let met = |path: &str, value: Value| cases.iter().filter(|case| case.pointer(path) == Some(&value)).count();
    for intent in Intent::ALL {
        assert!(met("/asked/intent", json!(intent.word())) > 50, "{intent:?}");
    }
    for time in TimeInForce::ALL {
        assert!(met("/asked/time", json!(time.word())) > 50, "{time:?}");
    }
    assert!(met("/expected/refused", json!("would-cross")) > 20 && met("/expected/refused", json!("cannot-fill")) > 20);
    assert_eq!(browser.ask(&format!("{COMPARE}({})", json!(cases))), "");
}
