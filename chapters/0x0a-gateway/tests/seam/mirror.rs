//! The expected content of the projection, from the model alone.

use std::collections::{BTreeMap, VecDeque};

use gateway::projection::{FILLS_MAX, Fill, MarketStatus, OpenOrder, Projection, Role};
use market::model::Model;
use market::state::{ExchangeState, RestingOrder};
use market::{AccountId, Command, Event, MarketId, OrderId, Outcome, Place, Price, Quantity, Stamp, UnixMs};

/// The accounts in the streams.
pub const ACCOUNTS: u32 = 5;

/// A shard's model, with what the projection remembers besides the state.
#[derive(Clone, Default)]
pub struct Mirror {
    pub model: Model,
    /// Each order as it was placed, and when, if that was seen.
    placed: BTreeMap<(MarketId, OrderId), (Quantity, UnixMs, Option<u64>)>,
    outcomes: BTreeMap<MarketId, Outcome>,
    fills: BTreeMap<AccountId, VecDeque<Fill>>,
}

impl Mirror {
    /// A mirror that starts with a recovered state.
    pub fn recovered(model: Model) -> Mirror {
        let mut mirror = Mirror { model, ..Mirror::default() };
        for (id, market) in mirror.model.state().markets {
            // For an order from before the start, only what was left of it then is known.
            let rests = market.bids.iter().chain(&market.asks);
            mirror.placed.extend(rests.map(|order| ((id, order.order), (order.quantity, UnixMs::UNKNOWN, None))));
        }
        mirror
    }

    /// Applies a command; returns its events.
    pub fn apply(&mut self, stamp: Stamp, command: &Command) -> Vec<Event> {
        let events = self.model.apply(command);
        for event in &events {
            match *event {
                Event::Accepted { market, order, .. } => {
                    let Command::Place(Place { quantity, client_order_id, .. }) = *command else {
                        unreachable!("an order was placed")
                    };
                    self.placed.insert((market, order), (Quantity(quantity), stamp.time, Some(client_order_id)));
                }
                Event::Resolved { market, outcome, .. } => drop(self.outcomes.insert(market, outcome)),
                Event::Traded {
                    market,
                    maker,
                    maker_account,
                    taker,
                    taker_account,
                    price,
                    quantity,
                    maker_intent,
                    taker_intent,
                } => {
                    let sides = [
                        (maker_account, maker, Role::Maker, maker_intent),
                        (taker_account, taker, Role::Taker, taker_intent),
                    ];
                    for (account, order, role, intent) in sides {
                        let price = intent.in_yes_cents(price);
                        let client_order_id = self.placed.get(&(market, order)).and_then(|placed| placed.2);
                        let fill = Fill { market, order, role, intent, price, quantity, stamp, client_order_id };
                        let fills = self.fills.entry(account).or_default();
                        fills.push_back(fill);
                        if fills.len() > FILLS_MAX {
                            fills.pop_front();
                        }
                    }
                }
                _ => {}
            }
        }
        events
    }
}

/// Returns how the projection differs from the mirrors of all shards, if it does.
pub fn compare(projection: &Projection, mirrors: &[&Mirror]) -> Result<(), String> {
    let mut all = ExchangeState::default();
    mirrors.iter().for_each(|mirror| all.markets.append(&mut mirror.model.state().markets));
    same("markets", projection.markets().map(|(id, _)| id).collect::<Vec<_>>(), all.markets.keys().copied().collect())?;
    for (id, market) in &all.markets {
        let now = projection.market(*id).ok_or("a market is missing")?;
        let outcome = mirrors.iter().find_map(|mirror| mirror.outcomes.get(id)).copied();
        let status = if market.closed { MarketStatus::Resolved(outcome) } else { MarketStatus::Open };
        same(&format!("status of {id}"), now.status, status)?;
        same(&format!("pot of {id}"), now.pot, market.pot)?;
    }
    for account in (0..ACCOUNTS).map(AccountId) {
        let held = all.markets.iter().filter_map(|(id, market)| Some((*id, *market.accounts.get(&account)?)));
        same(&format!("holdings of {account}"), projection.holdings(account).collect::<Vec<_>>(), held.collect())?;
        same(&format!("open orders of {account}"), open_in(projection, account), open_of(account, &all, mirrors))?;
        let mut fills: Vec<Fill> =
            mirrors.iter().flat_map(|mirror| mirror.fills.get(&account)).flatten().copied().collect();
        let mut found: Vec<Fill> =
            projection.account(account).map_or(Vec::new(), |one| one.fills.iter().copied().collect());
        // Shards have no common order.
        let shard_of =
            |fill: &Fill| mirrors.iter().position(|mirror| mirror.model.state().markets.contains_key(&fill.market));
        if mirrors.len() > 1 {
            fills.sort_by_key(shard_of);
            found.sort_by_key(shard_of);
        }
        same(&format!("fills of {account}"), found, fills)?;
    }
    let highest = all.markets.values().flat_map(|market| market.accounts.keys()).max();
    same("the highest account", projection.highest_account(), highest.copied().unwrap_or_default())
}

type Open = BTreeMap<(MarketId, OrderId), OpenOrder>;

fn open_in(projection: &Projection, account: AccountId) -> Open {
    projection.account(account).map_or_else(BTreeMap::new, |account| account.open.clone())
}

fn open_of(account: AccountId, all: &ExchangeState, mirrors: &[&Mirror]) -> Open {
    let mut open = BTreeMap::new();
    for (&id, market) in &all.markets {
        for &RestingOrder { order, account: owner, intent, price, quantity: left } in
            market.bids.iter().chain(&market.asks)
        {
            if owner != account {
                continue;
            }
            let placed = mirrors.iter().find_map(|mirror| mirror.placed.get(&(id, order))).copied();
            let limit: Price = intent.in_yes_cents(price);
            let (quantity, time, client_order_id) = placed.expect("it was placed or recovered");
            open.insert((id, order), OpenOrder { intent, limit, quantity, left, time, client_order_id });
        }
    }
    open
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found:?}\n instead of {expected:?}")) }
}
