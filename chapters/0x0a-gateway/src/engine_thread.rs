//! The one thread that drives the engine, and the one place that is generic over it.
//!
//! Connections put requests into a queue; this thread takes what is there, submits it, polls, and tells who hands out the
//! answers which ticket belongs to whom. Engines up to 0x02 acknowledge before `submit` returns, so a ticket may come after
//! its acknowledgement.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use market::{Closed, Command, Engine, EngineError, Ticket};

use crate::bell::Bell;
use crate::door::Entered;
use crate::reply::Answer;

/// How many requests are submitted before the engine is polled.
const BATCH: usize = 1_024;

/// How often an engine wants to be polled while nothing comes.
const POLL: Duration = Duration::from_millis(1);

/// Who waits for which command, and what only the command says.
pub struct Ticketed {
    /// The command.
    pub ticket: Ticket,
    /// The client's own number of an order; 0 where it has none. Engines log it and do not echo it.
    pub client_order_id: u64,
    /// Where the answer goes.
    pub answer: Answer,
}

/// The client's own number in a command; 0 where it has none.
pub fn client_order_id(command: &Command) -> u64 {
    match command {
        Command::Place(place) => place.client_order_id,
        _ => 0,
    }
}

/// Drives the engine until the queue is closed and empty, and closes it.
///
/// # Errors
/// When the engine has stopped. What it had not answered is answered with "nobody knows".
pub fn drive<E: Engine>(
    mut engine: E,
    entered: &Receiver<Entered>,
    tickets: &Sender<Ticketed>,
    bell: &Arc<Bell>,
) -> Result<Closed, EngineError> {
    // ANCHOR: drive
    loop {
        match entered.recv_timeout(POLL) {
            Ok(first) => {
                for Entered { command, answer } in std::iter::once(first).chain(entered.try_iter().take(BATCH - 1)) {
                    let client_order_id = client_order_id(&command);
                    let ticket = engine.submit(command)?;
                    // Where nobody hands out answers any more, the answer is dropped, and says so.
                    let _ = tickets.send(Ticketed { ticket, client_order_id, answer });
                }
                engine.poll()?;
                bell.ring();
            }
            Err(RecvTimeoutError::Timeout) => engine.poll()?,
            Err(RecvTimeoutError::Disconnected) => return engine.close(),
        }
    }
    // ANCHOR_END: drive
}
