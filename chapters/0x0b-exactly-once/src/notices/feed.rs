//! The notices of one connection: from the ring while it has them, and from the archive and the log where it no longer has
//! them.
//!
//! Nothing waits in a queue. A connection that takes nothing for a while finds everything in the ring, the archive or the log
//! when it continues. So a slow client loses nothing, and costs only its cursor.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gateway::problem::Problem;
use market::{AccountId, Sequence};
use program::lines::tell_often;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::archive::Stretch;
use super::cursor::Cursor;
use super::past::{Ended, replay};
use super::place::{Notice, Place};
use super::reader::{Notices, Reader, Replaying};
use super::ring::Taken;
use super::tell::{GONE, text};

/// How many notices of a replay are handed over together.
const CHUNK: usize = 512;

/// How many chunks may wait for a client.
const CHUNKS: usize = 4;

/// How long a replay waits for its client, all waits together. Then the connection ends, and resumes at its cursor. Few
/// replays may run at once, so a slow client must not keep the others from theirs.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a replay sends.
enum Chunk {
    Notices(Vec<Notice>),
    /// Everything of a shard up to here was sent.
    Come(u16, Place),
    /// It ended early.
    Ended(Ended),
}

/// What a client gets.
pub enum Told {
    /// A notice.
    Notice {
        /// As JSON.
        text: String,
        /// The cursor after it.
        cursor: String,
        /// The shard of the command that led to it.
        shard: u16,
        /// The number of that command.
        sequence: Sequence,
    },
    /// The feed has reached this cursor and found nothing for the account.
    Come(String),
    /// What came before this cursor is no longer available.
    Gone(String),
}

impl Told {
    fn notice(notice: &Notice, account: AccountId, cursor: &Cursor) -> Told {
        let cursor = cursor.to_string();
        let text = text(notice, account, &cursor);
        Told::Notice { text, cursor, shard: notice.shard, sequence: notice.place.sequence }
    }
}

/// The notices of one connection.
pub struct Feed {
    reader: Reader,
    replay: Option<Receiver<Chunk>>,
    chunk: Option<Chunk>,
}

impl Feed {
    /// The notices of this account after this cursor.
    pub fn new(notices: &Arc<Notices>, account: AccountId, cursor: Cursor) -> Feed {
        Feed { reader: Reader::new(notices, account, cursor), replay: None, chunk: None }
    }

    /// How far it has come.
    pub fn cursor(&self) -> &Cursor {
        self.reader.cursor()
    }

    /// Waits until there may be something to take.
    pub async fn ready(&mut self) {
        if self.chunk.is_some() {
            return;
        }
        match &mut self.replay {
            None => self.reader.is_news().await,
            Some(replay) => match replay.recv().await {
                Some(chunk) => self.chunk = Some(chunk),
                None => self.replay = None,
            },
        }
    }

    // ANCHOR: take
    /// Takes what there is now.
    ///
    /// # Errors
    /// When the connection has to end.
    pub fn take(&mut self, mut each: impl FnMut(Told)) -> Result<(), Problem> {
        if let Some(chunk) = self.chunk.take() {
            return self.take_chunk(chunk, each);
        }
        if self.replay.is_some() {
            return Ok(());
        }
        let (account, mut any) = (self.reader.account(), false);
        let taken = self.reader.take(|notice, cursor| {
            any = true;
            each(Told::notice(notice, account, cursor));
        });
        match taken {
            Taken::Behind => self.begin_replay(),
            Taken::All if !any => each(Told::Come(self.reader.cursor().to_string())),
            Taken::All | Taken::Some => {}
        }
        Ok(())
    }
    // ANCHOR_END: take

    fn take_chunk(&mut self, chunk: Chunk, mut each: impl FnMut(Told)) -> Result<(), Problem> {
        match chunk {
            Chunk::Notices(notices) => {
                for notice in &notices {
                    self.reader.has_read(notice);
                    each(Told::notice(notice, self.reader.account(), self.reader.cursor()));
                }
                Ok(())
            }
            Chunk::Come(shard, place) => {
                self.reader.has_come_to(shard, place);
                Ok(())
            }
            Chunk::Ended(Ended::Gone { shard, first }) => {
                let before = Sequence(first.0.saturating_sub(1));
                self.reader.has_come_to(shard, Place::end_of(before));
                each(Told::Gone(self.reader.cursor().to_string()));
                Err(Problem::of_a_layer(&GONE, None))
            }
            Chunk::Ended(Ended::Refused(refused)) => Err(Problem::of_a_layer(refused, None)),
            Chunk::Ended(Ended::Left) => Err(Problem::of_a_layer(&super::tell::TOO_SLOW, None)),
            Chunk::Ended(Ended::Unreadable(error)) => {
                // The operator sees which file it is, a client does not.
                let words = format_args!("error: notices could not be replayed: {error}");
                tell_often("notices", words);
                Err(Problem::of_a_layer(&super::tell::UNREADABLE, None))
            }
        }
    }

    /// Begins to read what the ring no longer has, up to what it has seen by now.
    fn begin_replay(&mut self) {
        // One more, for the end: a client that takes too little is told so when it takes the rest.
        let (sender, receiver) = channel(CHUNKS + 1);
        let (notices, account) = (Arc::clone(self.reader.notices()), self.reader.account());
        let missing = self.reader.missing();
        tokio::spawn(async move {
            let replaying = tokio::select! {
                replaying = notices.begin_replay(account) => replaying,
                () = sender.closed() => return,
            };
            let Ok(end) = sender.clone().try_reserve_owned() else { return };
            let mut sending = Sending::new(sender, PATIENCE);
            let work = move || {
                if let Err(ended) = read_missing(&notices, account, missing, &mut sending) {
                    // What was found before the error is correct.
                    let _ = sending.flush();
                    end.send(Chunk::Ended(ended));
                }
            };
            let _ = tokio::task::spawn_blocking(work).await;
            drop::<Option<Replaying>>(replaying);
        });
        self.replay = Some(receiver);
    }
}

/// Where the chunks go.
struct Sending {
    handle: Handle,
    sender: Sender<Chunk>,
    chunk: Vec<Notice>,
    /// How long it still waits for the client.
    patience: Duration,
}

impl Sending {
    fn new(sender: Sender<Chunk>, patience: Duration) -> Sending {
        Sending { handle: Handle::current(), sender, chunk: Vec::with_capacity(CHUNK), patience }
    }

    fn send(&mut self, chunk: Chunk) -> Result<(), Ended> {
        let began = Instant::now();
        let sent = self.handle.block_on(tokio::time::timeout(self.patience, self.sender.send(chunk)));
        self.patience = self.patience.saturating_sub(began.elapsed());
        if matches!(sent, Ok(Ok(()))) { Ok(()) } else { Err(Ended::Left) }
    }

    fn flush(&mut self) -> Result<(), Ended> {
        let chunk = std::mem::take(&mut self.chunk);
        if chunk.is_empty() { Ok(()) } else { self.send(Chunk::Notices(chunk)) }
    }

    fn notice(&mut self, notice: Notice) -> Result<(), Ended> {
        self.chunk.push(notice);
        if self.chunk.len() < CHUNK { Ok(()) } else { self.flush() }
    }

    fn come(&mut self, shard: u16, place: Place) -> Result<(), Ended> {
        self.flush()?;
        self.send(Chunk::Come(shard, place))
    }
}

// ANCHOR: read_missing
/// Reads what the ring no longer has: first what the archive has of it, then what is left from the log. It stops
/// where the ring goes on.
fn read_missing(
    notices: &Notices,
    account: AccountId,
    mut missing: Vec<Stretch>,
    sending: &mut Sending,
) -> Result<(), Ended> {
    let (Some(options), archive) = (notices.options(), notices.archive()) else { return Ok(()) };
    archive.read(account, &mut missing, &mut |notice| sending.notice(notice))?;
    for Stretch { shard, at, floor, until } in missing {
        sending.come(shard.shard, at)?;
        if at >= floor {
            continue;
        }
        let client = sending.sender.clone();
        let has_left = || client.is_closed();
        let replayed = replay(options, shard, account, at, until, has_left, |notice| sending.notice(notice));
        replayed.map_err(|ended| match ended {
            Ended::Gone { shard, first } => archive.lacks(shard, first),
            ended => ended,
        })?;
        sending.come(shard.shard, until)?;
    }
    Ok(())
}
// ANCHOR_END: read_missing

#[cfg(test)]
mod tests {
    use market::{Cents, Event, MarketId, Options, Stamp, UnixMs};

    use super::*;
    use crate::notices::ring::Ring;

    /// Longer than anything here takes, unless it is stuck. Not a measurement.
    const STUCK: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn all_waits_for_a_client_count_together() {
        let (sender, mut receiver) = channel(1);
        let mut sending = Sending::new(sender, Duration::from_millis(100));
        let sent = tokio::task::spawn_blocking(move || {
            (0..100).take_while(|_| sending.send(Chunk::Notices(Vec::new())).is_ok()).count()
        });
        // None of its pauses is as long as that, but all of them are.
        while receiver.recv().await.is_some() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let sent = sent.await.expect("it does not panic");
        assert!(sent < 100, "{sent} chunks were sent to a client that took one at a time");
    }

    #[tokio::test]
    async fn a_reader_that_leaves_does_not_wait_for_its_replay() {
        let notices = Arc::new(Notices::default());
        notices.open(Ring::new(1, vec![Place::default()]), &Options::new("nowhere"), std::iter::empty());
        let first = notices.cursor(None).expect("from now on");
        for sequence in 1..5 {
            let (market, account, amount) = (MarketId(1), AccountId(1), Cents(1));
            let stamp = Stamp { sequence: Sequence(sequence), time: UnixMs(0) };
            notices.add(0, stamp, &[Event::Paid { market, account, amount }]);
        }
        // Two others replay, and no more may.
        let others = [notices.begin_replay(AccountId(2)).await, notices.begin_replay(AccountId(3)).await];
        let mut feed = Feed::new(&notices, AccountId(1), first);
        assert!(feed.take(|_| {}).is_ok() && feed.replay.is_some(), "it is behind");
        drop(feed);
        let gone = async {
            while Arc::strong_count(&notices) > 1 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        assert!(tokio::time::timeout(STUCK, gone).await.is_ok(), "its task still waits for a permit");
        drop(others);
    }
}
