//! The history in the log, compared with what clients and accounts were told.

use std::collections::BTreeSet;
use std::path::Path;

use gateway::problem::Why;
use gateway::wire::kind_word;
use market::log::ShardOf;
use market::log_chain::{read_chain, segments};
use market::model::Model;
use market::state::RestingOrder;
use market::{AccountId, CancelReason, Command, Event, LogError, MarketId, Place, RealDisk, TradeKind, UnixMs};
use serde_json::{Value, json};

use super::load::{Load, Told, number};
use crate::support::server::Server;

/// A command of the log, and the model's events for it.
struct Entry {
    time: UnixMs,
    command: Command,
    events: Vec<Event>,
}

/// How often each kind of event occurred.
#[derive(Default, Debug)]
pub struct Seen {
    pub traded: usize,
    pub cancelled: usize,
    pub rejected: usize,
}

/// Each shard's log as last read, and the resulting state.
pub struct History {
    logs: Vec<Vec<Entry>>,
    model: Model,
    promised: BTreeSet<(u16, u64)>,
    orders: BTreeSet<u64>,
    pub seen: Seen,
}

impl History {
    pub fn new(shards: u16) -> History {
        let logs = (0..shards).map(|_| Vec::new()).collect();
        let (model, seen) = (Model::default(), Seen::default());
        History { logs, model, promised: BTreeSet::new(), orders: BTreeSet::new(), seen }
    }

    pub fn commands(&self) -> usize {
        self.logs.iter().map(Vec::len).sum()
    }

    /// Reads further. Everything read before is still there, and no order is there twice.
    pub fn read(&mut self, folder: &Path) {
        let shards = self.logs.len() as u16;
        for shard in (0..shards).map(|shard| ShardOf { shard, shards }) {
            let log = &mut self.logs[usize::from(shard.shard)];
            let (before, mut count) = (log.len(), 0);
            let pieces = segments(&RealDisk, folder, shard).unwrap();
            let read = read_chain::<LogError>(&RealDisk, shard, &pieces, None, None, |stamp, command| {
                count += 1;
                assert_eq!(stamp.sequence.0, count, "the number of a command in the log");
                if let Some(known) = log.get(count as usize - 1) {
                    assert_eq!((known.time, known.command), (stamp.time, command), "command {count} has changed");
                    return Ok(());
                }
                if let Command::Place(Place { client_order_id, .. }) = command {
                    assert!(self.orders.insert(client_order_id), "order {client_order_id} is in the log twice");
                }
                let events = self.model.apply(&command);
                log.push(Entry { time: stamp.time, command, events });
                Ok(())
            });
            read.unwrap();
            assert!(count as usize >= before, "{before} commands were in the log, and now {count}");
        }
    }

    /// Compares what clients were told with the log and the model.
    pub fn check(&mut self, told: &[Told]) -> Result<(), String> {
        told.iter().try_for_each(|told| self.check_one(told).map_err(|complaint| format!("{complaint}: {told:?}")))
    }

    fn check_one(&mut self, told: &Told) -> Result<(), String> {
        let shard = ShardOf::market(told.command.market(), self.logs.len() as u16).shard;
        let sequence = told.answer["sequence"].as_u64().ok_or("no sequence")?;
        let entry = self.logs[usize::from(shard)].get(sequence as usize - 1).ok_or("it is not in the log")?;
        if entry.command != told.command {
            return Err(format!("the log has {:?}", entry.command));
        }
        if !self.promised.insert((shard, sequence)) {
            return Err("two answers name the same command".into());
        }
        let said = |field: &str| &told.answer[field];
        let expected = match entry.events[..] {
            [Event::Rejected { reason, .. }] => {
                self.seen.rejected += 1;
                let (word, status, _) = Why::Rejected(reason).words();
                (told.status == status.as_u16() && *said("reason") == word).then_some(())
            }
            [Event::Accepted { market, order, .. }, ..] => {
                let Command::Place(Place { account, quantity, .. }) = entry.command else { unreachable!() };
                let events: Vec<_> = entry.events.iter().filter_map(|event| seen_by(account, event)).collect();
                self.seen.traded += events.iter().filter(|event| event["event"] == "traded").count();
                let filled: u64 = events.iter().filter(|event| event["event"] == "traded").map(quantity_of).sum();
                let is_cancelled = events.iter().any(|event| event["event"] == "cancelled");
                let left = if is_cancelled { 0 } else { u64::from(quantity) - filled };
                let status = ["filled", "resting", "cancelled"][usize::from(left > 0) + 2 * usize::from(is_cancelled)];
                let whole = json!({
                    "market": market.0, "order": order.0, "shard": shard, "sequence": sequence,
                    "time_ms": entry.time.0, "status": status, "filled": filled, "left": left, "events": events,
                });
                (told.status == 200 && told.answer == whole).then_some(())
            }
            [Event::Cancelled { order, .. }] => {
                self.seen.cancelled += 1;
                (told.status == 200 && *said("cancelled") == json!([order.0])).then_some(())
            }
            [Event::Opened { .. }] => (told.status == 201).then_some(()),
            [Event::Deposited { .. } | Event::Withdrawn { .. }] => (told.status == 200).then_some(()),
            [.., Event::Resolved { paid, .. }] | [Event::Resolved { paid, .. }, ..] => {
                (told.status == 200 && *said("paid") == json!(paid.0)).then_some(())
            }
            _ => resolved(&entry.events).filter(|paid| told.status == 200 && *said("paid") == json!(paid)).map(drop),
        };
        expected.ok_or_else(|| format!("the model says {:?}", entry.events))
    }

    /// The data that each account sees equals the model's state completely.
    pub fn compare_accounts(&self, server: &Server, load: &Load) {
        let ends: Vec<_> = self.logs.iter().map(Vec::len).collect();
        for (account, key) in load.accounts() {
            let mut client = server.client().with_key(&key);
            let shown = client.get("/v1/account").unwrap().json();
            assert_eq!(number(&shown["account"]), account.0, "another account has the key: {shown}");
            if ends.iter().all(|&end| end == 0) {
                continue;
            }
            assert_eq!(shown["at"], json!(ends), "how far the answer goes");
            assert_eq!(shown["holdings"], self.holdings(account), "the holdings of {account}");
            let orders = client.open_orders();
            let field =
                |row: &Value| ["market", "order", "intent", "price", "left"].map(|field| row[field].clone()).to_vec();
            let found: Vec<_> = orders.iter().map(field).collect();
            assert_eq!(json!(found), self.open_orders(account), "the resting orders of {account}");
        }
    }

    fn holdings(&self, account: AccountId) -> Value {
        let state = self.model.state();
        let held = state.markets.iter().filter_map(|(id, market)| Some((id, market.accounts.get(&account)?)));
        let rows = held.map(|(MarketId(market), held)| {
            json!({
                "market": market, "cash": held.cash.0, "cash_locked": held.cash_locked.0,
                "yes": held.yes.0, "yes_locked": held.yes_locked.0, "no": held.no.0, "no_locked": held.no_locked.0,
            })
        });
        rows.collect()
    }

    fn open_orders(&self, account: AccountId) -> Value {
        let state = self.model.state();
        let mut rows: Vec<(u32, RestingOrder)> = Vec::new();
        for (MarketId(id), market) in &state.markets {
            rows.extend(market.bids.iter().chain(&market.asks).map(|&order| (*id, order)));
        }
        rows.retain(|(_, order)| order.account == account);
        rows.sort_by_key(|(market, order)| (*market, order.order));
        let row = |(market, RestingOrder { order, intent, price, quantity, .. }): (u32, RestingOrder)| {
            json!([market, order.0, intent.word(), intent.in_yes_cents(price).cents(), quantity.0])
        };
        rows.into_iter().map(row).collect()
    }
}

fn quantity_of(event: &Value) -> u64 {
    event["quantity"].as_u64().expect("a trade has a quantity")
}

fn resolved(events: &[Event]) -> Option<u64> {
    events.iter().find_map(|event| match event {
        Event::Resolved { paid, .. } => Some(paid.0),
        _ => None,
    })
}

/// What a taker sees of its own order's events, in the answer's words.
fn seen_by(account: AccountId, event: &Event) -> Option<Value> {
    match *event {
        Event::Accepted { order, intent, price, quantity, .. } => Some(json!({
            "event": "accepted", "order": order.0, "intent": intent.word(),
            "price": intent.in_yes_cents(price).cents(), "quantity": quantity.0,
        })),
        Event::Traded { taker, taker_account, price, quantity, maker_intent, taker_intent, .. } => {
            assert_eq!(taker_account, account, "the sender is the taker");
            Some(json!({
                "event": "traded", "order": taker.0, "role": "taker", "intent": taker_intent.word(),
                "price": taker_intent.in_yes_cents(price).cents(), "quantity": quantity.0,
                "trade": kind_word(TradeKind::of(maker_intent, taker_intent)),
            }))
        }
        Event::Cancelled { order, quantity, reason, .. } => {
            let reason = match reason {
                CancelReason::ImmediateOrCancel => "immediate-or-cancel",
                CancelReason::SelfTrade => "self-trade",
                other => panic!("a new order is not cancelled for {other:?}"),
            };
            Some(json!({ "event": "cancelled", "order": order.0, "quantity": quantity.0, "reason": reason }))
        }
        _ => None,
    }
}
