//! Outcomes: what numbered commands led to, so that a repeat gets the answer of the first.
//!
//! The windows promise that nothing is done twice, for ever. The outcomes are a courtesy with a bound: the last
//! [`OUTCOMES_MAX`] of a venue. Who repeats a request later than that learns that it was done.

use std::collections::VecDeque;
use std::io::{self, Read, Write};

use gateway::reply::Reply;
use market::log::{RECORD_BYTES, decode_command, encode_command};
use market::{Command, Event, Sequence, Stamp, Ticket, UnixMs};

/// How many outcomes a venue keeps, over all shards.
pub const OUTCOMES_MAX: usize = 1 << 20;

/// What a command led to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The command, with its number.
    pub command: Command,
    /// The answer.
    pub reply: Reply,
}

/// The last outcomes of one shard, the oldest first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcomes {
    kept: VecDeque<Outcome>,
    most: usize,
    /// How many were kept and are gone.
    gone: u64,
}

impl Outcomes {
    /// None yet, and at most so many later.
    pub fn new(most: usize) -> Outcomes {
        Outcomes { kept: VecDeque::new(), most: most.max(1), gone: 0 }
    }

    /// Keeps one more, and says under which number of this shard, and which one went for it.
    pub fn keep(&mut self, outcome: Outcome) -> (u64, Option<Outcome>) {
        let oldest = if self.kept.len() == self.most { self.kept.pop_front() } else { None };
        self.gone += u64::from(oldest.is_some());
        self.kept.push_back(outcome);
        (self.gone + self.kept.len() as u64 - 1, oldest)
    }

    /// The outcome that was kept under this number, if it still is.
    pub fn get(&self, number: u64) -> Option<&Outcome> {
        self.kept.get(number.checked_sub(self.gone)? as usize)
    }

    /// All that are kept, with their numbers.
    pub fn all(&self) -> impl Iterator<Item = (u64, &Outcome)> {
        (self.gone..).zip(&self.kept)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}

/// What a durable command led to, as an answer.
pub fn reply(ticket: Ticket, stamp: Stamp, events: &[Event]) -> Reply {
    let mut reply = Reply::begin(ticket, stamp);
    events.iter().for_each(|event| reply.add(event));
    reply
}

impl Outcome {
    /// Writes it, 48 bytes and 40 for each event: the command, sequence, time, shares filled, events left out, events.
    ///
    /// # Errors
    /// Those of `into`.
    pub fn write(&self, into: &mut dyn Write) -> io::Result<()> {
        let Reply { ticket: _, stamp, events, left_out, filled } = &self.reply;
        into.write_all(&encode_command(&self.command))?;
        for number in [stamp.sequence.0, stamp.time.0, *filled] {
            into.write_all(&number.to_le_bytes())?;
        }
        for number in [*left_out as u32, events.len() as u32] {
            into.write_all(&number.to_le_bytes())?;
        }
        events.iter().try_for_each(|event| into.write_all(&event.encode()))
    }

    /// Reads one of this shard.
    ///
    /// # Errors
    /// Those of `from`, and [`io::ErrorKind::InvalidData`] when it is none.
    pub fn read(from: &mut dyn Read, shard: u16) -> io::Result<Outcome> {
        let invalid = |what: &'static str| io::Error::new(io::ErrorKind::InvalidData, what);
        let mut head = [0; RECORD_BYTES + 32];
        from.read_exact(&mut head)?;
        let command = head.first_chunk().and_then(decode_command).ok_or_else(|| invalid("a command is none"))?;
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| head[RECORD_BYTES + at + byte]));
        let (sequence, time, filled) = (Sequence(number(0)), UnixMs(number(8)), number(16));
        let (left_out, count) = (number(24) & u64::from(u32::MAX), number(24) >> 32);
        if count > gateway::reply::EVENTS_MAX as u64 {
            return Err(invalid("an outcome has more events than an answer names"));
        }
        let stamp = Stamp { sequence, time };
        let mut reply = Reply { left_out, filled, ..Reply::begin(Ticket { shard, sequence }, stamp) };
        for _ in 0..count {
            let mut event = [0; Event::BYTES];
            from.read_exact(&mut event)?;
            reply.events.push(Event::decode(&event).ok_or_else(|| invalid("an event is none"))?);
        }
        Ok(Outcome { command, reply })
    }
}
