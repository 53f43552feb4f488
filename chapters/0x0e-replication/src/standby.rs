//! A standby: it follows the streams into logs of its own, and becomes the primary when it is asked to, or when the primary is silent.
//!
//! What it has read is on its own disk before it reads on, and it believes nothing that does not follow. So at any moment it holds
//! the log up to some command, byte for byte. When it takes over, it joins as any primary does: fence, read to the end, open.
//! Its metrics have the address at which it will serve those of a primary.

use std::sync::{Arc, PoisonError, Weak};
use std::time::{Duration, Instant};

use gateway::args::Args;
use gateway::front::layers;
use gateway::layer::carried;
use market::log::ShardOf;
use market::{DataDir, Options};
use program::lines::tell_event;
use program::{Verdict, print, tell};
use tokio::sync::oneshot;
use whole_path::layer::WholePath;

use crate::args::{ReplicaArgs, check};
use crate::beat::{self, Beats};
use crate::digest::{Differs, Stretch};
use crate::ends::Ends;
use crate::error::ReplicaError;
use crate::follower::Follower;
use crate::held;
use crate::join::{check_shards, has_logs, headers, make_logs};
use crate::link::Link;
use crate::names::NamesFollower;
use crate::own::OwnLog;
use crate::primary::{Others, options, serve_as_primary, streams};
use crate::stream::Stream;
use crate::takeover::Asked;
use crate::warm::Warm;
use crate::watched::Watched;

/// How long to wait for the next message before looking at everything else.
const WAIT: Duration = Duration::from_millis(20);

/// How long to wait for a message that is known to be there before hearing the beats.
const BEGIN_WAIT: Duration = Duration::from_secs(1);

/// How often to look how far a stream goes: it may have become shorter, and how much of it is missing here is shown.
const CHECK: Duration = Duration::from_secs(1);

/// How a standby becomes the primary.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Takeover {
    /// When the operator asks it to, with `-- takeover`
    Hand,
    /// Also when the primary was silent for --missed beats
    Auto,
}

/// Follows the streams of a primary into this machine's own log, and takes its place when it is asked to
#[derive(Debug, Clone, clap::Args)]
pub struct StandbyArgs {
    /// When this machine takes over
    #[arg(long, value_name = "HOW", value_enum, default_value = "hand")]
    pub takeover: Takeover,
    /// How many beats the primary has to miss, at ten a second, before this machine takes over by itself
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(3..))]
    pub missed: u32,
}

/// Follows until it is asked to end; or takes over, and then serves as a primary does. `path` is the one of the other layers that has
/// the metrics' address.
///
/// # Errors
/// [`ReplicaError`].
pub fn run(
    args: &Args,
    replicas: &ReplicaArgs,
    standby: &StandbyArgs,
    others: Others,
    path: &Arc<WholePath>,
) -> Result<Verdict, ReplicaError> {
    check(args.data_dir.is_some())?;
    let link = Arc::new(Link::connect(&replicas.reach)?);
    let options = options(args);
    check_shards(&options)?;
    held::answer(&link, replicas, &options);
    let streams = streams(&link, args, replicas)?;
    let names = Stream::open_whole(&link, &replicas.names_stream())?;
    let ends = Ends::watch(&link);
    let followed = {
        let dir = DataDir::open(&*options.disk, &options.data_dir)?;
        let watched = Arc::new(Watched::new(options.shards));
        let _served = serve(&link, path, &options, &watched);
        if !has_logs(&options)? && !wait_for_log(&link, &dir, &options, &streams, &ends)? {
            return Ok(Verdict::Yes);
        }
        let beats = Beats::hear(&link, &replicas.stream);
        let begun = Following::begin(&link, &options, streams, names, (beats, watched), &ends)?;
        let Some(mut following) = begun else { return Ok(Verdict::Yes) };
        let asked = Asked::listen(&link, &replicas.stream, &replicas.name)?;
        for follower in &following.followers {
            let (stream, last) = (follower.stream.name(), follower.chain.next.sequence.0 - 1);
            print(format_args!("standby of {stream}: after command {last}\n"))?;
        }
        // The snapshots have what the layers need of the past, as the engine's own would.
        let warm = Warm::start(&carried(&options, &layers(&others)), args.snapshot_every)?;
        if !following.until_asked(&link, asked, standby, (&ends, &warm))? {
            return Ok(Verdict::Yes);
        }
        for (stream, last) in following.compare(&[], &warm)? {
            tell(format_args!(
                "{stream}: this machine computed the same as the primary told its clients, up to command {last}"
            ));
        }
        drop(warm);
        following.names
    };
    serve_as_primary(args, replicas, link, others, Some((followed, ends)))
}

/// Serves this standby's metrics until the result is dropped.
fn serve(link: &Link, path: &Arc<WholePath>, options: &Options, watched: &Arc<Watched>) -> oneshot::Sender<()> {
    let (served, dropped) = oneshot::channel();
    let (path, folder, watched) = (Arc::clone(path), options.data_dir.clone(), Arc::downgrade(watched));
    let follows = move || Weak::upgrade(&watched).map(|watched| watched.metrics());
    link.spawn(async move { path.serve_before(&folder, follows, async move { drop(dropped.await) }) });
    served
}

/// Waits until there is a primary, whose log this machine copies. False when it was asked to end.
fn wait_for_log(
    link: &Link,
    dir: &DataDir,
    options: &Options,
    streams: &[Stream],
    ends: &Ends,
) -> Result<bool, ReplicaError> {
    let is_empty = |stream: &Stream| {
        let stream = stream.clone();
        link.wait(async move { stream.last().await }) == 0
    };
    if streams.iter().any(is_empty) {
        tell(format_args!("the stream is empty: waiting for a primary"));
    }
    while streams.iter().any(is_empty) {
        if ends.now() {
            return Ok(false);
        }
        // A stream that stays empty may be of a shard that the primary does not have.
        headers(link, options, streams)?;
        std::thread::sleep(WAIT);
    }
    make_logs(link, dir, options, streams)?;
    Ok(true)
}

/// Everything that a standby follows.
struct Following {
    followers: Vec<Follower>,
    names: NamesFollower,
    beats: Option<Beats>,
    watched: Arc<Watched>,
}

impl Following {
    /// Reads everything to its end. What this machine has beyond that, as an old primary, is cut off and kept. None when it was
    /// asked to end.
    fn begin(
        link: &Link,
        options: &Options,
        streams: Vec<Stream>,
        names: Stream,
        (mut beats, watched): (Option<Beats>, Arc<Watched>),
        asked: &Ends,
    ) -> Result<Option<Following>, ReplicaError> {
        let mut followers = Vec::new();
        for (shard, stream) in (0..options.shards).zip(streams) {
            let (own, chain) = OwnLog::open(options, ShardOf { shard, shards: options.shards }, stream.name())?;
            let mut follower = Follower::new(link, stream, own, chain)?;
            let (number, ends) = (usize::from(shard), follower.check_length(link)?);
            watched.read(number, &follower.chain, 0);
            watched.looked(number, ends);
            while follower.chain.place < ends.1 {
                if asked.now() {
                    return Ok(None);
                }
                let step = follower.step(link, BEGIN_WAIT)?;
                watched.read(number, &follower.chain, step.epochs);
                beats.as_mut().and_then(Beats::last).inspect(|beat| watched.heard(beat));
            }
            follower.cut_rest()?;
            followers.push(follower);
        }
        let log = followers.first().map_or(market::LogId::NONE, |follower| follower.chain.header.id);
        Ok(Some(Following { followers, names: NamesFollower::new(options, names, log)?, beats, watched }))
    }

    // ANCHOR: follow
    /// Follows until this machine is to take over. False when it was asked to end.
    fn until_asked(
        &mut self,
        link: &Link,
        mut asked: Asked,
        standby: &StandbyArgs,
        (ends, warm): (&Ends, &Warm),
    ) -> Result<bool, ReplicaError> {
        let silence = beat::EVERY * standby.missed;
        let (mut heard, mut checked) = (Instant::now(), Instant::now());
        while !ends.now() {
            for (shard, follower) in self.followers.iter_mut().enumerate() {
                let step = follower.step(link, WAIT)?;
                self.watched.read(shard, &follower.chain, step.epochs);
                if let Some(epoch) = step.epoch {
                    tell(format_args!(
                        "{}: {} is the primary, epoch {}",
                        follower.stream.name(),
                        epoch.name,
                        epoch.number
                    ));
                }
                if step.messages > 0 {
                    heard = Instant::now();
                }
            }
            self.names.step(link, Duration::from_millis(1))?;
            if let Some(beat) = self.beats.as_mut().and_then(Beats::last) {
                heard = Instant::now();
                self.watched.heard(&beat);
                self.compare(&beat.stretches, warm)?;
            }
            if asked.now() {
                tell_event("takeover", &[], format_args!("taking over: it was asked to"));
                return Ok(true);
            }
            if standby.takeover == Takeover::Auto && heard.elapsed() >= silence {
                let words = format_args!("taking over: the primary was silent for {} beats", standby.missed);
                tell_event("takeover", &[], words);
                return Ok(true);
            }
            if checked.elapsed() >= CHECK {
                for (shard, follower) in self.followers.iter().enumerate() {
                    self.watched.looked(shard, follower.check_length(link)?);
                }
                checked = Instant::now();
            }
        }
        Ok(false)
    }
    // ANCHOR_END: follow

    /// Compares what stretches of the log led to on the primary with what they led to here. By stream, the last command of those
    /// that were the same.
    fn compare(&self, told: &[Option<Stretch>], warm: &Warm) -> Result<Vec<(&str, u64)>, ReplicaError> {
        let compare = |(shard, follower): (usize, &'_ Follower)| -> Result<u64, ReplicaError> {
            let mut compared = warm.compared[shard].lock().unwrap_or_else(PoisonError::into_inner);
            told.get(shard).into_iter().flatten().for_each(|stretch| compared.told(*stretch));
            let equal = compared.check().map_err(|Differs { last, own, told }| ReplicaError::Differs {
                stream: follower.stream.name().to_owned(),
                last,
                own,
                told,
            })?;
            self.watched.compared(shard, equal, compared.count());
            Ok(equal)
        };
        let followers = self.followers.iter().enumerate();
        followers.map(|(shard, follower)| Ok((follower.stream.name(), compare((shard, follower))?))).collect()
    }
}
