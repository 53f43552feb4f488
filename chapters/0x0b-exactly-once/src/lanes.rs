//! The windows of all lanes, which are kept for ever.
//!
//! A lane stays once it was used, so they stand in one row without gaps, and 0x08's id table finds them. Cost: 56 bytes a
//! lane, and 4 to 16 of the table.

use ch08::id_table::{Entries, IdTable, NONE};
use ch08::slab::Slot;
use market::AccountId;

use crate::lane::{Kind, Lane};
use crate::window::Window;

/// No outcome of the lane was kept.
pub const NO_OUTCOME: u32 = u32::MAX;

/// All lanes.
#[derive(Default)]
pub struct Lanes {
    rows: Rows,
    table: IdTable,
}

/// The lanes in the order in which they were first used.
#[derive(Default)]
struct Rows(Vec<Row>);

/// One lane.
#[derive(Clone, Copy)]
pub struct Row {
    account: AccountId,
    kind: u8,
    lane: u8,
    link: Slot,
    /// The number of the last of its outcomes that was kept; these numbers wrap around.
    pub last_outcome: u32,
    /// Which of its numbers were used.
    pub window: Window,
}

const _: () = assert!(size_of::<Row>() == 56, "a lane is not as small as its page says");

impl Row {
    /// Which lane it is.
    pub fn lane(&self) -> Lane {
        Lane { account: self.account, kind: Kind::ALL[usize::from(self.kind)], lane: self.lane }
    }
}

/// A lane as one number. Accounts are counted, so they are in the low bits, from which the table takes its places.
fn id(lane: Lane) -> u64 {
    u64::from(lane.account.0) | (lane.kind as u64) << 40 | u64::from(lane.lane) << 32
}

impl Lanes {
    /// A lane that was used.
    pub fn get(&self, lane: Lane) -> Option<&Row> {
        self.table.find(id(lane), &self.rows).and_then(|slot| self.rows.0.get(slot as usize))
    }

    /// A lane; it is created if it was never used.
    pub fn entry(&mut self, lane: Lane) -> &mut Row {
        let found = self.table.find(id(lane), &self.rows);
        let at = found.map_or_else(|| self.add(lane), |slot| slot as usize);
        &mut self.rows.0[at]
    }

    fn add(&mut self, lane: Lane) -> usize {
        let at = self.rows.0.len();
        let link = self.table.insert(id(lane), at as Slot, &mut self.rows);
        let (Lane { account, kind, lane }, window) = (lane, Window::default());
        self.rows.0.push(Row { account, kind: kind as u8, lane, link, last_outcome: NO_OUTCOME, window });
        at
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Row> {
        self.rows.0.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.0.is_empty()
    }
}

impl Clone for Lanes {
    fn clone(&self) -> Lanes {
        let mut lanes = Lanes::default();
        for row in self.iter() {
            let copy = lanes.entry(row.lane());
            (copy.window, copy.last_outcome) = (row.window, row.last_outcome);
        }
        lanes
    }
}

impl Entries for Rows {
    fn entry(&self, slot: Slot) -> Option<(u64, Slot)> {
        debug_assert!(slot == NONE || (slot as usize) < self.0.len());
        self.0.get(slot as usize).map(|row| (id(row.lane()), row.link))
    }

    fn link(&mut self, slot: Slot) -> &mut Slot {
        &mut self.0[slot as usize].link
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_is_found_and_is_its_own() {
        let mut lanes = Lanes::default();
        let all = (0..300).flat_map(|account| Kind::ALL.into_iter().map(move |kind| (account, kind)));
        let all: Vec<_> =
            all.flat_map(|(account, kind)| [0u8, 1, 7, 255].map(|lane| (account * 1_000, kind, lane))).collect();
        for (number, &(account, kind, lane)) in (1..).zip(&all) {
            lanes.entry(Lane { account: AccountId(account), kind, lane }).window.mark(number);
        }
        assert_eq!(lanes.len(), all.len());
        let copy = lanes.clone();
        for lanes in [&lanes, &copy] {
            for (number, &(account, kind, lane)) in (1..).zip(&all) {
                let lane = Lane { account: AccountId(account), kind, lane };
                let row = lanes.get(lane).expect("it was used");
                assert_eq!((row.lane(), row.window.highest()), (lane, number));
            }
            assert!(lanes.get(Lane { account: AccountId(1), kind: Kind::Orders, lane: 0 }).is_none());
        }
    }
}
