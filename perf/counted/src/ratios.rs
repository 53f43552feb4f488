//! Ratios between chapters by the clock: both take turns in one run, and the best of several rounds
//! counts for each, because other load on the machine can only make a round slower.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use market::flow::{DEFAULT_SEED, Flow, FlowName, generate};
use market::{Command, Engine};
use program::{Unprinted, Verdict, print};

use crate::disk::NoDisk;
use crate::engines::open;

/// A sync of this length is in the middle of what disks do, and it is the same everywhere: with the
/// machine's own disk, the ratio would depend on the disk.
const SYNC: Duration = Duration::from_millis(1);

/// A ratio: its name, how many times as fast the first chapter must at least be, and the measurement.
type Ratio = (&'static str, f64, fn() -> f64);

/// The minimum is so far below what is measured that it holds on any machine.
const RATIOS: [Ratio; 2] =
    [("0x03 to 0x01, durable, with a sync of 1 ms", 50.0, durable), ("0x05 to 0x04, in memory", 1.5, in_memory)];

/// Prints a line for each: its name, the minimum, and the measured ratio.
pub fn print_all() -> Result<Verdict, Unprinted> {
    for (name, least, measure) in RATIOS {
        print(format_args!("{name}\t{least}\t{}\n", measure()))?;
    }
    Ok(Verdict::Yes)
}

fn durable() -> f64 {
    const ORDERS: usize = 64 * 1_024;
    let Flow { setup, body, .. } = generate(FlowName::Classic, ORDERS, DEFAULT_SEED);
    let folder = tempfile::tempdir().expect("a folder for the ledger");
    // 0x01 takes a millisecond for each order, so it runs only the beginning of the flow, without
    // the setup.
    let one = rate::<ch01::Engine>(folder.path(), &[], &body[..300]);
    let many = rate::<ch03::Engine<ch03::metrics::Unmeasured>>(folder.path(), &setup, &body);
    many / one
}

/// Orders a second from the first to the last acknowledgement.
fn rate<E: Engine>(folder: &Path, setup: &[Command], body: &[Command]) -> f64 {
    let mut engine = open::<E>(folder, NoDisk { sync_delay: SYNC });
    setup.iter().try_for_each(|&command| engine.submit(command).map(drop)).expect("this disk accepts everything");
    engine.flush().expect("this disk accepts everything");
    let start = Instant::now();
    body.iter().try_for_each(|&command| engine.submit(command).map(drop)).expect("this disk accepts everything");
    engine.flush().expect("this disk accepts everything");
    body.len() as f64 / start.elapsed().as_secs_f64()
}

fn in_memory() -> f64 {
    const ORDERS: usize = 200_000;
    const ROUNDS: usize = 7;
    let flow = generate(FlowName::Classic, ORDERS, DEFAULT_SEED);
    let mut best = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        best[0] = best[0].min(time_0x04(&flow));
        best[1] = best[1].min(time_0x05(&flow));
    }
    best[0].as_secs_f64() / best[1].as_secs_f64()
}

/// How long a chapter's exchange takes for the orders of a flow.
macro_rules! time {
    ($name:ident, $chapter:ident) => {
        fn $name(flow: &Flow) -> Duration {
            let (mut events, mut metrics) = (Vec::new(), $chapter::metrics::Unmeasured);
            let mut exchange = $chapter::exchange::Exchange::default();
            let mut apply = |command: &Command| {
                events.clear();
                exchange.apply(command, &mut events, &mut metrics);
                black_box(&events);
            };
            flow.setup.iter().for_each(&mut apply);
            let start = Instant::now();
            flow.body.iter().for_each(&mut apply);
            start.elapsed()
        }
    };
}

time!(time_0x04, ch04);
time!(time_0x05, ch05);
