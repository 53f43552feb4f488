//! The replies thread: gives each answer to the connection that waits for it, and keeps the projection.
//!
//! It has two inputs per shard: tickets, which say which request waits for which command, and acknowledged events. Both
//! arrive in order of the sequence, so joining them is a merge of two queues and needs no table. Either may come first;
//! a command is applied to the projection and reported only when both are there, because some of what is reported is
//! only in the command.
//!
//! The answers of a request are collected in one place, and sent when the last of them is there. The events of a
//! command are in the projection before that: once a client has been told about an order, its next request will see it.

mod requests;

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use market::{Event, Sequence, Stamp, Step, Ticket};
use tokio::sync::watch;

use crate::bell::Bell;
use crate::engine_thread::Ticketed;
use crate::layer::{Layer, Layers};
use crate::projection::Projection;
use crate::replies::requests::{Place, Requests};
use crate::reply::Reply;
use crate::stream::listeners::Listeners;
use crate::way_back::{Acknowledged, Back};

/// How many events to take from a shard before sending answers.
const BATCH: usize = 1_024;

/// How long it sleeps if the bell does not ring. This only affects how soon it notices that the engine is gone.
const SLEEP: Duration = Duration::from_millis(50);

/// How far the projection has come: the last command of each shard that it includes.
pub type Progress = Vec<Sequence>;

/// The thread's state.
pub struct Replies {
    shards: Vec<Shard>,
    tickets: Receiver<Ticketed>,
    requests: Requests,
    projection: Arc<RwLock<Projection>>,
    listeners: Arc<Listeners>,
    layers: Layers,
    progress: watch::Sender<Progress>,
    bell: Arc<Bell>,
}

/// Those who hear of each command: connections, and layers.
type Told<'t> = (&'t Listeners, &'t [Arc<dyn Layer>]);

struct Shard {
    back: Back,
    is_open: bool,
    /// The events of a command that is not complete yet. They are applied together, so that no reader sees half of a
    /// command.
    begun: Vec<Event>,
    /// Its stamp, once it is complete. It then waits for its ticket, which is on its way.
    whole: Option<Stamp>,
    /// The waiting tickets, in order of the sequence: the first is for the next complete command.
    waiting: VecDeque<Waiting>,
}

/// A request that waits for a command.
struct Waiting {
    sequence: Sequence,
    client_order_id: u64,
    /// Where its answer goes.
    place: Place,
}

impl Replies {
    /// Joins the tickets and events of these shards, in order.
    pub fn new(
        back: Vec<Back>,
        tickets: Receiver<Ticketed>,
        projection: Arc<RwLock<Projection>>,
        listeners: Arc<Listeners>,
        layers: Layers,
        bell: Arc<Bell>,
    ) -> Replies {
        let shard = |back| Shard { back, is_open: false, begun: Vec::new(), whole: None, waiting: VecDeque::new() };
        let shards = back.into_iter().map(shard).collect::<Vec<_>>();
        let progress = watch::Sender::new(vec![Sequence(0); shards.len()]);
        Replies { shards, tickets, requests: Requests::default(), projection, listeners, layers, progress, bell }
    }

    /// A receiver that follows how far the projection has come.
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// Runs it on its own thread, until the engine and the engine thread are gone.
    ///
    /// # Errors
    /// If the system can't create a thread.
    pub fn start(mut self) -> std::io::Result<JoinHandle<()>> {
        thread::Builder::new().name("replies".into()).spawn(move || {
            let bell = Arc::clone(&self.bell);
            loop {
                match self.step() {
                    Step::Worked => {}
                    // It checks again after announcing that it will sleep: from then on, new work rings the bell.
                    Step::Idle => bell.sleep(SLEEP, || self.step() != Step::Idle),
                    Step::Ended => return,
                }
            }
        })
    }

    /// Takes what has arrived, and sends the answers that are complete.
    pub fn step(&mut self) -> Step {
        let mut step = Step::Idle;
        let are_tickets_over = loop {
            match self.tickets.try_recv() {
                Ok(Ticketed { ticket: Ticket { shard, sequence }, client_order_id, begins }) => {
                    let place = self.requests.next(begins);
                    self.shards[usize::from(shard)].waiting.push_back(Waiting { sequence, client_order_id, place });
                    step = Step::Worked;
                }
                Err(TryRecvError::Empty) => break false,
                Err(TryRecvError::Disconnected) => break true,
            }
        };
        let was_gone = self.shards.iter().all(|shard| shard.back.ring.is_abandoned());
        if self.project() {
            step = Step::Worked;
        }
        self.requests.give();
        if step == Step::Idle && are_tickets_over && was_gone { Step::Ended } else { step }
    }

    /// Applies events of all shards to the projection; returns whether there were any.
    fn project(&mut self) -> bool {
        let is_news = |shard: &Shard| !shard.is_open || shard.whole.is_some() || !shard.back.ring.is_empty();
        if !self.shards.iter().any(is_news) {
            return false;
        }
        let mut projection = self.projection.write().unwrap_or_else(PoisonError::into_inner);
        let mut worked = false;
        for (number, shard) in (0..).zip(&mut self.shards) {
            worked |= shard.open(number, &mut projection);
            let told = (&*self.listeners, &self.layers[..]);
            worked |= shard.take(number, &mut projection, told, &mut self.requests);
        }
        if worked {
            self.progress.send_modify(|told| told.copy_from_slice(projection.progress()));
        }
        worked
    }
}

impl Shard {
    /// The engine's recovered state comes first.
    fn open(&mut self, number: u16, projection: &mut Projection) -> bool {
        let opened = if self.is_open { None } else { self.back.opened.try_recv().ok() };
        opened.inspect(|opened| projection.open(number, opened)).inspect(|_| self.is_open = true).is_some()
    }

    // ANCHOR: take
    fn take(&mut self, number: u16, projection: &mut Projection, told: Told<'_>, requests: &mut Requests) -> bool {
        let mut worked = false;
        for _ in 0..BATCH {
            if let Some(stamp) = self.whole {
                // Stop reading the ring here: the engine thread has sent every earlier ticket, so this ticket does not
                // depend on room in the ring.
                let Some(waiting) = self.waiting.pop_front() else { return worked };
                debug_assert_eq!(waiting.sequence, stamp.sequence, "both queues are complete and in order");
                let ticket = Ticket { shard: number, sequence: stamp.sequence };
                requests.handed_back(waiting.place, ticket);
                let reply = self.end(ticket, stamp, waiting.client_order_id, projection, told);
                requests.put(waiting.place, reply);
                worked = true;
            }
            let Ok(Acknowledged { stamp, event, is_last }) = self.back.ring.pop() else { return worked };
            self.begun.push(event);
            self.whole = is_last.then_some(stamp);
            worked = true;
        }
        true
    }
    // ANCHOR_END: take

    /// A command is complete, and its ticket is there.
    fn end(
        &mut self,
        ticket: Ticket,
        stamp: Stamp,
        client_order_id: u64,
        projection: &mut Projection,
        (listeners, layers): Told<'_>,
    ) -> Reply {
        let mut reply = Reply::begin(ticket, stamp);
        layers.iter().for_each(|layer| layer.observe(ticket, stamp, &self.begun, projection));
        for event in self.begun.drain(..) {
            // Progress first: a client that is told about part of a command and then asks waits for the whole command.
            listeners.tell(stamp, &event, projection);
            projection.apply(stamp, client_order_id, &event);
            reply.add(&event);
        }
        projection.end(ticket);
        self.whole = None;
        reply
    }
}
