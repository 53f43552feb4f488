//! The header of a log: which shard's log it is, and where it begins.

use std::path::Path;

use crate::bytes::{u32_at, u64_at};
use crate::clock::UnixMs;
use crate::ids::{LogId, Sequence};
use crate::log_error::LogError;
use crate::record::{HEADER_BYTES, RECORD_BYTES, VERSION};
use crate::shard::ShardOf;

const MAGIC: [u8; 8] = *b"99CENTS\n";

/// The first bytes of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogHeader {
    /// The shard.
    pub shard: ShardOf,
    /// The log's identity; [`LogId::NONE`] in a log of version 1.
    pub id: LogId,
    /// The sequence of the first command of the file. Files that share an identity follow each other.
    pub first: Sequence,
    /// The time of the last frame before the file.
    pub last_time: UnixMs,
}

impl LogHeader {
    /// The header of a log's first file.
    pub fn new(shard: ShardOf, id: LogId) -> LogHeader {
        LogHeader { shard, id, first: Sequence::FIRST, last_time: UnixMs::UNKNOWN }
    }

    /// The header as bytes.
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..14].copy_from_slice(&self.shard.shard.to_le_bytes());
        bytes[14..16].copy_from_slice(&self.shard.shards.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.id.0.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.first.0.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.last_time.0.to_le_bytes());
        let crc = crc32c::crc32c(&bytes[..40]);
        bytes[40..44].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Decodes `bytes`, the first [`HEADER_BYTES`] of a log, or fewer if there are no more.
    ///
    /// # Errors
    /// [`LogError::Empty`], [`LogError::Foreign`] and [`LogError::UnknownVersion`].
    pub fn decode(bytes: &[u8], path: &Path) -> Result<LogHeader, LogError> {
        let foreign = |reason| LogError::Foreign { path: path.to_path_buf(), reason };
        if bytes.is_empty() {
            return Err(LogError::Empty { path: path.to_path_buf() });
        }
        let too_short = || foreign("it is shorter than a log's header");
        let start = bytes.first_chunk::<RECORD_BYTES>().ok_or_else(too_short)?;
        if start[..8] != MAGIC {
            return Err(foreign("it does not begin with the log's magic bytes"));
        }
        // The version comes before the checksum: another version may place its checksum elsewhere.
        let header = match u32_at(start, 8) {
            1 => decode_version_1(start),
            VERSION => decode_version_2(bytes.first_chunk().ok_or_else(too_short)?),
            found => return Err(LogError::UnknownVersion { path: path.to_path_buf(), found }),
        };
        let header = header.ok_or_else(|| foreign("its header is damaged"))?;
        if header.shard.shard >= header.shard.shards {
            return Err(foreign("its header names an impossible shard"));
        }
        Ok(header)
    }

    /// The header's length in its version, in bytes.
    pub fn length(&self) -> usize {
        if self.id == LogId::NONE { RECORD_BYTES } else { HEADER_BYTES }
    }

    /// The length of the header, in bytes, that begins with `start`, its first [`RECORD_BYTES`] or
    /// fewer.
    pub(crate) fn length_of(start: &[u8]) -> usize {
        if start.get(8..12) == Some(&[1, 0, 0, 0]) { RECORD_BYTES } else { HEADER_BYTES }
    }
}

fn decode_version_1(bytes: &[u8; RECORD_BYTES]) -> Option<LogHeader> {
    let sound = u32_at(bytes, 16) == crc32c::crc32c(&bytes[..16]) && bytes[20..] == [0; 4];
    sound.then(|| LogHeader::new(shard_at(bytes), LogId::NONE))
}

fn decode_version_2(bytes: &[u8; HEADER_BYTES]) -> Option<LogHeader> {
    let (id, first, last_time) = (LogId(u64_at(bytes, 16)), Sequence(u64_at(bytes, 24)), UnixMs(u64_at(bytes, 32)));
    let sound = u32_at(bytes, 40) == crc32c::crc32c(&bytes[..40]) && bytes[44..] == [0; 4];
    let possible = id != LogId::NONE && first >= Sequence::FIRST;
    (sound && possible).then(|| LogHeader { shard: shard_at(bytes), id, first, last_time })
}

fn shard_at(bytes: &[u8]) -> ShardOf {
    let [shard, shards] = [12, 14].map(|at| u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    ShardOf { shard, shards }
}
