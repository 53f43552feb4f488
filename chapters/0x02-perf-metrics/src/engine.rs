//! The engine: a command's path from the log to its acknowledgement.
//!
//! ```text
//! command -> log append -> log sync -> balance check -> matching -> settlement -> ledger -> acknowledgement
//! ```
//!
//! Invariant: what is acknowledged is on disk. Cost: two system calls and one wait for the disk for each
//! command.

use market::data_dir::DataDir;
use market::{Acknowledge, Closed, Command, EngineError, LogError, Options, Receivers, Recovery, Stage, Ticket};

use crate::exchange::Exchange;
use crate::ledger::Ledger;
use crate::log::Log;
use crate::metrics::Metrics;

/// An engine that syncs the disk for every command.
pub struct Engine<M> {
    log: Log,
    exchange: Exchange,
    ledger: Ledger,
    acks: Box<dyn Acknowledge>,
    metrics: M,
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
        let mut acks = receivers(0);
        let (log, recovery) = Log::open(options, |stamp, command| {
            let events = exchange.apply(&command, &mut metrics);
            acks.replayed(stamp, &events);
            ledger.write(&events)
        })?;
        ledger.take_place()?;
        acks.recovered(log.next(), &|| exchange.state());
        let engine = Engine { log, exchange, ledger, acks, metrics: M::default(), stopped: false, _held };
        Ok((engine, recovery))
    }

    fn submit(&mut self, command: Command) -> Result<Ticket, EngineError> {
        self.check_running()?;
        // Any failure from here on, including a panic of the receiver, leaves the engine stopped.
        self.stopped = true;
        let sequence = self.log.next();
        self.process(command)?;
        self.stopped = false;
        Ok(Ticket { shard: 0, sequence })
    }

    fn poll(&mut self) -> Result<(), EngineError> {
        self.check_running()
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        self.check_running()
    }

    fn close(self) -> Result<Closed, EngineError> {
        self.check_running()?;
        Ok(Closed { state: self.exchange.state(), stages: self.metrics.times(), remarks: Vec::new() })
    }
}

impl<M: Metrics> Engine<M> {
    /// After an error it is uncertain what is on disk, so only a restart can continue.
    fn check_running(&self) -> Result<(), EngineError> {
        match self.stopped {
            true => Err(LogError::Stopped { path: self.log.path().to_path_buf() }.into()),
            false => Ok(()),
        }
    }

    // ANCHOR: process
    /// Takes one command through the whole pipeline.
    fn process(&mut self, command: Command) -> Result<(), EngineError> {
        self.metrics.start();
        let stamp = self.log.append(&command)?;
        self.metrics.lap(Stage::LogAppend);
        self.log.sync()?;
        self.metrics.lap(Stage::LogSync);
        let events = self.exchange.apply(&command, &mut self.metrics);
        self.metrics.lap(Stage::Settlement);
        self.ledger.write(&events)?;
        self.metrics.lap(Stage::Ledger);
        self.acks.acknowledge(stamp, &events);
        Ok(())
    }
    // ANCHOR_END: process
}
