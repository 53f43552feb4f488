//! `-- trim`: removes the beginning of each shard's stream that no machine needs.
//!
//! What goes is on the disk of the primary and of each standby that was named, and lies before the older of the last two
//! snapshots of each of them. So a backup that is younger than that snapshot finds the rest in the stream. The stream of names
//! stays whole: names change seldom, and a new machine reads all of them.
//!
//! Nothing is believed of a trimmed stream that was not believed before. A machine knows from its mark up to which message its
//! own log is in the stream, and continues after that one. If the stream begins later, the machine is refused.

use std::time::{Duration, Instant};

use axum::body::Bytes;
use futures_util::StreamExt;
use market::Sequence;
use market::log::SealedFrame;
use program::{Verdict, print};
use tokio::time::timeout;

use crate::args::stream_of;
use crate::beat::Beats;
use crate::error::ReplicaError;
use crate::held::{Held, HeldShard, subject};
use crate::link::{self, Link};
use crate::reach::ReachArgs;
use crate::stream::Stream;

/// For how long to listen in any case: a standby that was not named counts if it answers by then.
const LISTEN: Duration = Duration::from_secs(1);

/// How long a machine may need to answer.
const ANSWER: Duration = Duration::from_secs(15);

/// Removes the beginning of the streams that no machine needs any more
#[derive(Debug, Clone, clap::Args)]
pub struct TrimArgs {
    /// A standby that keeps what is removed; name each of them
    #[arg(long = "standby", value_name = "NAME", required = true)]
    pub standbys: Vec<String>,
    /// The servers.
    #[command(flatten)]
    pub reach: ReachArgs,
    /// The stream's name
    #[arg(long, value_name = "NAME", default_value = "cents")]
    pub stream: String,
}

/// Asks all machines what they hold, and removes what all of them have.
///
/// # Errors
/// When a machine that has to answer is silent, or a stream can't be trimmed.
pub fn run(args: &TrimArgs) -> Result<Verdict, ReplicaError> {
    let link = Link::connect(&args.reach)?;
    let beats = Beats::hear(&link, &args.stream);
    let beat = beats.and_then(|mut beats| link.wait(async move { beats.within(LISTEN).await }));
    let beat = beat.ok_or_else(|| {
        ReplicaError::Trim(format!("no primary of {} is heard: start one, and try again", args.stream))
    })?;
    let (shards, mut named) = (beat.confirmed.len(), args.standbys.clone());
    named.push(beat.name);
    let held = ask(&link, &args.stream, &named, shards)?;
    for (shard, at) in (0..).zip(0..shards) {
        let stream = Stream::open(&link, &stream_of(&args.stream, shard))?;
        let held: Vec<(&str, HeldShard)> = held.iter().map(|one| (&*one.name, one.shards[at])).collect();
        print(format_args!("{}: {}\n", stream.name(), trim(&link, &stream, &held)?))?;
    }
    Ok(Verdict::Yes)
}

/// What each machine holds, once all that were named have answered.
fn ask(link: &Link, stream: &str, named: &[String], shards: usize) -> Result<Vec<Held>, ReplicaError> {
    let (client, subject, wanted) = (link.client().clone(), subject(stream), named.to_vec());
    let heard = link.wait(async move {
        let (began, inbox, mut heard) = (Instant::now(), client.new_inbox(), Vec::<Held>::new());
        let Ok(mut answers) = client.subscribe(inbox.clone()).await else { return heard };
        let is_missing = |heard: &[Held]| wanted.iter().any(|name| heard.iter().all(|held| held.name != *name));
        while began.elapsed() < LISTEN || (is_missing(&heard) && began.elapsed() < ANSWER) {
            // It is asked again: the server to which a machine was connected may be gone.
            let _ = client.publish_with_reply(subject.clone(), inbox.clone(), Bytes::new()).await;
            let asked = Instant::now();
            while let Some(rest) = link::PATIENCE.min(LISTEN).checked_sub(asked.elapsed())
                && let Ok(Some(answer)) = timeout(rest, answers.next()).await
            {
                heard.extend(serde_json::from_slice::<Held>(&answer.payload).ok());
            }
        }
        heard
    });
    let silent: Vec<&str> =
        named.iter().map(|name| &**name).filter(|name| heard.iter().all(|held| held.name != *name)).collect();
    if !silent.is_empty() {
        return Err(ReplicaError::Trim(format!(
            "nothing was removed: {} did not say how far it is: start it, or leave its name out if it is gone for good",
            silent.join(", ")
        )));
    }
    if let Some(other) = heard.iter().find(|held| held.shards.len() != shards) {
        let words = format!("{} has {} shards, and the primary has {shards}", other.name, other.shards.len());
        return Err(ReplicaError::Trim(format!("nothing was removed: {words}")));
    }
    Ok(heard)
}

/// Trims a stream, of which these machines hold so much, and says what was removed.
fn trim(link: &Link, stream: &Stream, held: &[(&str, HeldShard)]) -> Result<String, ReplicaError> {
    let failed = |words: String| ReplicaError::Trim(format!("{}: {words}", stream.name()));
    let least = |of: fn(&HeldShard) -> u64| held.iter().min_by_key(|(_, held)| of(held)).copied();
    let (Some((slowest, held)), Some((oldest, snapshot))) = (least(|one| one.place), least(|one| one.next)) else {
        return Err(failed("no machine has answered".into()));
    };
    let own = stream.clone();
    let (first, last) = link.wait(async move { own.ends().await });
    let begins = |place| first_command(link, stream, place, last).map_err(&failed);
    let cut = needless(first, held.place.min(last), Sequence(snapshot.next), begins)?;
    if cut < first {
        return Ok(format!(
            "nothing to remove before message {first}: {slowest} has it up to message {}, and the older of the last \
             two snapshots of {oldest} continues with command {}",
            held.place, snapshot.next
        ));
    }
    let purged = purge(link, stream, cut).map_err(failed)?;
    let next = begins(cut + 1)?.unwrap_or(Sequence(snapshot.next));
    Ok(format!("removed {purged} messages; it begins with message {} and command {next} now", cut + 1))
}

/// Removes all messages up to a place, and returns how many. A later one has to be there: where none is, the next append would
/// get another place.
fn purge(link: &Link, stream: &Stream, place: u64) -> Result<u64, String> {
    let (context, name) = (link.context().clone(), stream.name().to_owned());
    link.wait(async move {
        let stream = context.get_stream(name).await.map_err(|error| error.to_string())?;
        if stream.cached_info().config.deny_purge {
            return Err("it was made with deny_purge, which can't be changed, so it stays whole".into());
        }
        let purged = stream.purge().sequence(place + 1).await;
        purged.map(|purged| purged.purged).map_err(|error| format!("could not remove messages, try again: {error}"))
    })
}

/// The first command at this place or after it; none when the stream has none there.
fn first_command(link: &Link, stream: &Stream, place: u64, last: u64) -> Result<Option<Sequence>, String> {
    let own = stream.clone();
    link.wait(async move {
        for place in place..=last {
            let message = own.readable(place).await?.unwrap_or_default();
            if let Some((frame, ..)) = SealedFrame::split_first(&message) {
                return Ok(Some(frame.first.sequence));
            }
        }
        Ok(None)
    })
}

/// The last message that can go, or the one before `first` if none can: all machines hold it, and no command in it or before it
/// is `next` or a later one. Nothing goes before there are snapshots. `begins` says which command is the first at a place or
/// after it.
///
/// # Errors
/// Those of `begins`.
pub fn needless<E>(
    first: u64,
    held: u64,
    next: Sequence,
    begins: impl Fn(u64) -> Result<Option<Sequence>, E>,
) -> Result<u64, E> {
    if next == Sequence::FIRST {
        return Ok(first - 1);
    }
    let (mut can_go, mut may) = (first - 1, held.max(first - 1));
    while can_go < may {
        let middle = may - (may - can_go) / 2;
        // Its commands end where the next ones begin. If none follow, it stays.
        if begins(middle + 1)?.is_some_and(|command| command <= next) {
            can_go = middle;
        } else {
            may = middle - 1;
        }
    }
    Ok(can_go)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream by its messages: how many commands each has. An epoch has none.
    fn cut(messages: &[u64], first: u64, held: u64, next: u64) -> u64 {
        let begins = |place: u64| {
            let at = place as usize - 1;
            let before: u64 = messages.iter().take(at).sum();
            let follows = messages.iter().skip(at).any(|commands| *commands > 0);
            Ok::<_, ()>(follows.then_some(Sequence(before + 1)))
        };
        needless(first, held, Sequence(next), begins).unwrap_or(u64::MAX)
    }

    #[test]
    fn what_a_machine_lacks_or_a_snapshot_needs_stays() {
        // Commands 1 to 3, 4 and 5, an epoch, 6 to 9, 10.
        let stream = [0, 3, 2, 0, 4, 1];
        for (held, next, expected, what) in [
            (6, 1, 0, "there are not two snapshots, so the epoch before the first command stays, too"),
            (6, 4, 2, "the snapshot begins with a message"),
            (6, 5, 2, "the snapshot begins within a message, which stays"),
            (6, 6, 4, "the epoch before command 6 goes, too"),
            (6, 9, 4, "within the message at 5"),
            (6, 10, 5, "the last command stays, whatever the snapshots say"),
            (6, 1_000, 5, "the last command stays, whatever the snapshots say"),
            (3, 1_000, 3, "a machine has no more than 3 messages"),
            (0, 1_000, 0, "a machine has none"),
        ] {
            assert_eq!(cut(&stream, 1, held, next), expected, "{what}");
        }
    }

    #[test]
    fn a_stream_is_trimmed_again_and_never_before_its_beginning() {
        let stream = [0, 3, 2, 0, 4, 1];
        assert_eq!(cut(&stream, 4, 6, 10), 5);
        assert_eq!(cut(&stream, 4, 6, 4), 3, "what is left is needed");
        assert_eq!(cut(&stream, 4, 2, 10), 3, "a machine has less than what is left");
    }

    #[test]
    fn every_place_is_the_last_that_can_go_and_no_later_one() {
        let stream = [0, 1, 7, 0, 0, 2, 1, 1, 0, 30, 4, 0];
        for held in 0..=stream.len() as u64 {
            for next in 1..60 {
                let can_go = |place: &u64| {
                    let up_to: u64 = stream.iter().take(*place as usize).sum();
                    let rest: u64 = stream.iter().skip(*place as usize).sum();
                    *place <= held && next > 1 && up_to < next && rest > 0
                };
                let expected = (0..=stream.len() as u64).filter(can_go).max().unwrap_or(0);
                assert_eq!(cut(&stream, 1, held, next), expected, "held {held}, next {next}");
            }
        }
    }
}
