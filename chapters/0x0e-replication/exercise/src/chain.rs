//! What a machine believes of a stream: nothing that does not follow from what it has read before.
//!
//! The messages have no gap. The first is an epoch, and says which log this is. Each later epoch is of the same log and stands
//! at the place that it names. A message of frames is whole, and each of its frames has the right checksum, which is seeded
//! with the log's identity, begins with the command that is next, and holds commands that this shard can have. [`LogReader`],
//! which also reads logs from disk, decides that: a frame is judged like a file that holds the log's header and this one frame.
//! Cost: a pass over the bytes for the checksum.

use std::io;
use std::path::Path;

use market::log::{HEADER_BYTES, LogHeader, SealedFrame, frame_crc};
use market::log_reader::LogReader;
use market::{LogError, LogFile, Stamp};

use crate::message::Epoch;

/// How far a stream was read, and what has to come next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chain {
    /// Whose log it is.
    pub header: LogHeader,
    /// The place of the last message.
    pub place: u64,
    /// The epoch that it belongs to; 0 before the first.
    pub epoch: u64,
    /// The next command, and the time of the frame before it.
    pub next: Stamp,
}

/// What a message was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Heard {
    /// An epoch began.
    Epoch(Epoch),
    /// Frames, each with the number of the message's bytes up to its end, and what comes next after it.
    Frames(Vec<(usize, Stamp)>),
}

impl Chain {
    /// The beginning of a stream that holds this log.
    pub fn new(header: LogHeader) -> Chain {
        Chain { header, place: 0, epoch: 0, next: Stamp { sequence: header.first, time: header.last_time } }
    }

    /// Takes the message at a place of the stream. The error says why it can't be the next one; then nothing has
    /// changed.
    ///
    /// # Errors
    /// When there is a hole, another log, or a changed byte.
    pub fn accept(&mut self, _place: u64, _message: &[u8]) -> Result<Heard, String> {
        todo!("step 2: accept")
    }
}

/// The frames of a message, the first of which has to begin with `next`.
fn frames(_message: &[u8], _header: &LogHeader, _next: Stamp) -> Result<Vec<(usize, Stamp)>, String> {
    todo!("step 2: frames")
}

/// What comes after a frame of this log that has to begin with `next`. The error says what is wrong with the frame: with which
/// command it begins and with which it should, that its checksum is wrong, or what [`LogReader`] has against it.
///
/// # Errors
/// When the bytes are not exactly one whole frame that follows.
pub fn behind(_frame: &[u8], _header: &LogHeader, _next: Stamp) -> Result<Stamp, String> {
    todo!("step 1: behind")
}

/// A file that is in memory, and is only read.
struct InMemory(Vec<u8>);

impl LogFile for InMemory {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(at).ok().and_then(|at| self.0.get(at..)).unwrap_or_default();
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }

    fn write_at(&mut self, _: u64, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    fn length(&mut self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn set_length(&mut self, _: u64) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use market::log::{RECORD_BYTES, ShardOf, encode_commands, seal_frame};
    use market::{Command, LogId, MarketId, Sequence, UnixMs};

    use super::*;

    fn header(id: u64) -> LogHeader {
        LogHeader::new(ShardOf::ONLY, LogId(id))
    }

    fn epoch(place: u64, id: u64) -> Vec<u8> {
        Epoch { number: place, header: header(id), name: "one".into() }.encode()
    }

    fn frame(first: u64, commands: u32, id: u64) -> Vec<u8> {
        let mut frame = vec![0; RECORD_BYTES];
        let commands = (0..commands).map(|market| Command::Open { market: MarketId(market) });
        encode_commands(&commands.collect::<Vec<_>>(), &mut frame);
        seal_frame(&mut frame, LogId(id), Stamp { sequence: Sequence(first), time: UnixMs(5) });
        frame
    }

    fn read() -> Chain {
        let mut chain = Chain::new(header(9));
        chain.accept(1, &epoch(1, 9)).expect("the first epoch");
        chain.accept(2, &frame(1, 3, 9)).expect("the first frame");
        chain
    }

    #[test]
    fn what_follows_is_accepted() {
        let mut chain = read();
        let next = |next| Stamp { sequence: Sequence(next), time: UnixMs(5) };
        assert_eq!(chain.accept(3, &frame(4, 1, 9)), Ok(Heard::Frames(vec![(48, next(5))])));
        assert!(matches!(chain.accept(4, &epoch(4, 9)), Ok(Heard::Epoch(epoch)) if epoch.number == 4));
        let two = [frame(5, 1, 9), frame(6, 2, 9)].concat();
        assert_eq!(chain.accept(5, &two), Ok(Heard::Frames(vec![(48, next(6)), (120, next(8))])));
        assert_eq!((chain.place, chain.epoch, chain.next.sequence), (5, 4, Sequence(8)));
    }

    #[test]
    fn what_does_not_follow_is_named_and_changes_nothing() {
        let cases = [
            (4, frame(4, 1, 9), "message 3 should come next"),
            (2, frame(4, 1, 9), "message 3 should come next"),
            (3, frame(5, 1, 9), "begins with command 5, but command 4 should come next"),
            (3, frame(1, 3, 9), "begins with command 1"),
            (3, frame(4, 1, 8), "checksum is wrong"),
            (3, epoch(3, 8), "another log"),
            (3, epoch(2, 9), "says that it is message 2"),
            (3, Vec::new(), "not a whole frame"),
            (3, [frame(4, 1, 9), frame(6, 1, 9)].concat(), "begins with command 6, but command 5 should come next"),
            (3, [frame(4, 1, 9), frame(5, 1, 8)].concat(), "checksum is wrong"),
            (3, [frame(4, 1, 9), epoch(3, 9)].concat(), ""),
        ];
        for (place, message, words) in cases {
            let mut chain = read();
            let refused = chain.accept(place, &message).expect_err(words);
            assert!(refused.contains(words), "{refused}");
            assert_eq!(chain, read());
        }
        let refused = Chain::new(header(9)).accept(1, &frame(1, 3, 9)).expect_err("no epoch");
        assert!(refused.contains("no epoch"), "{refused}");
    }

    #[test]
    fn every_changed_bit_and_every_missing_byte_of_frames_is_refused() {
        let whole = [frame(4, 2, 9), frame(6, 1, 9)].concat();
        for bit in 0..8 * whole.len() {
            let mut changed = whole.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(read().accept(3, &changed).is_err(), "bit {bit}");
        }
        // After 72 bytes the first frame is whole.
        for length in (0..whole.len()).filter(|&length| length != 72) {
            assert!(read().accept(3, &whole[..length]).is_err(), "{length} bytes");
        }
    }
}
