//! A primary: it joins its streams, and then is the venue so far, with the layer of this chapter.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gateway::args::Args;
use gateway::front::Front;
use gateway::serve;
use market::Options;
use program::{Verdict, print, tell};

use crate::args::{ReplicaArgs, check, stream_of};
use crate::beat::Beats;
use crate::ends::Ends;
use crate::error::ReplicaError;
use crate::held;
use crate::join::{check_shards, join};
use crate::layer::Replication;
use crate::link::Link;
use crate::names::NamesFollower;
use crate::stream::Stream;

/// How long to listen for another primary before this machine becomes one: ten beats.
const LISTEN: Duration = Duration::from_secs(1);

/// The layers of the venue so far, the innermost first.
pub type Others = Vec<Arc<dyn Front>>;

/// Runs the venue on one machine, or as the primary of several.
///
/// # Errors
/// [`ReplicaError`].
pub fn run(args: &Args, replicas: &ReplicaArgs, others: Others) -> Result<Verdict, ReplicaError> {
    if replicas.reach.replicas.is_empty() {
        tell(format_args!(
            "one machine: what is acknowledged is on its disk alone; --replicas names servers that keep copies"
        ));
        return Ok(serve::run(args, others.into())?);
    }
    check(args.data_dir.is_some())?;
    let link = Arc::new(Link::connect(&replicas.reach)?);
    check_shards(&options(args))?;
    held::answer(&link, replicas, &options(args));
    refuse_other(&link, replicas)?;
    serve_as_primary(args, replicas, link, others, None)
}

/// Becomes the primary, and serves, unless it is asked to end before. A standby has followed the stream of names already.
///
/// # Errors
/// [`ReplicaError`].
pub fn serve_as_primary(
    args: &Args,
    replicas: &ReplicaArgs,
    link: Arc<Link>,
    others: Others,
    standby: Option<(NamesFollower, Ends)>,
) -> Result<Verdict, ReplicaError> {
    let (followed, ends) = standby.unzip();
    let is_to_end = || ends.as_ref().is_some_and(Ends::now);
    if is_to_end() {
        return Ok(Verdict::Yes);
    }
    let options = options(args);
    let (streams, names) = (streams(&link, args, replicas)?, Stream::open_whole(&link, &replicas.names_stream())?);
    let (joined, names) = join(&link, &options, streams, names, followed, &replicas.name)?;
    if is_to_end() {
        return Ok(Verdict::Yes);
    }
    for joined in &joined {
        let (stream, epoch) = (joined.stream.name(), joined.chain.epoch);
        let last = joined.chain.next.sequence.0 - 1;
        print(format_args!("primary of {stream}: epoch {epoch}, after command {last}\n"))?;
    }
    let layer = Replication::new(link, &options, joined, names, replicas, ends)?;
    // Innermost, so that what others measure of a sync has the stream in it.
    let mut fronts: Others = vec![layer];
    fronts.extend(others);
    Ok(serve::run(args, fronts.into())?)
}

/// The streams of all shards.
pub fn streams(link: &Link, args: &Args, replicas: &ReplicaArgs) -> Result<Vec<Stream>, ReplicaError> {
    (0..args.shards).map(|shard| Stream::open(link, &stream_of(&replicas.stream, shard))).collect()
}

/// The options with which the logs are read before an engine opens them.
pub fn options(args: &Args) -> Options {
    let folder = args.data_dir.as_deref().unwrap_or(Path::new("."));
    Options { shards: args.shards, ..Options::new(folder) }
}

/// Refuses to replace a primary that is alive, for that is not what a start means.
fn refuse_other(link: &Link, replicas: &ReplicaArgs) -> Result<(), ReplicaError> {
    let Some(mut beats) = Beats::hear(link, &replicas.stream) else { return Ok(()) };
    match link.wait(async move { beats.within(LISTEN).await }) {
        Some(beat) => Err(ReplicaError::Alive { name: beat.name, stream: replicas.stream.clone() }),
        None => Ok(()),
    }
}
