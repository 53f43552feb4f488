//! One workload for many builds: an engine of the ladder in memory, with no log and no disk, over the flow `venue`.
//!
//! An allocator and a compile option belong to a whole program, so comparing them takes one program each. This crate
//! depends on the engines and on nothing else, which keeps those builds short.
#![forbid(unsafe_code)]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use market::flow::{DEFAULT_SEED, Flow, FlowName, generate};
use market::{Command, Event};
use program::Verdict;

/// The time of a run, and its result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Worked {
    /// Nanoseconds for each command.
    pub ns: f64,
    /// Equal for every build and every engine, as the contract requires.
    pub answer: u64,
}

/// Sums up events so that two runs can be compared: how many there were, and how many shares traded.
#[derive(Clone, Copy, Default)]
pub struct Tally(u64);

impl Tally {
    /// Counts a command's events.
    pub fn add(&mut self, events: &[Event]) {
        for event in events {
            self.0 += 1;
            if let Event::Traded { quantity, .. } = event {
                self.0 += u64::from(quantity.0) << 32;
            }
        }
    }

    /// The sum of all.
    pub fn answer(self) -> u64 {
        self.0
    }
}

/// Runs `orders` commands through `engine`: `naive` is that of 0x01, `array` that of 0x05. `None` for another
/// name.
pub fn work(engine: &str, orders: usize) -> Option<Worked> {
    let flow = generate(FlowName::Venue, orders, DEFAULT_SEED);
    match engine {
        "naive" => Some(naive(&flow)),
        "array" => Some(array(&flow)),
        _ => None,
    }
}

/// 0x01 allocates for every command, and more for every order that rests.
fn naive(flow: &Flow) -> Worked {
    let mut exchange = ch01::exchange::Exchange::default();
    flow.setup.iter().for_each(|command| drop(exchange.apply(command)));
    timed(&flow.body, |command, tally| tally.add(&black_box(exchange.apply(command))))
}

/// 0x05 does not allocate once it is warm.
fn array(flow: &Flow) -> Worked {
    let mut exchange = ch05::exchange::Exchange::default();
    let (mut events, mut metrics) = (Vec::new(), ch05::metrics::Unmeasured);
    flow.setup.iter().for_each(|command| exchange.apply(command, &mut events, &mut metrics));
    timed(&flow.body, |command, tally| {
        events.clear();
        exchange.apply(command, &mut events, &mut metrics);
        tally.add(black_box(&events));
    })
}

fn timed(commands: &[Command], mut apply: impl FnMut(&Command, &mut Tally)) -> Worked {
    let mut tally = Tally::default();
    let start = Instant::now();
    commands.iter().for_each(|command| apply(command, &mut tally));
    let ns = start.elapsed().as_nanos() as f64 / commands.len().max(1) as f64;
    Worked { ns, answer: tally.answer() }
}

/// The program: `lab-work ENGINE ORDERS` prints `ns=` and `answer=`, and exits with 2 when it can't use its
/// arguments.
pub fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (engine, orders) = (args.next().unwrap_or_default(), args.next().and_then(|orders| orders.parse().ok()));
    match orders.and_then(|orders| work(&engine, orders)) {
        Some(Worked { ns, answer }) => {
            program::end(program::print(format_args!("ns={ns}\nanswer={answer}\n")).map(|()| Verdict::Yes))
        }
        None => {
            program::tell(format_args!(
                "error: give `naive` or `array`, and how many orders; `cargo run --release -- lab` does"
            ));
            ExitCode::from(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::work;

    #[test]
    fn the_engines_do_the_same_work() {
        let answer = |engine| work(engine, 2_000).map(|worked| worked.answer);
        assert!(answer("naive").is_some_and(|answer| answer > 2_000));
        assert_eq!(answer("naive"), answer("array"));
        assert_eq!(answer("another"), None);
    }
}
