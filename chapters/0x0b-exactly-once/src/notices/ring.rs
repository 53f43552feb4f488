//! The ring: the last notices of all accounts, in one row, in which those of each account are linked.
//!
//! One ring for all means that an account that trades much does not need a longer one of its own, and that a million accounts
//! without events cost nothing. A reader follows the links of its own account and those of [`ALL`], so it never looks at
//! another's notices. Cost: 88 bytes a notice, and an entry of a table for each account that has one in the ring.

use std::collections::HashMap;

use market::{AccountId, Sequence};
use rustc_hash::FxBuildHasher;

use super::place::{ALL, Notice, Place, Whom};

/// No notice: the end of a chain.
const NONE: u64 = u64::MAX;

/// The last notices.
pub struct Ring {
    entries: Vec<Entry>,
    /// How many notices were ever added. The one with number `n` is at `n` modulo the size.
    added: u64,
    chains: HashMap<Whom, Chain, FxBuildHasher>,
    /// For each shard, the place after which nothing is missing.
    floor: Vec<Place>,
    /// For each shard, the last command that it has seen.
    end: Vec<Place>,
}

struct Entry {
    notice: Notice,
    /// The account's next.
    next: u64,
}

/// An account's first and last notice in the ring.
#[derive(Clone, Copy)]
struct Chain {
    first: u64,
    last: u64,
}

/// How far a reader has come in the ring: the last notice that it had of its own, and of those for all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Seat {
    own: Option<u64>,
    all: Option<u64>,
}

/// How much a reader has taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// All that there is.
    All,
    /// Some, and there may be more.
    Some,
    /// Nothing: something after its cursor is no longer in the ring.
    Behind,
}

impl Ring {
    /// A ring for this many notices, which has everything after the places in `floor`, one of each shard.
    pub fn new(notices: usize, floor: Vec<Place>) -> Ring {
        let end = floor.clone();
        Ring { entries: Vec::with_capacity(notices), added: 0, chains: HashMap::default(), floor, end }
    }

    /// For each shard, the place after which nothing is missing.
    pub fn floor(&self) -> &[Place] {
        &self.floor
    }

    /// The last command of each shard that it has seen.
    pub fn end(&self) -> &[Place] {
        &self.end
    }

    // ANCHOR: add
    /// Adds a notice. The oldest goes when there is no room, and from then on its place is the floor of its shard.
    pub fn add(&mut self, notice: Notice) {
        let number = self.added;
        let entry = Entry { notice, next: NONE };
        if self.entries.len() < self.entries.capacity() {
            self.entries.push(entry);
        } else {
            let at = self.at(number);
            let gone = std::mem::replace(&mut self.entries[at], entry);
            self.unlink(&gone);
        }
        let chain = self.chains.entry(notice.whom).or_insert(Chain { first: number, last: NONE });
        let before = std::mem::replace(&mut chain.last, number);
        if before != NONE {
            let before = self.at(before);
            self.entries[before].next = number;
        }
        self.added += 1;
    }
    // ANCHOR_END: add

    /// Notes that all of a command was seen, whatever it led to.
    pub fn seen(&mut self, shard: u16, sequence: Sequence) {
        self.end[usize::from(shard)] = Place::end_of(sequence);
    }

    /// The oldest notice has gone: its account's chain begins with the next one.
    fn unlink(&mut self, gone: &Entry) {
        self.floor[usize::from(gone.notice.shard)] = gone.notice.place;
        match gone.next {
            NONE => drop(self.chains.remove(&gone.notice.whom)),
            next => {
                if let Some(chain) = self.chains.get_mut(&gone.notice.whom) {
                    chain.first = next;
                }
            }
        }
    }

    fn at(&self, number: u64) -> usize {
        (number % self.entries.capacity() as u64) as usize
    }

    fn entry(&self, number: u64) -> Option<&Entry> {
        let is_there = number < self.added && self.added - number <= self.entries.len() as u64;
        if is_there { self.entries.get(self.at(number)) } else { None }
    }

    // ANCHOR: take
    /// Hands out what concerns an account after `at`, oldest first, and moves `at` and the seat on. It looks at
    /// `most` notices at most, because nothing can be added meanwhile.
    pub fn take(
        &self,
        account: AccountId,
        seat: &mut Seat,
        at: &mut [Place],
        most: usize,
        mut each: impl FnMut(&Notice),
    ) -> Taken {
        if at.iter().zip(&self.floor).any(|(at, floor)| at < floor) {
            return Taken::Behind;
        }
        let (mut own, mut all) = (self.behind(Some(account), seat.own), self.behind(ALL, seat.all));
        for _ in 0..most {
            let is_own = own < all;
            let Some(Entry { notice, next }) = self.entry(own.min(all)) else {
                // Nothing is left, so the reader has come as far as the ring, whichever account the rest concerns.
                at.copy_from_slice(&self.end);
                return Taken::All;
            };
            let (last, following) = if is_own { (&mut seat.own, &mut own) } else { (&mut seat.all, &mut all) };
            (*last, *following) = (Some(*following), *next);
            let read = &mut at[usize::from(notice.shard)];
            if notice.place > *read {
                *read = notice.place;
                each(notice);
            }
        }
        Taken::Some
    }
    // ANCHOR_END: take

    /// The notice of a chain that follows the last one that was read; the chain's first where that is not known.
    fn behind(&self, whom: Whom, last: Option<u64>) -> u64 {
        match last.and_then(|last| self.entry(last)) {
            Some(entry) => entry.next,
            None => self.chains.get(&whom).map_or(NONE, |chain| chain.first),
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::streams::Random;
    use market::{Cents, Event, MarketId, Outcome, UnixMs};

    use super::*;

    fn notice(shard: u16, sequence: u64, index: u32, whom: Whom) -> Notice {
        let (market, amount) = (MarketId(1), Cents(sequence));
        let event = match whom {
            ALL => Event::Resolved { market, outcome: Outcome::Yes, paid: amount },
            Some(account) => Event::Paid { market, account, amount },
        };
        Notice { shard, place: Place { sequence: Sequence(sequence), index }, time: UnixMs(sequence), whom, event }
    }

    /// Readers of all accounts against a list of everything: each thing once, in order, or the news that it is too late.
    #[test]
    fn each_reader_gets_its_own_once_and_in_order() {
        let mut random = Random::new(1);
        for round in 0..200 {
            let (size, shards) = (1 + random.below(40) as usize, 1 + random.below(3) as u16);
            let start = vec![Place::default(); usize::from(shards)];
            let (mut ring, mut all) = (Ring::new(size, start.clone()), Vec::new());
            let mut readers: Vec<_> =
                (1..=4).map(|account| (AccountId(account), Seat::default(), start.clone(), Vec::new())).collect();
            let mut sequences = vec![0; usize::from(shards)];
            for _ in 0..300 {
                let shard = random.below(u64::from(shards)) as u16;
                let sequence = &mut sequences[usize::from(shard)];
                *sequence += 1;
                for index in 0..random.below(3) as u32 {
                    let notice = notice(
                        shard,
                        *sequence,
                        index,
                        random.below(5).checked_sub(1).map(|account| AccountId(account as u32 + 1)),
                    );
                    ring.add(notice);
                    all.push(notice);
                }
                ring.seen(shard, Sequence(*sequence));
                for (account, seat, at, read) in &mut readers {
                    if random.below(6) > 0 {
                        continue;
                    }
                    let mut taken = Taken::Some;
                    while taken == Taken::Some {
                        // A reader that reconnects knows its cursor and nothing else.
                        if random.below(4) == 0 {
                            *seat = Seat::default();
                        }
                        taken = ring.take(*account, seat, at, 1 + random.below(9) as usize * 4, |one| read.push(*one));
                    }
                    let own = all.iter().filter(|notice| [ALL, Some(*account)].contains(&notice.whom));
                    let own: Vec<_> = own.copied().collect();
                    if taken == Taken::Behind {
                        // It goes on where it can: what it lost would come from the log.
                        *at = ring.end().to_vec();
                        read.clone_from(&own);
                    }
                    assert_eq!(*read, own, "round {round}");
                    assert_eq!(at, ring.end(), "round {round}");
                }
            }
        }
    }

    #[test]
    fn a_reader_that_is_up_to_date_is_never_too_late() {
        let mut ring = Ring::new(4, vec![Place::default()]);
        let (mut seat, mut at) = (Seat::default(), vec![Place::default()]);
        for sequence in 1..100 {
            ring.add(notice(0, sequence, 0, Some(AccountId(1))));
            ring.seen(0, Sequence(sequence));
            let taken = ring.take(AccountId(2), &mut seat, &mut at, 8, |_| panic!("it is another's"));
            assert_eq!(taken, Taken::All);
        }
        assert_eq!(ring.take(AccountId(2), &mut seat, &mut [Place::default()], 8, |_| {}), Taken::Behind);
    }
}
