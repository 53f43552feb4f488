//! The engine: a pipeline of three threads connected by a ring.
//!
//! Invariant: what is acknowledged is on disk. Cost: a copy into the ring for the caller, two threads for the engine.

use std::marker::PhantomData;

use market::data_dir::DataDir;
use market::{Closed, Command, EngineError, Options, Receivers, Recovery, Ticket};

use crate::metrics::Metrics;
use crate::pipeline::{Pipeline, Replayed};

/// An engine that matches beside its journal.
pub struct Engine<M> {
    pipeline: Pipeline,
    metrics: PhantomData<M>,
    /// The lock of the directory: no other engine opens it meanwhile.
    _held: DataDir,
}

impl<M: Metrics> market::Engine for Engine<M> {
    fn open(options: &Options, receivers: &mut Receivers<'_>) -> Result<(Engine<M>, Recovery), EngineError> {
        let _held = DataDir::open(&*options.disk, &options.data_dir)?;
        let replayed = Replayed::read::<M>(options, receivers(0))?;
        let (pipeline, recovery) = Pipeline::open::<M>(options, replayed)?;
        Ok((Engine { pipeline, metrics: PhantomData, _held }, recovery))
    }

    fn submit(&mut self, command: Command) -> Result<Ticket, EngineError> {
        Ok(Ticket { shard: 0, sequence: self.pipeline.submit(command)? })
    }

    fn poll(&mut self) -> Result<(), EngineError> {
        self.pipeline.publish()?;
        self.pipeline.pause();
        Ok(())
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        self.pipeline.flush()
    }

    fn close(self) -> Result<Closed, EngineError> {
        self.pipeline.close()
    }
}
