//! Everything that readers of notices share, and one reader.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard, Weak};

use market::log::ShardOf;
use market::{AccountId, Event, Options, Stamp};
use rustc_hash::FxBuildHasher;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::archive::{Archive, NoArchive, Stretch};
use super::cursor::{Cursor, Wrong, identity};
use super::place::{ALL, Notice, Place, Whom, concerns};
use super::ring::{Ring, Seat, Taken};

/// How many notices the ring holds.
const RING_NOTICES: usize = 1 << 20;

/// How many notices a reader looks at while it holds the ring.
const LOOK_MAX: usize = 1_024;

/// How many replays may run at once.
const REPLAYS_MAX: usize = 2;

/// The ring, and the connections that wait for something new.
pub struct Notices {
    ring: RwLock<Ring>,
    waiting: RwLock<HashMap<AccountId, Vec<Weak<Notify>>, FxBuildHasher>>,
    count: AtomicUsize,
    opened: OnceLock<Opened>,
    archive: Arc<dyn Archive>,
    /// Permits to replay.
    replays: Arc<Semaphore>,
    /// The permits of each account that replays.
    replaying: Mutex<HashMap<AccountId, Weak<Semaphore>, FxBuildHasher>>,
}

/// What is known when the engine is open.
struct Opened {
    options: Options,
    logs: u32,
}

impl Default for Notices {
    fn default() -> Notices {
        Notices::new(Arc::new(NoArchive))
    }
}

impl Notices {
    /// No notices yet; `archive` has older ones.
    pub fn new(archive: Arc<dyn Archive>) -> Notices {
        Notices {
            ring: RwLock::new(Ring::new(1, Vec::new())),
            waiting: RwLock::default(),
            count: AtomicUsize::new(0),
            opened: OnceLock::new(),
            archive,
            replays: Arc::new(Semaphore::new(REPLAYS_MAX)),
            replaying: Mutex::default(),
        }
    }

    /// An empty ring that continues after these places.
    pub fn ring(floor: Vec<Place>) -> Ring {
        Ring::new(RING_NOTICES, floor)
    }

    /// The engine is open, and the ring holds what came since the last snapshot.
    pub fn open(&self, ring: Ring, options: &Options, logs: impl Iterator<Item = market::LogId>) {
        *self.ring.write().unwrap_or_else(PoisonError::into_inner) = ring;
        let _ = self.opened.set(Opened { options: options.clone(), logs: identity(logs) });
    }

    /// A command is durable. Its events go into the ring, and the readers of the accounts that they
    /// concern are woken.
    pub fn add(&self, shard: u16, stamp: Stamp, events: &[Event]) {
        let mut ring = self.ring.write().unwrap_or_else(PoisonError::into_inner);
        push(&mut ring, shard, stamp, events);
        drop(ring);
        if self.count.load(Ordering::Relaxed) > 0 {
            events.iter().flat_map(concerns).for_each(|whom| self.wake(whom));
        }
    }

    fn wake(&self, whom: Whom) {
        let waiting = self.waiting.read().unwrap_or_else(PoisonError::into_inner);
        let wake =
            |readers: &Vec<Weak<Notify>>| readers.iter().filter_map(Weak::upgrade).for_each(|one| one.notify_one());
        match whom {
            ALL => waiting.values().for_each(wake),
            Some(account) => drop(waiting.get(&account).map(wake)),
        }
    }

    /// The ring, to read in.
    fn read(&self) -> RwLockReadGuard<'_, Ring> {
        self.ring.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The options of the engine; none before it is open.
    pub fn options(&self) -> Option<&Options> {
        self.opened.get().map(|opened| &opened.options)
    }

    /// The archive of older notices.
    pub fn archive(&self) -> &dyn Archive {
        &*self.archive
    }

    // ANCHOR: cursor
    /// The cursor that a reader begins with: the one that it sends; without one, everything from now on; with
    /// `first`, everything.
    ///
    /// # Errors
    /// Why its text is not a cursor here.
    pub fn cursor(&self, text: Option<&str>) -> Result<Cursor, Wrong> {
        let (ring, logs) = (self.read(), self.opened.get().map_or(0, |opened| opened.logs));
        match text {
            None => Ok(Cursor { logs, at: ring.end().to_vec() }),
            Some("first") => Ok(Cursor { logs, at: vec![Place::default(); ring.end().len()] }),
            Some(text) => Cursor::read(text, logs, ring.end()),
        }
    }
    // ANCHOR_END: cursor

    /// Waits until this account may replay: one at a time each, and a few in all.
    pub async fn begin_replay(self: &Arc<Notices>, account: AccountId) -> Option<Replaying> {
        let turn = {
            let mut replaying = self.replaying.lock().unwrap_or_else(PoisonError::into_inner);
            replaying.retain(|_, turn| turn.strong_count() > 0);
            let turn = replaying.get(&account).and_then(Weak::upgrade).unwrap_or_else(|| Arc::new(Semaphore::new(1)));
            replaying.insert(account, Arc::downgrade(&turn));
            turn
        };
        let own = turn.acquire_owned().await.ok()?;
        let any = Arc::clone(&self.replays).acquire_owned().await.ok()?;
        Some(Replaying { _own: own, _any: any })
    }
}

/// An account's permit to replay, until this is dropped.
pub struct Replaying {
    _own: OwnedSemaphorePermit,
    _any: OwnedSemaphorePermit,
}

/// Adds what a command led to.
pub fn push(ring: &mut Ring, shard: u16, stamp: Stamp, events: &[Event]) {
    for (index, event) in (0..).zip(events) {
        let place = Place { sequence: stamp.sequence, index };
        for whom in concerns(event) {
            ring.add(Notice { shard, place, time: stamp.time, whom, event: *event });
        }
    }
    ring.seen(shard, stamp.sequence);
}

/// One reader of an account's notices.
pub struct Reader {
    notices: Arc<Notices>,
    account: AccountId,
    seat: Seat,
    cursor: Cursor,
    is_news: Arc<Notify>,
}

impl Reader {
    /// A reader that has come to this cursor.
    pub fn new(notices: &Arc<Notices>, account: AccountId, cursor: Cursor) -> Reader {
        let is_news = Arc::new(Notify::new());
        let mut waiting = notices.waiting.write().unwrap_or_else(PoisonError::into_inner);
        let readers = waiting.entry(account).or_default();
        readers.retain(|reader| reader.strong_count() > 0);
        readers.push(Arc::downgrade(&is_news));
        notices.count.fetch_add(1, Ordering::Relaxed);
        drop(waiting);
        // So that the reader also finds notices that were added before.
        is_news.notify_one();
        Reader { notices: Arc::clone(notices), account, seat: Seat::default(), cursor, is_news }
    }

    /// Whose notices.
    pub fn account(&self) -> AccountId {
        self.account
    }

    /// How far it has come.
    pub fn cursor(&self) -> &Cursor {
        &self.cursor
    }

    /// Waits until there may be something new.
    pub async fn is_news(&self) {
        self.is_news.notified().await;
    }

    /// Takes what is in the ring, each with the cursor after it. The notices are copied, so that the thread that adds new
    /// ones does not wait while these are encoded.
    pub fn take(&mut self, mut each: impl FnMut(&Notice, &Cursor)) -> Taken {
        let (mut notices, mut end) = (Vec::new(), self.cursor.at.clone());
        let ring = self.notices.read();
        let taken = ring.take(self.account, &mut self.seat, &mut end, LOOK_MAX, |notice| notices.push(*notice));
        drop(ring);
        for notice in &notices {
            self.has_read(notice);
            each(notice, &self.cursor);
        }
        self.cursor.at = end;
        if taken == Taken::Some {
            self.is_news.notify_one();
        }
        taken
    }

    /// Moves the cursor past a notice that was read.
    pub fn has_read(&mut self, notice: &Notice) {
        self.cursor.at[usize::from(notice.shard)] = notice.place;
    }

    /// Moves the cursor of a shard up to here.
    pub fn has_come_to(&mut self, shard: u16, place: Place) {
        let at = &mut self.cursor.at[usize::from(shard)];
        *at = place.max(*at);
    }

    /// Everything that readers share.
    pub fn notices(&self) -> &Arc<Notices> {
        &self.notices
    }

    /// What the ring lacks after the cursor.
    pub fn missing(&self) -> Vec<Stretch> {
        let ring = self.notices.read();
        let shards = ring.floor().len() as u16;
        let all = (0..shards).zip(self.cursor.at.iter().zip(ring.floor().iter().zip(ring.end())));
        let stretch = |(shard, (&at, (&floor, &until)))| Stretch { shard: ShardOf { shard, shards }, at, floor, until };
        all.map(stretch).filter(|stretch| stretch.at < stretch.floor).collect()
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.notices.count.fetch_sub(1, Ordering::Relaxed);
        let mut waiting = self.notices.waiting.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(readers) = waiting.get_mut(&self.account) {
            readers.retain(|reader| !std::ptr::eq(reader.as_ptr(), Arc::as_ptr(&self.is_news)));
            if readers.is_empty() {
                waiting.remove(&self.account);
            }
        }
    }
}
