//! Where an event stands, and which accounts it concerns.

use market::{AccountId, Event, Sequence, UnixMs};
use smallvec::SmallVec;

/// The account that a notice concerns, or all of them.
pub type Whom = Option<AccountId>;

/// All accounts. No account number can stand for it, because logs may hold any number.
pub const ALL: Whom = None;

/// Where an event stands in the log of its shard.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Place {
    /// The command that led to it.
    pub sequence: Sequence,
    /// Which of the command's events it is, from 0.
    pub index: u32,
}

impl Place {
    /// The end of a command: after the last of its events.
    pub fn end_of(sequence: Sequence) -> Place {
        Place { sequence, index: u32::MAX }
    }
}

/// Something that happened to an account, or the end of a market, which concerns all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Notice {
    /// The shard.
    pub shard: u16,
    /// Where it stands in the shard's log.
    pub place: Place,
    /// The time of the command's frame.
    pub time: UnixMs,
    /// The account that it concerns, or all.
    pub whom: Whom,
    /// What happened.
    pub event: Event,
}

// ANCHOR: concerns
/// The accounts that an event concerns: both sides of a trade, and every account where a market ends. A rejected
/// command has only its answer.
pub fn concerns(event: &Event) -> SmallVec<[Whom; 2]> {
    match *event {
        Event::Accepted { account, .. }
        | Event::Cancelled { account, .. }
        | Event::Deposited { account, .. }
        | Event::Withdrawn { account, .. }
        | Event::Paid { account, .. } => [Some(account)].into_iter().collect(),
        Event::Traded { maker_account, taker_account, .. } => {
            [maker_account, taker_account].map(Some).into_iter().collect()
        }
        Event::Resolved { .. } => [ALL].into_iter().collect(),
        Event::Opened { .. } | Event::Rejected { .. } => SmallVec::new(),
    }
}
// ANCHOR_END: concerns
