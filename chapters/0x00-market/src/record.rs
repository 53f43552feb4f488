//! The records of the log: their size, and how a command is encoded as one.

use crate::bytes::{u32_at, u64_at};
use crate::command::{Command, Intent, Outcome, Place, TimeInForce};
use crate::ids::{AccountId, MarketId, OrderId};
use crate::money::Cents;

/// The version of the log that is written.
pub const VERSION: u32 = 2;

/// The size of a command and of a frame's header, in bytes.
pub const RECORD_BYTES: usize = 24;

/// The size of the file's header, in bytes.
pub const HEADER_BYTES: usize = 2 * RECORD_BYTES;

/// The most commands in a frame: a reader needs memory for this many records at most.
pub const FRAME_COMMANDS_MAX: usize = 65_536;

const _: () = assert!(size_of::<Command>() == RECORD_BYTES, "a command in memory is as small as on disk");
const _: () = assert!(size_of::<Place>() == RECORD_BYTES - 1 && align_of::<Place>() == 1);

/// A command as its record: kind, intent or outcome, time in force, price (a byte each), market, account, quantity
/// or number of the request (`u32` each), amount, order or client order id (`u64`).
#[inline] // for every order, from an engine in another crate
pub fn encode_command(command: &Command) -> [u8; RECORD_BYTES] {
    encode_of_account(command).unwrap_or_else(|| encode_of_market(command))
}

/// Appends the records of a batch to `frame`.
#[inline] // as `encode_command`
pub fn encode_commands(batch: &[Command], frame: &mut Vec<u8>) {
    for command in batch {
        // Each kind writes to the frame by itself: a value returned from both would go through memory.
        match encode_of_account(command) {
            Some(record) => frame.extend(record),
            None => frame.extend(encode_of_market(command)),
        }
    }
}

// ANCHOR: of_account
/// The record of a command from an account; `None` for one about a whole market. It has no branch that is
/// hard to predict: orders and cancels alternate at random, and a jump table for the kinds would often be
/// mispredicted.
#[inline] // as a part of the loop
fn encode_of_account(command: &Command) -> Option<[u8; RECORD_BYTES]> {
    let (account, small, large) = match *command {
        Command::Open { .. } | Command::Resolve { .. } => return None,
        Command::Deposit { account, amount, request, .. } => (account, request, amount.0),
        Command::Withdraw { account, amount, request, .. } => (account, request, amount.0),
        Command::Place(place) => (place.account, place.quantity, place.client_order_id),
        Command::Cancel { account, order, request, .. } => (account, request, order.0),
    };
    let mut record = record(command, account, small, large);
    record[1] = of_place(command, |place| place.intent as u8);
    record[2] = of_place(command, |place| place.time_in_force as u8);
    record[3] = of_place(command, |place| place.price);
    Some(record)
}

/// A byte of a placed order, 0 for anything else: a choice between two values, where a `match` would become
/// a jump.
#[inline] // as a part of the loop
fn of_place(command: &Command, byte: impl FnOnce(&Place) -> u8) -> u8 {
    if let Command::Place(place) = command { byte(place) } else { 0 }
}
// ANCHOR_END: of_account

/// The record of a command about a whole market.
#[cold]
#[inline(never)] // it is rare, and inlined it would make the compiler use jumps for the other kinds again
fn encode_of_market(command: &Command) -> [u8; RECORD_BYTES] {
    let mut record = record(command, AccountId(0), 0, 0);
    if let Command::Resolve { outcome, .. } = *command {
        record[1] = outcome as u8;
    }
    record
}

/// The parts that all records have.
#[inline] // as a part of the loop
fn record(command: &Command, account: AccountId, small: u32, large: u64) -> [u8; RECORD_BYTES] {
    let mut record = [0; RECORD_BYTES];
    record[0] = kind(command);
    record[4..8].copy_from_slice(&command.market().0.to_le_bytes());
    record[8..12].copy_from_slice(&account.0.to_le_bytes());
    record[12..16].copy_from_slice(&small.to_le_bytes());
    record[16..24].copy_from_slice(&large.to_le_bytes());
    record
}

/// The first byte of a record. Counted from 0, as a compiler numbers the variants, so that no table is
/// needed.
#[inline] // as a part of the loop
fn kind(command: &Command) -> u8 {
    1 + match command {
        Command::Open { .. } => 0,
        Command::Deposit { .. } => 1,
        Command::Withdraw { .. } => 2,
        Command::Place(_) => 3,
        Command::Cancel { .. } => 4,
        Command::Resolve { .. } => 5,
    }
}

/// The command that a record holds, or `None` if no command is written like that.
#[inline] // for every order, from an engine in another crate
pub fn decode_command(bytes: &[u8; RECORD_BYTES]) -> Option<Command> {
    let market = MarketId(u32_at(bytes, 4));
    let account = AccountId(u32_at(bytes, 8));
    let (small, large) = (u32_at(bytes, 12), u64_at(bytes, 16));
    let command = match bytes[0] {
        1 => Command::Open { market },
        2 => Command::Deposit { market, account, amount: Cents(large), request: small },
        3 => Command::Withdraw { market, account, amount: Cents(large), request: small },
        4 => Command::Place(Place {
            intent: Intent::from_code(bytes[1])?,
            time_in_force: TimeInForce::from_code(bytes[2])?,
            price: bytes[3],
            market,
            account,
            quantity: small,
            client_order_id: large,
        }),
        5 => Command::Cancel { market, account, order: OrderId(large), request: small },
        6 => Command::Resolve { market, outcome: Outcome::from_code(bytes[1])? },
        _ => return None,
    };
    // Encoding again catches what no field above covered: a byte that should be zero.
    (encode_command(&command) == *bytes).then_some(command)
}
