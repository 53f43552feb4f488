//! The expected answer, from the model's events.

use gateway::reply::{EVENTS_MAX, Reply, Session};
use market::{CancelReason, Command, Event, Place};

/// The session that may give a command.
pub fn owner(command: &Command) -> Session {
    match *command {
        Command::Place(Place { account, .. }) | Command::Cancel { account, .. } => Session::Account(account),
        _ => Session::Operator,
    }
}

/// An answer contains the command's events, except those that only concern others.
pub fn compare_reply(reply: &Reply, events: &[Event]) -> Result<(), String> {
    let of_others =
        |event: &&Event| matches!(event, Event::Paid { .. } | Event::Cancelled { reason: CancelReason::Resolved, .. });
    let own: Vec<_> = events.iter().filter(|event| !of_others(event)).copied().collect();
    let traded = events.iter().map(|event| match event {
        Event::Traded { quantity, .. } => u64::from(quantity.0),
        _ => 0,
    });
    let mut shown = own[..own.len().min(EVENTS_MAX)].to_vec();
    // The cancellation of the rest is always among them.
    if let (Some(last), Some(cancelled @ Event::Cancelled { .. })) = (shown.last_mut(), own.last()) {
        *last = *cancelled;
    }
    if reply.events[..] != shown[..]
        || reply.left_out != (own.len() - shown.len()) as u64
        || reply.filled != traded.sum::<u64>()
    {
        return Err(format!("{reply:?}\n instead of {own:?}"));
    }
    Ok(())
}
