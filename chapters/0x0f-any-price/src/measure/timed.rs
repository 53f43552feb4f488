//! How long single messages take, by kind, and the longest one.
//!
//! Other work on the machine makes random messages look slow. So a flow is run several times, and each message counts
//! with its shortest time: a message that is slow every time is slow because of the engine.

use quanta::Clock as Counter;

use crate::contract::{Command, Event, Receiver};

/// A clock that knows its own reading cost.
pub struct Clock {
    counter: Counter,
    look_ns: f64,
}

impl Default for Clock {
    fn default() -> Clock {
        let counter = Counter::new();
        let look = |_| {
            let start = counter.raw();
            counter.delta_as_nanos(start, counter.raw())
        };
        let mut looks: Vec<u64> = (0..10_001).map(look).collect();
        looks.sort_unstable();
        Clock { look_ns: looks[looks.len() / 2] as f64, counter }
    }
}

impl Clock {
    /// The time between two readings with nothing in between, in nanoseconds.
    pub fn look_ns(&self) -> f64 {
        self.look_ns
    }
}

/// The kind of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// A new order that rests.
    Rest,
    /// An order that trades.
    Take,
    /// An order that is cancelled.
    Cancel,
    /// An order that moves to another price and rests there.
    Move,
    /// An order that is reduced.
    Reduce,
    /// It had no effect.
    Nothing,
}

impl Kind {
    /// All of them, in the order of the record.
    pub const ALL: [Kind; 6] = [Kind::Rest, Kind::Take, Kind::Cancel, Kind::Move, Kind::Reduce, Kind::Nothing];

    /// Its name in the record; it does not change.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Rest => "rest",
            Kind::Take => "take",
            Kind::Cancel => "cancel",
            Kind::Move => "move",
            Kind::Reduce => "reduce",
            Kind::Nothing => "nothing",
        }
    }
}

/// The events of a message.
#[derive(Clone, Copy, Default)]
pub struct Heard {
    fills: u32,
    rested: bool,
    reduced: bool,
    cancelled: bool,
}

impl Receiver for Heard {
    #[inline]
    fn event(&mut self, event: Event) {
        match event {
            Event::Filled { .. } => self.fills += 1,
            Event::Rested { .. } => self.rested = true,
            Event::Reduced { .. } => self.reduced = true,
            Event::Cancelled { .. } => self.cancelled = true,
            Event::Rejected { .. } => {}
        }
    }
}

impl Heard {
    fn kind(self, command: Command) -> Kind {
        match command {
            _ if self.fills > 0 => Kind::Take,
            _ if self.reduced => Kind::Reduce,
            Command::Replace { .. } if self.rested => Kind::Move,
            _ if self.rested => Kind::Rest,
            Command::Cancel { .. } if self.cancelled => Kind::Cancel,
            _ => Kind::Nothing,
        }
    }
}

/// One message: its shortest time so far, its kind, its fills.
#[derive(Clone, Copy)]
struct Message {
    ns: u32,
    kind: Kind,
    fills: u32,
}

/// All messages of a flow, over several rounds.
#[derive(Default)]
pub struct Timed {
    messages: Vec<Message>,
    at: usize,
}

/// The slowest message.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Longest {
    /// Its time in nanoseconds.
    pub ns: f64,
    /// Its fills.
    pub fills: u32,
}

impl Timed {
    /// Starts a round.
    pub fn begin(&mut self) {
        self.at = 0;
    }

    /// Times one message.
    #[inline]
    pub fn message(&mut self, clock: &Clock, command: Command, apply: impl FnOnce(&mut Heard)) {
        let mut heard = Heard::default();
        let start = clock.counter.raw();
        apply(&mut heard);
        let ns = clock.counter.delta_as_nanos(start, clock.counter.raw());
        let ns = u32::try_from(ns).unwrap_or(u32::MAX);
        match self.messages.get_mut(self.at) {
            Some(message) => message.ns = message.ns.min(ns),
            None => self.messages.push(Message { ns, kind: heard.kind(command), fills: heard.fills }),
        }
        self.at += 1;
    }

    fn sorted(&self, setup: usize, kind: Option<Kind>) -> Vec<u32> {
        let measured = self.messages.iter().skip(setup);
        let chosen = measured.filter(|message| kind.is_none_or(|kind| message.kind == kind));
        let mut times: Vec<u32> = chosen.map(|message| message.ns).collect();
        times.sort_unstable();
        times
    }

    /// How many messages after the setup were of a kind, and their median time.
    pub fn median(&self, setup: usize, kind: Kind, clock: &Clock) -> Option<(usize, f64)> {
        let times = self.sorted(setup, Some(kind));
        let middle = *times.get(times.len() / 2)?;
        Some((times.len(), (f64::from(middle) - clock.look_ns).max(0.0)))
    }

    /// The 99.9th percentile of the messages after the setup.
    pub fn p999(&self, setup: usize, clock: &Clock) -> f64 {
        let times = self.sorted(setup, None);
        let at = times.len().saturating_sub(1) * 999 / 1_000;
        times.get(at).map_or(0.0, |&ns| (f64::from(ns) - clock.look_ns).max(0.0))
    }

    /// The slowest message, including the setup, that filled at most this many orders.
    pub fn longest(&self, fills: u32, clock: &Clock) -> Longest {
        let chosen = self.messages.iter().filter(|message| message.fills <= fills);
        let longest = chosen.max_by_key(|message| message.ns);
        longest.map_or(Longest::default(), |message| Longest {
            ns: (f64::from(message.ns) - clock.look_ns).max(0.0),
            fills: message.fills,
        })
    }
}
