//! A history: each call with its start, its end and its answer, by one clock.

use std::fmt;

use serde_json::{Value, json};

/// One call of a client.
#[derive(Clone, Debug)]
pub struct Operation {
    /// When it was sent, in nanoseconds.
    pub call: u64,
    /// When the answer was there, and its content. None if the client gave up: the request may be carried out at any
    /// later time, or never.
    pub told: Option<(u64, Value)>,
    pub account: u32,
    /// What was asked.
    pub asked: Value,
    /// How often it was sent.
    pub attempts: u32,
}

/// What all clients of a venue saw.
pub struct History {
    /// What each account has in each market at the beginning.
    pub cash: u64,
    pub markets: Vec<u32>,
    pub operations: Vec<Operation>,
}

impl History {
    /// As the judge reads it.
    pub fn json(&self) -> Value {
        let operation = |Operation { call, told, account, asked, .. }: &Operation| {
            let (end, told) = told.as_ref().map_or((Value::Null, &Value::Null), |(end, told)| (json!(end), told));
            json!({ "call": call, "return": end, "account": account, "asked": asked, "told": told })
        };
        let operations: Vec<_> = self.operations.iter().map(operation).collect();
        json!({ "cash": self.cash, "markets": self.markets, "operations": operations })
    }

    /// The same history, but one read does not show an order that was acknowledged before it and not cancelled.
    pub fn with_an_order_lost(&self) -> History {
        let mut operations = self.operations.clone();
        // The earlier the flaw, the less the judge has to try.
        operations.sort_by_key(|one| one.call);
        let shows = |one: &Operation| {
            let (end, told) = one.told.as_ref()?;
            told.get("orders")?.as_array()?.iter().position(|order| self.rests(order, one, *end))
        };
        let (read, at) = operations.iter().enumerate().find_map(|(read, one)| Some((read, shows(one)?))).unwrap();
        let (_, told) = operations[read].told.as_mut().unwrap();
        told["orders"].as_array_mut().unwrap().remove(at);
        History { cash: self.cash, markets: self.markets.clone(), operations }
    }

    /// Whether a read has to show this order: it was acknowledged earlier, and no client had asked to cancel it.
    fn rests(&self, order: &Value, read: &Operation, end: u64) -> bool {
        let own = || self.operations.iter().filter(|one| one.account == read.account);
        let is_of = |one: &&Operation| one.asked["market"] == order["market"];
        let acknowledged = |one: &Operation| {
            one.told.as_ref().is_some_and(|(end, told)| *end < read.call && told["order"] == order["order"])
        };
        let cancels = |one: &Operation| one.asked["order"] == order["order"] && one.call < end;
        own().filter(is_of).any(acknowledged) && !own().filter(is_of).any(cancels)
    }

    /// Fails if too little happened: a history in which nothing happened is linearizable, too.
    pub fn is_enough(&self) {
        let Counts { all, again, open, rejected, reads, at_once } = self.counts();
        let enough = all > 100 && again > 10 && open > 0 && rejected > 5 && reads > 50 && at_once > 100;
        assert!(enough, "too little happened: {self}");
    }

    fn counts(&self) -> Counts {
        let of = |is: &dyn Fn(&Operation) -> bool| self.operations.iter().filter(|one| is(one)).count();
        let is_read = |one: &Operation| one.asked.get("number").is_none();
        // A call that stays open overlaps with everything after it, which is not counted here.
        let spans = |account| {
            let own = self.operations.iter().filter(move |one| one.account == account);
            own.filter_map(|one| Some((one.call, one.told.as_ref()?.0)))
        };
        let at_once = |one: &Operation| {
            let Some((end, _)) = one.told else { return false };
            // It overlaps with itself, so another overlap makes two.
            spans(one.account).filter(|&(call, other_end)| call < end && one.call < other_end).nth(1).is_some()
        };
        Counts {
            all: self.operations.len(),
            again: of(&|one| one.attempts > 1),
            open: of(&|one| one.told.is_none()),
            rejected: of(&|one| {
                one.told.as_ref().is_some_and(|(_, told)| told.get("reason").is_some_and(|why| why != ""))
            }),
            reads: of(&is_read),
            at_once: of(&at_once),
        }
    }
}

struct Counts {
    all: usize,
    again: usize,
    open: usize,
    rejected: usize,
    reads: usize,
    at_once: usize,
}

impl fmt::Display for History {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { all, again, open, rejected, reads, at_once } = self.counts();
        write!(
            to,
            "{all} operations, {at_once} of them beside others of the account; {reads} reads; {again} were sent more than \
             once, {rejected} were rejected, {open} never had an answer"
        )
    }
}
