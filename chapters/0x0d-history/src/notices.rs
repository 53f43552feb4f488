//! Notices out of the rows: each event that concerned an account, once, as 0x0b's ring had it.
//!
//! An account's rows are sorted by time in each of five tables. They are read side by side, so notices of all shards come in
//! one pass, and those of each shard in the order of its log. Reads are cut into pages: what one looks at is bounded, and
//! nothing of the store is held while a client takes what was found.

use exactly_once::notices::place::{ALL, Notice, Place as InShard};
use market::{AccountId, Event, MarketId, Price, Quantity, UnixMs};

use crate::ends::{Cancelled, Resolved};
use crate::error::HistoryError;
use crate::key::{ALL_ACCOUNTS, Table, place_of, placed};
use crate::place::Place;
use crate::rows::{MarketTrade, Money, Movement, Order, OrderState, OwnTrade, Row};
use crate::store::Store;

/// The tables with what happened to accounts.
const TABLES: [Table; 5] = [Table::Orders, Table::Trades, Table::Cancelled, Table::Money, Table::Resolved];

/// Which notices a page is of.
pub struct Wanted<'w> {
    /// Whose.
    pub account: AccountId,
    /// For each shard, those after the first place, up to the second.
    pub shards: &'w [(InShard, InShard)],
    /// All of them came before this time.
    pub to: UnixMs,
    /// How many rows a page looks at.
    pub rows: usize,
}

/// Some notices, and where the next page begins, if there is one.
pub struct Page {
    /// In the order of time, and those of each shard in the order of its log.
    pub notices: Vec<Notice>,
    /// The next place.
    pub next: Option<Place>,
}

// ANCHOR: page
/// The notices of an account from a place on.
///
/// # Errors
/// When the store can't be read.
pub fn page(store: &Store, wanted: &Wanted<'_>, from: Place) -> Result<Page, HistoryError> {
    let rows = |table| {
        let owner = if table == Table::Resolved { ALL_ACCOUNTS } else { wanted.account.0 };
        store.range::<Vec<u8>>(&placed(table, owner, from), &placed(table, owner, Place::from(wanted.to)))
    };
    let mut tables = TABLES.map(|table| rows(table).peekable());
    let (mut notices, mut seen) = (Vec::new(), 0);
    // Of the next rows of all tables the earliest is taken. An error comes at once.
    let place = |row: &Result<(Vec<u8>, _), _>| row.as_ref().map_or(None, |(key, _)| place_of(key));
    loop {
        let next = (0..).zip(&mut tables).filter_map(|(at, rows)| Some((place(rows.peek()?), at))).min();
        let Some((_, at)) = next else { return Ok(Page { notices, next: None }) };
        let Some((key, row)) = tables[at].next().transpose()? else { continue };
        let found = place_of(&key).unwrap_or_default();
        if seen == wanted.rows {
            return Ok(Page { notices, next: Some(found) });
        }
        seen += 1;
        let Place { time, shard, sequence, index } = found;
        let place = InShard { sequence, index };
        if !wanted.shards.get(usize::from(shard)).is_some_and(|&(at, to)| at < place && place <= to) {
            continue;
        }
        if let Some(event) = event(store, wanted.account, found, (TABLES[at], &row))? {
            let whom = if TABLES[at] == Table::Resolved { ALL } else { Some(wanted.account) };
            notices.push(Notice { shard, place, time, whom, event });
        }
    }
}
// ANCHOR_END: page

/// The event that a row records; none if it is no notice.
fn event(
    store: &Store,
    account: AccountId,
    place: Place,
    (table, row): (Table, &[u8]),
) -> Result<Option<Event>, HistoryError> {
    let damaged = || HistoryError::damaged(store.path(), &format!("{table:?}"));
    let event = match table {
        Table::Orders => {
            let order = Order::decode(row).ok_or_else(damaged)?;
            if matches!(order.state, OrderState::Rejected(_)) {
                return Ok(None);
            }
            accepted(account, &order).ok_or_else(damaged)?
        }
        Table::Trades => {
            // The account's own row does not have the other side, and the market's has both.
            let OwnTrade { market, .. } = OwnTrade::decode(row).ok_or_else(damaged)?;
            let both = store.get(&placed(Table::Public, market.0, place))?.ok_or_else(damaged)?;
            traded(market, &both)
        }
        Table::Money => moved(account, Money::decode(row).ok_or_else(damaged)?),
        Table::Cancelled => {
            let Cancelled { market, order, quantity, reason } = Cancelled::decode(row).ok_or_else(damaged)?;
            Event::Cancelled { market, account, order, quantity, reason }
        }
        _ => {
            let Resolved { market, outcome, paid } = Resolved::decode(row).ok_or_else(damaged)?;
            Event::Resolved { market, outcome, paid }
        }
    };
    Ok(Some(event))
}

/// The event that an order was accepted; none if its price is not valid.
fn accepted(account: AccountId, order: &Order) -> Option<Event> {
    let Order { market, order, intent, price, quantity, .. } = *order;
    let price = intent.in_yes_cents(Price::new(price)?);
    Some(Event::Accepted { market, account, order, intent, price, quantity: Quantity(quantity) })
}

fn traded(market: MarketId, both: &MarketTrade) -> Event {
    let MarketTrade { price, quantity, maker, maker_account, maker_intent, taker, taker_account, taker_intent } = *both;
    Event::Traded { market, maker, maker_account, taker, taker_account, price, quantity, maker_intent, taker_intent }
}

fn moved(account: AccountId, Money { market, movement, amount }: Money) -> Event {
    match movement {
        Movement::Deposit => Event::Deposited { market, account, amount },
        Movement::Withdrawal => Event::Withdrawn { market, account, amount },
        Movement::Payout => Event::Paid { market, account, amount },
    }
}
