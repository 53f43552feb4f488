//! Logs of an engine in this process, with times that a test sets.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use contract::streams::{Random, prologue};
use market::{Acknowledge, Clock, Command, Engine as _, Event, MarketId, Options, Outcome, Receivers, Stamp, UnixMs};

/// When the first command comes: in March 2026.
const BEGINNING: u64 = 1_772_323_199_000;

struct Deaf;

impl Acknowledge for Deaf {
    fn acknowledge(&mut self, _: Stamp, _: &[Event]) {}
}

/// Options with a clock that goes on by some milliseconds, and sometimes by hours.
pub fn options(folder: &Path, shards: u16, trims: bool) -> Options {
    let at = Arc::new(AtomicU64::new(0));
    let clock = move || {
        let frame = at.fetch_add(1, Ordering::Relaxed);
        UnixMs(BEGINNING + frame * 337 + frame / 16 * 2_000_000)
    };
    Options {
        shards,
        snapshot_every: Some(40),
        segment_commands: Some(60),
        trim_log: trims,
        clock: Clock::new(clock),
        ..Options::new(folder)
    }
}

/// Commands that trade, in this order.
pub fn commands(seed: u64, count: usize) -> Vec<Command> {
    let mut random = Random::new(seed);
    let mut commands = prologue();
    commands.extend((0..count).map(|_| random.command()));
    commands.push(Command::Resolve { market: MarketId(1), outcome: Outcome::Yes });
    commands
}

/// Runs an engine over commands, a few in a frame, and calls `meanwhile` between them.
pub fn run(options: &Options, commands: &[Command], mut meanwhile: impl FnMut()) {
    let mut receivers = |_: u16| Box::new(Deaf) as Box<dyn Acknowledge>;
    let (mut engine, _) =
        ch08::Engine::<ch08::metrics::Unmeasured>::open(options, &mut receivers as &mut Receivers<'_>).unwrap();
    for some in commands.chunks(7) {
        for &command in some {
            engine.submit(command).unwrap();
        }
        engine.flush().unwrap();
        meanwhile();
    }
    engine.close().unwrap();
}
