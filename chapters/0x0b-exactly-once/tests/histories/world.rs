//! Clients, a network that loses, delays and repeats, and the real door before an engine of a model.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use contract::streams::Random;
use exactly_once::lane::Numbered;
use exactly_once::once_door::{OnceDoor, Shared};
use exactly_once::table::{TOO_OLD, Table};
use exactly_once::window::NUMBERS;
use gateway::door::{Door, Request};
use gateway::reply::{Answer, Given, Refusal, Session};
use market::{Cents, Command, MarketId};

use crate::Flaw;
use crate::engine::{Engine, Queue};
use crate::happened::Happened;
use crate::wishes::{ACCOUNT, MARKETS, Wishing, other};

mod judge;

/// What a client wants to be done once.
#[derive(Clone, Copy)]
struct Wish {
    command: Command,
    /// Whether it has the number of another wish.
    is_reused: bool,
}

/// A wish as it was when a copy of it reached the door.
#[derive(Clone, Copy)]
struct Entered {
    wish: usize,
    /// Whether the log held it already. A copy may be refused for another request of its number that is under way, and
    /// wait in a list for its neighbours' answers. The other may be dropped meanwhile, and a later copy be carried out.
    was_logged: bool,
}

type Answers = Arc<Mutex<Vec<(Vec<Entered>, Vec<Given>)>>>;

pub struct World {
    random: Random,
    engine: Engine,
    queue: Arc<Queue>,
    table: Shared,
    door: OnceDoor,
    wishes: Vec<Wish>,
    /// Copies of requests that are on their way: which wishes each is for.
    network: Vec<Vec<usize>>,
    /// Answers that are on their way.
    answers: Answers,
    /// The first answer to each wish.
    known: HashMap<usize, (Command, Given)>,
    wishing: Wishing,
    flaw: Option<Flaw>,
    /// Whether the answers that are on their way may be from before a crash.
    has_stopped: bool,
    happened: Happened,
}

impl World {
    pub fn new(mut random: Random, flaw: Option<Flaw>) -> World {
        let shards = 1 + random.below(3) as u16;
        let outcomes = if random.below(2) == 0 { 1 + random.below(8) as usize } else { 1_000 };
        let mut engine = Engine::new(shards, outcomes, flaw);
        for market in (1..=MARKETS).map(MarketId) {
            let set_up = [
                Command::Open { market },
                Command::Deposit { market, account: ACCOUNT, amount: Cents(5_000), request: 0 },
            ];
            engine.log(Request { commands: set_up.into_iter().collect(), answer: Answer::new(2, |_| {}) });
        }
        (0..usize::from(shards)).for_each(|shard| engine.sync(shard));
        let queue = Arc::<Queue>::default();
        let (table, door) = open(&engine, &queue);
        World {
            random,
            engine,
            queue,
            table,
            door,
            wishes: Vec::new(),
            network: Vec::new(),
            answers: Answers::default(),
            known: HashMap::new(),
            wishing: Wishing::default(),
            flaw,
            has_stopped: false,
            happened: Happened::default(),
        }
    }

    /// One thing happens.
    pub fn step(&mut self) -> Result<(), String> {
        match self.random.below(100) {
            0..25 => self.wish(),
            25..38 => self.send_again(),
            38..62 => return self.arrive(),
            62..74 => self.log(),
            74..84 => self.sync(),
            84..92 => return self.hear(),
            92..95 => self.follow(),
            95..97 => {
                let is_full = self.random.below(2) == 0;
                *self.queue.is_full.lock().unwrap() = is_full;
            }
            97..99 => return self.crash(),
            _ => return self.reshard(),
        }
        Ok(())
    }

    /// A client thinks of something, and sends it.
    fn wish(&mut self) {
        let reused = if self.random.below(25) == 0 { self.some_wish() } else { None };
        let mut command = self.wishing.next(&mut self.random);
        if let Some(first) = reused {
            command = other(self.wishes[first].command);
        }
        self.wishes.push(Wish { command, is_reused: reused.is_some() });
        self.network.push(vec![self.wishes.len() - 1]);
    }

    fn some_wish(&mut self) -> Option<usize> {
        let all = self.wishes.len() as u64;
        if all == 0 { None } else { Some(self.random.below(all) as usize) }
    }

    /// A client sends something again, perhaps with others in one list.
    fn send_again(&mut self) {
        let count = 1 + self.random.below(3);
        let again: Vec<usize> = (0..count).filter_map(|_| self.some_wish()).collect();
        if !again.is_empty() {
            self.network.push(again);
        }
    }

    /// One of the requests that are on their way arrives, is lost, or arrives and stays on its way.
    fn arrive(&mut self) -> Result<(), String> {
        if self.network.is_empty() {
            return Ok(());
        }
        let at = self.random.below(self.network.len() as u64) as usize;
        let request = if self.random.below(6) == 0 { self.network[at].clone() } else { self.network.swap_remove(at) };
        if self.random.below(10) == 0 {
            return Ok(());
        }
        self.enter(&request);
        Ok(())
    }

    fn enter(&mut self, request: &[usize]) {
        let commands = request.iter().map(|&wish| self.wishes[wish].command).collect::<Vec<_>>();
        let entered = |&wish: &usize| Entered { wish, was_logged: self.is_logged(self.wishes[wish].command) };
        let (answers, own) = (Arc::clone(&self.answers), request.iter().map(entered).collect::<Vec<_>>());
        let answer = Answer::new(commands.len(), move |given| answers.lock().unwrap().push((own, given)));
        let too_small = self.flaw == Some(Flaw::WindowTooSmall)
            && commands.iter().filter_map(Numbered::of).any(|one| one.number + NUMBERS - 1 == self.engine.highest(one));
        let request = Request { commands: commands.into_iter().collect(), answer };
        match too_small {
            true => request.refuse(Refusal::Layer(&TOO_OLD, None)),
            false => self.door.enter(Session::Account(ACCOUNT), request),
        }
    }

    /// Whether the logs hold this very command.
    fn is_logged(&self, command: Command) -> bool {
        let places = Numbered::of(&command).map(|numbered| self.engine.find(numbered)).unwrap_or_default();
        places.iter().any(|&(shard, at)| self.engine.logs[shard].entries[at].command == command)
    }

    fn log(&mut self) {
        let next = self.queue.requests.lock().unwrap().pop_front();
        if let Some(request) = next {
            self.engine.log(request);
        }
    }

    fn sync(&mut self) {
        let shard = self.random.below(self.engine.logs.len() as u64) as usize;
        self.engine.sync(shard);
    }

    fn follow(&mut self) {
        let (shard, writes) = (self.random.below(self.engine.logs.len() as u64) as usize, self.random.below(2) == 0);
        self.engine.follow(shard, writes);
        self.happened.snapshots += usize::from(writes);
    }

    fn crash(&mut self) -> Result<(), String> {
        self.happened.crashes += 1;
        self.has_stopped = true;
        let random = &mut self.random;
        self.engine.crash(|undurable| random.below(undurable as u64 + 1) as usize);
        self.begin_anew()
    }

    fn reshard(&mut self) -> Result<(), String> {
        self.happened.reshardings += 1;
        self.has_stopped = true;
        self.queue.requests.lock().unwrap().clear();
        self.engine.crash(|_| 0);
        // Before the commands get other numbers.
        self.hear()?;
        let (shards, dealt) = (1 + self.random.below(3) as u16, self.random.below(2) == 0);
        self.engine.reshard(shards, dealt);
        self.begin_anew()
    }

    fn begin_anew(&mut self) -> Result<(), String> {
        // Those under way are answered with "outcome unknown" when their request is dropped.
        self.queue.requests.lock().unwrap().clear();
        self.hear()?;
        self.has_stopped = false;
        self.queue = Arc::default();
        (self.table, self.door) = open(&self.engine, &self.queue);
        Ok(())
    }

    /// Everything that is on its way arrives, and every client asks again.
    pub fn end(mut self) -> Result<Happened, String> {
        *self.queue.is_full.lock().unwrap() = false;
        let mut left: Vec<Vec<usize>> = std::mem::take(&mut self.network);
        left.extend((0..self.wishes.len()).map(|wish| vec![wish]));
        for request in left {
            self.enter(&request);
            while !self.queue.requests.lock().unwrap().is_empty() {
                self.log();
            }
            (0..self.engine.logs.len()).for_each(|shard| self.engine.sync(shard));
            self.hear()?;
        }
        for (wish, one) in self.wishes.iter().enumerate().filter(|(_, one)| !one.is_reused) {
            let numbered = Numbered::of(&one.command).ok_or("a wish has a number")?;
            let is_first = self.engine.find(numbered).len() == 1;
            let is_answered = self.known.contains_key(&wish);
            if !is_first && !is_answered && self.engine.highest(numbered) < numbered.number + NUMBERS {
                return Err(format!("{:?} was never carried out", one.command));
            }
        }
        Ok(self.happened)
    }
}

/// The door of a venue that has just started.
fn open(engine: &Engine, queue: &Arc<Queue>) -> (Shared, OnceDoor) {
    let table = Arc::new(Mutex::new(Table::new(engine.shadows.clone(), engine.outcomes)));
    let door = OnceDoor::new(Arc::clone(queue) as Arc<dyn Door>, Arc::clone(&table));
    (table, door)
}
