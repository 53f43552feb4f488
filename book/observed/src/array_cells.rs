//! The places of 0x05's book in memory.

use crate::array::book::{Book, Level, Levels, Node};
use crate::array::exchange::Exchange;
use crate::array::id_table::NONE;
use crate::array::slab::Slot;
use crate::cells::Cells;
use crate::seen::address;
use market::{OrderId, Quantity};

/// How many slots have their own name. The others of a chunk share one.
const SLOTS: usize = 16;

/// The address of a place, and how many bytes it has.
fn place<T: ?Sized>(place: &T) -> (usize, usize) {
    (address(place), size_of_val(place))
}

/// The book of the first market.
pub fn cells(exchange: &Exchange) -> Cells {
    let book = &exchange.markets[0].market.book;
    let mut cells = Cells::default();
    let (first, bytes) = place(book);
    cells.block("book", first, bytes);
    for (name, side) in ["bids", "asks"].into_iter().zip(&book.sides) {
        side_cells(name, side, &mut cells);
    }
    cells.cell("slab", place(&book.orders.chunks), book.orders.chunks.len());
    cells.cell("free", place(&book.orders.free), book.orders.free.len());
    cells.cell("table", place(&book.slots), book.slots.count);

    let free = &book.orders.free;
    cells.block("free-slots", address(&free[..]), free.capacity() * size_of::<Slot>());
    cells.cell("free-slots", (address(&free[..]), free.capacity() * size_of::<Slot>()), "slots");

    let chunks = &book.orders.chunks;
    cells.block("chunks", address(&chunks[..]), chunks.capacity() * size_of_val(&chunks[0]));
    cells.cell("chunks", (address(&chunks[..]), chunks.capacity() * size_of_val(&chunks[0])), chunks.len());
    let nodes = &chunks[0][..];
    cells.block("nodes", address(nodes), size_of_val(nodes));
    for (slot, node) in nodes.iter().take(SLOTS).enumerate() {
        let &Node { id, quantity, previous, next, link, .. } = node;
        let [previous, next, link] = [previous, next, link].map(slot_name);
        cells.cell(format!("node-{slot}"), place(node), format!("{} {} {previous} {next} {link}", id.0, quantity.0));
    }
    cells.cell("other-nodes", place(&nodes[SLOTS..]), "–");

    let places = &book.slots.table.first[..];
    cells.block("places", address(places), size_of_val(places));
    for (at, slot) in places.iter().enumerate() {
        cells.cell(format!("place-{at}"), place(slot), slot_name(*slot));
    }
    cells
}

fn side_cells(name: &str, side: &Levels, cells: &mut Cells) {
    cells.cell(format!("{name}-bits"), place(&side.occupied), format!("{:b}", side.occupied));
    cells.cell(format!("{name}-best"), place(&side.best), side.best);
    for (at, level) in side.levels.iter().enumerate() {
        let &Level { first, last } = level;
        cells.cell(format!("{name}-{at}"), place(level), format!("{} {}", slot_name(first), slot_name(last)));
    }
}

fn slot_name(slot: Slot) -> String {
    if slot == NONE { "–".into() } else { slot.to_string() }
}

/// Overwrites a cell with something else: what is never read can't matter. Returns whether the cell can be
/// spoilt.
pub fn spoil(exchange: &mut Exchange, cell: &str) -> bool {
    // A slot without an order.
    const WRONG: Slot = 900;
    let Book { sides, orders, slots } = &mut exchange.markets[0].market.book;
    let Some((kind, name)) = cell.rsplit_once('-') else { return false };
    let side = if kind == "asks" { &mut sides[1] } else { &mut sides[0] };
    match (kind, name, name.parse::<usize>()) {
        ("bids" | "asks", "bits", _) => side.occupied ^= 1 << 99,
        ("bids" | "asks", "best", _) => side.best ^= 99,
        ("bids" | "asks", _, Ok(at)) => side.levels[at] = Level { first: WRONG, last: WRONG },
        ("node", _, Ok(slot)) => {
            let node = &mut orders.chunks[0][slot];
            (node.id, node.quantity) = (OrderId(node.id.0 + 1_000), Quantity(node.quantity.0 + 1_000));
            (node.previous, node.next, node.link) = (WRONG, WRONG, WRONG);
        }
        ("place", _, Ok(at)) => slots.table.first[at] = WRONG,
        _ => return false,
    }
    true
}
