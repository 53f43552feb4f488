//! Opens an engine with taps and offers a flow to it.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use market::flow::Flow;
use market::{Acknowledge, Closed, Command, DataDir, Engine, EngineError, Options, Ticket};
use runner::thread_time;

use crate::tap::Tap;

/// How many records a tap's ring holds: 512 KiB, which stay in the L2 cache, and a sixth of a second at 100,000 events
/// per second.
pub const TAP_RECORDS: usize = 1 << 14;

/// How long the offering thread sleeps between two checks of the clock.
const SLICE: Duration = Duration::from_micros(200);

/// After how many commands of a backlog to check whether the time is over.
const CHECK_EVERY: usize = 64;

/// Waking up later than this is more than the system's own slack: another thread had the core.
const SLACK_MAX: Duration = Duration::from_millis(2);

/// The options that engines are opened with here.
pub fn options(data_dir: &Path, shards: u16, commands: usize) -> Options {
    Options { shards, reserve_commands: commands, snapshot_every: Some(1_000_000), ..Options::new(data_dir) }
}

/// Opens an engine on a log that holds the flow's set-up, or on the existing log. `behind` says what each shard's tap
/// is wrapped in.
///
/// # Errors
/// If the log can't be trusted or the disk can't be written.
pub fn open<E: Engine>(
    options: &Options,
    setup: &[Command],
    taps: Vec<Tap>,
    behind: &mut dyn FnMut(u16, Tap) -> Box<dyn Acknowledge>,
) -> Result<E, EngineError> {
    DataDir::open(&*options.disk, &options.data_dir)?.first_start(options, setup)?;
    let mut taps = taps.into_iter();
    // An engine asks once per shard; if it asked again, nothing would read that tap.
    let mut tap = |shard| {
        let tap = taps.next().unwrap_or_else(|| crate::tap::tap(1).0);
        behind(shard, tap)
    };
    Ok(E::open(options, &mut tap)?.0)
}

/// The result of offering a flow.
pub struct Offered {
    /// When the first command was due.
    pub began: Instant,
    /// The ticket of each command.
    pub tickets: Vec<Ticket>,
    /// From the start until all commands were acknowledged.
    pub time: Duration,
    /// Processor time of the offering thread, where the system reports it.
    pub processor: Option<Duration>,
    /// How long in all that thread was late with due commands because it did not get a core.
    pub overslept: Duration,
}

/// Offers commands at `rate` per second, whether or not the engine keeps up, for at most `time`. A command is due
/// according to its index.
///
/// # Errors
/// If the engine has stopped.
pub fn offer<E: Engine>(
    engine: &mut E,
    commands: &[Command],
    rate: u64,
    time: Duration,
    is_over: &dyn Fn() -> bool,
) -> Result<Offered, EngineError> {
    let mut tickets = Vec::with_capacity(commands.len());
    let (began, worked) = (Instant::now(), thread_time());
    let (mut elapsed, mut overslept) = (Duration::ZERO, Duration::ZERO);
    while tickets.len() < commands.len() && elapsed < time && !is_over() {
        let due = (elapsed.as_nanos() * u128::from(rate) / 1_000_000_000) as usize;
        for &command in commands.iter().take(due).skip(tickets.len()) {
            tickets.push(engine.submit(command)?);
            // An engine that is slower than the rate has a backlog that would take far longer than `time`.
            if tickets.len().is_multiple_of(CHECK_EVERY) && (began.elapsed() >= time || is_over()) {
                break;
            }
        }
        engine.poll()?;
        let asleep = began.elapsed();
        thread::sleep(SLICE);
        elapsed = began.elapsed();
        overslept += Some(elapsed - asleep).filter(|slept| *slept > SLICE + SLACK_MAX).unwrap_or_default();
    }
    engine.flush()?;
    let processor = worked.and_then(|before| Some(thread_time()?.saturating_sub(before)));
    Ok(Offered { began, tickets, time: began.elapsed(), processor, overslept })
}

/// Offers all commands as fast as the engine takes them.
///
/// # Errors
/// If the engine has stopped.
pub fn offer_all<E: Engine>(mut engine: E, flow: &Flow) -> Result<(Duration, Closed), EngineError> {
    let began = Instant::now();
    for &command in &flow.body {
        engine.submit(command)?;
    }
    engine.flush()?;
    Ok((began.elapsed(), engine.close()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use market::{MarketId, Receivers, Recovery, Sequence};

    /// An engine that can do a thousand commands per second at most.
    struct Slow;

    impl Engine for Slow {
        fn open(_: &Options, _: &mut Receivers<'_>) -> Result<(Slow, Recovery), EngineError> {
            Err(EngineError::ThreadStopped { role: "slow", reason: "it is not opened".into() })
        }

        fn submit(&mut self, _: Command) -> Result<Ticket, EngineError> {
            thread::sleep(Duration::from_millis(1));
            Ok(Ticket { shard: 0, sequence: Sequence(1) })
        }

        fn close(self) -> Result<Closed, EngineError> {
            Err(EngineError::ThreadStopped { role: "slow", reason: "it is not closed".into() })
        }
    }

    #[test]
    fn an_offer_ends_in_time_even_with_a_backlog() {
        let commands = [Command::Open { market: MarketId(1) }; 10_000];
        let offered = offer(&mut Slow, &commands, 1_000_000, Duration::from_millis(50), &|| false).expect("it runs");
        // After this many commands at least 64 ms have passed.
        assert!((1..=CHECK_EVERY).contains(&offered.tickets.len()), "{} commands", offered.tickets.len());
        let ended = offer(&mut Slow, &commands, 1_000_000, Duration::from_secs(60), &|| true).expect("it runs");
        assert_eq!(ended.tickets.len(), 0);
    }
}
