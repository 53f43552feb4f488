//! Becoming the primary: fence first, then read to the end, then open.
//!
//! 1. Append an epoch right after the last message. From then on, no other primary can append anything: what it appends names
//!    a place that is taken.
//! 2. Read the stream up to that epoch, and complete the log here from it. What was acknowledged by any primary is in there.
//! 3. What this log has beyond that was never confirmed. It is appended, so that the stream and the log say the same.
//!
//! In any other order an order may be lost: what is read before the fence may not be the end.

use std::ops::ControlFlow;
use std::sync::Arc;

use axum::body::Bytes;
use market::data_dir::shard_counts;
use market::log::{LogHeader, ShardOf};
use market::{DataDir, EngineError, LogId, Options};
use program::tell;

use crate::chain::Chain;
use crate::error::ReplicaError;
use crate::follower::{Follower, WAIT, first_message, follow, header, shorter};
use crate::link::Link;
use crate::message::Epoch;
use crate::names::{NamesFollower, NamesWitness};
use crate::own::OwnLog;
use crate::stream::{NotAppended, Stream};

/// A shard whose stream this machine may append to.
pub struct Joined {
    /// The stream.
    pub stream: Stream,
    /// How far it goes, and what comes next.
    pub chain: Chain,
    /// How often the stream refused its epoch, because another message came first.
    pub refused: u64,
}

/// Makes this machine the primary of all shards, whose streams are these. A standby has `followed` the stream of names already, and
/// goes on from there.
///
/// # Errors
/// [`ReplicaError`]. This machine is no primary then.
pub fn join(
    link: &Arc<Link>,
    options: &Options,
    streams: Vec<Stream>,
    names: Stream,
    followed: Option<NamesFollower>,
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
    let names = followed.map_or_else(|| NamesFollower::new(options, names, log), Ok)?;
    Ok((joined, names.join(link, name, WAIT)?))
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
    let (epoch, refused) = fence(link, &follower.stream, &follower.chain, name)?;
    follow(link, &mut follower, epoch)?;
    follower.append_rest(link)?;
    let Follower { stream, chain, .. } = follower;
    Ok(Joined { stream, chain, refused })
}

/// Begins an epoch, and returns its place and how often it was refused before.
fn fence(link: &Link, stream: &Stream, chain: &Chain, name: &str) -> Result<(u64, u64), ReplicaError> {
    let (own, known, header, name) = (stream.clone(), chain.place, chain.header, name.to_owned());
    let begun = link.wait(async move {
        for refused in 0_u64.. {
            own.announce_fence().await;
            let (_, last) = own.ends_from(known).await?;
            let epoch = Epoch { number: last + 1, header, name: name.clone() };
            let tried = own.append(last, &Bytes::from(epoch.encode())).await;
            if let ControlFlow::Break(ended) = fenced(last, tried) {
                return ended.map(|epoch| (epoch, refused));
            }
        }
        unreachable!("it tries until it has an answer")
    });
    let (epoch, refused) = begun.map_err(|found| shorter(stream, found, chain))?;
    if refused > 0 {
        let tries = refused + 1;
        tell(format_args!("{}: epoch {epoch} began at try {tries}; another primary was appending", stream.name()));
    }
    Ok((epoch, refused))
}

/// What follows from a try to append an epoch right after `last`: the epoch has begun, at this place; or the
/// stream was found to be shorter, and ends here; or another try is needed, at a later place.
pub fn fenced(last: u64, tried: Result<(), NotAppended>) -> ControlFlow<Result<u64, u64>> {
    match tried {
        Ok(()) => ControlFlow::Break(Ok(last + 1)),
        // A message came in between: the fence has to stand after it.
        Err(NotAppended::Other(_)) => ControlFlow::Continue(()),
        Err(NotAppended::Shorter(found)) => ControlFlow::Break(Err(found)),
    }
}
// ANCHOR_END: join

/// Whether there are logs in the data directory.
pub fn has_logs(options: &Options) -> Result<bool, ReplicaError> {
    let path = options.data_dir.clone();
    let counts = shard_counts(&*options.disk, &path);
    Ok(!counts.map_err(|source| EngineError::Io { what: "look for logs", path, source })?.is_empty())
}

/// Makes the logs of a data directory that has none: those whose frames are in the streams, or new ones.
pub fn make_logs(link: &Link, dir: &DataDir, options: &Options, streams: &[Stream]) -> Result<(), ReplicaError> {
    let firsts = streams.iter().map(|stream| first_message(link, stream, 0)).collect::<Result<Vec<_>, _>>()?;
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
