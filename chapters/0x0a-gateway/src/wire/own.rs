//! Events as the concerned account sees them: prices as it gave them, and no other account.

use market::state::Holdings;
use market::{AccountId, CancelReason, Cents, Event, Outcome, Quantity, TradeKind};
use serde::{Serialize, Serializer};

use crate::projection::Role;

/// An event as the concerned account sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
#[expect(missing_docs, reason = "the fields are those of market::Event, with prices as their owner gave them")]
pub enum OwnEvent {
    /// My order passed every check, and its cash or shares are locked.
    Accepted { order: u64, intent: &'static str, price: u8, quantity: u32 },
    /// My order traded with another.
    Traded { order: u64, role: &'static str, intent: &'static str, price: u8, quantity: u32, trade: &'static str },
    /// The rest of my order was cancelled.
    Cancelled { order: u64, quantity: u32, reason: &'static str },
    /// Cash was deposited.
    Deposited { amount: u64 },
    /// Cash was withdrawn.
    Withdrawn { amount: u64 },
    /// My shares won.
    Paid { amount: u64 },
    /// A market in which I held something is over: the winning side, the shares that I had, all of which are gone, and
    /// what they paid.
    Resolved { outcome: &'static str, yes: u32, no: u32, paid: u64 },
}

/// The events of a command as the account that gave it sees them. They are converted while they are written.
#[derive(Clone, Copy, Debug)]
pub struct OwnEvents<'r> {
    /// The events.
    pub events: &'r [Event],
    /// The account that gave the command.
    pub account: AccountId,
}

impl OwnEvents<'_> {
    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = OwnEvent> {
        self.events.iter().filter_map(|event| OwnEvent::of(event, self.account))
    }
}

impl Serialize for OwnEvents<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl OwnEvent {
    /// What the account that gave the command sees of an event.
    pub fn of(event: &Event, account: AccountId) -> Option<OwnEvent> {
        OwnEvent::seen(event, account, Role::Taker)
    }

    /// What another account sees of an event.
    pub fn as_other(event: &Event, account: AccountId) -> Option<OwnEvent> {
        OwnEvent::seen(event, account, Role::Maker)
    }

    /// The order that it is about, if any.
    pub fn order(&self) -> Option<u64> {
        match *self {
            OwnEvent::Accepted { order, .. } | OwnEvent::Traded { order, .. } | OwnEvent::Cancelled { order, .. } => {
                Some(order)
            }
            OwnEvent::Deposited { .. }
            | OwnEvent::Withdrawn { .. }
            | OwnEvent::Paid { .. }
            | OwnEvent::Resolved { .. } => None,
        }
    }

    /// The end of a market, for an account that held this in it.
    pub fn resolved(outcome: Outcome, held: &Holdings) -> OwnEvent {
        let (yes, no) = (held.yes.0 + held.yes_locked.0, held.no.0 + held.no_locked.0);
        let won = match outcome {
            Outcome::Yes => yes,
            Outcome::No => no,
        };
        OwnEvent::Resolved { outcome: outcome.word(), yes, no, paid: Cents::payout(Quantity(won)).0 }
    }

    fn seen(event: &Event, account: AccountId, role: Role) -> Option<OwnEvent> {
        Some(match *event {
            Event::Accepted { account: own, order, intent, price, quantity, .. } if own == account => {
                let price = intent.in_yes_cents(price).cents();
                OwnEvent::Accepted { order: order.0, intent: intent.word(), price, quantity: quantity.0 }
            }
            Event::Traded { maker, taker, price, quantity, maker_intent, taker_intent, .. } => {
                let (order, intent) = match role {
                    Role::Taker => (taker, taker_intent),
                    Role::Maker => (maker, maker_intent),
                };
                OwnEvent::Traded {
                    order: order.0,
                    role: role.word(),
                    intent: intent.word(),
                    price: intent.in_yes_cents(price).cents(),
                    quantity: quantity.0,
                    trade: kind_word(TradeKind::of(maker_intent, taker_intent)),
                }
            }
            Event::Cancelled { account: own, order, quantity, reason, .. } if own == account => {
                OwnEvent::Cancelled { order: order.0, quantity: quantity.0, reason: cancel_word(reason) }
            }
            Event::Deposited { account: own, amount: Cents(amount), .. } if own == account => {
                OwnEvent::Deposited { amount }
            }
            Event::Withdrawn { account: own, amount: Cents(amount), .. } if own == account => {
                OwnEvent::Withdrawn { amount }
            }
            Event::Paid { account: own, amount: Cents(amount), .. } if own == account => OwnEvent::Paid { amount },
            _ => return None,
        })
    }
}

impl Role {
    /// Its word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Role::Maker => "maker",
            Role::Taker => "taker",
        }
    }
}

/// The word for how a trade changes the number of shares.
pub fn kind_word(kind: TradeKind) -> &'static str {
    match kind {
        TradeKind::Mint => "mint",
        TradeKind::Merge => "merge",
        TradeKind::Transfer => "transfer",
    }
}

/// The word for why the rest of an order was cancelled.
pub fn cancel_word(reason: CancelReason) -> &'static str {
    match reason {
        CancelReason::Requested => "requested",
        CancelReason::ImmediateOrCancel => "immediate-or-cancel",
        CancelReason::SelfTrade => "self-trade",
        CancelReason::Resolved => "resolved",
    }
}
