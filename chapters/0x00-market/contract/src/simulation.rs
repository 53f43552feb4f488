//! Lives of an engine on a disk that fails: commands, faults, crashes, restarts, again and again.
//!
//! After every death the engine must recover the state of the model after some number of commands: at least
//! those it acknowledged, at most those it was given, none twice. It must notice a flipped bit on the disk.
//! One seed determines everything, so a failure can be replayed by its seed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::lives::{Crew, SUBMITS, SUBMITTED, live};
use crate::trace::Trace;
use market::Engine;
use program::rounds::Rounds;

/// How many seeds a test runs, with few rounds and with all, unless `SIM_SEEDS` sets another number.
const SEEDS: (u64, u64) = (1_000, 10_000);

/// How many seeds a test of replaying runs twice.
const REPLAYS: u64 = 100;

/// Seeds 0 to 9,999 with `ROUNDS=full`, else the first tenth of them; or `SIM_SEEDS` of them, or the one in
/// `SIM_SEED`.
///
/// # Panics
/// At the first seed that fails, with the command that replays it.
pub fn many_seeds<E: Engine>() {
    seeds("contract", "simulation", 1, |seed| live::<E>(seed, 1, Crew::Seeded, &Trace::default()));
}

/// The same with 2 to 4 shards, for engines that have them; a fifth as many seeds.
pub fn many_seeds_in_shards<E: Engine>() {
    seeds("contract", "simulation_in_shards", 5, |seed| {
        live::<E>(seed, shards_of(seed), Crew::Seeded, &Trace::default())
    });
}

/// A twentieth of the seeds on the system's threads, for engines that have them. The system's scheduler takes part,
/// so a failing seed may have to be run more than once.
pub fn some_seeds_on_threads<E: Engine>(shards_max: u16) {
    seeds("schedules", "simulation_on_threads", 20, |seed| {
        let shards = if shards_max > 1 && seed % 2 == 1 { shards_of(seed) } else { 1 };
        live::<E>(seed, shards, Crew::Threads, &Trace::default())
    });
}

/// A seed can be replayed: two runs of it produce the same trace of disk operations, roles' steps,
/// acknowledgements and events.
pub fn a_seed_replays<E: Engine>() {
    replays::<E>(|_| 1);
}

/// The same with 2 to 4 shards.
pub fn a_seed_replays_in_shards<E: Engine>() {
    replays::<E>(shards_of);
}

fn replays<E: Engine>(shards: fn(u64) -> u16) {
    for seed in 0..REPLAYS {
        let [first, second] = [(); 2].map(|()| story_of::<E>(seed, shards(seed)));
        let same = first.iter().zip(&second).take_while(|(one, other)| one == other).count();
        assert!(
            first == second,
            "seed {seed} does not replay: after {same} lines the first run has\n  {:?}\nand the second\n  {:?}",
            first.get(same),
            second.get(same)
        );
        assert!(first.len() > 1, "a trace without a disk operation proves nothing: {first:?}");
    }
}

fn shards_of(seed: u64) -> u16 {
    2 + (seed % 3) as u16
}

/// The trace of all lives of a seed.
fn story_of<E: Engine>(seed: u64, shards: u16) -> Vec<String> {
    let trace = Trace::kept();
    if let Err(complaint) = live::<E>(seed, shards, Crew::Seeded, &trace) {
        panic!("seed {seed}: {complaint}");
    }
    trace.lines()
}

/// The schedules reach what threads reach: matching checks too early, before the disk has its command; the journal is
/// ahead of matching; and the ring is full; each in more than a few seeds.
pub fn schedules_are_reached<E: Engine>() {
    let (mut too_early, mut journal_first, mut full) = (0, 0, 0);
    for seed in 0..REPLAYS {
        let story = story_of::<E>(seed, 1);
        let lives = || story.split(|line| line.starts_with("life"));
        let begins = |line: &String, words: &str| line.starts_with(words);
        let is_frame = |line: &String| begins(line, "journal") && line.ends_with("Worked");
        // The caller waits for what it submitted, and this life has written no frame yet.
        too_early += u64::from(lives().any(|life| {
            let mut waits = life.iter().skip_while(|line| !begins(line, SUBMITS)).take_while(|line| !is_frame(line));
            waits.any(|line| begins(line, "matching"))
        }));
        // Two frames on disk, and no step of matching between them.
        journal_first += u64::from(lives().any(|life| {
            let mut frames = life.split(|line| begins(line, "matching"));
            frames.any(|alone| alone.iter().filter(|line| is_frame(line)).count() > 1)
        }));
        // A role made a step while the caller was in `submit`, so the caller waited for room.
        full += u64::from(story.windows(2).any(|two| begins(&two[0], SUBMITS) && !begins(&two[1], SUBMITTED)));
    }
    for (what, count) in
        [("matching too early", too_early), ("the journal ahead", journal_first), ("a full ring", full)]
    {
        println!("{what}: in {count} of {REPLAYS} seeds");
        assert!(count >= REPLAYS / 20, "{what} was reached in only {count} of {REPLAYS} seeds");
    }
}

/// Runs one in `one_in` of all seeds.
fn seeds(file: &str, test: &str, one_in: u64, live: impl Fn(u64) -> Result<(), String>) {
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("SIM_SEED(S) is a number"));
    let count = number("SIM_SEEDS").unwrap_or_else(|| Rounds::asked().pick(SEEDS.0, SEEDS.1));
    let range = number("SIM_SEED").map_or(0..count / one_in, |seed| seed..seed + 1);
    for seed in range {
        let complaint = match catch_unwind(AssertUnwindSafe(|| live(seed))) {
            Ok(Ok(())) => continue,
            Ok(Err(complaint)) => complaint,
            Err(panic) => format!("it panicked: {}", words_of(&*panic)),
        };
        let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
        panic!(
            "seed {seed}: {complaint}\nreplay it with: SIM_SEED={seed} cargo test -p {package} --test {file} {test} -- --exact"
        );
    }
}

fn words_of(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no words)")
}

/// One simulation with one shard.
///
/// # Errors
/// The promise that the engine broke.
pub fn simulate<E: Engine>(seed: u64) -> Result<(), String> {
    live::<E>(seed, 1, Crew::Seeded, &Trace::default())
}
