//! A shard's log here and its stream, read together: what the stream has goes into the log, and the other way round.
//!
//! Only messages that follow in the [`Chain`] are taken. A message that does not come is requested by its place, so that a gap
//! is reported instead of waited for.

use std::time::{Duration, Instant};

use axum::body::Bytes;
use market::Sequence;
use market::log::LogHeader;
use program::tell;

use crate::chain::{Chain, Heard};
use crate::cut::Cut;
use crate::durable::Durable;
use crate::error::ReplicaError;
use crate::link::Link;
use crate::message::{Epoch, has_room};
use crate::own::OwnLog;
use crate::stream::{NotAppended, Reader, Stream};

/// How long to wait without a message before the next one is requested by its place.
const STALLED: Duration = Duration::from_secs(3);

/// How long to wait for messages that are known to be there before looking again.
pub const WAIT: Duration = Duration::from_secs(5);

/// Reads on to this place, at which there is a message.
///
/// # Errors
/// As [`Follower::step`].
pub fn follow(link: &Link, follower: &mut Follower, place: u64) -> Result<(), ReplicaError> {
    while follower.chain.place < place {
        follower.step(link, WAIT)?;
    }
    Ok(())
}

/// A shard's log here, and its stream, read together.
pub struct Follower {
    /// The stream.
    pub stream: Stream,
    /// How far it was read.
    pub chain: Chain,
    own: OwnLog,
    /// None only while a step reads.
    reader: Option<Reader>,
    /// When something was read last.
    heard: Instant,
}

/// What a follower has read.
#[derive(Default)]
pub struct Step {
    /// How many messages.
    pub messages: usize,
    /// The last epoch that began, if one did.
    pub epoch: Option<Epoch>,
    /// How many epochs began.
    pub epochs: u64,
    /// What was cut off from the log here.
    pub cut: Option<Cut>,
}

impl Follower {
    /// A follower that continues after `chain`. The log here and the stream have to be of one log.
    ///
    /// # Errors
    /// [`ReplicaError::OtherLog`], and those of [`first_message`].
    pub fn new(link: &Link, stream: Stream, own: OwnLog, chain: Chain) -> Result<Follower, ReplicaError> {
        let reader = Some(stream.read_from(chain.place + 1));
        let follower = Follower { stream, chain, own, reader, heard: Instant::now() };
        follower.check_log(link)?;
        Ok(follower)
    }

    /// Refuses a stream of another log. An empty one may still become that.
    ///
    /// # Errors
    /// As [`new`](Follower::new).
    pub fn check_log(&self, link: &Link) -> Result<(), ReplicaError> {
        if let Some(first) = first_message(link, &self.stream, self.chain.place)? {
            let there = header(&self.stream, &first)?;
            if there != self.chain.header {
                return Err(other_log(&self.own, &self.stream, &self.chain.header, &there));
            }
        }
        Ok(())
    }

    /// Reads what there is, or waits for the first message that comes within `time`, and writes it into the log here. All of it
    /// is on disk when this returns.
    ///
    /// # Errors
    /// When a message fails its check, or the disk can't be written. What came before it is on disk.
    pub fn step(&mut self, link: &Link, time: Duration) -> Result<Step, ReplicaError> {
        self.read(link, time).map_err(|error| match error {
            // What comes next may be missing because it was trimmed away.
            ReplicaError::NotBelieved { .. } => match first_message(link, &self.stream, self.chain.place) {
                Err(trimmed @ ReplicaError::Trimmed { .. }) => trimmed,
                _ => error,
            },
            error => error,
        })
    }

    fn read(&mut self, link: &Link, time: Duration) -> Result<Step, ReplicaError> {
        let Some(mut reader) = self.reader.take() else { unreachable!("a step gives it back") };
        let (reader, messages) = link.wait(async move {
            let messages = reader.some_within(time).await;
            (reader, messages)
        });
        self.reader = Some(reader);
        let mut step = Step { messages: messages.len(), ..Step::default() };
        let taken = messages.iter().try_for_each(|(place, message)| self.take(*place, message, &mut step));
        if !messages.is_empty() {
            self.heard = Instant::now();
            self.own.sync(&self.chain)?;
        } else if self.heard.elapsed() > STALLED {
            self.heard = Instant::now();
            self.look(link, &mut step)?;
        }
        taken.map(|()| step)
    }

    /// No message came for long. If the stream has more, the next message is requested by its place: it is there, or it is
    /// gone.
    fn look(&mut self, link: &Link, step: &mut Step) -> Result<(), ReplicaError> {
        let (stream, next) = (self.stream.clone(), self.chain.place + 1);
        let found = link.wait(async move {
            let is_there = stream.last().await >= next;
            if is_there { Some(stream.readable(next).await) } else { None }
        });
        let reason = match found {
            None => return Ok(()),
            Some(Ok(Some(message))) => {
                self.take(next, &message, step)?;
                self.reader = Some(self.stream.read_from(next + 1));
                return self.own.sync(&self.chain);
            }
            Some(Ok(None)) => "it is missing, and later ones are there".to_owned(),
            Some(Err(reason)) => format!("the servers can't read it: {reason}"),
        };
        let (stream, whole) = (self.stream.name().to_owned(), self.own.last());
        Err(ReplicaError::NotBelieved { stream, place: next, reason, whole })
    }

    fn take(&mut self, place: u64, message: &[u8], step: &mut Step) -> Result<(), ReplicaError> {
        match self.chain.accept(place, message) {
            Ok(Heard::Epoch(epoch)) => (step.epoch, step.epochs) = (Some(epoch), step.epochs + 1),
            Ok(Heard::Frames(frames)) => {
                let mut start = 0;
                for (end, next) in frames {
                    if let Some(cut) = self.own.take(&message[start..end], next, self.chain.epoch)? {
                        tell(format_args!("{}: {cut}", self.stream.name()));
                        step.cut = Some(cut);
                    }
                    start = end;
                }
            }
            Err(reason) => {
                let (stream, whole) = (self.stream.name().to_owned(), self.own.last());
                return Err(ReplicaError::NotBelieved { stream, place, reason, whole });
            }
        }
        Ok(())
    }

    /// Cuts off what the log here has beyond the stream, which was read to its end.
    ///
    /// # Errors
    /// When the disk can't be read or written.
    pub fn cut_rest(&mut self) -> Result<(), ReplicaError> {
        if let Some(cut) = self.own.cut(self.chain.epoch)? {
            tell(format_args!("{}: {cut}", self.stream.name()));
        }
        Ok(())
    }

    /// The places of the stream's first and last message. Fails when the stream is shorter than what was read of it.
    ///
    /// # Errors
    /// [`ReplicaError::Shorter`].
    pub fn check_length(&self, link: &Link) -> Result<(u64, u64), ReplicaError> {
        let (stream, known) = (self.stream.clone(), self.chain.place);
        let ends = link.wait(async move { stream.ends_from(known).await });
        ends.map_err(|found| shorter(&self.stream, found, &self.chain))
    }

    // ANCHOR: append_rest
    /// Appends to the stream what only the log here has.
    ///
    /// # Errors
    /// [`ReplicaError::Replaced`], and when the log can't be read.
    pub fn append_rest(&mut self, link: &Link) -> Result<(), ReplicaError> {
        loop {
            let (before, mut frames) = (self.own.place(), Vec::new());
            while let Some(frame) = self.own.next_frame()?.filter(|frame| has_room(frames.len(), frame.bytes.len())) {
                self.own.pass(&frame);
                frames.extend(frame.bytes);
            }
            self.own.back(before);
            if frames.is_empty() {
                return self.own.sync(&self.chain);
            }
            let (stream, last, message) = (self.stream.clone(), self.chain.place, Bytes::from(frames));
            let sent = message.clone();
            if let Err(why) = link.wait(async move { stream.append(last, &sent).await }) {
                return Err(not_appended(&self.stream, &self.chain, None, why));
            }
            self.take(last + 1, &message, &mut Step::default())?;
            self.own.sync(&self.chain)?;
        }
    }
    // ANCHOR_END: append_rest
}

/// Message 1 of a stream whose messages up to `known` a log here is known to have; none when it has no message, or
/// when those that were trimmed away are among the known ones.
///
/// # Errors
/// [`ReplicaError::Trimmed`] when others were trimmed away, and when the servers can't read message 1.
pub fn first_message(link: &Link, stream: &Stream, known: u64) -> Result<Option<Bytes>, ReplicaError> {
    let own = stream.clone();
    let ((first, last), message) = link.wait(async move { (own.ends().await, own.readable(1).await) });
    let message = message.map_err(|reason| not_believed(stream, format!("the servers can't read it: {reason}")))?;
    // It may have been trimmed just now.
    let first = first.max(2);
    if message.is_none() && last > 0 && first > known + 1 {
        return Err(ReplicaError::Trimmed { stream: stream.name().to_owned(), first, known });
    }
    Ok(message)
}

/// Nothing was read of the stream yet.
fn not_believed(stream: &Stream, reason: String) -> ReplicaError {
    ReplicaError::NotBelieved { stream: stream.name().to_owned(), place: 1, reason, whole: Sequence(0) }
}

/// The header of the log that a stream with this first message holds.
///
/// # Errors
/// When it is no epoch.
pub fn header(stream: &Stream, first: &[u8]) -> Result<LogHeader, ReplicaError> {
    Ok(Epoch::decode(first).map_err(|reason| not_believed(stream, reason))?.header)
}

fn other_log(own: &OwnLog, stream: &Stream, here: &LogHeader, there: &LogHeader) -> ReplicaError {
    ReplicaError::OtherLog {
        folder: own.folder().display().to_string(),
        shard: here.shard.shard,
        here: here.id.0,
        stream: stream.name().to_owned(),
        there: there.id.0,
    }
}

/// The stream ends before what was read of it.
pub fn shorter(stream: &Stream, found: u64, chain: &Chain) -> ReplicaError {
    let whole = Sequence(chain.next.sequence.0 - 1);
    ReplicaError::Shorter { stream: stream.name().to_owned(), found, known: chain.place, whole }
}

/// The error for a message that is not in the stream, on a machine where a frame counts as durable like this; none before it
/// serves.
pub fn not_appended(stream: &Stream, chain: &Chain, durable: Option<Durable>, why: NotAppended) -> ReplicaError {
    match why {
        NotAppended::Other(other) => {
            ReplicaError::Replaced { stream: stream.name().to_owned(), by: author(&other), durable }
        }
        NotAppended::Shorter(found) => shorter(stream, found, chain),
    }
}

/// Whose message it is, for people.
pub fn author(message: &[u8]) -> String {
    match Epoch::decode(message) {
        Ok(epoch) => format!("{} (epoch {})", epoch.name, epoch.number),
        Err(_) => "another primary".into(),
    }
}
