//! An archive: notices that are kept elsewhere, for readers that are behind the ring.
//!
//! It is asked before the log is replayed. What it has needs no replay, and may be older than the log, whose beginning can be
//! trimmed. The venue of this chapter has no archive. A later chapter passes one in when it builds its venue.

use market::log::ShardOf;
use market::{AccountId, Sequence};

use super::past::Ended;
use super::place::{Notice, Place};

/// What a reader lacks of one shard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stretch {
    /// The shard.
    pub shard: ShardOf,
    /// The reader lacks what comes after this place.
    pub at: Place,
    /// After this place, the ring has everything.
    pub floor: Place,
    /// The ring has seen everything up to this place.
    pub until: Place,
}

/// What takes notices, one after the other.
pub type Each<'e> = dyn FnMut(Notice) -> Result<(), Ended> + 'e;

// ANCHOR: archive
/// Notices that are kept elsewhere. By default there are none.
pub trait Archive: Send + Sync {
    /// Hands out what concerns an account in these stretches, each shard's in the order of its log, and moves
    /// `at` of each as far as nothing is missing. What is left comes from the log and the ring.
    ///
    /// # Errors
    /// [`Ended`]. What was handed out before is correct.
    fn read(&self, _account: AccountId, _stretches: &mut [Stretch], _each: &mut Each<'_>) -> Result<(), Ended> {
        Ok(())
    }

    /// Why a reader can't have the rest, which the log, now beginning with command `first`, no longer has.
    fn lacks(&self, shard: u16, first: Sequence) -> Ended {
        Ended::Gone { shard, first }
    }
}
// ANCHOR_END: archive

/// An archive without notices.
pub struct NoArchive;

impl Archive for NoArchive {}
