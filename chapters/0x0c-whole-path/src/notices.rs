//! Notices of sampled commands: the way from the disk to the socket of an account that the command concerned.
//!
//! It begins where the command's frame is on disk, so the moments of an order and those of its notices stand on one clock: they
//! are joined by the command's number.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::distribution::Distribution;

/// How many notices are kept with their moments.
pub const KEPT: usize = 4_096;

/// The stages: until it is queued for the account's connection, and until that is written.
pub const NAMES: [&str; 2] = ["tell", "send"];

/// A notice, with its moments in nanoseconds of the [clock](crate::clock).
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Notice {
    /// The shard of its command.
    pub shard: u16,
    /// The number of its command.
    pub sequence: u64,
    /// The command's frame was on disk.
    pub synced_ns: u64,
    /// The notice stood in the queue of a connection.
    pub queued_ns: u64,
    /// It was written to the socket.
    pub written_ns: u64,
}

/// All notices of sampled commands.
#[derive(Default)]
pub struct Notices(Mutex<Told>);

/// What is known of them.
#[derive(Default, Clone)]
pub struct Told {
    /// Of each stage.
    pub stages: [Distribution; 2],
    /// From the disk to the socket.
    pub whole: Distribution,
    /// The last ones.
    pub last: VecDeque<Notice>,
}

impl Notices {
    /// Adds a notice that was written.
    pub fn add(&self, notice: Notice) {
        let Notice { synced_ns, queued_ns, written_ns, .. } = notice;
        let mut told = self.lock();
        let took = [queued_ns.saturating_sub(synced_ns), written_ns.saturating_sub(queued_ns)];
        told.stages.iter_mut().zip(took).for_each(|(stage, ns)| stage.add(ns));
        told.whole.add(took[0] + took[1]);
        if told.last.len() == KEPT {
            told.last.pop_front();
        }
        told.last.push_back(notice);
    }

    /// What is known of them.
    pub fn read(&self) -> Told {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stages_of_notices_add_up_and_the_last_are_kept() {
        let notices = Notices::default();
        for sequence in 0..2 * KEPT as u64 {
            let [synced_ns, queued_ns, written_ns] = [sequence + 10, sequence + 17, sequence + 40];
            notices.add(Notice { shard: 0, sequence, synced_ns, queued_ns, written_ns });
        }
        let told = notices.read();
        let sums = told.stages.each_ref().map(Distribution::sum);
        assert_eq!(sums, [7 * 2 * KEPT as u64, 23 * 2 * KEPT as u64]);
        assert_eq!(told.whole.sum(), sums[0] + sums[1]);
        assert_eq!((told.last.len(), told.last[0].sequence), (KEPT, KEPT as u64));
    }
}
