//! The places of 0x01's book in memory.

use crate::cells::Cells;
use crate::naive::exchange::Exchange;
use market::{MarketId, OrderId, Price};

/// The book of a market.
///
/// # Panics
/// When there is no such market.
pub fn cells(exchange: &Exchange, market: MarketId) -> Cells {
    let book = &exchange.markets.get(&market).expect("the market has been opened").book;
    let mut cells = Cells::default();
    for (side, tree) in [("bids", &book.bids), ("asks", &book.asks)] {
        tree.cells(side, &mut cells, |queue, level, cells| queue.cells(level, cells, |order| order.0.to_string()));
    }
    book.orders.cells(&mut cells, |order| format!("{} {}", order.id.0, order.quantity.0));
    // Two trees and a map are next to each other.
    let of = |name: &str| cells.cells.iter().find(|cell| cell.name == name).map(|cell| (cell.address, cell.bytes));
    let (first, last) = (of("bids").expect("a tree"), of("map").expect("a map"));
    cells.block("book", first.0, last.0 + last.1 - first.0);
    cells
}

/// Overwrites a cell with something else: what is never read can't matter. Returns whether the cell can be
/// spoilt.
pub fn spoil(exchange: &mut Exchange, market: MarketId, cell: &str) -> bool {
    let book = &mut exchange.markets.get_mut(&market).expect("the market has been opened").book;
    let parts: Vec<&str> = cell.split('-').collect();
    let number = |at: usize| parts.get(at).and_then(|part| part.parse::<usize>().ok());
    let tree = if parts[0] == "asks" { &mut book.asks } else { &mut book.bids };
    match (parts[0], number(1)) {
        ("place", Some(at)) => book.orders.value(at).is_some_and(|order| {
            (order.quantity.0, order.price) = (order.quantity.0 + 1_000, Price::MIN);
            true
        }),
        ("bids" | "asks", Some(at)) => tree.level(at).is_some_and(|(key, queue)| {
            match (parts[2], number(3)) {
                ("key", _) => *key = Price::MIN,
                ("element", Some(place)) => queue.spoil(place, OrderId(999)),
                _ => return false,
            }
            true
        }),
        _ => false,
    }
}
