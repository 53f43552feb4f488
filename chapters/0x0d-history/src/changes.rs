//! Changes of rows that happen together, and their order by key.

use crate::key::KEY_BYTES_MAX;
use crate::rows::Row;

/// A key with zeros after it, its length, and the number of the change. Sorted, changes stand by key, and those of one key
/// as they came: keys of different lengths are of different tables, and differ in their first byte.
type Entry = [u8; KEY_BYTES_MAX + 1 + size_of::<u32>()];

/// Changes that happen together, in the order in which they came. Of several for one key the last counts.
///
/// Keys stand side by side in one block of memory and rows in another, so that sorting a hundred thousand of them neither
/// follows pointers nor moves rows.
#[derive(Default)]
pub struct Changes {
    entries: Vec<Entry>,
    rows: Vec<u8>,
    /// Where each row ends in `rows`.
    ends: Vec<usize>,
}

impl Changes {
    /// Adds a row.
    ///
    /// # Panics
    /// When the key is longer than any table's.
    pub fn put(&mut self, key: &[u8], row: &impl Row) {
        let mut entry = [0; size_of::<Entry>()];
        entry[..key.len()].copy_from_slice(key);
        entry[KEY_BYTES_MAX] = key.len() as u8;
        entry[KEY_BYTES_MAX + 1..].copy_from_slice(&(self.ends.len() as u32).to_be_bytes());
        self.entries.push(entry);
        self.rows.extend_from_slice(&row.encode());
        self.ends.push(self.rows.len());
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Keys with their rows, as they came.
    pub fn in_order(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.entries.iter().map(|entry| self.pair(entry))
    }

    /// Keys with their rows, sorted, each key once with its last row.
    pub fn by_key(&mut self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.entries.sort_unstable();
        let all = &*self;
        let next = all.entries.iter().skip(1).map(Some).chain([None]);
        let last = |(entry, next): &(&Entry, Option<&Entry>)| next.is_none_or(|next| key(next) != key(entry));
        all.entries.iter().zip(next).filter(last).map(|(entry, _)| all.pair(entry))
    }

    fn pair<'c>(&'c self, entry: &'c Entry) -> (&'c [u8], &'c [u8]) {
        let [.., a, b, c, d] = *entry;
        let number = u32::from_be_bytes([a, b, c, d]) as usize;
        let begin = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        (key(entry), &self.rows[begin..self.ends[number]])
    }
}

fn key(entry: &Entry) -> &[u8] {
    &entry[..usize::from(entry[KEY_BYTES_MAX])]
}

#[cfg(test)]
mod tests {
    use market::{Sequence, UnixMs};

    use super::*;
    use crate::store::Followed;

    #[test]
    fn of_several_rows_for_one_key_the_last_is_left_and_keys_are_sorted() {
        let row = |next| Followed { next: Sequence(next), time: UnixMs(0), counts: [0; 3] };
        let mut changes = Changes::default();
        for (key, next) in [(&b"bb"[..], 1), (b"a", 2), (b"bb", 3), (b"c", 4), (b"bb", 5)] {
            changes.put(key, &row(next));
        }
        let found: Vec<_> = changes.in_order().map(|(key, row)| (key.to_vec(), Followed::decode(row))).collect();
        let pairs = |keys: &[(&[u8], u64)]| -> Vec<_> {
            keys.iter().map(|(key, next)| (key.to_vec(), Some(row(*next)))).collect()
        };
        assert_eq!(found, pairs(&[(b"bb", 1), (b"a", 2), (b"bb", 3), (b"c", 4), (b"bb", 5)]));
        let found: Vec<_> = changes.by_key().map(|(key, row)| (key.to_vec(), Followed::decode(row))).collect();
        assert_eq!(found, pairs(&[(b"a", 2), (b"bb", 5), (b"c", 4)]));
    }
}
