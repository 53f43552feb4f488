//! The records of the log: how large they are, and what a command looks like as one.

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

/// The most commands in a frame: a reader needs no more memory than this many records.
pub const FRAME_COMMANDS_MAX: usize = 65_536;

const _: () = assert!(size_of::<Command>() == RECORD_BYTES, "a command in memory is as small as on disk");
const _: () = assert!(size_of::<Place>() == RECORD_BYTES - 1 && align_of::<Place>() == 1);

/// A command as its record: kind, intent or outcome, time in force, price (a byte each), market, account, quantity
/// or number of the request (`u32` each), amount, order or client order id (`u64`).
#[inline] // for every order, from an engine in another crate
pub fn encode_command(command: &Command) -> [u8; RECORD_BYTES] {
    let mut bytes = [0; RECORD_BYTES];
    bytes[4..8].copy_from_slice(&command.market().0.to_le_bytes());
    let (account, small, large) = match *command {
        Command::Open { .. } => {
            bytes[0] = 1;
            (AccountId(0), 0, 0)
        }
        Command::Deposit { account, amount, request, .. } => {
            bytes[0] = 2;
            (account, request, amount.0)
        }
        Command::Withdraw { account, amount, request, .. } => {
            bytes[0] = 3;
            (account, request, amount.0)
        }
        Command::Place(place) => {
            bytes[..4].copy_from_slice(&[4, place.intent as u8, place.time_in_force as u8, place.price]);
            (place.account, place.quantity, place.client_order_id)
        }
        Command::Cancel { account, order, request, .. } => {
            bytes[0] = 5;
            (account, request, order.0)
        }
        Command::Resolve { outcome, .. } => {
            bytes[..2].copy_from_slice(&[6, outcome as u8]);
            (AccountId(0), 0, 0)
        }
    };
    bytes[8..12].copy_from_slice(&account.0.to_le_bytes());
    bytes[12..16].copy_from_slice(&small.to_le_bytes());
    bytes[16..24].copy_from_slice(&large.to_le_bytes());
    bytes
}

/// The command that a record holds, or `None` where no command is written so.
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
    // Encoding again catches what no field above looked at: a byte that should be zero.
    (encode_command(&command) == *bytes).then_some(command)
}
