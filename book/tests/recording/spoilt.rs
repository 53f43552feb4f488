//! No read of the two books goes unnoted: a cell that a command did not read according to the notes
//! may hold anything.

use super::books::{Books, MARKET, commands};
use observed::seen::Access;
use observed::{Cell, array_cells, naive_cells};
use std::collections::BTreeSet;

/// The books before a command of the ten, and the cells of one of them.
fn before(at: usize, engine: usize) -> (Books, Vec<Cell>) {
    let mut books = Books::new();
    commands()[..at].iter().for_each(|(_, command)| _ = books.watched(command));
    let cells = books.cells()[engine].take().unwrap().cells;
    (books, cells)
}

/// A command's answer by one of the books, and the names of the cells that it reads and those that it writes.
fn run(books: &mut Books, cells: &[Cell], at: usize, engine: usize) -> (String, [BTreeSet<String>; 2]) {
    let (answers, accesses) = books.watched(&commands()[at].1);
    let met = |is_write: bool| {
        let of_kind: Vec<&Access> = accesses[engine].iter().filter(|access| access.is_write == is_write).collect();
        let is_met = |cell: &&Cell| of_kind.iter().any(|access| access.meets(cell.address, cell.bytes));
        cells.iter().filter(is_met).map(|cell| cell.name.clone()).collect()
    };
    (format!("{:?}", answers[engine]), [met(false), met(true)])
}

/// Spoils each cell in turn. A command that does not read it, according to the notes, answers, reads and writes as if
/// nothing had happened.
#[test]
fn what_was_not_read_may_hold_anything() {
    for at in 0..commands().len() {
        for engine in 0..2 {
            let (mut books, cells) = before(at, engine);
            let right = run(&mut books, &cells, at, engine);
            let mut spoilt = 0;
            for cell in cells.iter().filter(|cell| !right.1[0].contains(&cell.name)) {
                let (mut books, cells) = before(at, engine);
                let is_spoilt = match engine {
                    0 => naive_cells::spoil(&mut books.naive, MARKET, &cell.name),
                    _ => array_cells::spoil(&mut books.array, &cell.name),
                };
                if is_spoilt {
                    spoilt += 1;
                    let told = format!(
                        "{}: book {engine} reads `{}`, but the read was not noted",
                        commands()[at].0,
                        cell.name
                    );
                    assert_eq!(run(&mut books, &cells, at, engine), right, "{told}");
                }
            }
            assert!(spoilt > 0, "{}: nothing of book {engine} can be spoilt", commands()[at].0);
        }
    }
}
