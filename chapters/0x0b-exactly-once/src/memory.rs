//! What the log of one shard says of numbers: the windows of its lanes and its last outcomes.
//!
//! It follows from the log alone, so it is a companion of the shadow: after any start it holds what it held.
//!
//! ```text
//! section "LANES\0\0\0" = version u32 · shard u16 · shards u16 · lanes u64 · outcomes u64, then
//! lane    = account u32 · kind u8 · lane u8 · zero u16 · highest u64 · mask of 256 bits        48 bytes
//! outcome = command (24) · sequence u64 · time u64 · filled u64 · left out u32 · events u32    56 bytes
//!           · events of 40 bytes
//! ```
//!
//! Lanes stand in the order of account, kind and lane, outcomes in the order of the log; all integers are little-endian.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use market::companion::Companion;
use market::log::ShardOf;
use market::{AccountId, Command, Event, Stamp, Ticket};

use crate::lane::{Kind, Lane, Numbered};
use crate::lanes::Lanes;
use crate::outcome::{Outcome, reply};
use crate::window::Window;

/// The section's name.
pub const SECTION: [u8; 8] = *b"LANES\0\0\0";

const VERSION: u32 = 1;

/// The bytes of a lane.
const LANE_BYTES: usize = 8 + Window::BYTES;

/// What one shard's log says of numbers.
#[derive(Clone)]
pub struct Memory {
    /// The shard.
    pub shard: ShardOf,
    /// The windows of its lanes.
    pub lanes: Lanes,
    /// What its last numbered commands led to, the oldest first.
    pub outcomes: VecDeque<Outcome>,
    outcomes_max: usize,
}

impl Memory {
    /// The memory of a log without commands. It will keep its shard's share of this many outcomes.
    pub fn new(shard: ShardOf, outcomes: usize) -> Memory {
        let outcomes_max = (outcomes / usize::from(shard.shards.max(1))).max(1);
        Memory { shard, lanes: Lanes::default(), outcomes: VecDeque::new(), outcomes_max }
    }

    fn keep(&mut self, outcome: Outcome) {
        if self.outcomes.len() == self.outcomes_max {
            self.outcomes.pop_front();
        }
        self.outcomes.push_back(outcome);
    }

    // ANCHOR: observe
    /// Takes note of the log's next command and what it led to. A rejected command has used its number too.
    pub fn observe(&mut self, stamp: Stamp, command: &Command, events: &[Event]) {
        let Some(Numbered { lane, number }) = Numbered::of(command) else { return };
        self.lanes.entry(lane).window.mark(number);
        let ticket = Ticket { shard: self.shard.shard, sequence: stamp.sequence };
        self.keep(Outcome { command: *command, reply: reply(ticket, stamp, events) });
    }
    // ANCHOR_END: observe

    /// Writes the section.
    ///
    /// # Errors
    /// Those of `into`.
    pub fn save(&self, into: &mut dyn Write) -> io::Result<()> {
        let ShardOf { shard, shards } = self.shard;
        into.write_all(&VERSION.to_le_bytes())?;
        into.write_all(&shard.to_le_bytes())?;
        into.write_all(&shards.to_le_bytes())?;
        into.write_all(&(self.lanes.len() as u64).to_le_bytes())?;
        into.write_all(&(self.outcomes.len() as u64).to_le_bytes())?;
        let mut rows: Vec<_> = self.lanes.iter().collect();
        rows.sort_unstable_by_key(|row| row.lane());
        for row in rows {
            let Lane { account, kind, lane } = row.lane();
            into.write_all(&account.0.to_le_bytes())?;
            into.write_all(&[kind as u8, lane, 0, 0])?;
            into.write_all(&row.window.encode())?;
        }
        self.outcomes.iter().try_for_each(|outcome| outcome.write(into))
    }

    /// Adds what a section holds. Outcomes name their shard's commands, so those of a log that was dealt out to another
    /// number of shards are passed over; its windows are not.
    ///
    /// # Errors
    /// Those of `from`, and [`io::ErrorKind::InvalidData`] when it is no such section.
    pub fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        let invalid = |what: &'static str| io::Error::new(io::ErrorKind::InvalidData, what);
        let mut head = [0; 24];
        from.read_exact(&mut head)?;
        if head[..4] != VERSION.to_le_bytes() {
            return Err(invalid("it is of a version that this program does not read"));
        }
        let [shard, shards] = [4, 6].map(|at| u16::from_le_bytes([head[at], head[at + 1]]));
        let [lanes, outcomes] = [8, 16].map(|at| u64::from_le_bytes(std::array::from_fn(|byte| head[at + byte])));
        for _ in 0..lanes {
            let mut bytes = [0; LANE_BYTES];
            from.read_exact(&mut bytes)?;
            let (lane, window) = lane(&bytes).ok_or_else(|| invalid("a lane is not valid"))?;
            self.lanes.entry(lane).window.unite(&window);
        }
        for _ in 0..outcomes {
            let outcome = Outcome::read(from, shard)?;
            if (ShardOf { shard, shards }) == self.shard {
                self.keep(outcome);
            }
        }
        Ok(())
    }
}

/// A lane and its window, as the section has them.
fn lane(bytes: &[u8; LANE_BYTES]) -> Option<(Lane, Window)> {
    let (head, window) = bytes.split_first_chunk::<8>()?;
    let account = AccountId(u32::from_le_bytes([head[0], head[1], head[2], head[3]]));
    let kind = Kind::ALL.get(usize::from(head[4])).copied()?;
    let window = Window::decode(window.first_chunk()?).filter(|window| window.highest() > 0)?;
    (head[6..] == [0; 2]).then_some((Lane { account, kind, lane: head[5] }, window))
}

/// A memory that a shadow carries along, and that others read when it has come far enough.
#[derive(Clone)]
pub struct Carried(pub Arc<Mutex<Memory>>);

impl Carried {
    /// The memory of a log without commands, which will keep its shard's share of this many outcomes.
    pub fn new(shard: ShardOf, outcomes: usize) -> Carried {
        Carried(Arc::new(Mutex::new(Memory::new(shard, outcomes))))
    }
}

impl Companion for Carried {
    fn section(&self) -> [u8; 8] {
        SECTION
    }

    fn observe(&mut self, stamp: Stamp, command: &Command, events: &[Event]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).observe(stamp, command, events);
    }

    fn save(&self, section: &mut dyn Write) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).save(section)
    }

    fn load(&mut self, section: &mut dyn Read) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).load(section)
    }
}
