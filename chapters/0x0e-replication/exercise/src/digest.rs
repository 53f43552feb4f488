//! Whether two machines compute the same from the same commands.
//!
//! Checksums show that two logs are equal. Equal logs lead to equal states only if both machines compute the same, which a bit
//! flip in memory, a faulty processor, or two versions of the program can prevent. So each machine folds what commands led to
//! into a digest for each stretch of the log. The primary's digest covers what its clients were told, and travels with its
//! beats; a standby's covers its own replay. If they differ, the standby does not take over.

use std::collections::BTreeMap;

use crc32c::crc32c_append;
use market::{Event, Sequence};
use serde::{Deserialize, Serialize};

/// How many commands a stretch has. Stretches begin at the same commands on every machine, so a digest needs none of the past.
pub const STRETCH: u64 = 256;

/// How many digests to keep until the other side's is there.
const KEPT: usize = 4_096;

/// What a stretch of a shard's log led to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stretch {
    /// The last command of it.
    pub last: u64,
    /// CRC-32C of all events of its commands, in order.
    pub digest: u32,
}

/// The digest of the stretch under way.
#[derive(Default, Debug)]
pub struct Digest {
    /// How many commands of the stretch are in it; none if some are missing.
    seen: Option<u64>,
    digest: u32,
}

impl Digest {
    /// Adds the events that the next command led to. Returns the stretch, if this is its last command and none was
    /// missing.
    pub fn add(&mut self, _sequence: Sequence, _events: &[Event]) -> Option<Stretch> {
        todo!("step 3: add")
    }
}

/// What two machines say of the same stretches.
#[derive(Default, Debug)]
pub struct Compared {
    own: BTreeMap<u64, u32>,
    told: BTreeMap<u64, u32>,
    equal_to: u64,
    /// How many were the same.
    equal: u64,
}

/// A stretch of which two machines say different things.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Differs {
    /// The last command of it.
    pub last: u64,
    /// This machine's digest.
    pub own: u32,
    /// The primary's.
    pub told: u32,
}

impl Compared {
    /// This machine's digest of a stretch.
    pub fn own(&mut self, Stretch { last, digest }: Stretch) {
        keep(&mut self.own, last, digest);
    }

    /// The primary's digest of a stretch.
    pub fn told(&mut self, Stretch { last, digest }: Stretch) {
        keep(&mut self.told, last, digest);
    }

    /// Compares what both have said, and returns the last command of those that were the same; 0 if nothing was compared yet.
    /// What the primary says again is compared again, for it may be something else by then. A stretch that is the same again is
    /// not counted again.
    ///
    /// # Errors
    /// The first stretch that differs.
    pub fn check(&mut self) -> Result<u64, Differs> {
        todo!("step 4: check")
    }

    /// How many stretches were compared, and the same.
    pub fn count(&self) -> u64 {
        self.equal
    }
}

fn keep(digests: &mut BTreeMap<u64, u32>, last: u64, digest: u32) {
    digests.insert(last, digest);
    if digests.len() > KEPT {
        digests.pop_first();
    }
}

#[cfg(test)]
mod tests {
    use market::{AccountId, Cents, MarketId};

    use super::*;

    fn event(amount: u64) -> Event {
        Event::Deposited { market: MarketId(1), account: AccountId(2), amount: Cents(amount) }
    }

    fn stretches(from: u64, to: u64, wrong: u64) -> Vec<Stretch> {
        let mut digest = Digest::default();
        (from..=to).filter_map(|at| digest.add(Sequence(at), &[event(at + u64::from(at == wrong))])).collect()
    }

    #[test]
    fn a_stretch_depends_on_its_own_commands_only() {
        let all = stretches(1, 3 * STRETCH, 0);
        assert_eq!(all.iter().map(|one| one.last).collect::<Vec<_>>(), [STRETCH, 2 * STRETCH, 3 * STRETCH]);
        // A machine that begins in the middle of a stretch has no digest of it, and the same digest of the next.
        assert_eq!(stretches(2, 3 * STRETCH, 0), all[1..]);
        let changed = stretches(1, 3 * STRETCH, STRETCH + 7);
        assert_eq!((all[0], all[2]), (changed[0], changed[2]));
        assert_ne!(all[1], changed[1]);
    }

    #[test]
    fn a_stretch_with_a_missing_command_has_no_digest() {
        let mut digest = Digest::default();
        let some = (1..=2 * STRETCH).filter(|at| *at != 9);
        let all: Vec<_> = some.filter_map(|at| digest.add(Sequence(at), &[event(at)])).collect();
        assert_eq!(all.iter().map(|one| one.last).collect::<Vec<_>>(), [2 * STRETCH]);
    }

    #[test]
    fn what_both_have_said_is_compared_in_either_order() {
        let (mut compared, all) = (Compared::default(), stretches(1, 3 * STRETCH, 0));
        compared.told(all[0]);
        assert_eq!(compared.check(), Ok(0));
        all.iter().for_each(|one| compared.own(*one));
        assert_eq!(compared.check(), Ok(STRETCH));
        compared.told(all[1]);
        assert_eq!(compared.check(), Ok(2 * STRETCH));
        compared.told(all[1]);
        assert_eq!(compared.check(), Ok(2 * STRETCH));
        assert_eq!(compared.count(), 2, "the same digest is counted once, however often it is told");
        let wrong = Stretch { digest: all[2].digest ^ 1, ..all[2] };
        compared.told(wrong);
        let differs = Differs { last: wrong.last, own: all[2].digest, told: wrong.digest };
        assert_eq!(compared.check(), Err(differs));
    }

    #[test]
    fn a_side_that_hears_nothing_of_the_other_keeps_a_bounded_number() {
        let mut compared = Compared::default();
        (1..=2 * KEPT as u64).for_each(|last| compared.own(Stretch { last, digest: 0 }));
        assert_eq!((compared.own.len(), compared.own.first_key_value()), (KEPT, Some((&(KEPT as u64 + 1), &0))));
    }
}
