//! The way back: from the matching thread to the connections that wait for answers.
//!
//! It receives the engine's acknowledgements, so it runs on the matching thread and only copies: each event goes into a
//! ring, with its command's stamp. The [`replies`](crate::replies) thread reads the ring and knows which connection
//! waits for which command.
//!
//! No answer may be lost, so this ring is not overwritten as the feed's is: if it is full, matching waits. That can
//! happen, because resolving a market produces an event for each resting order. It can't last, because the replies
//! thread waits for no client, and for no lock that a client holds. Cost: 64 bytes per event, and a fence per command.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use market::state::ExchangeState;
use market::{Acknowledge, Event, Sequence, Stamp};
use market_data::tap::{Opened, Tap};
use rtrb::{Consumer, Producer, PushError, RingBuffer};

use crate::bell::Bell;

/// How long matching waits before it checks again whether the ring has room.
const PAUSE: Duration = Duration::from_micros(20);

/// An event on its way back.
#[derive(Clone, Copy, Debug)]
pub struct Acknowledged {
    /// The command that led to it.
    pub stamp: Stamp,
    /// The event.
    pub event: Event,
    /// Whether it is the command's last.
    pub is_last: bool,
}

/// The engine's end of a shard's way back.
pub struct WayBack {
    ring: Producer<Acknowledged>,
    opened: Sender<Opened>,
    bell: Arc<Bell>,
}

/// The replies thread's end.
pub struct Back {
    /// The events since the engine was opened.
    pub ring: Consumer<Acknowledged>,
    /// The state of the shard when it was opened: once, before the first event.
    pub opened: Receiver<Opened>,
}

/// Makes the way back of one shard, with room for this many events.
pub fn way_back(events: usize, bell: &Arc<Bell>) -> (WayBack, Back) {
    let (producer, ring) = RingBuffer::new(events);
    let (sender, opened) = channel();
    (WayBack { ring: producer, opened: sender, bell: Arc::clone(bell) }, Back { ring, opened })
}

// ANCHOR: acknowledge
impl Acknowledge for WayBack {
    #[inline]
    fn acknowledge(&mut self, stamp: Stamp, events: &[Event]) {
        if let Some((&last, before)) = events.split_last() {
            for &event in before {
                self.push(Acknowledged { stamp, event, is_last: false });
            }
            self.push(Acknowledged { stamp, event: last, is_last: true });
        }
        self.bell.ring();
    }

    fn recovered(&mut self, next: Sequence, state: &dyn Fn() -> ExchangeState) {
        // If the replies thread is gone, the state is not needed.
        let _ = self.opened.send(Opened { next, state: state() });
        self.bell.ring();
    }
}
// ANCHOR_END: acknowledge

impl WayBack {
    #[inline]
    fn push(&mut self, event: Acknowledged) {
        if let Err(PushError::Full(event)) = self.ring.push(event) {
            self.push_when_there_is_room(event);
        }
    }

    #[cold]
    fn push_when_there_is_room(&mut self, mut event: Acknowledged) {
        // The replies thread is gone only when the program ends: then no connection waits for an answer any more.
        while !self.ring.is_abandoned() {
            self.bell.ring();
            thread::sleep(PAUSE);
            match self.ring.push(event) {
                Ok(()) => return,
                Err(PushError::Full(back)) => event = back,
            }
        }
    }
}

/// Receives the acknowledgements of a shard of the venue's engine: the feed's tap, and the way back.
pub struct Behind {
    /// For the watchers.
    pub tap: Tap,
    /// For the sender of the request.
    pub way_back: WayBack,
    /// What layers hand in. They come first: what they note is there when the replies thread has the event.
    pub more: Vec<Box<dyn Acknowledge>>,
}

impl Acknowledge for Behind {
    #[inline]
    fn acknowledge(&mut self, stamp: Stamp, events: &[Event]) {
        self.more.iter_mut().for_each(|receiver| receiver.acknowledge(stamp, events));
        self.tap.acknowledge(stamp, events);
        self.way_back.acknowledge(stamp, events);
    }

    fn recovered(&mut self, next: Sequence, state: &dyn Fn() -> ExchangeState) {
        self.tap.recovered(next, state);
        self.way_back.recovered(next, state);
        self.more.iter_mut().for_each(|receiver| receiver.recovered(next, state));
    }
}

const _: () = assert!(size_of::<Acknowledged>() == 64, "a line for an event");
