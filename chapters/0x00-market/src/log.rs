//! The log's format: the one thing that every chapter writes and every chapter reads.
//!
//! ```text
//! file   = header frame*
//! header = magic (8) · version u32 · shard u16 · shards u16 · identity u64 · first sequence u64
//!          · last time before it u64 · CRC-32C u32 · zero u32                                     48 bytes
//! frame  = `F` · length u24 · CRC-32C u32 · first sequence u64 · time u64                         24 bytes
//!          then its commands                                                                 24 bytes each
//! ```
//!
//! All integers are little-endian. `length` is the size of the commands in bytes, and so says how many there are;
//! times are Unix milliseconds. A frame's CRC covers the log's identity and everything in the frame but itself:
//! a frame of another log, with the right sequence at the right place, has a wrong checksum here.
//!
//! Everything is a multiple of 24 bytes, so a lost reader looks for the next frame at every 24th byte only. And its
//! first byte says what a record is: an `F` the header of a frame, 1 to 6 a command, 0 nothing yet.
//!
//! A frame is all or nothing. An engine writes a frame, syncs, and only then acknowledges its
//! commands or writes the next frame: so after a crash at most the last frame can be torn. Everything
//! in a log of one of several shards belongs to that shard. Times never run back within a log.
//!
//! Version 1 is read and never written: a header of 24 bytes without identity, first sequence and time, frames with
//! `length u32 · CRC-32C u32 · first sequence u64 · count u32 · zero u32`, a CRC over the frame alone, and commands
//! without numbers of requests.

use crate::bytes::{u32_at, u64_at};
pub use crate::frame::{frame_crc, seal_frame};
pub use crate::log_error::LogError;
pub use crate::log_header::LogHeader;
use crate::{AccountId, Cents, Command, Intent, MarketId, OrderId, Outcome, Place, Stamp, TimeInForce, UnixMs};

/// The log's name in a data directory with one shard.
pub const FILE_NAME: &str = "commands.log";

/// The size of a command and of a frame's header, in bytes.
pub const RECORD_BYTES: usize = 24;

/// The size of the file's header, in bytes.
pub const HEADER_BYTES: usize = 2 * RECORD_BYTES;

/// The most commands in a frame: a reader needs no more memory than this many records.
pub const FRAME_COMMANDS_MAX: usize = 65_536;

/// Which shard of how many a log belongs to. Before 0x07 there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShardOf {
    /// The shard, counted from 0.
    pub shard: u16,
    /// How many there are.
    pub shards: u16,
}

impl ShardOf {
    /// The only shard.
    pub const ONLY: ShardOf = ShardOf { shard: 0, shards: 1 };

    /// The name of this shard's log in a data directory.
    pub fn file_name(self) -> String {
        match self {
            ShardOf::ONLY => FILE_NAME.to_string(),
            ShardOf { shard, shards } => format!("commands-{shard}-of-{shards}.log"),
        }
    }

    /// What a file of this name in a data directory is the log of, if it is one.
    pub fn of_file_name(name: &str) -> Option<ShardOf> {
        if name == FILE_NAME {
            return Some(ShardOf::ONLY);
        }
        let (shard, shards) = name.strip_prefix("commands-")?.strip_suffix(".log")?.split_once("-of-")?;
        Some(ShardOf { shard: shard.parse().ok()?, shards: shards.parse().ok()? })
    }

    // ANCHOR: market
    /// The shard that holds a market: a pure function of its id. Markets are named by their users,
    /// often one after the other, so the ids are dealt out in turn.
    pub const fn market(market: MarketId, shards: u16) -> ShardOf {
        ShardOf { shard: (market.0 % shards as u32) as u16, shards }
    }
    // ANCHOR_END: market
}

/// A whole log of these commands, as an engine would leave it, in frames of up to 1,024, all of this time.
pub fn encode_log(header: &LogHeader, time: UnixMs, commands: &[Command]) -> Vec<u8> {
    let mut log = header.encode().to_vec();
    let mut stamp = Stamp { sequence: header.first, time };
    for batch in commands.chunks(1_024) {
        let start = log.len();
        log.extend([0; RECORD_BYTES]);
        log.extend(batch.iter().flat_map(encode_command));
        seal_frame(&mut log[start..], header.id, stamp);
        stamp = stamp.plus(batch.len() as u64);
    }
    log
}

/// A command as its record: kind, intent or outcome, time in force, price (a byte each), market, account, quantity
/// or number of the request (`u32` each), amount, order or client order id (`u64`).
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
