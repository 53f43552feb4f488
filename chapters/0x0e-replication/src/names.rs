//! The stream of names: what the log does not hold has to be on the other machines too, or no client finds its account.
//!
//! ```text
//! message = CRC-32C, 8 hexadecimal digits · a space · JSON
//! ```
//!
//! Each change of a name, a key or a question is a message, appended right after the one before it, and made here only once the
//! stream has it. An epoch is a message too, so a primary that was replaced creates no account. There is no money in it.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use gateway::error::VenueError;
use gateway::names::Names;
use gateway::names::change::{Change, Witness};
use market::{LogId, Options, Sequence};
use serde::{Deserialize, Serialize};

use crate::error::ReplicaError;
use crate::link::Link;
use crate::stream::{NotAppended, Reader, Stream};

/// What a message says.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Said {
    /// A primary of this name begins an epoch, with the log of this identity in shard 0.
    Epoch { name: String, log: u64 },
    /// The names change.
    Names(Change),
}

impl Said {
    fn encode(&self) -> Bytes {
        let json = serde_json::to_string(self).unwrap_or_default();
        format!("{:08x} {json}", crc32c::crc32c(json.as_bytes())).into()
    }

    fn decode(message: &[u8]) -> Option<Said> {
        let (crc, json) = message.split_at_checked(9)?;
        let is_sound = *crc == *format!("{:08x} ", crc32c::crc32c(json)).as_bytes();
        serde_json::from_slice(json).ok().filter(|_| is_sound)
    }
}

/// The names of a machine that follows.
pub struct NamesFollower {
    stream: Stream,
    names: Names,
    log: LogId,
    place: u64,
    reader: Option<Reader>,
    /// All changes up to the place.
    seen: HashSet<Change>,
}

impl NamesFollower {
    /// Reads the stream of names from its beginning into the file of this machine.
    ///
    /// # Errors
    /// When the file can't be used.
    pub fn new(options: &Options, stream: Stream, log: LogId) -> Result<NamesFollower, ReplicaError> {
        let names = Names::open(&options.data_dir).map_err(VenueError::from)?;
        let reader = Some(stream.read_from(1));
        Ok(NamesFollower { stream, names, log, place: 0, reader, seen: HashSet::new() })
    }

    /// Reads what there is, or waits for the first message that comes within `time`.
    ///
    /// # Errors
    /// When a message is not believed, or the file can't be written.
    pub fn step(&mut self, link: &Link, time: Duration) -> Result<usize, ReplicaError> {
        let Some(mut reader) = self.reader.take() else { unreachable!("a step gives it back") };
        let (reader, messages) = link.wait(async move {
            let messages = reader.some_within(time).await;
            (reader, messages)
        });
        self.reader = Some(reader);
        let mut changes = Vec::new();
        let taken = messages.iter().try_for_each(|(place, message)| self.take(*place, message, &mut changes));
        if !changes.is_empty() {
            // One sync for all of them.
            self.names.apply(&changes).map_err(VenueError::from)?;
            self.seen.extend(changes);
        }
        taken.map(|()| messages.len())
    }

    fn take(&mut self, place: u64, message: &[u8], changes: &mut Vec<Change>) -> Result<(), ReplicaError> {
        let refused = |reason: &str| ReplicaError::NotBelieved {
            stream: self.stream.name().to_owned(),
            place,
            reason: reason.to_owned(),
            whole: Sequence(self.place),
        };
        match Said::decode(message).filter(|_| place == self.place + 1) {
            None => return Err(refused("it is missing or damaged")),
            Some(Said::Epoch { log, .. }) if log != self.log.0 => return Err(refused("it belongs to another log")),
            Some(Said::Epoch { .. }) => {}
            Some(Said::Names(change)) => changes.push(change),
        }
        self.place = place;
        Ok(())
    }

    // ANCHOR: join
    /// Begins an epoch, reads up to it, and appends what only this machine has.
    ///
    /// # Errors
    /// As [`step`](NamesFollower::step).
    pub fn join(mut self, link: &Arc<Link>, name: &str, time: Duration) -> Result<NamesWitness, ReplicaError> {
        let (stream, epoch) = (self.stream.clone(), Said::Epoch { name: name.to_owned(), log: self.log.0 }.encode());
        let fence = link.wait(async move {
            loop {
                let last = stream.last().await;
                if stream.append(last, &epoch).await.is_ok() {
                    return last + 1;
                }
            }
        });
        // A standby's reader may read from a server that has died, which it notices late.
        self.reader = Some(self.stream.read_from(self.place + 1));
        while self.place < fence {
            self.step(link, time)?;
        }
        let witness = NamesWitness { link: Arc::clone(link), stream: self.stream, place: Mutex::new(Ok(self.place)) };
        let own = self.names.changes().map_err(VenueError::from)?;
        let missing = own.iter().filter(|change| !self.seen.contains(change));
        missing.into_iter().try_for_each(|change| witness.witness(change)).map_err(|why| ReplicaError::Replaced {
            stream: witness.stream.name().to_owned(),
            by: why.to_string(),
            durable: None,
        })?;
        Ok(witness)
    }
    // ANCHOR_END: join
}

/// Appends each change of the names to the stream before it is made.
pub struct NamesWitness {
    link: Arc<Link>,
    stream: Stream,
    /// The place of the last message, or why nothing more can be appended.
    place: Mutex<Result<u64, String>>,
}

impl Witness for NamesWitness {
    fn witness(&self, change: &Change) -> io::Result<()> {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        let last = place.clone().map_err(io::Error::other)?;
        let (stream, message) = (self.stream.clone(), Said::Names(change.clone()).encode());
        match self.link.wait(async move { stream.append(last, &message).await }) {
            Ok(()) => {
                *place = Ok(last + 1);
                Ok(())
            }
            Err(why) => {
                let why = match why {
                    NotAppended::Other(_) => "another primary has replaced this machine".to_owned(),
                    NotAppended::Shorter(found) => {
                        format!("its stream has become shorter: it ends with message {found}")
                    }
                };
                *place = Err(why.clone());
                Err(io::Error::other(why))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_reads_back_and_a_changed_byte_is_noticed() {
        let change = Change::Account { account: 1_000, name: "Ann".into(), key_hash: [7; 32] };
        let whole = Said::Names(change).encode();
        assert_eq!(Said::decode(&whole).map(|said| said.encode()), Some(whole.clone()));
        for at in 0..whole.len() {
            let mut changed = whole.to_vec();
            changed[at] ^= 1;
            assert_eq!(Said::decode(&changed), None, "byte {at}");
        }
    }
}
