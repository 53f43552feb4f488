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
use crate::door::Request;
use crate::reply::Answer;

/// How many commands are submitted before the engine is polled, but for the rest of a request.
const BATCH: usize = 1_024;

/// How often an engine wants to be polled while nothing comes.
const POLL: Duration = Duration::from_millis(1);

/// Which command became which of its shard's, and what only the command says.
pub struct Ticketed {
    /// The command.
    pub ticket: Ticket,
    /// The client's own number of an order; 0 where it has none. Engines log it and do not echo it.
    pub client_order_id: u64,
    /// Where the answers of its request go, with the first of them. The tickets behind it are of the same request, until
    /// another one begins.
    pub begins: Option<Answer>,
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
    entered: &Receiver<Request>,
    tickets: &Sender<Ticketed>,
    bell: &Arc<Bell>,
) -> Result<Closed, EngineError> {
    // ANCHOR: drive
    loop {
        match entered.recv_timeout(POLL) {
            Ok(first) => {
                let (mut next, mut submitted) = (Some(first), 0);
                while let Some(request) = next {
                    submitted += request.commands.len();
                    submit(&mut engine, request, tickets)?;
                    next = if submitted < BATCH { entered.try_recv().ok() } else { None };
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

/// Submits what a request asks for. Each ticket is sent before the next command is submitted, for that may wait until
/// this one's events are taken.
fn submit<E: Engine>(engine: &mut E, request: Request, tickets: &Sender<Ticketed>) -> Result<(), EngineError> {
    let mut begins = Some(request.answer);
    for command in request.commands {
        let ticket = engine.submit(command)?;
        // Where nobody hands out answers any more, the answer is dropped, and says so.
        let _ = tickets.send(Ticketed { ticket, client_order_id: client_order_id(&command), begins: begins.take() });
    }
    Ok(())
}
