//! The engine and its shadow, and the shadow's thread.
//!
//! The engine does not know about it: the two share only the log. When the shadow can't go on, the engine does, and
//! reports it when it is closed.

use market::{Closed, Command, EngineError, Options, Receivers, Recovery, Ticket};

use crate::engine;
use crate::metrics::Metrics;

/// An engine that is followed by a shadow, if that was asked for.
pub struct Engine<M> {
    engine: engine::Engine<M>,
}

impl<M: Metrics> market::Engine for Engine<M> {
    fn open(options: &Options, receivers: &mut Receivers<'_>) -> Result<(Engine<M>, Recovery), EngineError> {
        // Step 3 begins here: `Options::snapshot_every` asks for a shadow.
        let (engine, recovery) = engine::Engine::open(options, receivers)?;
        Ok((Engine { engine }, recovery))
    }

    fn submit(&mut self, command: Command) -> Result<Ticket, EngineError> {
        self.engine.submit(command)
    }

    fn poll(&mut self) -> Result<(), EngineError> {
        self.engine.poll()
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        self.engine.flush()
    }

    fn close(self) -> Result<Closed, EngineError> {
        self.engine.close()
    }
}
