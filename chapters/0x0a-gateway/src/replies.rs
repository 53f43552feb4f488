//! Hands each answer to whoever waits for it, and keeps the projection.
//!
//! One thread, two inputs for each shard: tickets, which say who waits for which command, and acknowledged events. Both come
//! in the order of the sequence, so joining them is a merge of two rows and no table is needed. Either may come first; what
//! happened is told, and put into the projection, when both are there, for some of what is told only the command says.
//!
//! A request's answers are written down in one place, and given when the last of them is there. The events of a command are
//! in the projection before: whoever was told of an order finds it.

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

/// How many events are taken from a shard before answers are given.
const BATCH: usize = 1_024;

/// How long it sleeps when nobody rings. Nothing depends on it but how soon it sees that the engine is gone.
const SLEEP: Duration = Duration::from_millis(50);

/// How far the projection has come: the last command of each shard that it holds.
pub type Progress = Vec<Sequence>;

/// The thread's work.
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
    /// The events of the command whose last has not come yet. They are applied together, so that nobody sees half of it.
    begun: Vec<Event>,
    /// Its stamp, when it is whole. Then it waits for its ticket, which is on its way.
    whole: Option<Stamp>,
    /// The tickets of those who wait, in the order of the sequence: the first is for the next command that is whole.
    waiting: VecDeque<Waiting>,
}

/// Who waits for a command.
struct Waiting {
    sequence: Sequence,
    client_order_id: u64,
    /// Where its answer is written down.
    place: Place,
}

impl Replies {
    /// Hands out what comes back from these shards, in their order.
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

    /// Where to look how far the projection has come.
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// Puts it to work on a thread of its own, until the engine and who drives it are gone.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(mut self) -> std::io::Result<JoinHandle<()>> {
        thread::Builder::new().name("replies".into()).spawn(move || {
            let bell = Arc::clone(&self.bell);
            loop {
                match self.step() {
                    Step::Worked => {}
                    // It looks once more when it is known to be going to sleep: whoever brings work then rings.
                    Step::Idle => bell.sleep(SLEEP, || self.step() != Step::Idle),
                    Step::Ended => return,
                }
            }
        })
    }

    /// Takes what has come, and gives the answers that are complete.
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

    /// Takes events of all shards into the projection, and says whether there were any.
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
    /// What the engine recovered comes first.
    fn open(&mut self, number: u16, projection: &mut Projection) -> bool {
        let opened = if self.is_open { None } else { self.back.opened.try_recv().ok() };
        opened.inspect(|opened| projection.open(number, opened)).inspect(|_| self.is_open = true).is_some()
    }

    // ANCHOR: take
    fn take(&mut self, number: u16, projection: &mut Projection, told: Told<'_>, requests: &mut Requests) -> bool {
        let mut worked = false;
        for _ in 0..BATCH {
            if let Some(stamp) = self.whole {
                // The ring is not emptied further, but who drives the engine has sent every ticket before this one, so
                // whatever waits for room in the ring does not hold this one up.
                let Some(waiting) = self.waiting.pop_front() else { return worked };
                debug_assert_eq!(waiting.sequence, stamp.sequence, "both rows are complete and in order");
                let ticket = Ticket { shard: number, sequence: stamp.sequence };
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

    /// A command is whole, and its ticket is there.
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
            // First, for what is told of an order is also what goes with it. Whoever hears of it and asks waits for the
            // whole command.
            listeners.tell(stamp, &event, projection);
            projection.apply(stamp, client_order_id, &event);
            reply.add(&event);
        }
        projection.end(ticket);
        self.whole = None;
        reply
    }
}
