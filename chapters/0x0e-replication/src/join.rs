//! Becoming the primary: fence first, then read to the end, then open.
//!
//! 1. Append an epoch right behind the last message. From then on, no other primary can append anything: what it appends names
//!    a place that is taken.
//! 2. Read the stream up to that epoch, and complete the log here from it. What was acknowledged by any primary is in there.
//! 3. What this log has beyond that was never confirmed. It is appended, so that the stream and the log say the same.
//!
//! In any other order an order may be lost: what is read before the fence may not be the end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use market::data_dir::shard_counts;
use market::log::{LogHeader, ShardOf};
use market::{DataDir, EngineError, LogId, Options, Sequence};
use program::tell;

use crate::chain::{Chain, Heard};
use crate::error::ReplicaError;
use crate::link::Link;
use crate::message::Epoch;
use crate::names::{NamesFollower, NamesWitness};
use crate::own::{Cut, OwnFrame, OwnLog};
use crate::stream::{NotAppended, Reader, Stream};

/// How long to wait for messages that are known to be there before looking again.
const WAIT: Duration = Duration::from_secs(5);

/// How long nothing may come before the next message is asked for by its place.
const STALLED: Duration = Duration::from_secs(3);

/// How many frames are appended together.
const TOGETHER: usize = 64;

/// A shard whose stream this machine may append to.
pub struct Joined {
    /// The stream.
    pub stream: Stream,
    /// How far it goes, and what comes next.
    pub chain: Chain,
}

/// Makes this machine the primary of all shards, whose streams are these.
///
/// # Errors
/// [`ReplicaError`]. This machine is no primary then.
pub fn join(
    link: &Arc<Link>,
    options: &Options,
    streams: Vec<Stream>,
    names: Stream,
    name: &str,
) -> Result<(Vec<Joined>, NamesWitness), ReplicaError> {
    let dir = DataDir::open(&*options.disk, &options.data_dir)?;
    if !has_logs(options)? {
        make_logs(link, &dir, options, &streams)?;
    }
    let shards = (0..options.shards).map(|shard| ShardOf { shard, shards: options.shards }).zip(streams);
    let joined: Result<Vec<_>, _> =
        shards.map(|(shard, stream)| join_shard(link, options, shard, stream, name)).collect();
    let joined = joined?;
    let log = joined.first().map_or(LogId::NONE, |joined| joined.chain.header.id);
    let witness = NamesFollower::new(options, names, log)?.join(link, name, WAIT)?;
    Ok((joined, witness))
}

// ANCHOR: join
fn join_shard(
    link: &Link,
    options: &Options,
    shard: ShardOf,
    stream: Stream,
    name: &str,
) -> Result<Joined, ReplicaError> {
    let (own, chain) = OwnLog::open(options, shard, stream.name())?;
    let mut follower = Follower::new(link, stream, own, chain)?;
    let epoch = fence(link, &follower.stream, &follower.chain, name)?;
    follow(link, &mut follower, epoch)?;
    follower.append_rest(link)?;
    let Follower { stream, chain, .. } = follower;
    Ok(Joined { stream, chain })
}

/// Begins an epoch, and says at which place.
fn fence(link: &Link, stream: &Stream, chain: &Chain, name: &str) -> Result<u64, ReplicaError> {
    let (own, known, header, name) = (stream.clone(), chain.place, chain.header, name.to_owned());
    let fenced = link.wait(async move {
        loop {
            let last = own.last_from(known).await?;
            let epoch = Epoch { number: last + 1, header, name: name.clone() };
            match own.append(last, &Bytes::from(epoch.encode())).await {
                Ok(()) => return Ok(last + 1),
                // A message came in between: the fence has to stand behind it.
                Err(NotAppended::Other(_)) => {}
                Err(NotAppended::Shorter(last)) => return Err(last),
            }
        }
    });
    fenced.map_err(|found| shorter(stream, found, chain))
}
// ANCHOR_END: join

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
    /// In use by a reader.
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
    /// What was cut off from the log here.
    pub cut: Option<Cut>,
}

impl Follower {
    /// One that goes on behind `chain`. The log here and the stream have to be of one log.
    ///
    /// # Errors
    /// [`ReplicaError::OtherLog`].
    pub fn new(link: &Link, stream: Stream, own: OwnLog, chain: Chain) -> Result<Follower, ReplicaError> {
        if let Some(first) = first_message(link, &stream)? {
            let there = header(&stream, &first)?;
            if there != chain.header {
                return Err(other_log(&own, &stream, &chain.header, &there));
            }
        }
        let reader = Some(stream.read_from(chain.place + 1));
        Ok(Follower { stream, chain, own, reader, heard: Instant::now() })
    }

    /// Reads what there is, or waits for the first message that comes within `time`, and writes it into the log here. All of it
    /// is on disk when this returns.
    ///
    /// # Errors
    /// When a message fails its check, or the disk can't be written. What came before it is on disk.
    pub fn step(&mut self, link: &Link, time: Duration) -> Result<Step, ReplicaError> {
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

    /// Nothing came for long. If there is more, the next message is asked for by its place: it is there, or it is gone.
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
            Ok(Heard::Epoch(epoch)) => step.epoch = Some(epoch),
            Ok(Heard::Frame(_)) => {
                let cut = self.own.take(message, self.chain.next, self.chain.epoch)?;
                if let Some(cut) = cut {
                    tell(format_args!("{}: {cut}", self.stream.name()));
                    step.cut = Some(cut);
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

    /// Fails when the stream is shorter than what was read of it.
    ///
    /// # Errors
    /// [`ReplicaError::Shorter`].
    pub fn check_length(&self, link: &Link) -> Result<u64, ReplicaError> {
        let (stream, known) = (self.stream.clone(), self.chain.place);
        let last = link.wait(async move { stream.last_from(known).await });
        last.map_err(|found| shorter(&self.stream, found, &self.chain))
    }

    // ANCHOR: append_rest
    /// Appends to the stream what only the log here has.
    fn append_rest(&mut self, link: &Link) -> Result<(), ReplicaError> {
        loop {
            let mut frames: Vec<OwnFrame> = Vec::new();
            let before = self.own.place();
            while frames.len() < TOGETHER
                && let Some(frame) = self.own.next_frame()?
            {
                self.own.pass(&frame);
                frames.push(frame);
            }
            self.own.back(before);
            if frames.is_empty() {
                return self.own.sync(&self.chain);
            }
            let messages: Vec<Bytes> = frames.iter().map(|frame| Bytes::copy_from_slice(&frame.bytes)).collect();
            let (stream, last, sent) = (self.stream.clone(), self.chain.place, messages.clone());
            if let Err((_, why)) = link.wait(async move { stream.append_all(last, &sent).await }) {
                return Err(not_appended(&self.stream, &self.chain, why));
            }
            let mut step = Step::default();
            for (place, message) in (last + 1..).zip(&messages) {
                self.take(place, message, &mut step)?;
            }
            self.own.sync(&self.chain)?;
        }
    }
    // ANCHOR_END: append_rest
}

/// Whether there are logs in the data directory.
pub fn has_logs(options: &Options) -> Result<bool, ReplicaError> {
    let path = options.data_dir.clone();
    let counts = shard_counts(&*options.disk, &path);
    Ok(!counts.map_err(|source| EngineError::Io { what: "look for logs", path, source })?.is_empty())
}

/// Makes the logs of a data directory that has none: those whose frames are in the streams, or new ones.
pub fn make_logs(link: &Link, dir: &DataDir, options: &Options, streams: &[Stream]) -> Result<(), ReplicaError> {
    let firsts = streams.iter().map(|stream| first_message(link, stream)).collect::<Result<Vec<_>, _>>()?;
    if firsts.iter().all(Option::is_none) {
        dir.first_start(options, &[])?;
        return Ok(());
    }
    // The log of shard 0 is made last: where it is, all are.
    for ((shard, stream), first) in (0..options.shards).zip(streams).zip(firsts).rev() {
        let shard = ShardOf { shard, shards: options.shards };
        let header = match first {
            Some(first) => header(stream, &first)?,
            None => LogHeader::new(shard, options.disk.new_log_id()),
        };
        let path = dir.path().join(shard.file_name());
        let made = options.disk.create(&path, &header.encode());
        made.map_err(|source| EngineError::Io { what: "make the log", path, source })?;
    }
    Ok(())
}

fn first_message(link: &Link, stream: &Stream) -> Result<Option<Bytes>, ReplicaError> {
    let own = stream.clone();
    let first = link.wait(async move { own.readable(1).await });
    first.map_err(|reason| not_believed(stream, format!("the servers can't read it: {reason}")))
}

/// Nothing was read of the stream yet.
fn not_believed(stream: &Stream, reason: String) -> ReplicaError {
    ReplicaError::NotBelieved { stream: stream.name().to_owned(), place: 1, reason, whole: Sequence(0) }
}

/// The header of the log that a stream with this first message holds.
fn header(stream: &Stream, first: &[u8]) -> Result<LogHeader, ReplicaError> {
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

fn shorter(stream: &Stream, found: u64, chain: &Chain) -> ReplicaError {
    let whole = Sequence(chain.next.sequence.0 - 1);
    ReplicaError::Shorter { stream: stream.name().to_owned(), found, known: chain.place, whole }
}

/// Why a message is not in the stream, in words.
pub fn not_appended(stream: &Stream, chain: &Chain, why: NotAppended) -> ReplicaError {
    match why {
        NotAppended::Other(other) => ReplicaError::Replaced { stream: stream.name().to_owned(), by: author(&other) },
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
