//! A client library: how a program places each order once and reads each notice once, whatever breaks.
//!
//! It keeps two small files. [`Orders`] holds the numbers, and is written *before* a request is sent. [`Notices`] holds the
//! cursor together with what the notices led to, and is written *after* a notice was read. Each file is replaced as a whole,
//! so a kill at any moment leaves the old content or the new one, and the program goes on where it was.

use std::fs::{self, File};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hyper::Method;
use hyper::body::Bytes;
use hyper::header::RETRY_AFTER;
use load::client::{ClientError, Http, Stream};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

/// The first wait before a request is sent again.
const WAIT_MIN: Duration = Duration::from_millis(10);

/// The longest wait, unless the venue asks for more.
const WAIT_MAX: Duration = Duration::from_secs(2);

/// How long one attempt may take. A connection that is silent for longer counts as broken.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why a client can't continue. A broken connection is no such error: the client tries again.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Its file can't be read or written.
    #[error("{}: {source}: the numbers in use are in this file; make room on its disk, or name another folder", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// Its file counts in this lane, and not in the one that was asked for.
    #[error("{}: it has the numbers of lane {}: open it with that lane, or name another file", .0.display(), .1)]
    OtherLane(PathBuf, u8),
    /// The venue refuses the cursor or the key.
    #[error("the venue refuses: {0}")]
    Refused(Value),
}

/// Where a venue may listen, and an account's key.
#[derive(Clone)]
pub struct Access {
    /// Its addresses. Only one answers at a time: a client that gets no answer tries the next one.
    pub addresses: Vec<SocketAddr>,
    /// The key.
    pub key: String,
}

impl Access {
    /// The address for an attempt; the first again after the last.
    ///
    /// # Errors
    /// When there is none.
    fn address(&self, attempt: usize) -> Result<SocketAddr, ClientError> {
        let address = self.addresses.get(attempt % self.addresses.len().max(1));
        address.copied().ok_or_else(|| ClientError::Answer("no address was named".into()))
    }
}

/// The answer to an order.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The status over HTTP.
    pub status: u16,
    /// The order, or the problem.
    pub body: Value,
}

/// Places orders, each once. Only one program may count in a lane, and so use its file.
pub struct Orders {
    access: Access,
    /// How many connections have failed.
    failed: usize,
    http: Option<Http>,
    file: Saved<Numbers>,
    backoff: Backoff,
}

/// What has to survive: the next number, and the request that has no answer yet.
#[derive(Clone, Serialize, Deserialize)]
struct Numbers {
    lane: u8,
    next: u64,
    under_way: Option<Value>,
}

impl Orders {
    /// Continues where the file says; without a file, begins the lane.
    ///
    /// # Errors
    /// [`Error::File`] and [`Error::OtherLane`].
    pub fn open(access: Access, lane: u8, file: &Path) -> Result<Orders, Error> {
        let file = Saved::open(file, || Numbers { lane, next: 1, under_way: None })?;
        if file.content.lane != lane {
            return Err(Error::OtherLane(file.path, file.content.lane));
        }
        Ok(Orders { access, failed: 0, http: None, file, backoff: Backoff::new() })
    }

    /// How many numbers were used.
    pub fn used(&self) -> u64 {
        self.file.content.next - 1
    }

    // ANCHOR: place
    /// Places an order, and waits for its answer however long that takes. A caller that stops waiting has not cancelled the
    /// order: [`finish`](Orders::finish) brings it to its end.
    ///
    /// # Errors
    /// [`Error::File`]. Nothing was sent then.
    pub async fn place(&mut self, mut order: Value) -> Result<Answer, Error> {
        self.finish().await?;
        let Numbers { lane, next, .. } = self.file.content;
        (order["lane"], order["number"]) = (lane.into(), next.into());
        self.file.save(Numbers { lane, next: next + 1, under_way: Some(order.clone()) })?;
        self.send(&order).await
    }

    /// Sends the order that was under way when the program ended, if there is one.
    ///
    /// # Errors
    /// [`Error::File`].
    pub async fn finish(&mut self) -> Result<Option<Answer>, Error> {
        match self.file.content.under_way.clone() {
            Some(order) => self.send(&order).await.map(Some),
            None => Ok(None),
        }
    }

    /// Sends the same request until it has an answer. The venue carries it out once.
    async fn send(&mut self, order: &Value) -> Result<Answer, Error> {
        let answer = loop {
            match timeout(PATIENCE, self.attempt(order)).await {
                Ok(Ok(Attempt::Answer(answer))) => break answer,
                // Nothing was done, or the venue does not know: sending the same request again
                // finds out.
                Ok(Ok(Attempt::Later(least))) => self.backoff.wait(least).await,
                Ok(Err(_)) | Err(_) => {
                    (self.http, self.failed) = (None, self.failed + 1);
                    self.backoff.wait(Duration::ZERO).await;
                }
            }
        };
        self.backoff = Backoff::new();
        self.file.save(Numbers { under_way: None, ..self.file.content.clone() })?;
        Ok(answer)
    }
    // ANCHOR_END: place

    async fn attempt(&mut self, order: &Value) -> Result<Attempt, ClientError> {
        let http = match &mut self.http {
            Some(http) => http,
            none => none.insert(Http::connect(self.access.address(self.failed)?).await?),
        };
        let body = Bytes::from(order.to_string());
        let response = http.whole(Method::POST, "/v1/orders", &self.access.key, body).await?;
        if matches!(response.status().as_u16(), 429 | 503) {
            let asked = response.headers().get(RETRY_AFTER).and_then(|seconds| seconds.to_str().ok()?.parse().ok());
            return Ok(Attempt::Later(Duration::from_secs(asked.unwrap_or(0))));
        }
        // Half a body is not an answer.
        let body = serde_json::from_slice(response.body()).map_err(|error| ClientError::Answer(error.to_string()))?;
        Ok(Attempt::Answer(Answer { status: response.status().as_u16(), body }))
    }
}

enum Attempt {
    Answer(Answer),
    /// Not before this time has passed.
    Later(Duration),
}

/// Reads an account's notices, each once, and keeps what they led to.
pub struct Notices<T> {
    access: Access,
    /// How many connections have failed.
    failed: usize,
    stream: Option<Stream>,
    file: Saved<Read<T>>,
    backoff: Backoff,
}

/// The cursor, and what everything up to it led to. They are one value, so one write saves both.
#[derive(Clone, Serialize, Deserialize)]
struct Read<T> {
    cursor: String,
    led_to: T,
}

impl<T: Clone + Default + Serialize + DeserializeOwned> Notices<T> {
    /// Continues where the file says; without a file, begins with the account's first notice.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn open(access: Access, file: &Path) -> Result<Notices<T>, Error> {
        let file = Saved::open(file, || Read { cursor: "first".into(), led_to: T::default() })?;
        Ok(Notices { access, failed: 0, stream: None, file, backoff: Backoff::new() })
    }

    /// The result of the notices so far.
    pub fn led_to(&self) -> &T {
        &self.file.content.led_to
    }

    // ANCHOR: next
    /// Waits for the next notice, and saves what it leads to together with its cursor. The notice's `kind` is `gone` where
    /// the venue's log begins after the cursor.
    ///
    /// # Errors
    /// [`Error::File`], and [`Error::Refused`] when the venue does not accept the cursor or the key.
    pub async fn next(&mut self, lead: impl FnOnce(&mut T, &Value)) -> Result<(), Error> {
        let notice = self.hear().await?;
        let mut read = self.file.content.clone();
        lead(&mut read.led_to, &notice);
        read.cursor = notice["cursor"].as_str().unwrap_or_default().into();
        self.file.save(read)
    }
    // ANCHOR_END: next

    async fn hear(&mut self) -> Result<Value, Error> {
        loop {
            // With `bye` the venue ends the connection, and gives the reason. That is no better than a broken one.
            let message = self.message().await.ok().flatten().filter(|message| message["kind"] != "bye");
            let Some(message) = message else {
                (self.stream, self.failed) = (None, self.failed + 1);
                self.backoff.wait(Duration::ZERO).await;
                continue;
            };
            if message["problem"].is_object() {
                return Err(Error::Refused(message));
            }
            if matches!(message["kind"].as_str(), Some("notice" | "gone")) && message["cursor"].is_string() {
                self.backoff = Backoff::new();
                return Ok(message);
            }
        }
    }

    /// The next message of the connection, which is opened first if there is none; `None` if it has ended.
    async fn message(&mut self) -> Result<Option<Value>, ClientError> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            none => {
                let mut stream = Stream::connect(self.access.address(self.failed)?, "/v1/stream").await?;
                stream.say(json!({ "id": 1, "do": "login", "key": self.access.key }).to_string()).await?;
                let after = &self.file.content.cursor;
                stream.say(json!({ "id": 2, "do": "notices", "after": after }).to_string()).await?;
                none.insert(stream)
            }
        };
        // The venue gives a sign of life more often than that.
        let message = timeout(PATIENCE, stream.hear()).await;
        let message = message.map_err(|_| ClientError::Answer("no sign of life".into()))??;
        Ok(message.and_then(|message| serde_json::from_str(&message).ok()))
    }
}

/// Waits that grow, each between half and one and a half of what is due, so that clients that failed together do not return
/// together.
struct Backoff {
    next: Duration,
    random: Pcg64Mcg,
}

impl Backoff {
    fn new() -> Backoff {
        // Each client needs different waits; it does not matter which.
        let mut seed = [0; 16];
        let _ = getrandom::fill(&mut seed);
        Backoff { next: WAIT_MIN, random: Pcg64Mcg::new(u128::from_le_bytes(seed)) }
    }

    async fn wait(&mut self, least: Duration) {
        let factor = 0.5 + f64::from(self.random.next_u32()) / f64::from(u32::MAX);
        sleep(least.max(self.next.mul_f64(factor))).await;
        self.next = (2 * self.next).min(WAIT_MAX);
    }
}

/// A value in a file.
struct Saved<T> {
    path: PathBuf,
    content: T,
}

impl<T: Serialize + DeserializeOwned> Saved<T> {
    fn open(path: &Path, empty: impl FnOnce() -> T) -> Result<Saved<T>, Error> {
        let failed = |source| Error::File { path: path.into(), source };
        let content = match fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| failed(error.into()))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => empty(),
            Err(error) => return Err(failed(error)),
        };
        Ok(Saved { path: path.into(), content })
    }

    // ANCHOR: save
    /// Replaces the file: the new content is on disk under another name before it gets the file's name, which is synced too.
    fn save(&mut self, content: T) -> Result<(), Error> {
        let write = || {
            // Appended, because files of several lanes may differ in their extension only.
            let mut beside = self.path.clone().into_os_string();
            beside.push(".new");
            let mut file = File::create(&beside)?;
            file.write_all(&serde_json::to_vec(&content)?)?;
            file.sync_all()?;
            fs::rename(&beside, &self.path)?;
            let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
            // On Unix a folder is a file that needs its own sync.
            if cfg!(unix) { File::open(folder.unwrap_or(Path::new(".")))?.sync_all() } else { Ok(()) }
        };
        write().map_err(|source| Error::File { path: self.path.clone(), source })?;
        self.content = content;
        Ok(())
    }
    // ANCHOR_END: save
}
