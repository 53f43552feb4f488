//! An answer: the promise that a command is on disk, or the reason why there is none.

use std::ops::Range;
use std::time::Duration;

use market::{AccountId, CancelReason, Cents, Command, Event, Outcome, Place, Reason, Sequence, Stamp, Ticket};
use smallvec::SmallVec;

use crate::capacity::Taken;
use crate::watch::{Following, Passed};

/// How many of a command's events an answer contains: the first ones, and always the cancellation of the rest. The totals
/// of a longer command are complete all the same.
pub const EVENTS_MAX: usize = 1_000;

/// The result of a durable command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// The command's shard, and its number there.
    pub ticket: Ticket,
    /// The same number, with the time of its frame.
    pub stamp: Stamp,
    /// Its events, without those that only concern others: at most [`EVENTS_MAX`]. Most orders have one or two, which
    /// need no allocation.
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
            // Other accounts learn from notices which of their orders are gone and what they were paid.
            Event::Cancelled { reason: CancelReason::Resolved, .. } | Event::Paid { .. } => return,
            Event::Traded { quantity, .. } => self.filled += u64::from(quantity.0),
            _ => {}
        }
        if self.events.len() < EVENTS_MAX {
            self.events.push(*event);
        } else {
            self.left_out += 1;
            // It says that the rest of the order does not rest, so it takes the last place.
            if let (Event::Cancelled { .. }, Some(last)) = (event, self.events.last_mut()) {
                *last = *event;
            }
        }
    }

    /// Why the engine rejected the command, if it did.
    pub fn rejected(&self) -> Option<Reason> {
        match self.events.first() {
            Some(&Event::Rejected { reason, .. }) => Some(reason),
            _ => None,
        }
    }
}

/// Why there is no reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Too many commands in flight. The command was not executed.
    Busy,
    /// The venue is about to stop. The command was not executed.
    Draining,
    /// The session may not give this command. It was not executed.
    Forbidden,
    /// The account sends too many. The command was not executed; it may be sent again after this time.
    TooFast(Duration),
    /// Too many commands of the account in flight. The command was not executed.
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

/// The answer to one command.
pub type Given = Result<Reply, Refusal>;

/// The one place where the answers to a request go, one for each of its commands. The replies thread stores them here
/// and drops this value when the last is there: then all are sent, together and once. If it is dropped earlier, the
/// missing answers are [`Refusal::Stopped`].
pub struct Answer {
    given: Vec<Given>,
    /// How many are missing.
    left: usize,
    /// The room that the request occupies until it is answered.
    taken: SmallVec<[Taken; 3]>,
    following: Following,
    to: Option<Box<Give>>,
}

type Give = dyn FnOnce(Vec<Given>) + Send;

impl Answer {
    /// For this many commands; `to` receives the answers. `to` must be quick and must not wait.
    pub fn new(commands: usize, to: impl FnOnce(Vec<Given>) + Send + 'static) -> Answer {
        let given = vec![Err(Refusal::Stopped); commands];
        Answer { given, left: commands, taken: SmallVec::new(), following: None, to: Some(Box::new(to)) }
    }

    /// The same, with a follower.
    pub fn followed(mut self, following: Following) -> Answer {
        self.following = following;
        self
    }

    /// Its follower.
    pub fn following(&self) -> Following {
        self.following.clone()
    }

    /// The request has come so far.
    pub fn passed(&self, passed: Passed) {
        if let Some(follow) = &self.following {
            follow.passed(passed);
        }
    }

    /// The replies thread has what this command led to.
    pub fn handed_back(&self, ticket: Ticket) {
        if let (1, Some(follow)) = (self.left, &self.following) {
            follow.handed_back(ticket);
        }
    }

    /// Holds this room until the answers are sent.
    pub fn hold(&mut self, taken: Taken) {
        self.taken.push(taken);
    }

    /// Stores the answer to the command at this index, which has none yet; returns whether it was the last missing one.
    pub fn put(&mut self, place: usize, given: Given) -> bool {
        debug_assert_eq!(self.given[place], Err(Refusal::Stopped), "a command is answered once");
        self.left -= 1;
        self.given[place] = given;
        self.left == 0
    }

    /// Refuses the commands at these indices, which have no answer yet.
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
            self.passed(Passed::Answered);
            to(std::mem::take(&mut self.given));
        }
    }
}
// ANCHOR_END: dropped

/// The sender of a request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Session {
    /// An account.
    Account(AccountId),
    /// The operator.
    Operator,
}

impl Session {
    // ANCHOR: may
    /// Whether it may give this command. An account acts for itself, and only the operator deposits and withdraws
    /// money.
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

/// The result of a resolution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resolution {
    /// Which side won.
    pub outcome: Outcome,
    /// The total paid to all winners.
    pub paid: Cents,
    /// The command.
    pub sequence: Sequence,
}

impl Reply {
    /// The resolution, if the command was one.
    pub fn resolution(&self) -> Option<Resolution> {
        self.events.iter().find_map(|event| match *event {
            Event::Resolved { outcome, paid, .. } => Some(Resolution { outcome, paid, sequence: self.ticket.sequence }),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use market::{Intent, MarketId, OrderId, Price, Quantity, TimeInForce, UnixMs};
    use serde_json::json;

    use super::*;
    use crate::wire::OrderDone;

    #[test]
    fn a_long_answer_says_that_the_rest_was_cancelled() {
        let (market, own, other) = (MarketId(1), AccountId(1_000), AccountId(1_001));
        let (taker, price, quantity) = (OrderId(9_999), Price::MIN, Quantity(1_300));
        let (maker_intent, taker_intent) = (Intent::BuyNo, Intent::BuyYes);
        let accepted = Event::Accepted { market, account: own, order: taker, intent: taker_intent, price, quantity };
        let traded = |maker| Event::Traded {
            market,
            maker: OrderId(maker),
            maker_account: other,
            taker,
            taker_account: own,
            price,
            quantity: Quantity(1),
            maker_intent,
            taker_intent,
        };
        let left = Quantity(100);
        let reason = CancelReason::SelfTrade;
        let cancelled = Event::Cancelled { market, account: own, order: taker, quantity: left, reason };
        let stamp = Stamp { sequence: Sequence(7), time: UnixMs(8) };
        let mut reply = Reply::begin(Ticket { shard: 0, sequence: stamp.sequence }, stamp);
        reply.add(&accepted);
        (1..=1_200).for_each(|maker| reply.add(&traded(maker)));
        reply.add(&cancelled);
        assert_eq!((reply.events.len(), reply.left_out, reply.filled), (EVENTS_MAX, 202, 1_200));
        assert_eq!((reply.events[0], reply.events.last()), (accepted, Some(&cancelled)));
        let command = Command::Place(Place {
            intent: taker_intent,
            time_in_force: TimeInForce::Gtc,
            price: 1,
            market,
            account: own,
            quantity: quantity.0,
            client_order_id: 0,
        });
        let done = json!(OrderDone::of(&command, &reply).expect("it was accepted"));
        assert_eq!((&done["status"], &done["left"], &done["filled"]), (&json!("cancelled"), &json!(0), &json!(1_200)));
    }
}
