//! The places of a book in memory: a name for each part.

use std::collections::{BTreeMap, BTreeSet};

use crate::seen::Access;

/// How many bytes a processor fetches at once.
const LINE: usize = 64;

/// A block of memory: the book itself, or something that the book allocated.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its name, the same for as long as it exists.
    pub name: String,
    /// Its first byte.
    pub address: usize,
    /// How many bytes.
    pub bytes: usize,
}

/// A part of a book that has a name, and what it holds.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Its name.
    pub name: String,
    /// Its first byte.
    pub address: usize,
    /// How many bytes.
    pub bytes: usize,
    /// Its contents, as text that differs when they do.
    pub holds: String,
}

/// All of a book.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// The blocks that hold it.
    pub blocks: Vec<Block>,
    /// Its parts.
    pub cells: Vec<Cell>,
}

/// What some accesses touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// The names of the cells that were read. A cell that no longer exists has `gone-` before its
    /// name.
    pub read: BTreeSet<String>,
    /// The names of the cells that were written.
    pub written: BTreeSet<String>,
    /// The lines, each by its block's address and its number there.
    pub lines: BTreeSet<(usize, usize)>,
}

impl Cells {
    /// Adds a block.
    pub fn block(&mut self, name: impl Into<String>, address: usize, bytes: usize) {
        self.blocks.push(Block { name: name.into(), address, bytes });
    }

    /// Adds a cell.
    pub fn cell(&mut self, name: impl Into<String>, (address, bytes): (usize, usize), holds: impl ToString) {
        self.cells.push(Cell { name: name.into(), address, bytes, holds: holds.to_string() });
    }

    /// What each cell holds.
    pub fn holds(&self) -> BTreeMap<&str, &str> {
        self.cells.iter().map(|cell| (&*cell.name, &*cell.holds)).collect()
    }
}

/// Maps accesses to cells. `before` and `after` are the book around them: what was allocated or freed meanwhile is in
/// one of the two. A line is counted from the beginning of its block. An access outside of all blocks is not the
/// book's, but for example that of an incoming order.
///
/// # Panics
/// When an access within a block matches no cell: then a part of the book has no name yet.
pub fn touched(accesses: &[Access], before: &Cells, after: &Cells) -> Touched {
    let mut touched = Touched::default();
    for access in accesses {
        let is_in = |&(address, bytes): &(usize, usize)| access.meets(address, bytes);
        let blocks = after.blocks.iter().chain(&before.blocks);
        let Some(block) = blocks.into_iter().find(|block| is_in(&(block.address, block.bytes))) else { continue };
        let first = access.address - block.address;
        let lines = first / LINE..=(first + access.bytes - 1) / LINE;
        touched.lines.extend(lines.map(|line| (block.address, line)));
        let met = |cells: &Cells, gone: &str| -> Vec<String> {
            let met = cells.cells.iter().filter(|cell| is_in(&(cell.address, cell.bytes)));
            met.map(|cell| format!("{gone}{}", cell.name)).collect()
        };
        let mut names = met(after, "");
        if names.is_empty() {
            names = met(before, "gone-");
        }
        assert!(!names.is_empty(), "{access:?}: this part of `{}` has no name", block.name);
        if access.is_write { &mut touched.written } else { &mut touched.read }.extend(names);
    }
    touched
}

/// The cells whose contents changed without a noted write: a note is missing. A cell that no longer holds anything
/// needs no write: it is no longer counted.
pub fn unexplained<'c>(accesses: &[Access], before: &'c Cells, after: &Cells) -> Vec<&'c str> {
    let is_changed = |old: &&Cell| {
        let is_same_place = |new: &&Cell| new.address == old.address && new.bytes == old.bytes;
        after.cells.iter().filter(is_same_place).any(|new| new.holds != old.holds && new.holds != "–")
    };
    let is_written =
        |cell: &Cell| accesses.iter().any(|access| access.is_write && access.meets(cell.address, cell.bytes));
    before.cells.iter().filter(is_changed).filter(|cell| !is_written(cell)).map(|cell| &*cell.name).collect()
}
