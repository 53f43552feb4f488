//! An engine of a model: a log for each shard, of which a part is durable, and the shadow's companions.

use std::collections::VecDeque;

use exactly_once::lane::Numbered;
use exactly_once::lanes::Lanes;
use exactly_once::memory::Memory;
use exactly_once::outcome::reply;
use gateway::door::{Door, Request};
use gateway::reply::{Answer, Refusal, Reply, Session};
use market::log::ShardOf;
use market::model::Model;
use market::{Command, Event, Sequence, Stamp, Ticket, UnixMs};
use std::sync::{Arc, Mutex};

use crate::Flaw;

/// A command in the log, and what it led to.
#[derive(Clone)]
pub struct Entry {
    pub command: Command,
    pub events: Vec<Event>,
    /// The moment at which it was logged: shards are merged in this order.
    pub moment: u64,
}

/// The log of a shard.
#[derive(Default, Clone)]
pub struct Log {
    pub entries: Vec<Entry>,
    /// How many of them are durable.
    pub durable: usize,
    /// How many were observed by the shadow.
    pub observed: usize,
    /// The last snapshot: after how many commands it was taken, and its section.
    pub snapshot: Option<(usize, Vec<u8>)>,
}

/// The queue before the engine: a door that takes what there is room for.
#[derive(Default)]
pub struct Queue {
    pub requests: Mutex<VecDeque<Request>>,
    pub is_full: Mutex<bool>,
}

impl Door for Queue {
    fn enter(&self, _: Session, request: Request) {
        if *self.is_full.lock().unwrap() {
            return request.refuse(Refusal::Busy);
        }
        self.requests.lock().unwrap().push_back(request);
    }
}

/// A command that was logged and is not answered.
struct Pending {
    shard: usize,
    at: usize,
    answer: Arc<Mutex<Answer>>,
    place: usize,
}

pub struct Engine {
    pub logs: Vec<Log>,
    model: Model,
    pub shadows: Vec<Memory>,
    /// How many outcomes the venue keeps.
    pub outcomes: usize,
    pending: Vec<Pending>,
    moment: u64,
    flaw: Option<Flaw>,
}

impl Engine {
    pub fn new(shards: u16, outcomes: usize, flaw: Option<Flaw>) -> Engine {
        let logs = (0..shards).map(|_| Log::default()).collect();
        let shadows = shards_of(shards).map(|shard| Memory::new(shard, outcomes)).collect();
        Engine { logs, model: Model::default(), shadows, outcomes, pending: Vec::new(), moment: 0, flaw }
    }

    fn shards(&self) -> u16 {
        self.logs.len() as u16
    }

    /// Logs the commands of a request. None of it is durable yet.
    pub fn log(&mut self, request: Request) {
        let answer = Arc::new(Mutex::new(request.answer));
        for (place, command) in request.commands.into_iter().enumerate() {
            let shard = usize::from(ShardOf::market(command.market(), self.shards()).shard);
            let events = self.model.apply(&command);
            self.moment += 1;
            self.logs[shard].entries.push(Entry { command, events, moment: self.moment });
            let at = self.logs[shard].entries.len() - 1;
            self.pending.push(Pending { shard, at, answer: Arc::clone(&answer), place });
        }
    }

    /// A sync of one shard returns: what was logged there is durable, and is answered.
    pub fn sync(&mut self, shard: usize) {
        self.logs[shard].durable = self.logs[shard].entries.len();
        let (done, left) = std::mem::take(&mut self.pending).into_iter().partition(|one| one.shard == shard);
        self.pending = left;
        let done: Vec<Pending> = done;
        for Pending { shard, at, answer, place } in done {
            let given = self.reply(shard, at);
            answer.lock().unwrap().put(place, Ok(given));
        }
    }

    /// What the command at this place of a shard's log led to.
    pub fn reply(&self, shard: usize, at: usize) -> Reply {
        let (ticket, stamp) = stamps(shard, at);
        reply(ticket, stamp, &self.logs[shard].entries[at].events)
    }

    /// The shadow of a shard reads on, and perhaps writes a snapshot.
    pub fn follow(&mut self, shard: usize, writes: bool) {
        let (flaw, log, shadow) = (self.flaw, &mut self.logs[shard], &mut self.shadows[shard]);
        let until = if flaw == Some(Flaw::SeenBeforeItIsDurable) { log.entries.len() } else { log.durable };
        for at in log.observed..until {
            observe(flaw, shadow, shard, at, &log.entries[at]);
        }
        log.observed = until.max(log.observed);
        if writes {
            let mut section = Vec::new();
            let mut saved = shadow.clone();
            if flaw == Some(Flaw::LaneForgotten) {
                saved.lanes = Lanes::default();
                let kept = shadow.lanes.len().saturating_sub(1);
                shadow.lanes.iter().take(kept).for_each(|row| saved.lanes.entry(row.lane()).window = row.window);
                saved.outcomes.clear();
            }
            saved.save(&mut section).unwrap();
            log.snapshot = Some((log.observed, section));
        }
    }

    /// A crash: everything in memory is gone. Of the commands that are not durable, each shard keeps the first `kept`.
    pub fn crash(&mut self, mut kept: impl FnMut(usize) -> usize) {
        self.pending.clear();
        for log in &mut self.logs {
            let undurable = log.entries.len() - log.durable;
            let kept = log.durable + kept(undurable);
            log.entries.truncate(kept);
            log.durable = kept;
            // The snapshot stays. If it holds commands that are gone now, a flaw has put them there: a real start would not
            // use it.
        }
        self.rebuild();
    }

    /// A start: the last snapshot and what follows it, or the whole log.
    fn rebuild(&mut self) {
        self.model = Model::default();
        let mut all: Vec<&Entry> = self.logs.iter().flat_map(|log| &log.entries).collect();
        all.sort_by_key(|entry| entry.moment);
        for entry in all {
            let events = self.model.apply(&entry.command);
            assert_eq!(events, entry.events, "a market's commands keep their order");
        }
        let shards = self.shards();
        for (shard, of) in shards_of(shards).enumerate() {
            let mut memory = Memory::new(of, self.outcomes);
            let log = &mut self.logs[shard];
            let from = match &log.snapshot {
                Some((behind, section)) => {
                    memory.load(&mut &section[..]).unwrap();
                    (*behind).min(log.entries.len())
                }
                None => 0,
            };
            for at in from..log.entries.len() {
                observe(self.flaw, &mut memory, shard, at, &log.entries[at]);
            }
            log.observed = log.entries.len();
            self.shadows[shard] = memory;
        }
    }

    /// Rewrites the logs for another number of shards. `dealt` keeps their beginnings only in snapshots, as where logs were
    /// trimmed: then the windows of all shards are united in each new one.
    pub fn reshard(&mut self, shards: u16, dealt: bool) {
        let sections: Vec<Vec<u8>> = self
            .shadows
            .iter()
            .map(|shadow| {
                let mut section = Vec::new();
                shadow.save(&mut section).unwrap();
                section
            })
            .collect();
        let mut all: Vec<Entry> = self.logs.iter().flat_map(|log| log.entries.iter().cloned()).collect();
        all.sort_by_key(|entry| entry.moment);
        self.logs = (0..shards).map(|_| Log::default()).collect();
        for entry in all {
            let shard = usize::from(ShardOf::market(entry.command.market(), shards).shard);
            self.logs[shard].entries.push(entry);
        }
        for (log, of) in self.logs.iter_mut().zip(shards_of(shards)) {
            log.durable = log.entries.len();
            if dealt {
                let mut united = Memory::new(of, self.outcomes);
                let some = if self.flaw == Some(Flaw::NotUnited) { 1 } else { sections.len() };
                sections.iter().take(some).for_each(|section| united.load(&mut &section[..]).unwrap());
                let mut section = Vec::new();
                united.save(&mut section).unwrap();
                log.snapshot = Some((log.entries.len(), section));
            }
        }
        self.shadows = shards_of(shards).map(|shard| Memory::new(shard, self.outcomes)).collect();
        self.rebuild();
    }

    /// Where a number stands in the logs, if it does.
    pub fn find(&self, numbered: Numbered) -> Vec<(usize, usize)> {
        let of_shard = |(shard, log): (usize, &Log)| {
            let is_it =
                |(at, entry): (usize, &Entry)| (Numbered::of(&entry.command) == Some(numbered)).then_some((shard, at));
            log.entries.iter().enumerate().filter_map(is_it).collect::<Vec<_>>()
        };
        self.logs.iter().enumerate().flat_map(of_shard).collect()
    }

    /// The highest number of a lane among what is durable.
    pub fn highest(&self, of: Numbered) -> u64 {
        let durable = self.logs.iter().flat_map(|log| &log.entries[..log.durable]);
        let numbers = durable.filter_map(|entry| Numbered::of(&entry.command)).filter(|one| one.lane == of.lane);
        numbers.map(|one| one.number).max().unwrap_or(0)
    }
}

fn observe(flaw: Option<Flaw>, memory: &mut Memory, shard: usize, at: usize, entry: &Entry) {
    if flaw == Some(Flaw::RejectedNotMarked) && matches!(entry.events[..], [Event::Rejected { .. }]) {
        return;
    }
    memory.observe(stamps(shard, at).1, &entry.command, &entry.events);
}

fn stamps(shard: usize, at: usize) -> (Ticket, Stamp) {
    let sequence = Sequence(at as u64 + 1);
    (Ticket { shard: shard as u16, sequence }, Stamp { sequence, time: UnixMs(sequence.0) })
}

pub fn shards_of(shards: u16) -> impl Iterator<Item = ShardOf> {
    (0..shards).map(move |shard| ShardOf { shard, shards })
}
