//! The same in binary, for load generators: the log's own 24-byte commands go in, its 40-byte events come out.
//!
//! ```text
// ANCHOR: layout
//! asked     number u64, then commands of 24 bytes each
//! answered  number u64, then for each command, in their order:
//!           sequence u64, time u64, events u32, filled u32, outcome u32, shard u32      32 bytes
//!           events of 40 bytes each
//! noticed   number 2^64 - 1, then for each thing that happened to one's orders through others:
//!           sequence u64, time u64, event of 40 bytes
// ANCHOR_END: layout
//! ```
//!
//! Everything is little-endian. The outcome is 0 if the command is on disk, even if its event is a rejection; 1 busy, 2
//! draining, 3 forbidden, 4 unknown, 5 too fast, 6 too many in flight. If one command of a message belongs to another
//! account, all of them are forbidden. In a trade the other side's account is 0, because it is private.

pub use load::client::PROTOCOL;
use market::log::{RECORD_BYTES, decode_command};
use market::{AccountId, Event};

use crate::door::Commands;
use crate::reply::{Given, Refusal};
use crate::stream::outbox::Notice;

/// The most commands per message.
pub const COMMANDS_MAX: usize = 8_192;

/// The number of a message that is not an answer.
const NOTICES: u64 = u64::MAX;

/// The bytes of a message's number.
const NUMBER_BYTES: usize = 8;

/// The commands of a message.
///
/// # Errors
/// A sentence about what is wrong with it.
pub fn read(message: &[u8]) -> Result<(u64, Commands), &'static str> {
    let Some((number, commands)) = message.split_first_chunk::<NUMBER_BYTES>() else {
        return Err("A message starts with its number, in 8 bytes.");
    };
    let (commands, rest) = commands.as_chunks::<RECORD_BYTES>();
    if !rest.is_empty() {
        return Err("Only commands of 24 bytes each may follow the number.");
    }
    if commands.len() > COMMANDS_MAX {
        return Err("A message has at most 8,192 commands.");
    }
    let commands: Option<Commands> = commands.iter().map(decode_command).collect();
    Ok((
        u64::from_le_bytes(*number),
        commands.ok_or("One of the commands is invalid: the book's page on the log has the layout.")?,
    ))
}

/// The answers to a message's commands, for the account that asked.
pub fn write(number: u64, account: AccountId, answers: &[Given]) -> Vec<u8> {
    let events: usize = answers.iter().flatten().map(|reply| reply.events.len()).sum();
    let mut bytes = Vec::with_capacity(NUMBER_BYTES + answers.len() * 32 + events * Event::BYTES);
    bytes.extend(number.to_le_bytes());
    for given in answers {
        let nothing = (0, 0, 0, 0, 0);
        let (sequence, time, count, filled, shard) = given.as_ref().map_or(nothing, |reply| {
            let count = reply.events.len() as u32;
            (reply.ticket.sequence.0, reply.stamp.time.0, count, reply.filled as u32, reply.ticket.shard)
        });
        let outcome: u32 = match given {
            Ok(_) => 0,
            Err(Refusal::Busy) => 1,
            Err(Refusal::Draining) => 2,
            Err(Refusal::Forbidden) => 3,
            Err(Refusal::Stopped) => 4,
            Err(Refusal::TooFast(_)) => 5,
            Err(Refusal::TooManyInFlight) => 6,
            Err(Refusal::Layer(refused, _)) => refused.outcome,
        };
        bytes.extend(sequence.to_le_bytes());
        bytes.extend(time.to_le_bytes());
        for word in [count, filled, outcome, shard.into()] {
            bytes.extend(word.to_le_bytes());
        }
        for event in given.iter().flat_map(|reply| &reply.events) {
            bytes.extend(without_the_other(*event, account).encode());
        }
    }
    bytes
}

/// Notices about the orders of a logged-in account.
pub fn write_notices(notices: &[Notice]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(NUMBER_BYTES + notices.len() * (16 + Event::BYTES));
    bytes.extend(NOTICES.to_le_bytes());
    for Notice { account, stamp, event, .. } in notices {
        bytes.extend(stamp.sequence.0.to_le_bytes());
        bytes.extend(stamp.time.0.to_le_bytes());
        bytes.extend(without_the_other(*event, *account).encode());
    }
    bytes
}

/// An event as this account may see it.
fn without_the_other(mut event: Event, own: AccountId) -> Event {
    if let Event::Traded { maker_account, taker_account, .. } = &mut event {
        for account in [maker_account, taker_account].into_iter().filter(|account| **account != own) {
            *account = AccountId(0);
        }
    }
    event
}

#[cfg(test)]
mod tests {
    use market::log::encode_command;
    use market::{Command, Intent, MarketId, OrderId, Price, Quantity, Sequence, Stamp, Ticket, UnixMs};

    use super::*;
    use crate::reply::Reply;
    use crate::stream::outbox::Before;

    const OPEN: Command = Command::Open { market: MarketId(7) };

    #[test]
    fn a_written_message_can_be_read() {
        let mut message = 9u64.to_le_bytes().to_vec();
        message.extend(encode_command(&OPEN));
        message.extend(encode_command(&OPEN));
        assert_eq!(read(&message), Ok((9, [OPEN, OPEN].into_iter().collect())));
        for cut in 0..message.len() {
            let is_whole = cut >= NUMBER_BYTES && (cut - NUMBER_BYTES).is_multiple_of(RECORD_BYTES);
            assert_eq!(read(&message[..cut]).is_ok(), is_whole, "{cut}");
        }
        message.truncate(NUMBER_BYTES);
        message.extend([0xff; RECORD_BYTES]);
        assert!(read(&message).is_err());
        message.truncate(NUMBER_BYTES);
        (0..=COMMANDS_MAX).for_each(|_| message.extend(encode_command(&OPEN)));
        assert!(read(&message).is_err());
    }

    #[test]
    fn an_answer_names_no_other_account() {
        let (own, other) = (AccountId(1_000), AccountId(0x00C0_FFEE));
        let trade = Event::Traded {
            market: MarketId(7),
            maker: OrderId(1),
            maker_account: other,
            taker: OrderId(2),
            taker_account: own,
            price: Price::MIN,
            quantity: Quantity(3),
            maker_intent: Intent::SellYes,
            taker_intent: Intent::BuyYes,
        };
        let ticket = Ticket { shard: 2, sequence: Sequence(5) };
        let mut reply = Reply::begin(ticket, Stamp { sequence: ticket.sequence, time: UnixMs(6) });
        reply.add(&trade);
        let bytes = write(9, own, &[Ok(reply), Err(Refusal::Stopped)]);
        assert_eq!(bytes.len(), NUMBER_BYTES + 32 + Event::BYTES + 32);
        assert!(!bytes.windows(4).any(|four| four == other.0.to_le_bytes()));
        let event = bytes[NUMBER_BYTES + 32..].first_chunk().and_then(Event::decode).expect("an event");
        assert_eq!(event, without_the_other(trade, own));
        assert_eq!(bytes[bytes.len() - 8..bytes.len() - 4], 4u32.to_le_bytes());

        let stamp = Stamp { sequence: Sequence(5), time: UnixMs(6) };
        let notice = Notice { account: own, stamp, event: trade, before: Before::Nothing };
        let bytes = write_notices(&[notice; 2]);
        assert_eq!(bytes.len(), NUMBER_BYTES + 2 * (16 + Event::BYTES));
        assert!(!bytes.windows(4).any(|four| four == other.0.to_le_bytes()));
    }
}
