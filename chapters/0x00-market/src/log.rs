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
//! All integers are little-endian. `length` is the size of the commands in bytes, and so gives their number; times
//! are Unix milliseconds. A frame's CRC covers the log's identity and everything in the frame except itself: a
//! frame of another log, with the right sequence at the right place, has a wrong checksum here.
//!
//! Everything is a multiple of 24 bytes, so a reader that lost its place looks for the next frame only at every
//! 24th byte. A record's first byte says what it is: `F` is the header of a frame, 1 to 6 a command, 0 nothing yet.
//!
//! A frame is all or nothing. An engine writes a frame, syncs, and only then acknowledges its commands or writes
//! the next frame: so after a crash at most the last frame can be torn. Everything in a log of one of several
//! shards belongs to that shard. Times never decrease within a log.
//!
//! Version 1 is read and never written: a header of 24 bytes without identity, first sequence and time, frames with
//! `length u32 · CRC-32C u32 · first sequence u64 · count u32 · zero u32`, a CRC over the frame alone, and commands
//! without request numbers.

use crate::clock::{Stamp, UnixMs};
use crate::command::Command;
pub use crate::frame::{SealedFrame, frame_crc, seal_frame};
pub use crate::log_header::LogHeader;
pub use crate::record::{
    FRAME_COMMANDS_MAX, HEADER_BYTES, RECORD_BYTES, VERSION, decode_command, encode_command, encode_commands,
};
pub use crate::shard::{FILE_NAME, ShardOf};

/// A whole log of these commands, as an engine would leave it, in frames of up to 1,024, all with this
/// time.
pub fn encode_log(header: &LogHeader, time: UnixMs, commands: &[Command]) -> Vec<u8> {
    let mut log = header.encode().to_vec();
    let mut stamp = Stamp { sequence: header.first, time };
    for batch in commands.chunks(1_024) {
        let start = log.len();
        log.extend([0; RECORD_BYTES]);
        encode_commands(batch, &mut log);
        seal_frame(&mut log[start..], header.id, stamp);
        stamp = stamp.plus(batch.len() as u64);
    }
    log
}
