//! A wrapper around a primary's logs: it hands each frame to the shard's stream, and lets a sync return when it is durable.
//!
//! It is in the same place as 0x0c's stamps, so no engine knows that its log is copied. A frame is on its way to the stream
//! while the disk syncs it. A stream that is slow is like a slow disk: the next batch is larger. A frame that the stream refuses
//! fails the sync, and after a failed sync an engine acknowledges nothing.
//!
//! The journal waits for a frame before it writes the next, so in `both` and `majority` one frame is under way at a time.

use std::io;

use gateway::log_disk::{AroundLog, AroundLogs};
use market::log::SealedFrame;
use market::log_reader::Place;
use market::{LogFile, Sequence, Stamp};

use crate::durable::{BEHIND_MAX, Durable};
use crate::publisher::Publisher;

/// Streams behind the logs of all shards.
pub struct Streams {
    /// The publisher of each shard.
    pub publishers: Vec<Publisher>,
    /// When a frame counts as durable.
    pub durable: Durable,
}

impl AroundLogs for Streams {
    fn log(&self, shard: u16) -> Option<Box<dyn AroundLog>> {
        let publisher = self.publishers.get(usize::from(shard))?.clone();
        Some(Box::new(Streamed { publisher, durable: self.durable, handed: 0, is_new: false }))
    }
}

/// The stream behind a shard's log.
struct Streamed {
    publisher: Publisher,
    durable: Durable,
    /// The number of the last frame that was handed over.
    handed: u64,
    /// Whether there is one that no sync has waited for.
    is_new: bool,
}

impl AroundLog for Streamed {
    // ANCHOR: write
    fn write(&mut self, frame: SealedFrame, at: u64, bytes: &[u8]) -> io::Result<()> {
        if let Some(number) = self.publisher.hand(bytes, frame.first.sequence, behind(frame, at, bytes))? {
            (self.handed, self.is_new) = (number, true);
        }
        Ok(())
    }
    // ANCHOR_END: write

    // ANCHOR: sync
    fn sync(&mut self, file: &mut dyn LogFile) -> io::Result<()> {
        if !std::mem::take(&mut self.is_new) {
            return file.sync();
        }
        let least = match self.durable {
            Durable::Both => {
                file.sync()?;
                self.handed
            }
            Durable::Majority => self.handed,
            Durable::Local => {
                file.sync()?;
                self.handed.saturating_sub(BEHIND_MAX)
            }
        };
        self.publisher.wait(least).map_err(|why| io::Error::other(why.to_string()))
    }
    // ANCHOR_END: sync
}

/// The place after a frame that is written at byte `at`.
fn behind(SealedFrame { first, commands, crc }: SealedFrame, at: u64, bytes: &[u8]) -> Place {
    let next = Stamp { sequence: first.sequence.plus(commands), time: first.time };
    Place { segment: Sequence::FIRST, last: (at, at + bytes.len() as u64), crc, next }
}
