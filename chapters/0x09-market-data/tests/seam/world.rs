//! All parts on one thread, taking turns in an order drawn from a seed.

use std::sync::Arc;

use contract::streams::{Random, prologue};
use market::log::ShardOf;
use market::{Acknowledge, Command, MarketId, Outcome, Step};
use market_data::board::Board;
use market_data::feed::{Feed, Settings};
use market_data::past::{Past, Source};
use market_data::reader::Reader;
use market_data::tap::{Tap, Tapped, tap};
use market_data::{Cursor, Version};

use crate::client::Client;
use crate::fault::Fault;
use crate::truth::{MemoryPast, Truth, locked};

/// What occurred, so that a test can show that it was covered.
#[derive(Default, Debug)]
pub struct Happened {
    pub laps: u64,
    pub feed_restarts: u64,
    pub engine_restarts: u64,
    pub lost: u64,
    pub doubled: u64,
    pub gaps: u64,
    pub stale: u64,
    pub resolved: u64,
    pub trades_seen: u64,
    /// Runs in which no reader was lapped and nothing died, so there must be no gap.
    pub quiet_runs: u64,
}

impl Happened {
    pub fn add(&mut self, other: &Happened) {
        self.laps += other.laps;
        self.feed_restarts += other.feed_restarts;
        self.engine_restarts += other.engine_restarts;
        self.lost += other.lost;
        self.doubled += other.doubled;
        self.gaps += other.gaps;
        self.stale += other.stale;
        self.resolved += other.resolved;
        self.trades_seen += other.trades_seen;
        self.quiet_runs += other.quiet_runs;
    }
}

/// A shard of the engine.
struct Engine {
    truth: Truth,
    tap: Tap,
    tapped: Tapped,
    acknowledged: usize,
}

pub struct World {
    random: Random,
    fault: Fault,
    /// Small rings, so that laps happen; or large ones and nothing dies: then there must be no gap.
    is_quiet: bool,
    tap_records: usize,
    trades_kept: usize,
    epochs: u64,
    engines: Vec<Engine>,
    feed: Option<Feed>,
    /// How often feeds that are gone were lapped.
    laps: u64,
    board: Arc<Board>,
    reader: Reader,
    clients: Vec<Client>,
    happened: Happened,
}

impl World {
    pub fn new(seed: u64, fault: Fault) -> World {
        let mut random = Random::new(seed);
        let is_quiet = random.one_in(10);
        let tap_records = if is_quiet { 4_096 } else { random.pick(&[2, 8, 32]) };
        let trades_kept = if is_quiet { 4_096 } else { random.pick(&[2, 8, 32]) };
        let engines = (0..1 + random.below(2)).map(|_| {
            let truth = Truth::default();
            let (mut tap, tapped) = tap(tap_records);
            tap.recovered(truth.opened().next, &|| truth.opened().state);
            Engine { truth, tap, tapped, acknowledged: 0 }
        });
        let mut world = World {
            engines: engines.collect(),
            fault,
            is_quiet,
            tap_records,
            trades_kept,
            epochs: 0,
            feed: None,
            laps: 0,
            board: Arc::default(),
            reader: Reader::default(),
            clients: (0..6).map(|n| Client::new(MarketId(n % 3))).collect(),
            happened: Happened::default(),
            random,
        };
        world.start_feed(Feed::new);
        prologue().iter().for_each(|command| world.submit(command));
        world
    }

    fn shard(&self, market: MarketId) -> usize {
        ShardOf::market(market, self.engines.len() as u16).shard.into()
    }

    fn start_feed(&mut self, start: fn(Settings, Vec<Source>) -> Feed) {
        self.epochs += u64::from(self.fault != Fault::VersionReused || self.epochs == 0);
        let settings = Settings { epoch: self.epochs, trades_kept: self.trades_kept };
        let taps = self.engines.iter().map(|engine| {
            let past =
                MemoryPast { log: Arc::clone(&engine.truth.log), at: 0, asked: self.epochs, followed: self.epochs };
            (engine.tapped.clone(), Box::new(past) as Box<dyn Past>)
        });
        let feed = start(settings, taps.collect());
        self.board = Arc::clone(feed.board());
        self.feed = Some(feed);
    }

    fn submit(&mut self, command: &Command) {
        let shard = self.shard(command.market());
        self.engines[shard].truth.apply(command);
        self.happened.resolved += u64::from(matches!(command, Command::Resolve { .. }));
    }

    /// Whatever happens next.
    pub fn turn(&mut self) -> Result<(), String> {
        match self.random.below(1_000) {
            0..250 => {
                for _ in 0..self.random.below(12) {
                    let command = self.command();
                    self.submit(&command);
                }
            }
            250..450 => self.acknowledge(),
            450..580 => _ = self.step_feed()?,
            580..780 => self.serve()?,
            780..980 => self.deliver()?,
            980..985 => self.snapshot(),
            985..988 if !self.is_quiet => self.stop_feed()?,
            988..991 if !self.is_quiet => self.restart_engine()?,
            _ => self.client_comes_or_goes()?,
        }
        Ok(())
    }

    fn command(&mut self) -> Command {
        match self.random.below(500) {
            0 => Command::Resolve { market: MarketId(self.random.below(2) as u32), outcome: Outcome::Yes },
            _ => self.random.command(),
        }
    }

    fn acknowledge(&mut self) {
        let shard = self.random.below(self.engines.len() as u64) as usize;
        let count = self.random.below(16) as usize;
        let Engine { truth, tap, acknowledged, .. } = &mut self.engines[shard];
        let log = locked(&truth.log);
        for (stamp, events) in log.entries.iter().skip(*acknowledged).take(count) {
            tap.acknowledge(*stamp, &self.fault.tapped(events));
            *acknowledged += 1;
        }
    }

    fn step_feed(&mut self) -> Result<Step, String> {
        match &mut self.feed {
            Some(feed) => feed.step().map_err(|error| error.to_string()),
            None if self.random.one_in(8) => {
                self.start_feed(Feed::join);
                Ok(Step::Worked)
            }
            None => Ok(Step::Idle),
        }
    }

    fn serve(&mut self) -> Result<(), String> {
        let at = self.random.below(self.clients.len() as u64) as usize;
        let trades_max = self.random.below(6) as usize;
        let market = self.clients[at].market;
        let Some(shown) = self.board.market(market) else { return Ok(()) };
        self.clients[at].serve(&shown, &mut self.reader, trades_max, self.fault);
        // A reader that connects while no feed is following must learn that.
        let is_followed = self.feed.as_ref().is_some_and(|feed| feed.is_following(self.shard(market)));
        if !is_followed && let Some(update) = self.reader.book(&shown, &mut Cursor::default()) {
            self.happened.stale += 1;
            if self.fault.spoil(*update).summary.is_fresh {
                return Err(format!("market {market} claims to be fresh, but no feed follows it"));
            }
        }
        Ok(())
    }

    fn deliver(&mut self) -> Result<(), String> {
        for _ in 0..1 + self.random.below(8) {
            let at = self.random.below(self.clients.len() as u64) as usize;
            let shard = self.shard(self.clients[at].market);
            let client = &mut self.clients[at];
            let Some(message) = client.way.pop_front() else { continue };
            match self.random.below(16) {
                0 => self.happened.lost += 1,
                1 => {
                    self.happened.doubled += 1;
                    client.way.push_back(message);
                    client.arrive(&message, &self.engines[shard].truth, self.fault)?;
                }
                _ => client.arrive(&message, &self.engines[shard].truth, self.fault)?,
            }
        }
        Ok(())
    }

    fn snapshot(&mut self) {
        for engine in &self.engines {
            let opened = engine.truth.opened();
            locked(&engine.truth.log).snapshots.push(opened);
        }
    }

    /// The feed dies, and with it all connections.
    fn stop_feed(&mut self) -> Result<(), String> {
        if let Some(feed) = self.feed.take() {
            self.laps += feed.laps();
            self.happened.feed_restarts += 1;
        }
        for shown in self.board.markets() {
            let mut cursor = Cursor { book: Version::NONE, ..Cursor::default() };
            if self.reader.book(&shown, &mut cursor).is_some_and(|update| update.summary.is_fresh) {
                return Err(format!("market {} claims to be fresh, but its feed is gone", shown.market));
            }
        }
        self.clients.iter_mut().for_each(Client::ask);
        Ok(())
    }

    /// The program dies and restarts: commands that were durable but not yet acknowledged are in the recovered state.
    fn restart_engine(&mut self) -> Result<(), String> {
        self.stop_feed()?;
        self.happened.engine_restarts += 1;
        for engine in &mut self.engines {
            (engine.tap, engine.tapped) = tap(self.tap_records);
            engine.tap.recovered(engine.truth.opened().next, &|| engine.truth.opened().state);
            engine.acknowledged = engine.truth.length();
        }
        self.start_feed(Feed::new);
        Ok(())
    }

    fn client_comes_or_goes(&mut self) -> Result<(), String> {
        let at = self.random.below(self.clients.len() as u64) as usize;
        let market = self.clients[at].market;
        match self.random.one_in(3) {
            true => {
                let shard = self.shard(market);
                let gone = std::mem::replace(&mut self.clients[at], Client::new(market));
                gone.check_trades(&self.engines[shard].truth)?;
                self.note(&gone);
            }
            false => self.clients[at].ask(),
        }
        Ok(())
    }

    fn note(&mut self, client: &Client) {
        self.happened.gaps += client.gaps.len() as u64;
        self.happened.trades_seen += client.seen.len() as u64;
    }

    /// Every part runs until there is nothing left to do; then every reader must have everything.
    pub fn come_to_rest(mut self) -> Result<Happened, String> {
        while self.engines.iter().any(|engine| engine.acknowledged < engine.truth.length()) {
            self.acknowledge();
        }
        while self.feed.is_none() || self.step_feed()? != Step::Idle || !self.all_followed() {
            self.step_feed()?;
        }
        let mut clients = std::mem::take(&mut self.clients);
        for client in &mut clients {
            let truth = &self.engines[self.shard(client.market)].truth;
            if !truth.markets().any(|market| market == client.market) {
                continue;
            }
            let shown = self.board.market(client.market).ok_or("a market is not shown")?;
            client.ask();
            loop {
                client.serve(&shown, &mut self.reader, usize::MAX, self.fault);
                if client.way.is_empty() {
                    break;
                }
                while let Some(message) = client.way.pop_front() {
                    client.arrive(&message, truth, self.fault)?;
                }
            }
            client.check_end(truth)?;
            if self.is_quiet && !client.gaps.is_empty() {
                return Err(format!("no reader was slow, but these were missed: {:?}", client.gaps));
            }
        }
        clients.iter().for_each(|client| self.note(client));
        self.happened.laps += self.laps + self.feed.as_ref().map_or(0, Feed::laps);
        self.happened.quiet_runs += u64::from(self.is_quiet);
        Ok(self.happened)
    }

    fn all_followed(&self) -> bool {
        self.feed.as_ref().is_some_and(|feed| (0..self.engines.len()).all(|shard| feed.is_following(shard)))
    }
}
