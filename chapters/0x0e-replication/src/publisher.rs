//! The publisher of a shard: it appends frames to the stream in the order of the log, and says how far it has come.
//!
//! The journal hands it a frame and goes on. One message is under way at a time, and frames that come meanwhile share the next:
//! a slow stream makes larger messages. An append that no server answers is repeated for as long as it takes: without a majority
//! nothing is confirmed, and that is right. If another message stands where a frame should, this machine was replaced. From then
//! on nothing is ever confirmed: the publisher has ended, and tells every thread that waits for it why.

use std::cmp::Ordering;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use market::Sequence;
use market::log_reader::Place;
use program::tell;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::behind::Behind;
use crate::chain::Chain;
use crate::durable::Durable;
use crate::follower::not_appended;
use crate::join::Joined;
use crate::link::Link;
use crate::mark::{Mark, MarkFile, Marking, Settling};
use crate::message::has_room;
use crate::stream::{Fences, NotAppended, Stream};

/// How many frames a message takes at most.
const FRAMES_MAX: usize = 1_024;

/// How long to pause when another machine is about to begin an epoch.
const PAUSE: Duration = Duration::from_millis(300);

/// How often to look whether this machine was replaced, while there is nothing to append.
const LOOK: Duration = Duration::from_millis(500);

/// How often the mark moves in `majority`.
const SETTLE: Duration = Duration::from_secs(1);

/// A frame, and the place in the log after it.
struct Item {
    frame: Bytes,
    behind: Place,
}

/// Hands frames to a shard's stream.
#[derive(Clone)]
pub struct Publisher {
    items: UnboundedSender<Item>,
    state: Arc<(Mutex<State>, Condvar)>,
}

/// How far the stream has come.
#[derive(Clone, Default, Debug)]
pub struct State {
    /// How many frames were handed over.
    pub handed: u64,
    /// The command with which the next one begins.
    pub next: Sequence,
    /// How many of them are in the stream.
    pub confirmed: u64,
    /// The place of the last message.
    pub place: u64,
    /// The last command that the stream has.
    pub last: Sequence,
    /// The mark that is right for that, once a message was appended.
    pub mark: Option<Mark>,
    /// The epoch of this machine.
    pub epoch: u64,
    /// For how long a frame has been waiting.
    pub behind: Behind,
    /// How many appends were refused because another message stood at their place.
    pub refused: u64,
    /// Why nothing more is confirmed.
    pub ended: Option<Arc<str>>,
}

impl State {
    /// Frames were handed over or confirmed.
    fn note(&mut self) {
        self.behind.note(self.handed, self.confirmed, Instant::now());
    }
}

impl Publisher {
    /// Starts a publisher that continues after what was joined, and notes with `marking` how far it has come. When it ends,
    /// `ended` gets the reason.
    pub fn start(
        link: &Link,
        joined: Joined,
        durable: Durable,
        marking: Marking,
        ended: watch::Sender<Option<Arc<str>>>,
    ) -> Publisher {
        let (items, handed) = unbounded_channel();
        let Joined { stream, chain, refused } = joined;
        let next = chain.next.sequence;
        let last = Sequence(next.0 - 1);
        let state = State { place: chain.place, next, last, epoch: chain.epoch, refused, ..State::default() };
        let state = Arc::new((Mutex::new(state), Condvar::new()));
        let own = stream.clone();
        let fences = link.wait(async move { own.fences().await });
        let mark = match marking {
            Marking::WithStream(mark) => Some(Mutex::new(mark)),
            Marking::AfterSync(settling) => {
                let state = Arc::downgrade(&state);
                thread::spawn(move || settle(settling, &state));
                None
            }
        };
        let work = Work { stream, fences, chain, durable, mark, state: Arc::clone(&state) };
        link.spawn(async move {
            if let Some(why) = work.run(handed).await {
                ended.send_replace(Some(why));
            }
        });
        Publisher { items, state }
    }

    // ANCHOR: hand
    /// Hands over a frame that begins with command `first`; `behind` is the place in the log after it. Returns the
    /// frame's number, or none if the frame was handed over before and is only written again.
    ///
    /// # Errors
    /// When frames before it were not handed over. To continue would acknowledge what the stream does not have.
    pub fn hand(&self, frame: &[u8], first: Sequence, behind: Place) -> io::Result<Option<u64>> {
        let number = {
            let mut state = lock(&self.state.0);
            match first.cmp(&state.next) {
                Ordering::Less => return Ok(None),
                Ordering::Greater => {
                    let words =
                        format!("the frame begins with command {first}, but the stream continues with {}", state.next);
                    return Err(io::Error::other(words));
                }
                Ordering::Equal => {}
            }
            (state.handed, state.next) = (state.handed + 1, behind.next.sequence);
            state.note();
            state.handed
        };
        // If the publisher has ended, the thread that waits for the frame learns it.
        let _ = self.items.send(Item { frame: Bytes::copy_from_slice(frame), behind });
        Ok(Some(number))
    }
    // ANCHOR_END: hand

    // ANCHOR: wait
    /// Returns when this frame and all before it are in the stream.
    ///
    /// # Errors
    /// Why they never will be, as far as this machine may know.
    pub fn wait(&self, frame: u64) -> Result<(), Arc<str>> {
        let (state, changed) = &*self.state;
        let mut state = lock(state);
        loop {
            if let Some(why) = &state.ended {
                return Err(Arc::clone(why));
            }
            if state.confirmed >= frame {
                return Ok(());
            }
            state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
    // ANCHOR_END: wait

    /// How far it has come.
    pub fn state(&self) -> State {
        lock(&self.state.0).clone()
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Moves the mark after a sync of the log, as long as there is a publisher. After a sync that failed the mark stays.
fn settle(mut settling: Settling, state: &Weak<(Mutex<State>, Condvar)>) {
    let mut settled = None;
    loop {
        thread::sleep(SETTLE);
        let Some(now) = state.upgrade().map(|state| lock(&state.0).mark) else { return };
        if let Some(mark) = now.filter(|_| now != settled) {
            if let Err(error) = settling.settle(&mark) {
                tell(format_args!("this machine's log can't be synced, so its mark stays behind: {error}"));
                return;
            }
            settled = now;
        }
    }
}

/// What the publisher's task works with.
struct Work {
    stream: Stream,
    fences: Fences,
    chain: Chain,
    durable: Durable,
    /// None where it waits for the disk. Only this task has it; a lock makes that known to the compiler.
    mark: Option<Mutex<MarkFile>>,
    state: Arc<(Mutex<State>, Condvar)>,
}

impl Work {
    /// Appends what it is handed, until no thread can hand it anything more, or another machine has replaced this one.
    async fn run(mut self, mut handed: UnboundedReceiver<Item>) -> Option<Arc<str>> {
        let mut items = Vec::new();
        loop {
            if items.is_empty()
                && let Ok(0) = timeout(LOOK, handed.recv_many(&mut items, FRAMES_MAX)).await
            {
                return None;
            }
            if self.fences.announced() {
                sleep(PAUSE).await;
            }
            let went = if items.is_empty() { self.look().await } else { self.append(&mut items).await };
            if let Err(why) = went {
                let why: Arc<str> = why.into();
                lock(&self.state.0).ended = Some(Arc::clone(&why));
                self.state.1.notify_all();
                return Some(why);
            }
        }
    }

    // ANCHOR: append
    /// Appends the first of these frames, and those after it that have room in the same message.
    async fn append(&mut self, items: &mut Vec<Item>) -> Result<(), String> {
        let (mut message, mut count) = (Vec::new(), 0);
        while let Some(item) = items.get(count)
            && has_room(message.len(), item.frame.len())
        {
            message.extend_from_slice(&item.frame);
            count += 1;
        }
        let Some(Item { behind, .. }) = items.drain(..count).last() else { return Ok(()) };
        let appended = self.stream.append(self.chain.place, &message.into()).await;
        if let Err(why) = appended {
            lock(&self.state.0).refused += u64::from(matches!(why, NotAppended::Other(_)));
            return Err(not_appended(&self.stream, &self.chain, Some(self.durable), why).to_string());
        }
        self.chain.place += 1;
        self.chain.next = behind.next;
        let mark = Mark { place: self.chain.place, epoch: self.chain.epoch, log: behind };
        if let Some(file) = &mut self.mark {
            file.get_mut().unwrap_or_else(PoisonError::into_inner).set(&mark);
        }
        {
            let mut state = lock(&self.state.0);
            (state.confirmed, state.place) = (state.confirmed + count as u64, self.chain.place);
            (state.last, state.mark) = (Sequence(behind.next.sequence.0 - 1), Some(mark));
            state.note();
        }
        self.state.1.notify_all();
        Ok(())
    }
    // ANCHOR_END: append

    /// Fails when a message stands after the last of this machine's, or stood there before the stream was trimmed.
    async fn look(&self) -> Result<(), String> {
        let place = self.chain.place;
        if timeout(LOOK, self.stream.last()).await.unwrap_or(0) <= place {
            return Ok(());
        }
        let other = timeout(LOOK, self.stream.message(place + 1)).await.ok().flatten();
        let why = NotAppended::Other(other.unwrap_or_default());
        Err(not_appended(&self.stream, &self.chain, Some(self.durable), why).to_string())
    }
}
