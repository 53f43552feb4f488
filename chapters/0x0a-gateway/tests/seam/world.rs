//! All parts on one thread, taking turns in an order drawn from a seed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use contract::streams::{Random, prologue};
use gateway::door::{Commands, Door as _, Request};
use gateway::engine_thread::{Ticketed, client_order_id};
use gateway::reply::{Answer, Refusal, Reply, Session};
use market::log::ShardOf;
use market::{
    AccountId, Acknowledge as _, Command, Event, Intent, MarketId, Outcome, Place, Sequence, Stamp, Step, Ticket,
    TimeInForce, UnixMs,
};

use crate::answers::{compare_reply, owner};
use crate::happened::Happened;
use crate::life::{Life, Shard};
use crate::mirror::{Mirror, compare};

/// The answers that arrived, by the number of the request.
type Given = Arc<Mutex<Vec<(usize, Result<Reply, Refusal>, Vec<Sequence>)>>>;

pub struct World {
    random: Random,
    /// Whether the engine acknowledges before `submit` returns.
    is_early: bool,
    life: Life,
    /// Each request, its session, and how often it was answered.
    asked: Vec<(Session, Command)>,
    answers: BTreeMap<usize, u64>,
    given: Given,
    /// The events of each durable command.
    events: BTreeMap<(u16, u64), (Command, Vec<Event>)>,
    happened: Happened,
    time: u64,
}

impl World {
    pub fn new(seed: u64) -> World {
        let mut random = Random::new(seed);
        let (shards, most) = (random.pick(&[1, 1, 3]), random.pick(&[4, 16, 64]));
        let life = Life::open(vec![(Mirror::default(), 0); shards], most);
        let mut world = World {
            is_early: random.one_in(2),
            life,
            asked: Vec::new(),
            answers: BTreeMap::new(),
            given: Given::default(),
            events: BTreeMap::new(),
            happened: Happened::default(),
            time: 0,
            random,
        };
        let mut first = prologue();
        if seed % 25 == 24 {
            // A market with more resting orders than are taken at once.
            let price = |n: u64| 1 + (n % 30) as u8;
            let order = |n| Place {
                market: MarketId(1),
                account: AccountId(1),
                intent: Intent::BuyYes,
                price: price(n),
                quantity: 1,
                time_in_force: TimeInForce::Gtc,
                client_order_id: 0,
            };
            first.extend((0..1_200).map(|n| Command::Place(order(n))));
            first.push(Command::Resolve { market: MarketId(1), outcome: Outcome::Yes });
        }
        for command in first {
            world.ask(owner(&command), [command].into());
            world.drive(1);
            world.acknowledge();
            world.life.replies.step();
            if world.asked.len().is_multiple_of(300) {
                world.step().expect("it matches the model");
            }
        }
        world
    }

    /// Something happens.
    pub fn turn(&mut self) -> Result<(), String> {
        match self.random.below(100) {
            0..45 => {
                let command = self.random.command();
                let session = match self.random.below(12) {
                    0 => Session::Account(AccountId(9)),
                    1 => Session::Operator,
                    _ => owner(&command),
                };
                let mut commands = Commands::from([command]);
                if self.random.one_in(4) {
                    // Several commands that the same session may give, together.
                    let more = (0..12).map(|_| self.random.command()).filter(|more| owner(more) == owner(&command));
                    commands.extend(more);
                }
                self.ask(session, commands);
            }
            45..65 => {
                let most = self.random.below(6) as usize;
                self.drive(most);
            }
            65..80 => self.acknowledge(),
            80..99 => drop(self.step()?),
            _ => self.kill()?,
        }
        self.check_answers()
    }

    /// Finishes everything in flight; returns what happened on the way.
    pub fn end(mut self) -> Result<Happened, String> {
        self.life.door.drain();
        self.ask(Session::Operator, [Command::Open { market: MarketId(77) }].into());
        self.drive(usize::MAX);
        while self.life.shards.iter().any(|shard| !shard.pending.is_empty()) {
            self.acknowledge();
        }
        while self.step()? != Step::Idle {}
        self.check_answers()?;
        if let Some((request, (session, command))) =
            self.asked.iter().enumerate().find(|(at, _)| self.answers.get(at) != Some(&1))
        {
            return Err(format!("request {request}, {command:?} of {session:?}, was not answered"));
        }
        Ok(self.happened)
    }

    fn ask(&mut self, session: Session, mut commands: Commands) {
        let (first, given) = (self.asked.len(), Arc::clone(&self.given));
        // Some orders have their client's own number.
        for (command, number) in commands.iter_mut().zip(first as u64..) {
            if let Command::Place(place) = *command {
                *command = Command::Place(Place { client_order_id: number * self.random.below(2), ..place });
            }
        }
        self.asked.extend(commands.iter().map(|&command| (session, command)));
        let count = commands.len();
        self.happened.lists += u64::from(count > 1);
        let projection = Arc::clone(&self.life.projection);
        // Sometimes the client is gone. The count shows that the request is answered all the same.
        let is_deaf = self.random.one_in(5);
        self.happened.deaf += u64::from(is_deaf);
        let answer = move |answers: Vec<_>| {
            assert_eq!(answers.len(), count, "an answer for each command");
            let progress = projection.read().unwrap().progress().to_vec();
            let each = (first..).zip(answers).map(|(request, answer)| (request, answer, progress.clone()));
            given.lock().unwrap().extend(each);
        };
        let answer = if is_deaf {
            let (sender, receiver) = tokio::sync::oneshot::channel();
            drop(receiver);
            Answer::new(count, move |given| {
                answer(given.clone());
                assert!(sender.send(given).is_err(), "the receiver still exists");
            })
        } else {
            Answer::new(count, answer)
        };
        self.life.door.enter(session, Request { commands, answer });
    }

    /// The engine thread takes requests that have entered.
    fn drive(&mut self, most: usize) {
        for _ in 0..most {
            let Ok(Request { commands, answer }) = self.life.entered.try_recv() else { return };
            let mut begins = Some(answer);
            for command in commands {
                let ticket = self.submit(command);
                let ticketed = Ticketed { ticket, client_order_id: client_order_id(&command), begins: begins.take() };
                self.life.tickets.send(ticketed).expect("the replies still exist");
                if !self.is_early && self.random.one_in(8) {
                    self.step().expect("it matches the model");
                    self.happened.tickets_first += 1;
                }
            }
        }
    }

    /// The engine takes a command.
    fn submit(&mut self, command: Command) -> Ticket {
        let shards = self.life.shards.len() as u16;
        let shard = ShardOf::market(command.market(), shards).shard;
        let it = &mut self.life.shards[usize::from(shard)];
        it.pending.push_back(command);
        let sequence = Sequence(it.before + (it.mirrors.len() - 1 + it.pending.len()) as u64);
        if self.is_early {
            self.acknowledge_one(shard);
            // The replies may take a turn in between.
            if self.random.one_in(8) {
                self.step().expect("it matches the model");
                self.happened.answers_first += 1;
            }
        }
        Ticket { shard, sequence }
    }

    /// The engine acknowledges pending commands, any number per shard.
    fn acknowledge(&mut self) {
        for shard in 0..self.life.shards.len() {
            let pending = self.life.shards[shard].pending.len();
            let most = if self.random.one_in(2) { pending } else { self.random.below(1 + pending as u64) as usize };
            (0..most).for_each(|_| self.acknowledge_one(shard as u16));
        }
    }

    fn acknowledge_one(&mut self, shard: u16) {
        self.time += self.random.below(3);
        let it = &mut self.life.shards[usize::from(shard)];
        let Some(command) = it.pending.pop_front() else { return };
        let stamp = Stamp { sequence: Sequence(it.before + it.mirrors.len() as u64), time: UnixMs(1_000 + self.time) };
        let mut mirror = it.mirrors.last().expect("there is a first").clone();
        let events = mirror.apply(stamp, &command);
        it.mirrors.push(mirror);
        it.way_back.acknowledge(stamp, &events);
        self.happened.long += u64::from(events.len() > 1_024);
        self.happened.resolved += u64::from(events.iter().any(|event| matches!(event, Event::Resolved { .. })));
        self.happened.traded += u64::from(events.iter().any(|event| matches!(event, Event::Traded { .. })));
        self.events.insert((shard, stamp.sequence.0), (command, events));
    }

    /// The replies take a turn; then the projection must equal the model's state at the sequences that it names.
    fn step(&mut self) -> Result<Step, String> {
        let step = self.life.replies.step();
        let projection = self.life.projection.read().unwrap();
        if projection.is_open() {
            let at = |(shard, progress): (&Shard, &Sequence)| (progress.0 - shard.before) as usize;
            let mirrors: Vec<_> = self.life.shards.iter().zip(projection.progress()).map(at).collect();
            let mirrors: Vec<_> = self.life.shards.iter().zip(mirrors).map(|(shard, at)| &shard.mirrors[at]).collect();
            compare(&projection, &mirrors)
                .map_err(|complaint| format!("at {:?}: {complaint}", projection.progress()))?;
        }
        Ok(step)
    }

    /// The program is killed and restarted: what was acknowledged is there, and possibly more.
    fn kill(&mut self) -> Result<(), String> {
        self.happened.restarts += 1;
        let mut recovered = Vec::new();
        for (number, shard) in (0..).zip(&mut self.life.shards) {
            let mut mirror = shard.mirrors.last().expect("there is a first").clone();
            let mut sequence = shard.before + shard.mirrors.len() as u64 - 1;
            for command in shard.pending.drain(..).take(self.random.below(4) as usize) {
                sequence += 1;
                let stamp = Stamp { sequence: Sequence(sequence), time: UnixMs(1_000 + self.time) };
                let events = mirror.apply(stamp, &command);
                self.events.insert((number, sequence), (command, events));
            }
            recovered.push((Mirror::recovered(mirror.model), sequence));
        }
        let most = self.random.pick(&[4, 16, 64]);
        let before = std::mem::replace(&mut self.life, Life::open(recovered, most));
        self.is_early = self.random.one_in(2);
        drop(before);
        self.check_answers()
    }

    fn check_answers(&mut self) -> Result<(), String> {
        let given = std::mem::take(&mut *self.given.lock().unwrap());
        for (request, answer, progress) in given {
            let (session, command) = self.asked[request];
            let times = self.answers.entry(request).or_default();
            *times += 1;
            let wrong = |what: &str| Err(format!("request {request}, {command:?} of {session:?}: {what}"));
            if *times > 1 {
                return wrong("it was answered twice");
            }
            match answer {
                Ok(reply) => {
                    self.happened.answered += 1;
                    let Ticket { shard, sequence } = reply.ticket;
                    if progress.get(usize::from(shard)).is_none_or(|&there| there < sequence) {
                        return wrong("the answer arrived before the projection");
                    }
                    let Some((logged, events)) = self.events.get(&(shard, sequence.0)) else {
                        return wrong("it is not durable");
                    };
                    if *logged != command || reply.stamp.sequence != sequence {
                        return wrong(&format!("the answer is for {logged:?}, {reply:?}"));
                    }
                    if owner(&command) != session {
                        return wrong("the session may not give it");
                    }
                    compare_reply(&reply, events).or_else(|complaint| wrong(&complaint))?;
                }
                Err(Refusal::Layer(..)) => return wrong("there are no layers"),
                Err(Refusal::Busy) => self.happened.busy += 1,
                Err(Refusal::TooFast(_) | Refusal::TooManyInFlight) => return wrong("there are no limits"),
                Err(Refusal::Draining) => self.happened.draining += 1,
                Err(Refusal::Stopped) => self.happened.stopped += 1,
                Err(Refusal::Forbidden) if owner(&command) == session => return wrong("the session may give it"),
                Err(Refusal::Forbidden) => self.happened.forbidden += 1,
            }
        }
        Ok(())
    }
}
