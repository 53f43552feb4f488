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
use market::{DataDir, EngineError, LogError, LogId, Options};
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

fn join_shard(
    link: &Link,
    options: &Options,
    shard: ShardOf,
    stream: Stream,
    name: &str,
) -> Result<Joined, ReplicaError> {
    let (own, chain) = OwnLog::open(options, shard, stream.name())?;
    let mut follower = Follower::new(link, stream, own, chain)?;
    let (epoch, refused) = fence(link, &follower, name)?;
    follow(link, &mut follower, epoch)?;
    follower.append_rest(link)?;
    let Follower { stream, chain, .. } = follower;
    Ok(Joined { stream, chain, refused })
}

/// Begins an epoch, and returns its place and how often it was refused before.
///
/// # Errors
/// [`ReplicaError::Shorter`], and [`ReplicaError::OtherLog`] when another machine has begun another log meanwhile.
pub fn fence(link: &Link, follower: &Follower, name: &str) -> Result<(u64, u64), ReplicaError> {
    let Follower { stream, chain, .. } = follower;
    for refused in 0_u64.. {
        let (own, known) = (stream.clone(), chain.place);
        let ends = link.wait(async move {
            own.announce_fence().await;
            own.ends_from(known).await
        });
        let (_, last) = ends.map_err(|found| shorter(stream, found, chain))?;
        if known == 0 && last > 0 {
            follower.check_log(link)?;
        }
        let epoch = Bytes::from(Epoch { number: last + 1, header: chain.header, name: name.to_owned() }.encode());
        let own = stream.clone();
        let tried = link.wait(async move { own.append(last, &epoch).await });
        if let ControlFlow::Break(ended) = fenced(last, tried) {
            let epoch = ended.map_err(|found| shorter(stream, found, chain))?;
            if refused > 0 {
                let tries = refused + 1;
                tell(format_args!(
                    "{}: epoch {epoch} began at try {tries}; another primary was appending",
                    stream.name()
                ));
            }
            return Ok((epoch, refused));
        }
    }
    unreachable!("it tries until it has an answer")
}

/// What follows from a try to append an epoch right after `last`: the epoch has begun, at this place; or the
/// stream was found to be shorter, and ends here; or another try is needed, at a later place.
pub fn fenced(_last: u64, _tried: Result<(), NotAppended>) -> ControlFlow<Result<u64, u64>> {
    todo!("step 6: fenced")
}

/// Refuses a data directory with another number of shards, before anything is made for it.
pub fn check_shards(options: &Options) -> Result<(), ReplicaError> {
    let _dir = DataDir::open(&*options.disk, &options.data_dir)?;
    has_logs(options).map(drop)
}

/// Whether there are logs in the data directory. They have to be of as many shards as the options say.
pub fn has_logs(options: &Options) -> Result<bool, ReplicaError> {
    let (path, asked) = (options.data_dir.clone(), options.shards);
    let counts = shard_counts(&*options.disk, &path);
    let counts = counts.map_err(|source| EngineError::Io { what: "look for logs", path: path.clone(), source })?;
    if let Some(&found) = counts.iter().find(|&&found| found != asked) {
        return Err(LogError::OtherShards { path, found, asked }.into());
    }
    Ok(!counts.is_empty())
}

/// Makes the logs of a data directory that has none: those whose frames are in the streams, or new ones.
pub fn make_logs(link: &Link, dir: &DataDir, options: &Options, streams: &[Stream]) -> Result<(), ReplicaError> {
    let there = headers(link, options, streams)?;
    if there.iter().all(Option::is_none) {
        dir.first_start(options, &[])?;
        return Ok(());
    }
    // The log of shard 0 is made last: where it is, all are.
    for (shard, header) in (0..options.shards).zip(there).rev() {
        let shard = ShardOf { shard, shards: options.shards };
        let header = header.unwrap_or_else(|| LogHeader::new(shard, options.disk.new_log_id()));
        let path = dir.path().join(shard.file_name());
        let made = options.disk.create(&path, &header.encode());
        made.map_err(|source| EngineError::Io { what: "make the log", path, source })?;
    }
    Ok(())
}

/// The headers of the logs that the streams of all shards hold; none of an empty stream. Refuses those of another number of
/// shards.
pub fn headers(link: &Link, options: &Options, streams: &[Stream]) -> Result<Vec<Option<LogHeader>>, ReplicaError> {
    let shards = (0..options.shards).map(|shard| ShardOf { shard, shards: options.shards });
    let of_shard = |(stream, asked): (&Stream, ShardOf)| {
        let Some(first) = first_message(link, stream, 0)? else { return Ok(None) };
        let header = header(stream, &first)?;
        if header.shard != asked {
            return Err(LogError::OtherShard { path: stream.name().into(), found: header.shard, asked }.into());
        }
        Ok(Some(header))
    };
    streams.iter().zip(shards).map(of_shard).collect()
}
