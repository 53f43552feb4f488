//! Recorded answers: what every chapter answers to the same small flows, as text, and the digest of its
//! answers to the measured flows.
//!
//! All chapters share one set of files, in `chapters/0x00-market/contract/snapshots`; a difference means that
//! a chapter changed an answer. `cargo insta review` accepts a new answer for all of them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex};

use sha2::{Digest, Sha256};

use crate::faults::Faults;
use crate::folder::Folder;
use crate::harness::{read_ledger, run};
use crate::sim_disk::SimDisk;
use market::flow::{self, FlowName};
use market::state::{ExchangeState, MarketState, RestingOrder};
use market::{Acknowledge, Command, Engine, Event, Stamp, TradeKind};

const FLOWS: [FlowName; 3] = [FlowName::Classic, FlowName::Venue, FlowName::Burst];

/// Compares `text` with the file of this name. The path is relative to this source file.
fn assert_same(name: &str, text: &str) {
    insta::with_settings!({
        snapshot_path => "../snapshots",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::assert_snapshot!(name, text);
    });
}

/// Small flows: counts, digest, ledger, book and balances.
pub fn small_flows<E: Engine>() {
    for name in FLOWS {
        let flow = flow::generate(name, 600, 1);
        let folder = Folder::new(SimDisk::new(0, Faults::default()));
        let commands = [flow.setup, flow.body].concat();
        let ran = run::<E>(&folder.options, &commands, 100).unwrap();
        let events: Vec<Event> = ran.acks.into_iter().flat_map(|ack| ack.events).collect();
        let ledger = read_ledger(folder.path()).unwrap();
        assert_same(&format!("small-{name}"), &describe(&commands, &events, &ledger, &ran.closed.state));
    }
}

fn describe(commands: &[Command], events: &[Event], ledger: &[Event], state: &ExchangeState) -> String {
    let mut text = String::new();
    let mut digest = Sha256::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for event in events {
        digest.update(event.encode());
        *counts.entry(kind_of(event)).or_default() += 1;
    }
    line(&mut text, format_args!("commands: {}, events: {}", commands.len(), events.len()));
    counts.iter().for_each(|(kind, count)| line(&mut text, format_args!("  {kind}: {count}")));
    line(&mut text, format_args!("digest of the events: {}", hex(digest)));
    line(&mut text, format_args!("ledger: {} entries", ledger.len()));
    let (first, last) = (&ledger[..ledger.len().min(5)], &ledger[ledger.len().saturating_sub(5)..]);
    first.iter().for_each(|entry| line(&mut text, format_args!("  {entry:?}")));
    line(&mut text, format_args!("  ..."));
    last.iter().for_each(|entry| line(&mut text, format_args!("  {entry:?}")));
    for (id, market) in state.markets.iter().take(3) {
        line(&mut text, format_args!("market {id}:"));
        describe_market(&mut text, market);
    }
    let funds: u64 = state.markets.values().map(MarketState::funds).sum();
    line(&mut text, format_args!("markets: {}, all their funds: {funds} cents", state.markets.len()));
    text
}

fn describe_market(text: &mut String, market: &MarketState) {
    let MarketState { closed, pot, orders_placed, accounts, .. } = market;
    line(
        text,
        format_args!("  closed: {closed}, pot: {pot}, orders placed: {orders_placed}, accounts: {}", accounts.len()),
    );
    for (side, orders) in [("bids", &market.bids), ("asks", &market.asks)] {
        line(text, format_args!("  {side}: {} orders", orders.len()));
        for level in orders.chunk_by(|one, other| one.price == other.price).take(3) {
            let quantity: u64 = level.iter().map(|order| u64::from(order.quantity.0)).sum();
            let RestingOrder { order, account, intent, .. } = level[0];
            let first = format!("first is order {order} of account {account}, {intent:?}");
            line(text, format_args!("    {} cents: {quantity} in {} orders, {first}", level[0].price, level.len()));
        }
    }
    for (account, holdings) in accounts.iter().take(8) {
        line(text, format_args!("  account {account}: {holdings:?}"));
    }
}

fn line(text: &mut String, words: std::fmt::Arguments<'_>) {
    // Writing to a string never fails.
    let _ = writeln!(text, "{words}");
}

fn kind_of(event: &Event) -> String {
    match event {
        Event::Opened { .. } => "opened".into(),
        Event::Deposited { .. } => "deposited".into(),
        Event::Withdrawn { .. } => "withdrawn".into(),
        Event::Accepted { intent, .. } => format!("accepted, {intent:?}"),
        Event::Traded { maker_intent, taker_intent, .. } => {
            format!("traded, {:?}", TradeKind::of(*maker_intent, *taker_intent))
        }
        Event::Cancelled { reason, .. } => format!("cancelled, {reason:?}"),
        Event::Paid { .. } => "paid".into(),
        Event::Resolved { outcome, .. } => format!("resolved, {outcome:?}"),
        Event::Rejected { reason, .. } => format!("rejected, {reason:?}"),
    }
}

fn hex(digest: Sha256) -> String {
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The measured flows in full, three seeds each: the digest of all events, and of the ledger.
pub fn digests<E: Engine>() {
    let mut text = String::new();
    for name in FLOWS {
        for seed in 1..=3 {
            let flow = flow::generate(name, 100_000, seed);
            let folder = Folder::new(SimDisk::new(0, Faults::default()));
            let digester = Digester::default();
            let (mut engine, _) = E::open(&folder.options, &mut |_| Box::new(digester.clone())).unwrap();
            for &command in flow.setup.iter().chain(&flow.body) {
                engine.submit(command).unwrap();
            }
            engine.flush().unwrap();
            engine.close().unwrap();
            let Digested { commands, events, digest } = digester.0.lock().unwrap().clone();
            assert_eq!(commands, flow.setup.len() + flow.body.len());
            let mut ledger = Sha256::new();
            read_ledger(folder.path()).unwrap().iter().for_each(|entry| ledger.update(entry.encode()));
            line(&mut text, format_args!("{name}, seed {seed}: {commands} commands, {events} events"));
            line(&mut text, format_args!("  events {}", hex(digest)));
            line(&mut text, format_args!("  ledger {}", hex(ledger)));
        }
    }
    assert_same("digests", &text);
}

/// A receiver that keeps only the digest.
#[derive(Clone, Default)]
struct Digester(Arc<Mutex<Digested>>);

#[derive(Clone, Default)]
struct Digested {
    commands: usize,
    events: usize,
    digest: Sha256,
}

impl Acknowledge for Digester {
    fn acknowledge(&mut self, _stamp: Stamp, events: &[Event]) {
        let mut digested = self.0.lock().unwrap();
        digested.commands += 1;
        digested.events += events.len();
        events.iter().for_each(|event| digested.digest.update(event.encode()));
    }
}
