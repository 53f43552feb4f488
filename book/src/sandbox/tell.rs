//! Commands and events as sentences, the same as in `book/theme/sandbox.js`.

use crate::words::Words;
use market::{AccountId, Command, Event, Intent, Outcome, Price, Quantity, TradeKind};
use program::figures::grouped;

/// Makes the sentences in one language.
pub(super) struct Teller<'w> {
    pub(super) words: &'w Words,
    /// The accounts' names, from account 1 on.
    pub(super) names: Vec<String>,
}

impl Teller<'_> {
    /// A command as its sender would say it.
    pub(super) fn command(&self, command: &Command) -> Result<String, String> {
        let say = |key: &str, with: &[(&str, &str)]| self.words.say("command", key, with);
        match *command {
            Command::Open { .. } => say("open", &[]),
            Command::Deposit { account, amount, .. } => {
                say("deposit", &[("who", &self.name(account)?), ("amount", &self.cents(amount.0)?)])
            }
            Command::Withdraw { account, amount, .. } => {
                say("withdraw", &[("who", &self.name(account)?), ("amount", &self.cents(amount.0)?)])
            }
            Command::Place(place) => say(
                "place",
                &[
                    ("who", &self.name(place.account)?),
                    ("intent", self.words.get("intent", place.intent.word())?),
                    ("quantity", &count(place.quantity.into())),
                    ("price", &place.price.to_string()),
                    ("time", self.words.get("time", place.time_in_force.word())?),
                ],
            ),
            Command::Cancel { account, order, .. } => {
                say("cancel", &[("who", &self.name(account)?), ("order", &order.to_string())])
            }
            Command::Resolve { outcome, .. } => say("resolve", &[("outcome", self.share(outcome)?)]),
        }
    }

    /// An event as a sentence.
    pub(super) fn event(&self, event: &Event) -> Result<String, String> {
        let say = |key: &str, with: &[(&str, &str)]| self.words.say("event", key, with);
        match *event {
            Event::Opened { .. } => say("opened", &[]),
            Event::Deposited { account, amount, .. } => {
                say("deposited", &[("who", &self.name(account)?), ("amount", &self.cents(amount.0)?)])
            }
            Event::Withdrawn { account, amount, .. } => {
                say("withdrawn", &[("who", &self.name(account)?), ("amount", &self.cents(amount.0)?)])
            }
            Event::Accepted { order, intent, price, quantity, .. } => {
                let side = format!("{:?}", intent.side()).to_lowercase();
                let with = [
                    ("order", &*order.to_string()),
                    ("side", self.words.get("side", &side)?),
                    ("price", &price.to_string()),
                    ("locked", &self.locked(intent, price, quantity)?),
                ];
                say("accepted", &with)
            }
            Event::Traded { .. } => self.trade(event),
            Event::Cancelled { order, quantity, reason, .. } => {
                let why = self.words.get("why", &format!("{reason:?}"))?;
                say(
                    "cancelled",
                    &[("order", &order.to_string()), ("quantity", &count(quantity.0.into())), ("why", why)],
                )
            }
            Event::Paid { account, amount, .. } => {
                say("paid", &[("who", &self.name(account)?), ("amount", &self.cents(amount.0)?)])
            }
            Event::Resolved { outcome, paid, .. } => {
                say("resolved", &[("outcome", self.share(outcome)?), ("amount", &self.cents(paid.0)?)])
            }
            Event::Rejected { reason, .. } => {
                let reason = format!("{reason:?}");
                say("rejected", &[("reason", &reason), ("words", self.words.get("reason", &reason)?)])
            }
        }
    }

    /// A trade, with what each party pays or gets.
    fn trade(&self, event: &Event) -> Result<String, String> {
        let Event::Traded { maker_account, taker_account, price, quantity, maker_intent, taker_intent, .. } = *event
        else {
            return Err("only a trade can be described as one".into());
        };
        let value = |intent: Intent| count(intent.in_yes_cents(price).times(quantity).0);
        let does = |intent: Intent| self.words.get("does", if intent.buys() { "pays" } else { "gets" });
        let kind = format!("{:?}", TradeKind::of(maker_intent, taker_intent));
        self.words.say(
            "event",
            "traded",
            &[
                ("kind", self.words.get("kind", &kind)?),
                ("quantity", &count(quantity.0.into())),
                ("price", &price.to_string()),
                ("maker", &self.name(maker_account)?),
                ("maker_does", does(maker_intent)?),
                ("maker_value", &value(maker_intent)),
                ("taker", &self.name(taker_account)?),
                ("taker_does", does(taker_intent)?),
                ("taker_value", &value(taker_intent)),
            ],
        )
    }

    /// The name of an account.
    pub(super) fn name(&self, account: AccountId) -> Result<String, String> {
        let at = (account.0 as usize).checked_sub(1);
        match at.and_then(|at| self.names.get(at)) {
            Some(name) => Ok(name.clone()),
            None => self.words.say("ui", "account", &[("id", &account.to_string())]),
        }
    }

    /// "600 cents".
    pub(super) fn cents(&self, amount: u64) -> Result<String, String> {
        self.words.say("ui", "cents", &[("amount", &count(amount))])
    }

    /// "YES".
    pub(super) fn share(&self, share: Outcome) -> Result<&str, String> {
        self.words.get("share", share.word())
    }

    /// What an order locks, as text; `price` is in YES cents.
    fn locked(&self, intent: Intent, price: Price, quantity: Quantity) -> Result<String, String> {
        if intent.buys() {
            return self.cents(intent.in_yes_cents(price).times(quantity).0);
        }
        let with = [("quantity", &*count(quantity.0.into())), ("share", self.share(intent.share())?)];
        self.words.say("ui", "shares", &with)
    }
}

/// A count or an amount, with its thousands separated. None reaches 2^53: a market's deposits are
/// limited to far less.
pub(super) fn count(value: u64) -> String {
    grouped(value as f64)
}
