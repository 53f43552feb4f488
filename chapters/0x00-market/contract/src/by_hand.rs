//! A schedule that the test drives by hand: a role of the engine makes a step only when the test says so. This tests
//! what no answer shows: how much a role does before it checks again, and that it reports when it has nothing to do.

use std::sync::{Arc, Mutex, MutexGuard};

use crate::folder::Folder;
use crate::harness::Acks;
use crate::{Faults, SimDisk};
use market::{Command, Engine, MarketId, Options, Schedule, Step};

/// How many commands are matched at most before the next check of what is durable.
const MATCH_MAX: usize = 256;

/// The schedule. Clones are the same one.
#[derive(Clone, Default)]
struct Hand(Arc<Mutex<Vec<Worker>>>);

struct Worker {
    role: &'static str,
    step: Box<dyn FnMut() -> Step + Send>,
    has_ended: bool,
}

impl Worker {
    fn step(&mut self) -> Step {
        if self.has_ended {
            return Step::Ended;
        }
        let step = (self.step)();
        self.has_ended = step == Step::Ended;
        step
    }
}

impl Hand {
    fn workers(&self) -> MutexGuard<'_, Vec<Worker>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// A step of this role.
    fn step(&self, role: &str) -> Step {
        self.workers().iter_mut().find(|worker| worker.role == role).expect("the engine has this role").step()
    }
}

impl Schedule for Hand {
    fn add(&self, role: &'static str, step: Box<dyn FnMut() -> Step + Send>) {
        self.workers().push(Worker { role, step, has_ended: false });
    }

    /// Each role makes one step while the caller waits.
    fn turn(&self) {
        for worker in self.workers().iter_mut() {
            worker.step();
        }
    }
}

/// Matching applies nothing that is not durable. It reports its progress after a limited number of commands, so that
/// a client does not wait for all the commands behind its own. And both roles report when they have nothing to do: a
/// thread that always claims to work never gives up its core.
pub fn matching_stays_behind_and_reports_idle<E: Engine>() {
    let hand = Hand::default();
    let mut folder = Folder::new(SimDisk::new(1, Faults::default()));
    let many = 4 * MATCH_MAX as u32;
    folder.options = Options { schedule: Some(Arc::new(hand.clone())), batch_max: 2 * MATCH_MAX, ..folder.options };
    let acks = Acks::default();
    let (mut engine, _) = E::open(&folder.options, &mut acks.receivers()).expect("opened");
    for market in 1..=many {
        engine.submit(Command::Open { market: MarketId(market) }).expect("taken");
    }
    assert_eq!(hand.step("matching"), Step::Idle, "nothing is durable");
    assert_eq!(hand.step("journal"), Step::Worked);
    let mut seen = 0;
    let mut at_most_so_many = || {
        let matched = acks.seen().len() - seen;
        assert!(matched <= MATCH_MAX, "{matched} commands were matched in one step");
        seen += matched;
    };
    until_idle(&hand, "matching", &mut at_most_so_many);
    assert_eq!(acks.seen().len(), 2 * MATCH_MAX, "acknowledged of the first of two frames");
    until_idle(&hand, "journal", || ());
    until_idle(&hand, "matching", at_most_so_many);
    assert_eq!(acks.seen().len(), many as usize);
    engine.close().expect("closed");
}

/// A frame takes every command that is there when it is written, not only those known when the frame before was
/// written. On a slow disk a small frame costs as much time as a large one.
pub fn a_frame_takes_all_that_there_is<E: Engine>() {
    let hand = Hand::default();
    let mut folder = Folder::new(SimDisk::new(3, Faults::default()));
    folder.options = Options { schedule: Some(Arc::new(hand.clone())), batch_max: 128, ..folder.options };
    let acks = Acks::default();
    let (mut engine, _) = E::open(&folder.options, &mut acks.receivers()).expect("opened");
    // Sixty-four are published together.
    let mut submit = |markets: std::ops::RangeInclusive<u32>| {
        for market in markets {
            engine.submit(Command::Open { market: MarketId(market) }).expect("taken");
        }
    };
    submit(1..=192);
    hand.step("journal");
    submit(193..=256);
    hand.step("journal");
    until_idle(&hand, "matching", || ());
    assert_eq!(acks.seen().len(), 256, "acknowledged after two frames of 128 at most, with 192 and then 64 more there");
    engine.close().expect("closed");
}

/// Dropping an engine without waiting still acknowledges everything that becomes durable on the way out: the journal
/// takes what is left in the ring, and matching ends after the journal and handles all that the journal left, which
/// is more than it applies in one step.
pub fn all_that_is_durable_is_acknowledged<E: Engine>() {
    let hand = Hand::default();
    let mut folder = Folder::new(SimDisk::new(2, Faults::default()));
    let many = 3 * MATCH_MAX;
    folder.options = Options { schedule: Some(Arc::new(hand.clone())), batch_max: MATCH_MAX, ..folder.options };
    let acks = Acks::default();
    let (mut engine, _) = E::open(&folder.options, &mut acks.receivers()).expect("opened");
    for market in 1..=many as u32 {
        engine.submit(Command::Open { market: MarketId(market) }).expect("taken");
    }
    // Two of three frames, and matching has made no step.
    (0..2).for_each(|_| assert_eq!(hand.step("journal"), Step::Worked));
    drop(engine);
    assert_eq!(acks.seen().len(), many, "acknowledged of {many} commands that the journal made durable on the way out");
}

/// Steps a role until it reports that it has nothing left to do.
fn until_idle(hand: &Hand, role: &str, mut after_each: impl FnMut()) {
    for _ in 0..100 {
        if hand.step(role) == Step::Idle {
            return;
        }
        after_each();
    }
    panic!("{role} has nothing to do, but still reports work");
}
