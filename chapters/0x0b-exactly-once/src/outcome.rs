//! Outcomes: what numbered commands led to, so that a repeat gets the answer of the first.
//!
//! The windows promise that nothing is done twice, for ever. The outcomes are a courtesy with a bound: the last
//! [`OUTCOMES_MAX`] of a venue, and of those before a snapshot the last [`OUTCOMES_SAVED`] of its shards. A client that repeats
//! a request later than that learns that it was done.

use std::io::{self, Read, Write};

use gateway::reply::Reply;
use market::log::{RECORD_BYTES, decode_command, encode_command};
use market::{Command, Event, Sequence, Stamp, Ticket, UnixMs};

/// How many outcomes a venue keeps in memory, over all shards.
pub const OUTCOMES_MAX: usize = 1 << 20;

/// How many of them a snapshot holds, over all shards. A snapshot with all of them would be a hundred times as large as the
/// markets, and written every million commands.
pub const OUTCOMES_SAVED: usize = 1 << 17;

/// What a command led to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The command, with its number.
    pub command: Command,
    /// The answer.
    pub reply: Reply,
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
        let command = head.first_chunk().and_then(decode_command).ok_or_else(|| invalid("a command is not valid"))?;
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
            reply.events.push(Event::decode(&event).ok_or_else(|| invalid("an event is not valid"))?);
        }
        Ok(Outcome { command, reply })
    }
}
