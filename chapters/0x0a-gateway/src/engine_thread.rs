//! The one thread that drives the engine, and the only code that is generic over it.
//!
//! Connections put requests into a queue; this thread takes them, submits them, polls the engine, and tells the replies
//! thread which ticket belongs to which request. Engines up to 0x02 acknowledge before `submit` returns, so a ticket
//! may arrive after its acknowledgement.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use market::{Closed, Command, Engine, EngineError, Ticket};

use crate::bell::Bell;
use crate::door::Request;
use crate::reply::Answer;
use crate::watch::Passed;

/// How many commands to submit before polling the engine; a request that has begun is submitted to its end.
const BATCH: usize = 1_024;

/// How often to poll the engine while no request arrives.
const POLL: Duration = Duration::from_millis(1);

/// The ticket of a command, and the parts of the command that its events lack.
pub struct Ticketed {
    /// The command.
    pub ticket: Ticket,
    /// The client's own number of an order; 0 if it has none. Engines log it and do not echo it.
    pub client_order_id: u64,
    /// Where the answers of its request go; only the request's first ticket has it. The tickets up to the next `Some`
    /// belong to the same request.
    pub begins: Option<Answer>,
}

/// The client's own number in a command; 0 if it has none.
pub fn client_order_id(command: &Command) -> u64 {
    match command {
        Command::Place(place) => place.client_order_id,
        _ => 0,
    }
}

/// Drives the engine until the queue is closed and empty, and closes it.
///
/// # Errors
/// If the engine has stopped. Unanswered commands are then answered with
/// [`Refusal::Stopped`](crate::reply::Refusal::Stopped).
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

/// Submits a request. Each ticket is sent before the next command is submitted, because submitting may block until the
/// replies thread has taken this one's events.
fn submit<E: Engine>(engine: &mut E, request: Request, tickets: &Sender<Ticketed>) -> Result<(), EngineError> {
    request.answer.passed(Passed::Taken);
    let mut begins = Some(request.answer);
    for command in request.commands {
        let ticket = engine.submit(command)?;
        // If the replies thread is gone, the answer is dropped, which answers `Stopped`.
        let _ = tickets.send(Ticketed { ticket, client_order_id: client_order_id(&command), begins: begins.take() });
    }
    Ok(())
}
