//! The log's format: the one thing that every chapter writes and every chapter reads.
//!
//! ```text
//! file   = header frame*
//! header = magic (8) · version u32 · shard u16 · shards u16 · CRC-32C u32 · zero u32      24 bytes
//! frame  = length u32 · CRC-32C u32 · first sequence u64 · count u32 · zero u32           24 bytes
//!          then `count` commands                                                     24 bytes each
//! ```
//!
//! All integers are little-endian. `length` is the size of the commands in bytes; the CRC covers
//! everything in the frame but itself. Everything is a multiple of 24 bytes, so a lost reader looks
//! for the next frame at every 24th byte only. And it can't mistake a command for a frame: a
//! frame begins with the low byte of a multiple of 24, which is a multiple of 8, a command with
//! its kind, which is 1 to 6.
//!
//! A frame is all or nothing. An engine writes a frame, syncs, and only then acknowledges its
//! commands or writes the next frame: so after a crash at most the last frame can be torn. Everything
//! in a log of one of several shards belongs to that shard.

use std::path::PathBuf;

use crate::bytes::{u32_at, u64_at};
use crate::{AccountId, Cents, Command, Intent, MarketId, OrderId, Outcome, Place, Sequence, TimeInForce};

/// The log's name in a data directory with one shard.
pub const FILE_NAME: &str = "commands.log";

/// The size of a command, of a frame's header and of the file's header, in bytes.
pub const RECORD_BYTES: usize = 24;

/// The most commands in a frame: a reader needs no more memory than this many records.
pub const FRAME_COMMANDS_MAX: usize = 65_536;

const MAGIC: [u8; 8] = *b"99CENTS\n";
const VERSION: u32 = 1;

const _: () = assert!(size_of::<Command>() == RECORD_BYTES, "a command in memory is as small as on disk");

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

/// Why a log can't be trusted, written or read.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The disk said no.
    #[error(
        "{path}: could not {what} the log: {source}; nothing that was not synced has been acknowledged: \
             mend the disk and start again, the log will be replayed"
    )]
    Io {
        /// What was tried.
        what: &'static str,
        /// The log.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A write or sync failed before, so what is on disk is unknown.
    #[error(
        "{path}: the log stopped after an earlier error and takes no more commands: \
             start the engine again, it will replay what is on disk"
    )]
    Stopped {
        /// The log.
        path: PathBuf,
    },
    /// A log without even a header.
    #[error(
        "{path}: the log is empty (0 bytes), and an engine never leaves one so: restore it from a copy, \
             or delete the file to start with no history"
    )]
    Empty {
        /// The log.
        path: PathBuf,
    },
    /// Not a log at all.
    #[error("{path}: this is not a log of Ninety-Nine Cents: {reason}; name another data directory")]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong with its header.
        reason: &'static str,
    },
    /// A log of another version.
    #[error(
        "{path}: the log has version {found}, and this program reads version {VERSION}: use the program \
             that wrote it"
    )]
    UnknownVersion {
        /// The log.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// A data directory with another number of shards.
    #[error(
        "{path}: the logs there are of {found} shards, and {asked} was asked for: open it with `--shards {found}`, \
             or rewrite it with 0x07's `--reshard {asked}`"
    )]
    OtherShards {
        /// The data directory.
        path: PathBuf,
        /// How many shards it has.
        found: u16,
        /// How many the engine expected.
        asked: u16,
    },
    /// A log of another shard or of another number of shards.
    #[error("{path}: the log is of shard {} of {}, and shard {} of {} was asked for: open it with the number of \
             shards it was written with, or change that with `--reshard`",
            found.shard, found.shards, asked.shard, asked.shards)]
    OtherShard {
        /// The log.
        path: PathBuf,
        /// What its header says.
        found: ShardOf,
        /// What the engine expected.
        asked: ShardOf,
    },
    /// A shard's log is not there, and another shard's is.
    #[error(
        "{path}: the log of this shard is missing, and there are logs of other shards; commands that were \
             acknowledged may be lost without it, so nothing was loaded: restore the log from a copy, or start \
             in an empty folder"
    )]
    Missing {
        /// Where the log should be.
        path: PathBuf,
    },
    /// Damage in the middle: acknowledged commands follow it.
    #[error(
        "{path}: the log is damaged at byte {offset}, where the frame of command {sequence} should be: {reason}; \
             commands that were acknowledged may be lost, so nothing was loaded: restore the log from a copy"
    )]
    Corrupt {
        /// The log.
        path: PathBuf,
        /// Where the damaged frame starts, in bytes from the start of the file.
        offset: u64,
        /// The first command that can't be read.
        sequence: Sequence,
        /// What is wrong.
        reason: String,
    },
}

/// The first bytes of a log.
pub fn encode_header(shard: ShardOf) -> [u8; RECORD_BYTES] {
    let mut bytes = [0; RECORD_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[12..14].copy_from_slice(&shard.shard.to_le_bytes());
    bytes[14..16].copy_from_slice(&shard.shards.to_le_bytes());
    let crc = crc32c::crc32c(&bytes[..16]);
    bytes[16..20].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// What the first bytes of a log say.
///
/// # Errors
/// [`LogError::Foreign`] and [`LogError::UnknownVersion`].
pub fn decode_header(bytes: &[u8; RECORD_BYTES], path: &std::path::Path) -> Result<ShardOf, LogError> {
    let foreign = |reason| LogError::Foreign { path: path.to_path_buf(), reason };
    if bytes[..8] != MAGIC {
        return Err(foreign("it does not begin with the log's magic bytes"));
    }
    // The version comes before the checksum: another version may place its checksum elsewhere.
    let version = u32_at(bytes, 8);
    if version != VERSION {
        return Err(LogError::UnknownVersion { path: path.to_path_buf(), found: version });
    }
    if u32_at(bytes, 16) != crc32c::crc32c(&bytes[..16]) || bytes[20..] != [0; 4] {
        return Err(foreign("its header is damaged"));
    }
    let [shard, shards] = [12, 14].map(|at| u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    if shard >= shards {
        return Err(foreign("its header names a shard that there can't be"));
    }
    Ok(ShardOf { shard, shards })
}

/// Writes a frame's header into the first [`RECORD_BYTES`] of `frame`; the commands follow them.
///
/// # Panics
/// When `frame` is not a header and 1 to [`FRAME_COMMANDS_MAX`] records. Engines only seal what
/// they have filled.
pub fn seal_frame(frame: &mut [u8], first: Sequence) {
    let length = frame.len() - RECORD_BYTES;
    let count = length / RECORD_BYTES;
    assert!(length.is_multiple_of(RECORD_BYTES) && (1..=FRAME_COMMANDS_MAX).contains(&count));
    frame[0..4].copy_from_slice(&(length as u32).to_le_bytes());
    frame[8..16].copy_from_slice(&first.0.to_le_bytes());
    frame[16..20].copy_from_slice(&(count as u32).to_le_bytes());
    frame[20..24].copy_from_slice(&[0; 4]);
    let crc = frame_crc(frame);
    frame[4..8].copy_from_slice(&crc.to_le_bytes());
}

/// A whole log of these commands, as an engine would leave it, in frames of up to 1,024.
pub fn encode_log(shard: ShardOf, commands: &[Command]) -> Vec<u8> {
    let mut log = encode_header(shard).to_vec();
    let mut next = Sequence::FIRST;
    for batch in commands.chunks(1_024) {
        let start = log.len();
        log.extend([0; RECORD_BYTES]);
        log.extend(batch.iter().flat_map(encode_command));
        seal_frame(&mut log[start..], next);
        next = next.plus(batch.len() as u64);
    }
    log
}

/// The checksum of a whole frame, which leaves out the four bytes where the checksum stands.
pub fn frame_crc(frame: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&frame[..4]), &frame[8..])
}

/// A command as its record: kind, intent or outcome, time in force, price (a byte each), market,
/// account, quantity (`u32` each), amount or order (`u64`).
#[inline] // for every order, from an engine in another crate
pub fn encode_command(command: &Command) -> [u8; RECORD_BYTES] {
    let mut bytes = [0; RECORD_BYTES];
    bytes[4..8].copy_from_slice(&command.market().0.to_le_bytes());
    let (account, value) = match *command {
        Command::Open { .. } => {
            bytes[0] = 1;
            (AccountId(0), 0)
        }
        Command::Deposit { account, amount, .. } => {
            bytes[0] = 2;
            (account, amount.0)
        }
        Command::Withdraw { account, amount, .. } => {
            bytes[0] = 3;
            (account, amount.0)
        }
        Command::Place(place) => {
            bytes[..4].copy_from_slice(&[4, place.intent as u8, place.time_in_force as u8, place.price]);
            bytes[12..16].copy_from_slice(&place.quantity.to_le_bytes());
            (place.account, 0)
        }
        Command::Cancel { account, order, .. } => {
            bytes[0] = 5;
            (account, order.0)
        }
        Command::Resolve { outcome, .. } => {
            bytes[..2].copy_from_slice(&[6, outcome as u8]);
            (AccountId(0), 0)
        }
    };
    bytes[8..12].copy_from_slice(&account.0.to_le_bytes());
    bytes[16..24].copy_from_slice(&value.to_le_bytes());
    bytes
}

/// The command that a record holds, or `None` where no command is written so.
#[inline] // for every order, from an engine in another crate
pub fn decode_command(bytes: &[u8; RECORD_BYTES]) -> Option<Command> {
    let market = MarketId(u32_at(bytes, 4));
    let account = AccountId(u32_at(bytes, 8));
    let value = u64_at(bytes, 16);
    let command = match bytes[0] {
        1 => Command::Open { market },
        2 => Command::Deposit { market, account, amount: Cents(value) },
        3 => Command::Withdraw { market, account, amount: Cents(value) },
        4 => Command::Place(Place {
            market,
            account,
            intent: Intent::from_code(bytes[1])?,
            price: bytes[3],
            quantity: u32_at(bytes, 12),
            time_in_force: TimeInForce::from_code(bytes[2])?,
        }),
        5 => Command::Cancel { market, account, order: OrderId(value) },
        6 => Command::Resolve { market, outcome: Outcome::from_code(bytes[1])? },
        _ => return None,
    };
    // Encoding again catches what no field above looked at: a byte that should be zero.
    (encode_command(&command) == *bytes).then_some(command)
}
