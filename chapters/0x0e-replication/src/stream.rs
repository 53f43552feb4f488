//! One stream of the servers: it keeps messages in order on three machines, and numbers their places from 1 on.
//!
//! All of replication rests on one promise of the stream: a message that names the place of the last one is appended right after
//! that, or not at all. The acknowledgement says whether a message was appended; if there is none, reading the place at which it
//! should stand does. An error never counts as a refusal.

use std::time::{Duration, Instant};

use async_nats::Subscriber;
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::consumer::pull::OrderedConfig;
use async_nats::jetstream::consumer::{DeliverPolicy, pull};
use async_nats::jetstream::context::PublishAckFuture;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, DiscardPolicy, InfoError, RawMessageErrorKind, StorageType};
use async_nats::jetstream::{self, Context, Message};
use axum::body::Bytes;
use futures_util::{FutureExt, StreamExt};
use tokio::time::{sleep, timeout};

use crate::error::ReplicaError;
use crate::link::{Link, publish};
use crate::settings;

/// How many machines hold each message.
pub const COPIES: usize = 3;

/// How long to rest before asking a server again that did not answer.
const REST: Duration = Duration::from_millis(50);

/// How long servers may need until they agree.
const START: Duration = Duration::from_secs(15);

/// How many messages are read at once.
const SOME: usize = 64;

/// How many times a stream has to report that it is shorter than it was until that is believed: a server that has just become
/// the leader may not know of the last messages yet.
const LOOKS: u32 = 20;

/// A stream.
#[derive(Clone)]
pub struct Stream {
    context: Context,
    stream: jetstream::stream::Stream<()>,
    name: String,
}

impl Stream {
    /// Makes the stream, or checks the one that is there. Its beginning may be removed.
    ///
    /// # Errors
    /// [`ReplicaError::Settings`] where it could lose something, and [`ReplicaError::Stream`].
    pub fn open(link: &Link, name: &str) -> Result<Stream, ReplicaError> {
        Stream::open_as(link, wanted(name))
    }

    /// The same, for a stream that keeps everything.
    ///
    /// # Errors
    /// As [`open`](Stream::open).
    pub fn open_whole(link: &Link, name: &str) -> Result<Stream, ReplicaError> {
        Stream::open_as(link, Config { deny_purge: true, ..wanted(name) })
    }

    fn open_as(link: &Link, wanted: Config) -> Result<Stream, ReplicaError> {
        let (context, own_name) = (link.context().clone(), wanted.name.clone());
        link.wait(async move {
            let failed = |what, reason| ReplicaError::Stream { stream: own_name.clone(), what, reason };
            let there = made(&context, &wanted).await.map_err(|error| failed("make it", error))?;
            let problems = settings::problems(&there, &wanted);
            if !problems.is_empty() {
                return Err(ReplicaError::Settings { stream: own_name, problems });
            }
            let stream = context.get_stream_no_info(&own_name).await;
            let stream = stream.map_err(|error| failed("use it", error.to_string()))?;
            Ok(Stream { context, stream, name: own_name })
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The server that leads it; none while they elect one.
    pub async fn leader(&self) -> Option<String> {
        self.stream.get_info().await.ok()?.cluster?.leader
    }

    /// The place of its last message; 0 where there is none. It asks until it has an answer.
    pub async fn last(&self) -> u64 {
        self.ends().await.1
    }

    /// The place of its first message, or where that will stand, and the place of its last. It asks until it has an answer.
    pub async fn ends(&self) -> (u64, u64) {
        loop {
            match self.stream.get_info().await {
                Ok(info) => return (info.state.first_sequence.max(1), info.state.last_sequence),
                // It was deleted, and everything in it.
                Err(error) if is_gone(&error) => return (1, 0),
                Err(_) => sleep(REST).await,
            }
        }
    }

    /// The same, where the last message stands at `known` or at a later place.
    ///
    /// # Errors
    /// The last place, when it stays below that.
    pub async fn ends_from(&self, known: u64) -> Result<(u64, u64), u64> {
        let mut ends = self.ends().await;
        for _ in 0..LOOKS {
            if ends.1 >= known {
                break;
            }
            sleep(10 * REST).await;
            ends = self.ends().await;
        }
        if ends.1 >= known { Ok(ends) } else { Err(ends.1) }
    }

    /// The message at a place, if there is one. It asks until it has an answer.
    pub async fn message(&self, place: u64) -> Option<Bytes> {
        loop {
            match self.stream.get_raw_message(place).await {
                Ok(message) => return Some(message.payload),
                Err(error) if matches!(error.kind(), RawMessageErrorKind::NoMessageFound) => return None,
                Err(_) => sleep(REST).await,
            }
        }
    }

    /// The message at a place, if there is one, or why the servers can't read it.
    ///
    /// # Errors
    /// What they answered, after several tries.
    pub async fn readable(&self, place: u64) -> Result<Option<Bytes>, String> {
        let mut reason = String::new();
        for _ in 0..LOOKS {
            match self.stream.get_raw_message(place).await {
                Ok(message) => return Ok(Some(message.payload)),
                Err(error) if matches!(error.kind(), RawMessageErrorKind::NoMessageFound) => return Ok(None),
                Err(error) => reason = error.to_string(),
            }
            sleep(10 * REST).await;
        }
        Err(reason)
    }

    /// Sends a message that is to stand right after `last`, and does not wait.
    ///
    /// Nothing may be sent for the place after it before it is known to be there. A place is a number, and the server does not
    /// check what stands at it: what was sent for the place after a frame would be appended after the epoch of another machine.
    pub async fn send(&self, last: u64, message: Bytes) -> Option<PublishAckFuture> {
        let message = PublishMessage::build().payload(message).expected_last_sequence(last);
        publish(&self.context, &self.name, message).await
    }

    // ANCHOR: append
    /// Appends a message right after `last`. Whatever fails on the way is tried again: the message is there when this
    /// returns `Ok`, and never will be when another message stands there.
    ///
    /// # Errors
    /// [`NotAppended`].
    pub async fn append(&self, last: u64, message: &Bytes) -> Result<(), NotAppended> {
        loop {
            if let Some(sent) = self.send(last, message.clone()).await
                && sent.await.is_ok_and(|there| there.sequence == last + 1)
            {
                return Ok(());
            }
            match Stream::fate(message, self.message(last + 1).await) {
                Fate::There => return Ok(()),
                Fate::Never(other) => return Err(NotAppended::Other(other)),
                // It is trimmed up to what its primary has. So this machine has been replaced, and stood still since.
                Fate::Open if self.ends().await.0 > last + 1 => return Err(NotAppended::Other(Bytes::new())),
                Fate::Open => self.ends_from(last).await.map(drop).map_err(NotAppended::Shorter)?,
            }
        }
    }

    /// What became of a message that was sent, when this stands at the place for which it was sent.
    pub fn fate(message: &Bytes, there: Option<Bytes>) -> Fate {
        match there {
            Some(there) if there == *message => Fate::There,
            Some(other) => Fate::Never(other),
            None => Fate::Open,
        }
    }
    // ANCHOR_END: append

    /// Tells the primary that a machine is about to begin an epoch: see [`Fences`].
    pub async fn announce_fence(&self) {
        let _ = self.context.client().publish(fences(&self.name), Bytes::new()).await;
    }

    /// From now on, hears when a machine is about to begin an epoch.
    pub async fn fences(&self) -> Fences {
        Fences(self.context.client().subscribe(fences(&self.name)).await.ok())
    }

    /// Reads the messages from a place on, and waits for those to come.
    pub fn read_from(&self, place: u64) -> Reader {
        Reader { stream: self.stream.clone(), next: place, messages: None }
    }
}

/// Whether a machine is about to begin an epoch. A busy primary sends its next message as soon as the last one is confirmed, so
/// another machine that has read which place is the last always comes too late. A primary that hears such an announcement
/// pauses. Only speed depends on that: no server keeps the announcements, and they may be lost.
pub struct Fences(Option<Subscriber>);

impl Fences {
    /// Whether one was announced since the last call.
    pub fn announced(&mut self) -> bool {
        let Some(fences) = &mut self.0 else { return false };
        let mut announced = false;
        while let Some(Some(_)) = fences.next().now_or_never() {
            announced = true;
        }
        announced
    }
}

fn fences(stream: &str) -> String {
    format!("{stream}.fence")
}

/// What became of a message that was sent, as far as its place says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It is in the stream.
    There,
    /// It is not in the stream and never will be: this one stands at its place.
    Never(Bytes),
    /// It is not there yet, and may still come.
    Open,
}

/// Why a message is not in the stream, and never will be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotAppended {
    /// This one stands at its place. It is empty when the place was trimmed away.
    Other(Bytes),
    /// The stream ends here, before the place after which it was to be appended.
    Shorter(u64),
}

/// The settings of a stream that is there now. Servers that have just been started need a moment to agree on who leads them.
async fn made(context: &Context, wanted: &Config) -> Result<Config, String> {
    let began = Instant::now();
    loop {
        match settings::make(context, wanted).await {
            Err(_) if began.elapsed() < START => sleep(REST).await,
            made => return made,
        }
    }
}

fn is_gone(error: &InfoError) -> bool {
    let why = std::error::Error::source(error).and_then(|why| why.downcast_ref::<jetstream::Error>());
    why.is_some_and(|why| why.error_code() == ErrorCode::STREAM_NOT_FOUND)
}

/// The settings of a stream that keeps what it has acknowledged.
fn wanted(name: &str) -> Config {
    Config {
        name: name.to_owned(),
        subjects: vec![name.to_owned()],
        storage: StorageType::File,
        num_replicas: COPIES,
        max_messages: -1,
        max_bytes: -1,
        max_messages_per_subject: -1,
        discard: DiscardPolicy::New,
        deny_delete: true,
        ..Config::default()
    }
}

/// Reads a stream message by message, in rising order.
pub struct Reader {
    stream: jetstream::stream::Stream<()>,
    next: u64,
    messages: Option<pull::Ordered>,
}

impl Reader {
    /// The next messages with their places: those that are there, or the first that comes within a time; none where none comes.
    pub async fn some_within(&mut self, time: Duration) -> Vec<(u64, Bytes)> {
        let mut some = Vec::new();
        if self.messages.is_none() {
            // The beginning has no time limit: if it were given up half-way, it would have to start over.
            self.messages = begin(&self.stream, self.next).await;
        }
        let Some(messages) = &mut self.messages else {
            sleep(REST).await;
            return some;
        };
        let mut next = timeout(time, messages.next()).await.ok();
        while let Some(came) = next {
            let place = |message: &Message| message.info().ok().map(|info| info.stream_sequence);
            let Some((place, message)) = came.and_then(Result::ok).and_then(|one| Some((place(&one)?, one))) else {
                // The connection broke off: the next call continues after the last message.
                self.messages = None;
                break;
            };
            if place < self.next {
                // The library begins with the first message of the stream when it loses its consumer before anything came.
                self.messages = None;
                break;
            }
            self.next = place + 1;
            some.push((place, message.message.payload));
            next = if some.len() < SOME { messages.next().now_or_never() } else { None };
        }
        some
    }
}

async fn begin(stream: &jetstream::stream::Stream<()>, place: u64) -> Option<pull::Ordered> {
    let deliver_policy = DeliverPolicy::ByStartSequence { start_sequence: place };
    let consumer = stream.create_consumer(OrderedConfig { deliver_policy, ..OrderedConfig::default() });
    consumer.await.ok()?.messages().await.ok()
}
