//! What an answer is: the promise that a command is on disk, or why there is none.

use std::ops::Range;
use std::time::Duration;

use market::{AccountId, CancelReason, Cents, Command, Event, Outcome, Place, Reason, Sequence, Stamp, Ticket};
use smallvec::SmallVec;

use crate::room::Taken;

/// How many of a command's events an answer names. An order that meets more has its sums all the same.
pub const EVENTS_MAX: usize = 1_000;

/// What a durable command led to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// The command's shard and number there.
    pub ticket: Ticket,
    /// The same number, with the time of its frame.
    pub stamp: Stamp,
    /// What happened, without what only concerns others: at most [`EVENTS_MAX`]. Most orders have one or two, and need no
    /// memory of their own for them.
    pub events: SmallVec<[Event; 2]>,
    /// How many more there were.
    pub left_out: u64,
    /// How many shares of the order traded.
    pub filled: u64,
}

impl Reply {
    /// An answer to which the events are added one by one.
    pub fn begin(ticket: Ticket, stamp: Stamp) -> Reply {
        Reply { ticket, stamp, events: SmallVec::new(), left_out: 0, filled: 0 }
    }

    /// Adds an event of the command.
    pub fn add(&mut self, event: &Event) {
        match event {
            // Whose orders went and who was paid is told to each of them.
            Event::Cancelled { reason: CancelReason::Resolved, .. } | Event::Paid { .. } => return,
            Event::Traded { quantity, .. } => self.filled += u64::from(quantity.0),
            _ => {}
        }
        if self.events.len() < EVENTS_MAX {
            self.events.push(*event);
        } else {
            self.left_out += 1;
        }
    }

    /// Why the command changed nothing, if it did not.
    pub fn rejected(&self) -> Option<Reason> {
        match self.events.first() {
            Some(&Event::Rejected { reason, .. }) => Some(reason),
            _ => None,
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Too much is under way. The command was not taken.
    Busy,
    /// The venue is about to stop. The command was not taken.
    Draining,
    /// The session may not do that. The command was not taken.
    Forbidden,
    /// The account sends too many. The command was not taken; after so long it may be sent again.
    TooFast(Duration),
    /// Too much of the account is under way. The command was not taken.
    TooManyInFlight,
    /// The engine has stopped. The command may or may not be in the log.
    Stopped,
    /// A layer around the door refuses it, and names the command that it has to do with, if there is one.
    Layer(&'static Refused, Option<Sequence>),
}

/// Why a layer refuses a command.
#[derive(PartialEq, Eq, Debug)]
pub struct Refused {
    /// The word for programs, which no other reason has.
    pub word: &'static str,
    /// The status over HTTP.
    pub status: u16,
    /// The title.
    pub title: &'static str,
    /// What to do about it.
    pub advice: &'static str,
    /// The outcome in an answer of bytes.
    pub outcome: u32,
}

/// What was answered to one command.
pub type Given = Result<Reply, Refusal>;

/// The one place where the answers to a request go, one for each of its commands. Whoever holds it writes them down, and
/// lets go of it when the last is there: they are given then, together and once. Where somebody lets go of it before, the
/// answer to what is missing is that nobody knows.
pub struct Answer {
    given: Vec<Given>,
    /// How many are missing.
    left: usize,
    /// What the request takes up until it is answered.
    taken: SmallVec<[Taken; 3]>,
    to: Option<Box<Give>>,
}

type Give = dyn FnOnce(Vec<Given>) + Send;

impl Answer {
    /// That to so many commands, which goes there. What is done there is short and waits for nobody.
    pub fn new(commands: usize, to: impl FnOnce(Vec<Given>) + Send + 'static) -> Answer {
        let given = vec![Err(Refusal::Stopped); commands];
        Answer { given, left: commands, taken: SmallVec::new(), to: Some(Box::new(to)) }
    }

    /// Holds these places until the answers are given.
    pub fn hold(&mut self, taken: Taken) {
        self.taken.push(taken);
    }

    /// Writes down the answer to the command at this place, which has none yet, and says whether it was the last that was
    /// missing.
    pub fn put(&mut self, place: usize, given: Given) -> bool {
        debug_assert_eq!(self.given[place], Err(Refusal::Stopped), "a command is answered once");
        self.given[place] = given;
        self.left -= 1;
        self.left == 0
    }

    /// Refuses the commands at these places, which have no answer yet.
    pub fn refuse(&mut self, places: Range<usize>, refusal: Refusal) {
        for place in places {
            self.put(place, Err(refusal));
        }
    }
}

// ANCHOR: dropped
impl Drop for Answer {
    fn drop(&mut self) {
        if let Some(to) = self.to.take() {
            self.taken.clear();
            to(std::mem::take(&mut self.given));
        }
    }
}
// ANCHOR_END: dropped

/// Who asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Session {
    /// Somebody with an account.
    Account(AccountId),
    /// Who runs the venue.
    Operator,
}

impl Session {
    // ANCHOR: may
    /// Whether it may give this command. An account acts for itself, and money comes and goes through the operator.
    pub fn may(self, command: &Command) -> bool {
        match (self, command) {
            (Session::Account(own), &Command::Place(Place { account, .. })) => account == own,
            (Session::Account(own), &Command::Cancel { account, .. }) => account == own,
            (Session::Account(_), _) => false,
            (Session::Operator, command) => !matches!(command, Command::Place(_) | Command::Cancel { .. }),
        }
    }
    // ANCHOR_END: may
}

/// What a resolution led to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resolution {
    /// Which side won.
    pub outcome: Outcome,
    /// What all winners got together.
    pub paid: Cents,
    /// The command.
    pub sequence: Sequence,
}

impl Reply {
    /// The resolution, if it is one.
    pub fn resolution(&self) -> Option<Resolution> {
        self.events.iter().find_map(|event| match *event {
            Event::Resolved { outcome, paid, .. } => Some(Resolution { outcome, paid, sequence: self.ticket.sequence }),
            _ => None,
        })
    }
}
