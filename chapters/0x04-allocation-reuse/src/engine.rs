//! The engine: a command's path from the log to its acknowledgement.
//!
//! ```text
//! command -> log append -> log sync -> balance check -> matching -> settlement -> ledger -> acknowledgement
//! ```
//!
//! Invariant: what is acknowledged is on disk. Cost: two system calls and one wait for the disk for each
//! batch, and a command may wait for its batch.

use std::time::{Duration, Instant};

use market::data_dir::DataDir;
use market::{Acknowledge, Closed, Command, EngineError, Event, LogError, Options, Receivers, Recovery, Stage, Ticket};

use crate::exchange::Exchange;
use crate::ledger::Ledger;
use crate::log::Log;
use crate::metrics::Metrics;

/// How many commands come between two readings of the clock: a reading takes 25 ns, and one for every
/// command would be a tenth of a fast engine's time.
const LOOK_EVERY: usize = 32;

/// An engine that syncs the disk for every batch of commands.
pub struct Engine<M> {
    log: Log,
    exchange: Exchange,
    ledger: Ledger,
    acks: Box<dyn Acknowledge>,
    metrics: M,
    /// Commands that were submitted and are not yet durable, applied or acknowledged.
    batch: Vec<Command>,
    /// When the first of them was submitted.
    batch_began: Instant,
    batch_max: usize,
    batch_interval: Duration,
    /// The events of the current command; kept, so that the list is allocated once.
    events: Vec<Event>,
    /// Set by the first error: what is on disk is uncertain from then on.
    stopped: bool,
    /// The lock of the directory: no other engine opens it meanwhile.
    _held: DataDir,
}

impl<M: Metrics> market::Engine for Engine<M> {
    fn open(options: &Options, receivers: &mut Receivers<'_>) -> Result<(Engine<M>, Recovery), EngineError> {
        let _held = DataDir::open(&*options.disk, &options.data_dir)?;
        let mut exchange = Exchange::default();
        let mut ledger = Ledger::create(&options.data_dir)?;
        let mut metrics = M::default();
        let mut events = Vec::new();
        let mut acks = receivers(0);
        let (log, recovery) = Log::open(options, |stamp, command| {
            events.clear();
            exchange.apply(&command, &mut events, &mut metrics);
            acks.replayed(stamp, &events);
            ledger.write(&events)
        })?;
        ledger.flush()?;
        ledger.take_place()?;
        acks.recovered(log.next(), &|| exchange.state());
        let engine = Engine {
            log,
            exchange,
            ledger,
            acks,
            metrics: M::default(),
            batch: Vec::new(),
            batch_began: Instant::now(),
            batch_max: options.batch_max,
            batch_interval: options.batch_interval,
            events,
            stopped: false,
            _held,
        };
        Ok((engine, recovery))
    }

    // ANCHOR: submit
    fn submit(&mut self, command: Command) -> Result<Ticket, EngineError> {
        self.check_running()?;
        if self.batch.is_empty() {
            self.batch_began = Instant::now();
        }
        let sequence = self.log.next().plus(self.batch.len() as u64);
        self.batch.push(command);
        match self.batch.len() {
            full if full >= self.batch_max => self.commit()?,
            some if some.is_multiple_of(LOOK_EVERY) => self.poll()?,
            _ => {}
        }
        Ok(Ticket { shard: 0, sequence })
    }

    fn poll(&mut self) -> Result<(), EngineError> {
        self.check_running()?;
        if !self.batch.is_empty() && self.batch_began.elapsed() >= self.batch_interval {
            self.commit()?;
        }
        Ok(())
    }
    // ANCHOR_END: submit

    fn flush(&mut self) -> Result<(), EngineError> {
        self.check_running()?;
        if !self.batch.is_empty() {
            self.commit()?;
        }
        let flushed = self.ledger.flush();
        self.stopped = flushed.is_err();
        flushed
    }

    fn close(mut self) -> Result<Closed, EngineError> {
        self.flush()?;
        Ok(Closed { state: self.exchange.state(), stages: self.metrics.times(), remarks: Vec::new() })
    }
}

impl<M: Metrics> Engine<M> {
    /// Ends the batch and takes it through the whole pipeline.
    fn commit(&mut self) -> Result<(), EngineError> {
        // Any failure from here on, including a panic of the receiver, leaves the engine stopped.
        self.stopped = true;
        self.process()?;
        self.stopped = false;
        Ok(())
    }

    /// After an error it is uncertain what is on disk, so only a restart can continue.
    fn check_running(&self) -> Result<(), EngineError> {
        match self.stopped {
            true => Err(LogError::Stopped { path: self.log.path().to_path_buf() }.into()),
            false => Ok(()),
        }
    }

    // ANCHOR: process
    /// Takes the batch through the whole pipeline: one frame, one sync, then each command.
    fn process(&mut self) -> Result<(), EngineError> {
        self.metrics.start();
        let first = self.log.append(&self.batch)?;
        self.metrics.lap(Stage::LogAppend);
        self.log.sync()?;
        self.metrics.lap(Stage::LogSync);
        for (at, command) in self.batch.iter().enumerate() {
            self.metrics.start();
            self.events.clear();
            self.exchange.apply(command, &mut self.events, &mut self.metrics);
            self.metrics.lap(Stage::Settlement);
            self.ledger.write(&self.events)?;
            self.metrics.lap(Stage::Ledger);
            self.acks.acknowledge(first.plus(at as u64), &self.events);
        }
        self.batch.clear();
        Ok(())
    }
    // ANCHOR_END: process
}
