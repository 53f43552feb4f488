//! The venue: an engine with its log, the feed, the way back, names, and the door in front of them.
//!
//! ```text
//!                  requests                        acknowledged
//!  connections ──▶ door ──queue──▶ engine's thread ┄┄▶ matching ──▶ tap ──▶ feed ──▶ books, trades: anyone
//!       ▲                                │                    └──▶ way back
//!       │                                │ tickets                   │
//!       └────────── answers ──────── replies ◀───────────────────────┘
//!                                        └──▶ projection: positions, open orders, own trades
//! ```
//!
//! Only the engine thread is generic over the engine. Everything else is compiled once for all engines.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use market::state::ExchangeState;
use market::{
    AccountId, Acknowledge, Clock, Closed, Command, Engine, EngineError, Event, Options, Recovery, Sequence, Stamp,
};
use market_data::engines::{Rung, Work};
use market_data::past::with_logs;
use market_data::tap::taps;
use smallvec::smallvec;
use tokio::sync::{Mutex, oneshot, watch};

use crate::bell::Bell;
use crate::books::{Books, FeedKeeper};
use crate::door::{Commands, Door, EngineDoor, Request};
use crate::engine_thread::{Ticketed, drive};
use crate::error::VenueError;
use crate::layer::{Layer, Layers, Metric, carried};
use crate::limited::LimitedDoor;
use crate::limits::{Allowed, Limits};
use crate::names::Names;
use crate::projection::Projection;
use crate::replies::{Progress, Replies};
use crate::reply::{Answer, Given, Refusal, Session};
use crate::stream::listeners::Listeners;
use crate::stream::shared::Shared;
use crate::watch::{Passed, following};
use crate::way_back::{Behind, way_back};

/// How many events the way back of a shard can hold: 1 MiB.
const EVENTS: usize = 1 << 14;

/// How many records the feed's ring of a shard can hold: 512 KiB.
const TAP_RECORDS: usize = 1 << 14;

/// How many commands may be in flight at once.
pub const UNDER_WAY_MAX: usize = 1 << 14;

/// The part of a venue that connections use.
pub struct Venue {
    /// Where commands enter.
    pub door: LimitedDoor,
    /// The innermost door, right before the engine's thread.
    pub engine_door: Arc<EngineDoor>,
    /// Questions, accounts, keys.
    pub names: Names,
    /// The public view of every book.
    pub books: Arc<Books>,
    /// Every connection keeps a receiver of this to learn of the end of the venue, which waits until all of them are
    /// gone.
    pub over: watch::Sender<()>,
    /// Which connections get which account's notices.
    pub listeners: Arc<Listeners>,
    /// Messages that many connections get.
    pub shared: Shared,
    /// Ticks at which connections send what has changed in the markets that they watch.
    pub ticks: watch::Sender<()>,
    /// Ticks at which connections send a sign of life.
    pub life: watch::Sender<()>,
    /// Is held while an account or a market opens. If both opened at once, the account could miss its play money in the
    /// market, or get it twice.
    pub opening: Mutex<()>,
    /// How much play money a new account gets per market, in cents.
    pub play_money: u64,
    clock: Clock,
    progress: watch::Receiver<Progress>,
    projection: Arc<RwLock<Projection>>,
    layers: Layers,
}

/// A venue's threads.
pub struct Running {
    venue: Arc<Venue>,
    engine: JoinHandle<Result<Closed, EngineError>>,
    replies: JoinHandle<()>,
    feed: FeedKeeper,
}

impl Venue {
    /// Opens the engine of this rung on its log, and starts everything around it, with what `layers` add.
    ///
    /// # Errors
    /// If the log or the names can't be trusted or the disk can't be written.
    pub fn start(
        rung: Rung,
        options: &Options,
        play_money: u64,
        allowed: Allowed,
        layers: Layers,
    ) -> Result<(Running, Recovery), VenueError> {
        let bell = Arc::new(Bell::default());
        let (taps, ends) = taps(options.shards, TAP_RECORDS);
        let options = &layers.iter().fold(options.clone(), |options, layer| layer.options(options));
        let logged = options.clone();
        let feed = FeedKeeper::start(options.shards, options.clock.clone(), move || with_logs(&logged, &ends));
        let feed = feed.map_err(VenueError::System)?;
        let behind = |(shard, tap)| {
            let (way_back, back) = way_back(EVENTS, &bell);
            let more = layers.iter().filter_map(|layer| layer.receiver(shard)).collect();
            (Behind { tap, way_back, more }, back)
        };
        let (behind, back): (Vec<_>, Vec<_>) = (0..).zip(taps).map(behind).unzip();
        let projection = Arc::new(RwLock::new(Projection::new(options.shards)));
        let (tickets, ticketed) = channel();
        let listeners = Arc::<Listeners>::default();
        let (heard, rung_by) = (Arc::clone(&listeners), Arc::clone(&bell));
        let replies = Replies::new(back, ticketed, Arc::clone(&projection), heard, layers.clone(), rung_by);
        let progress = replies.progress();
        let replies = replies.start().map_err(VenueError::System)?;

        let (door, entered) = EngineDoor::new(UNDER_WAY_MAX);
        let (opened, is_open) = channel();
        let driver = Driver { options: carried(options, &layers), behind, entered, tickets, bell, opened };
        let engine = thread::Builder::new().name("engine".into()).spawn(move || rung.run(driver));
        let engine = engine.map_err(VenueError::System)?;
        let Ok(recovery) = is_open.recv() else {
            // It ended before it was open, so it returns the reason.
            let why = engine.join().map_err(|_| panicked("engine"))?.err();
            return Err(why.unwrap_or_else(|| panicked("engine")).into());
        };
        while !projection.read().unwrap_or_else(PoisonError::into_inner).is_open() {
            thread::sleep(Duration::from_millis(1));
        }
        let next = projection.read().unwrap_or_else(PoisonError::into_inner).since().to_vec();
        layers.iter().try_for_each(|layer| layer.opened(options, &next))?;
        // The log is trusted, and the folder is locked for us.
        let witnesses = layers.iter().filter_map(|layer| layer.witness()).collect();
        let names = Names::witnessed(&options.data_dir, witnesses)?;
        let limits = Arc::new(Limits::new(allowed));
        let engine_door = Arc::new(door);
        let around = |door, layer: &Arc<dyn Layer>| Arc::clone(layer).door(door);
        let inner = layers.iter().fold(Arc::clone(&engine_door) as Arc<dyn Door>, around);
        let venue = Venue {
            door: LimitedDoor { inner, limits },
            engine_door,
            names,
            books: Arc::clone(feed.books()),
            over: watch::Sender::new(()),
            listeners,
            shared: Shared::default(),
            ticks: watch::Sender::new(()),
            life: watch::Sender::new(()),
            opening: Mutex::default(),
            play_money,
            clock: options.clock.clone(),
            progress,
            projection,
            layers,
        };
        let venue = Arc::new(venue);
        Ok((Running { venue, engine, replies, feed }, recovery))
    }

    /// The accounts' data. Do not wait for anything while holding this guard.
    pub fn projection(&self) -> RwLockReadGuard<'_, Projection> {
        self.projection.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether an account has a key, or holds anything: the file of names may have been lost.
    pub fn knows(&self, account: AccountId) -> bool {
        self.names.key_hash(account).is_some() || self.projection().holdings(account).next().is_some()
    }

    /// The time, in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        self.clock.now().0
    }

    /// What an operator watches of the layers.
    pub fn metrics(&self) -> Vec<Metric> {
        self.layers.iter().flat_map(|layer| layer.metrics()).collect()
    }

    /// Waits until the projection includes these commands. False if the venue has ended before: then it never will.
    pub async fn wait_for(&self, at_least: &[Sequence]) -> bool {
        let mut progress = self.progress.clone();
        let is_there = |progress: &Progress| at_least.iter().zip(progress).all(|(least, there)| there >= least);
        progress.wait_for(is_there).await.is_ok()
    }

    /// Sends a command, and waits for its answer.
    ///
    /// # Errors
    /// [`Refusal`].
    pub async fn ask(&self, session: Session, command: Command) -> Given {
        self.ask_all(session, smallvec![command]).await.pop().unwrap_or(Err(Refusal::Stopped))
    }

    /// Sends commands, and waits for all answers, which are in the same order.
    pub async fn ask_all(&self, session: Session, commands: Commands) -> Vec<Given> {
        self.enter(session, commands).await.unwrap_or_default()
    }

    /// Sends commands now; their answers arrive later.
    pub fn enter(&self, session: Session, commands: Commands) -> oneshot::Receiver<Vec<Given>> {
        let (sender, answered) = oneshot::channel();
        // The connection may be gone; then the answer is not needed.
        let answer = Answer::new(commands.len(), move |given| drop(sender.send(given))).followed(following());
        answer.passed(Passed::Parsed);
        self.door.enter(session, Request { commands, answer });
        answered
    }
}

impl Running {
    /// The part that connections use.
    pub fn venue(&self) -> &Arc<Venue> {
        &self.venue
    }

    /// Whether the engine or the replies thread has stopped by itself.
    pub fn has_stopped(&self) -> bool {
        self.engine.is_finished() || self.replies.is_finished()
    }

    /// Answers the commands in flight, closes the log, and ends all threads.
    ///
    /// # Errors
    /// Why the engine had stopped.
    pub fn close(self) -> Result<Closed, EngineError> {
        self.venue.engine_door.close();
        let closed = self.engine.join().map_err(|_| panicked("engine"))?;
        self.replies.join().map_err(|_| panicked("replies"))?;
        self.feed.end();
        closed
    }
}

fn panicked(role: &'static str) -> EngineError {
    EngineError::ThreadStopped { role, reason: "it panicked".into() }
}

/// The engine thread's inputs, independent of the engine.
struct Driver {
    options: Options,
    behind: Vec<Behind>,
    entered: Receiver<Request>,
    tickets: Sender<Ticketed>,
    bell: Arc<Bell>,
    opened: Sender<Recovery>,
}

impl Work for Driver {
    type Done = Result<Closed, EngineError>;

    fn with<E: Engine>(self) -> Self::Done {
        let mut behind = self.behind.into_iter().map(|behind| Box::new(behind) as Box<dyn Acknowledge>);
        // An engine asks once per shard; if it asked again, nothing would listen.
        let mut receivers = |_| behind.next().unwrap_or_else(|| Box::new(Discard));
        let (engine, recovery) = E::open(&self.options, &mut receivers)?;
        let _ = self.opened.send(recovery);
        drive(engine, &self.entered, &self.tickets, &self.bell)
    }
}

struct Discard;

impl Acknowledge for Discard {
    fn acknowledge(&mut self, _: Stamp, _: &[Event]) {}

    fn recovered(&mut self, _: Sequence, _: &dyn Fn() -> ExchangeState) {}
}
