//! A file as a crash may leave it: each sector in one of its states since the last sync.

use super::choices::{Choices, Rules};
use crate::streams::Random;

/// What a disk writes whole, in part, or not at all.
const SECTOR_BYTES: usize = 512;

/// A file with more unsynced changes than this is not enumerated: all changes are written, or none.
const COUNTED_CHANGES_MAX: usize = 8;

/// A change to a file.
#[derive(Clone, Debug)]
pub enum Change {
    /// These bytes at this place.
    Write(u64, Vec<u8>),
    /// A new length; added bytes are zeros.
    SetLength(u64),
}

/// A file: the bytes that are certain to be on disk, and the changes that are not, in order.
#[derive(Clone, Default, Debug)]
pub struct Contents {
    durable: Vec<u8>,
    pending: Vec<Change>,
    /// How many changes were made durable.
    synced: usize,
}

impl Contents {
    /// A file whose contents are all on disk.
    pub fn durable(bytes: Vec<u8>) -> Contents {
        Contents { durable: bytes, ..Contents::default() }
    }

    /// Makes a change.
    pub fn change(&mut self, change: Change) {
        self.pending.push(change);
    }

    /// How many changes there were: a sync that begins now makes them durable.
    pub fn changes(&self) -> usize {
        self.synced + self.pending.len()
    }

    /// The first `changes` changes are durable.
    pub fn sync(&mut self, changes: usize) {
        let count = changes.saturating_sub(self.synced).min(self.pending.len());
        for change in self.pending.drain(..count) {
            change.apply(&mut self.durable);
        }
        self.synced += count;
    }

    /// What a program reads.
    pub fn seen(&self) -> Vec<u8> {
        self.beginning(self.pending.len())
    }

    /// What the disk may hold after a crash.
    pub fn after_crash(&self, choices: &mut Choices, rules: Rules) -> Vec<u8> {
        if self.pending.is_empty() {
            return self.durable.clone();
        }
        let ways = match choices.are_drawn() {
            true => choices.below(4),
            false if self.pending.len() > COUNTED_CHANGES_MAX => choices.below(2),
            // These cover every result of the other ways, except cuts within a sector.
            false => 3,
        };
        match ways {
            0 => self.durable.clone(),
            1 => self.seen(),
            2 => self.up_to_some_byte(choices),
            _ => self.sector_by_sector(choices, rules),
        }
    }

    fn beginning(&self, changes: usize) -> Vec<u8> {
        let mut bytes = self.durable.clone();
        self.pending[..changes].iter().for_each(|change| change.apply(&mut bytes));
        bytes
    }

    /// Everything up to some byte of some write.
    fn up_to_some_byte(&self, choices: &mut Choices) -> Vec<u8> {
        let whole = choices.below(self.pending.len() as u64) as usize;
        let mut bytes = self.beginning(whole);
        if let Change::Write(at, written) = &self.pending[whole] {
            let cut = choices.below(written.len() as u64 + 1) as usize;
            Change::Write(*at, written[..cut].to_vec()).apply(&mut bytes);
        }
        bytes
    }

    /// Each sector in one of its states, and any of the lengths.
    fn sector_by_sector(&self, choices: &mut Choices, rules: Rules) -> Vec<u8> {
        let lengths = self.lengths();
        let mut length = lengths[choices.below(lengths.len() as u64) as usize];
        let anything_grows = rules == Rules::Harsh && choices.toss();
        let longest = lengths.iter().max().copied().unwrap_or_default();
        let mut bytes = Vec::with_capacity(longest + SECTOR_BYTES);
        while bytes.len() < longest {
            let start = bytes.len();
            let touching: Vec<usize> = (0..self.pending.len()).filter(|&at| self.pending[at].touches(start)).collect();
            let state = choices.below(touching.len() as u64 + 1) as usize;
            // How many changes have reached this sector, or one fewer.
            let came = |state: usize| if state == 0 { 0 } else { touching[state - 1] + 1 };
            let mut sector = self.sector(start, came(state));
            if state == 0 && anything_grows {
                let before = self.durable.len().saturating_sub(start).min(SECTOR_BYTES);
                sector[before..].copy_from_slice(&anything(start, choices)[before..]);
            }
            if state > 0 && choices.are_drawn() && choices.below(3) == 0 {
                let cut = choices.below(SECTOR_BYTES as u64 + 1) as usize;
                let old = self.sector(start, came(state - 1));
                // The end of a sector may reach the disk without its beginning.
                let kept = if choices.toss() { cut..SECTOR_BYTES } else { 0..cut };
                sector[kept.clone()].copy_from_slice(&old[kept]);
                if rules == Rules::Harsh && choices.toss() && self.pending[came(state) - 1].is_write() {
                    sector = anything(start, choices);
                    // If the file did not grow, this would be rot in the last frame alone, which nothing can
                    // detect.
                    length = length.max(lengths[came(state)]);
                }
            }
            bytes.extend(sector);
        }
        bytes.truncate(length);
        bytes
    }

    /// The file's length on disk, and after each of the pending changes.
    fn lengths(&self) -> Vec<usize> {
        let mut lengths = vec![self.durable.len()];
        for change in &self.pending {
            let before = lengths[lengths.len() - 1];
            lengths.push(match change {
                Change::Write(at, bytes) => before.max(*at as usize + bytes.len()),
                Change::SetLength(length) => *length as usize,
            });
        }
        lengths
    }

    /// The sector that begins at byte `start`, after so many of the pending changes; zeros where the file ends.
    fn sector(&self, start: usize, changes: usize) -> [u8; SECTOR_BYTES] {
        let mut sector = [0; SECTOR_BYTES];
        overlay(&mut sector, start, 0, &self.durable);
        for change in &self.pending[..changes] {
            match change {
                Change::Write(at, bytes) => overlay(&mut sector, start, *at as usize, bytes),
                Change::SetLength(length) => {
                    sector[(*length as usize).saturating_sub(start).min(SECTOR_BYTES)..].fill(0);
                }
            }
        }
        sector
    }
}

impl Change {
    fn apply(&self, file: &mut Vec<u8>) {
        match self {
            Change::Write(at, bytes) => {
                let (from, to) = (*at as usize, *at as usize + bytes.len());
                if file.len() < to && !bytes.is_empty() {
                    file.resize(to, 0);
                }
                if !bytes.is_empty() {
                    file[from..to].copy_from_slice(bytes);
                }
            }
            Change::SetLength(length) => file.resize(*length as usize, 0),
        }
    }

    fn is_write(&self) -> bool {
        matches!(self, Change::Write(..))
    }

    /// Whether it changes a byte of the sector that begins at byte `start`.
    fn touches(&self, start: usize) -> bool {
        let end = start + SECTOR_BYTES;
        match self {
            Change::Write(at, bytes) => (*at as usize) < end && *at as usize + bytes.len() > start,
            Change::SetLength(length) => (*length as usize) < end,
        }
    }
}

/// Copies bytes that stand at `at` in a file over those that begin at `start`, where they overlap.
fn overlay(sector: &mut [u8; SECTOR_BYTES], start: usize, at: usize, bytes: &[u8]) {
    let (from, to) = (at.max(start), (at + bytes.len()).min(start + SECTOR_BYTES));
    if from < to {
        sector[from - start..to - start].copy_from_slice(&bytes[from - at..to - at]);
    }
}

/// What may stand where nothing was written: noise, or all ones.
fn anything(start: usize, choices: &mut Choices) -> [u8; SECTOR_BYTES] {
    let mut random = Random::new(start as u64);
    let noise = choices.toss();
    std::array::from_fn(|_| if noise { random.below(256) as u8 } else { 0xff })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn all(contents: &Contents) -> BTreeSet<Vec<u8>> {
        let (mut choices, mut left) = (Choices::counted(), BTreeSet::new());
        loop {
            left.insert(contents.after_crash(&mut choices, Rules::Posix));
            if !choices.advance() {
                return left;
            }
        }
    }

    #[test]
    fn what_was_synced_stays() {
        let mut contents = Contents::default();
        contents.change(Change::Write(0, vec![1; 600]));
        contents.sync(contents.changes());
        assert_eq!(all(&contents), BTreeSet::from([vec![1; 600]]));
    }

    /// A write over the edge of a sector: the length is the old or the new one, and each sector is written or
    /// not.
    #[test]
    fn sectors_come_in_any_order() {
        let mut contents = Contents::durable(vec![1; 500]);
        contents.change(Change::Write(500, vec![2; 20]));
        let bytes = |parts: &[(u8, usize)]| -> Vec<u8> {
            parts.iter().flat_map(|&(byte, count)| std::iter::repeat_n(byte, count)).collect()
        };
        let expected = [
            bytes(&[(1, 500)]),
            bytes(&[(1, 500), (0, 20)]),
            bytes(&[(1, 500), (2, 12), (0, 8)]),
            bytes(&[(1, 500), (0, 12), (2, 8)]),
            bytes(&[(1, 500), (2, 20)]),
        ];
        assert_eq!(all(&contents), BTreeSet::from(expected));
    }

    /// A sync covers what was written before it began, and nothing that was written while it ran.
    #[test]
    fn a_sync_reaches_what_came_before_it_began() {
        let mut contents = Contents::default();
        contents.change(Change::Write(0, vec![1; 4]));
        let began = contents.changes();
        contents.change(Change::Write(4, vec![2; 4]));
        contents.sync(began);
        assert!(all(&contents).contains(&vec![1; 4]), "a later change became durable");
        assert!(all(&contents).iter().all(|bytes| bytes.starts_with(&[1; 4])), "an earlier change was lost");
    }

    /// Whatever is drawn, a byte far from any change stays the same, unless the rules are harsh.
    #[test]
    fn no_other_byte_changes() {
        let mut contents = Contents::durable(vec![7; 2_000]);
        contents.change(Change::Write(1_000, vec![8; 30]));
        contents.change(Change::SetLength(1_600));
        for seed in 0..1_000 {
            let left = contents.after_crash(&mut Choices::Drawn(Random::new(seed)), Rules::Posix);
            assert!(left.len() == 1_600 || left.len() == 2_000, "seed {seed}: {} bytes", left.len());
            let far = left[..1_000].iter().chain(&left[1_030..1_600]);
            assert!(far.into_iter().all(|&byte| byte == 7), "seed {seed}");
        }
    }
}
