//! Running an engine in a test: a receiver that remembers, a run from opening to closing, and the comparisons
//! that all tests share.
//!
//! Everything returns a failure as a `String`, so that `proptest` can shrink its input and the simulation can
//! name the seed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::trace::Trace;
use market::state::ExchangeState;
use market::{
    Acknowledge, Closed, Command, Engine, Event, MarketId, Options, Recovery, Sequence, Stamp, Ticket, UnixMs,
};

/// One acknowledgement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Acknowledged {
    /// The shard that gave it.
    pub shard: u16,
    /// The sequence of the command within the shard.
    pub sequence: Sequence,
    /// The time of the command's frame.
    pub time: UnixMs,
    /// What the command led to.
    pub events: Vec<Event>,
}

/// Remembers every acknowledgement, of all shards together.
#[derive(Clone, Default)]
pub struct Acks {
    shard: u16,
    trace: Trace,
    seen: Arc<Mutex<Vec<Acknowledged>>>,
}

impl Acks {
    /// Also notes every acknowledgement in `trace`.
    pub fn told(trace: &Trace) -> Acks {
        Acks { trace: trace.clone(), ..Acks::default() }
    }

    /// Makes the receivers for opening an engine. The receivers of all shards write to the same list.
    pub fn receivers(&self) -> impl FnMut(u16) -> Box<dyn Acknowledge> + use<> {
        let acks = self.clone();
        move |shard| Box::new(Acks { shard, ..acks.clone() })
    }

    /// What was acknowledged so far, in order for each shard.
    pub fn seen(&self) -> Vec<Acknowledged> {
        self.seen.lock().unwrap().clone()
    }
}

impl Acknowledge for Acks {
    fn acknowledge(&mut self, stamp: Stamp, events: &[Event]) {
        self.trace.note(|| format!("shard {} acknowledges {stamp:?}: {events:?}", self.shard));
        let (Stamp { sequence, time }, events) = (stamp, events.to_vec());
        self.seen.lock().unwrap().push(Acknowledged { shard: self.shard, sequence, time, events });
    }
}

/// What a run left behind.
pub struct Run {
    /// What opening found.
    pub recovery: Recovery,
    /// What was acknowledged.
    pub acks: Vec<Acknowledged>,
    /// What the engine held at the end.
    pub closed: Closed,
}

/// Opens an engine, submits `commands`, flushes after every `flush_every`th of them and at the end, and
/// closes it. Every command must be acknowledged once, in order, with an event.
///
/// # Errors
/// What went wrong.
pub fn run<E: Engine>(options: &Options, commands: &[Command], flush_every: usize) -> Result<Run, String> {
    let acks = Acks::default();
    let (mut engine, recovery) = E::open(options, &mut acks.receivers()).map_err(|error| format!("open: {error}"))?;
    let mut tickets = Vec::with_capacity(commands.len());
    for (at, &command) in commands.iter().enumerate() {
        tickets.push(engine.submit(command).map_err(|error| format!("submit {command:?}: {error}"))?);
        if (at + 1) % flush_every == 0 {
            engine.flush().map_err(|error| format!("flush: {error}"))?;
            let came = acks.seen.lock().unwrap().len();
            if came != at + 1 {
                return Err(format!("flush returned after {came} acknowledgements of {} commands", at + 1));
            }
        }
    }
    engine.poll().and_then(|()| engine.flush()).map_err(|error| format!("flush: {error}"))?;
    let came = acks.seen.lock().unwrap().len();
    let closed = engine.close().map_err(|error| format!("close: {error}"))?;
    let acks = acks.seen();
    if came != commands.len() || acks.len() != commands.len() {
        return Err(format!(
            "{came} acknowledgements after flush, {} after close, {} commands",
            acks.len(),
            commands.len()
        ));
    }
    let base = (options.shards == 1).then_some(recovery.commands);
    check_sequences(&acks, base)?;
    check_tickets(commands, &tickets, &acks)?;
    Ok(Run { recovery, acks, closed })
}

/// Checks that each shard's sequences are consecutive, and that each command has an event. With one shard
/// they continue after what was `recovered`.
///
/// # Errors
/// The first acknowledgement out of order.
pub fn check_sequences(acks: &[Acknowledged], recovered: Option<u64>) -> Result<(), String> {
    let mut next: BTreeMap<u16, Sequence> = BTreeMap::new();
    for ack in acks {
        let first = recovered.map_or(ack.sequence, |count| Sequence::FIRST.plus(count));
        let expected = *next.get(&ack.shard).unwrap_or(&first);
        if ack.sequence != expected {
            return Err(format!("shard {} acknowledged {}, but {expected} was next", ack.shard, ack.sequence));
        }
        if ack.events.is_empty() {
            return Err(format!("shard {} acknowledged {} without an event", ack.shard, ack.sequence));
        }
        next.insert(ack.shard, expected.plus(1));
    }
    Ok(())
}

/// Checks that each command was acknowledged under the number of its ticket: the events under that number are
/// about the command's market.
///
/// # Errors
/// The first ticket without its acknowledgement.
fn check_tickets(commands: &[Command], tickets: &[Ticket], acks: &[Acknowledged]) -> Result<(), String> {
    let number = |ack: &Acknowledged| Ticket { shard: ack.shard, sequence: ack.sequence };
    let markets: BTreeMap<Ticket, MarketId> = acks.iter().map(|ack| (number(ack), ack.events[0].market())).collect();
    let fits = |(command, ticket): &(&Command, &Ticket)| markets.get(ticket) == Some(&command.market());
    if let Some((command, ticket)) = commands.iter().zip(tickets).find(|pair| !fits(pair)) {
        return Err(format!(
            "{command:?} was submitted as {ticket:?}, but that number was acknowledged with {:?}",
            markets.get(ticket)
        ));
    }
    let distinct: BTreeSet<&Ticket> = tickets.iter().collect();
    if distinct.len() < tickets.len() { Err("two commands have the same ticket".into()) } else { Ok(()) }
}

/// What a command should lead to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    /// The command.
    pub command: Command,
    /// The model's answer.
    pub events: Vec<Event>,
}

/// Compares acknowledgements with the model's answers: the whole stream with one shard, each market's stream
/// with more. There may be fewer acknowledgements than answers. Returns how many commands of each market were
/// acknowledged.
///
/// # Errors
/// The first difference.
pub fn check_events(
    expected: &[Expected],
    acks: &[Acknowledged],
    shards: u16,
) -> Result<BTreeMap<MarketId, usize>, String> {
    let mut lanes: BTreeMap<Option<MarketId>, Vec<&Expected>> = BTreeMap::new();
    let lane = |market| (shards > 1).then_some(market);
    for step in expected {
        lanes.entry(lane(step.command.market())).or_default().push(step);
    }
    let mut places: BTreeMap<Option<MarketId>, usize> = BTreeMap::new();
    let mut counts = BTreeMap::new();
    for ack in acks {
        let market = ack.events[0].market();
        let place = places.entry(lane(market)).or_default();
        let Some(step) = lanes.get(&lane(market)).and_then(|steps| steps.get(*place)) else {
            return Err(format!("{ack:?} was acknowledged, but no such command was submitted"));
        };
        if step.events != ack.events {
            return Err(format!(
                "command {} is {:?}\n  the model says {:?}\n the engine says {:?}",
                ack.sequence, step.command, step.events, ack.events
            ));
        }
        *place += 1;
        *counts.entry(market).or_default() += 1;
    }
    Ok(counts)
}

/// Compares two states market by market.
///
/// # Errors
/// The first market that differs.
pub fn check_state(expected: &ExchangeState, found: &ExchangeState) -> Result<(), String> {
    for (id, market) in &found.markets {
        market.check_laws().map_err(|law| format!("market {id}: {law}"))?;
    }
    let ids = expected.markets.keys().chain(found.markets.keys());
    match ids.into_iter().find(|id| expected.markets.get(id) != found.markets.get(id)) {
        None => Ok(()),
        Some(id) => Err(format!(
            "market {id} differs\n  the model has {:?}\n the engine has {:?}",
            expected.markets.get(id),
            found.markets.get(id)
        )),
    }
}

/// Compares the ledger in `data_dir` with the events that moved value.
///
/// # Errors
/// The first entry that differs, or that can't be read.
pub fn check_ledger<'a>(expected: impl Iterator<Item = &'a Event>, data_dir: &Path, shards: u16) -> Result<(), String> {
    let mut expected: Vec<Event> = expected.copied().filter(Event::moves_value).collect();
    let mut found = read_ledger(data_dir)?;
    if shards > 1 {
        // A stable sort keeps each market's own order, which is all that is promised.
        expected.sort_by_key(Event::market);
        found.sort_by_key(Event::market);
    }
    if expected == found {
        return Ok(());
    }
    let at = expected.iter().zip(&found).take_while(|(one, other)| one == other).count();
    Err(format!(
        "the ledger has {} entries, {} were expected; entry {at} should be {:?} and is {:?}",
        found.len(),
        expected.len(),
        expected.get(at),
        found.get(at)
    ))
}

/// Every entry of the ledger, or of the ledgers of all shards one after the other.
///
/// # Errors
/// Bytes that are no event.
pub fn read_ledger(data_dir: &Path) -> Result<Vec<Event>, String> {
    let mut entries = Vec::new();
    for path in ledgers(data_dir) {
        let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let (rows, rest) = bytes.as_chunks::<{ Event::BYTES }>();
        if !rest.is_empty() {
            return Err(format!("{}: {} bytes are not a whole number of entries", path.display(), bytes.len()));
        }
        for row in rows {
            entries.push(Event::decode(row).ok_or_else(|| format!("{}: {row:?} is no event", path.display()))?);
        }
    }
    Ok(entries)
}

/// The ledgers in a data directory, in the order of their names: `ledger.bin`, or one a shard.
pub fn ledgers(data_dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(data_dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_ledger = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("ledger") && name.ends_with(".bin")
    };
    let mut found: Vec<PathBuf> = entries.filter(is_ledger).collect();
    found.sort();
    found
}
