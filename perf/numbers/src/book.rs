//! One update of a price level and a look at the best price, on 99 levels: in an array with a bitmap
//! of the levels in use, and in a `BTreeMap`. Both do the same updates, in an unpredictable order,
//! and an emptied level is removed.

use std::collections::BTreeMap;
use std::hint::black_box;

use super::measured::{Pattern, time_passes};
use results::record::Measured;

const LEVELS: u64 = 99;
const UPDATES: usize = 1 << 16;

/// An order that joins or leaves a level.
#[derive(Clone, Copy)]
struct Update {
    level: u8,
    joins: bool,
}

/// Updates that never empty a level twice; the second half undoes the first, so that a pass ends as
/// it began and can be repeated.
fn updates() -> Vec<Update> {
    let mut pattern = Pattern::new();
    let mut depth = [0_u32; LEVELS as usize + 1];
    let mut updates = Vec::with_capacity(UPDATES);
    for _ in 0..UPDATES / 2 {
        let level = 1 + pattern.below(LEVELS) as u8;
        let at_level = &mut depth[usize::from(level)];
        let joins = *at_level == 0 || (*at_level < 4 && pattern.below(2) == 0);
        *at_level = if joins { *at_level + 1 } else { *at_level - 1 };
        updates.push(Update { level, joins });
    }
    for place in (0..updates.len()).rev() {
        let Update { level, joins } = updates[place];
        updates.push(Update { level, joins: !joins });
    }
    updates
}

/// Quantities by level, and a bit for each level that is not empty.
struct ArrayBook {
    quantity: [u32; 128],
    in_use: u128,
}

impl ArrayBook {
    fn new() -> Self {
        Self { quantity: [0; 128], in_use: 0 }
    }

    /// Applies an update; returns the best level, 0 when all are empty.
    fn apply(&mut self, Update { level, joins }: Update) -> u8 {
        let at_level = &mut self.quantity[usize::from(level & 127)];
        *at_level = if joins { *at_level + 10 } else { *at_level - 10 };
        let bit = 1_u128 << (level & 127);
        if *at_level == 0 {
            self.in_use &= !bit
        } else {
            self.in_use |= bit
        }
        self.in_use.checked_ilog2().unwrap_or(0) as u8
    }
}

/// The same in a tree.
fn apply_to_tree(tree: &mut BTreeMap<u8, u32>, Update { level, joins }: Update) -> u8 {
    if joins {
        *tree.entry(level).or_default() += 10;
    } else if let Some(at_level) = tree.get_mut(&level) {
        *at_level -= 10;
        if *at_level == 0 {
            tree.remove(&level);
        }
    }
    tree.last_key_value().map_or(0, |(&level, _)| level)
}

pub(crate) fn array_level() -> Option<Measured> {
    let updates = updates();
    let mut book = ArrayBook::new();
    time_passes(UPDATES as u64, || {
        for &update in &updates {
            black_box(book.apply(update));
        }
    })
}

pub(crate) fn btree_level() -> Option<Measured> {
    let updates = updates();
    let mut tree = BTreeMap::new();
    time_passes(UPDATES as u64, || {
        for &update in &updates {
            black_box(apply_to_tree(&mut tree, update));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn array_and_tree_agree_and_end_empty() {
        let (mut book, mut tree) = (ArrayBook::new(), BTreeMap::new());
        let mut most = 0;
        for update in updates() {
            assert_eq!(book.apply(update), apply_to_tree(&mut tree, update));
            most = most.max(tree.len());
        }
        assert!(most > 60, "{most} levels in use");
        assert!(tree.is_empty() && book.in_use == 0);
    }
}
