//! What an engine reports to the program that runs it: each command's number and time, the same when it is
//! acknowledged and when it is replayed; what was recovered, before the first command; and what was torn.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use crate::faults::Faults;
use crate::fixture::{Fixture, Framing, TIME};
use crate::folder::Folder;
use crate::harness::{check_state, run};
use crate::sim_disk::SimDisk;
use crate::streams::Random;
use market::log::ShardOf;
use market::state::ExchangeState;
use market::{Acknowledge, Clock, Engine, Event, LogError, Sequence, Stamp, UnixMs, read_log};

/// Everything that a receiver was given, in order.
#[derive(Clone, PartialEq, Debug)]
enum Told {
    Acknowledged(Stamp, Vec<Event>),
    Replayed(Stamp, Vec<Event>),
    Recovered(Sequence, ExchangeState),
}

#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<Told>>>);

impl Listener {
    fn hear(&self, told: Told) {
        self.0.lock().unwrap().push(told);
    }
}

impl Acknowledge for Listener {
    fn acknowledge(&mut self, stamp: Stamp, events: &[Event]) {
        self.hear(Told::Acknowledged(stamp, events.to_vec()));
    }

    fn replayed(&mut self, stamp: Stamp, events: &[Event]) {
        self.hear(Told::Replayed(stamp, events.to_vec()));
    }

    fn recovered(&mut self, next: Sequence, state: &dyn Fn() -> ExchangeState) {
        self.hear(Told::Recovered(next, state()));
    }
}

/// A clock that advances with each reading, and is set back now and then.
fn unsteady() -> Clock {
    let looks = AtomicU64::new(0);
    Clock::new(move || {
        let look = looks.fetch_add(1, Relaxed);
        UnixMs(TIME.0 + look - if look % 5 == 3 { 1_000 } else { 0 })
    })
}

/// An acknowledgement has its frame's time, and so has its replay. Times never decrease, whatever the clock does,
/// within one life and from one to the next; and the recovered state is reported before anything else.
pub fn numbers_and_times<E: Engine>() {
    let commands = Random::new(24).stream(90);
    let mut folder = Folder::new(SimDisk::new(24, Faults::default()));
    folder.options.batch_max = 4;
    let mut acknowledged: Vec<(Stamp, Vec<Event>)> = Vec::new();
    for life in commands.chunks(30) {
        // Each life's clock begins where the first one's did.
        folder.options.clock = unsteady();
        let listener = Listener::default();
        let (mut engine, _) = E::open(&folder.options, &mut |_| Box::new(listener.clone())).unwrap();
        for (at, &command) in life.iter().enumerate() {
            engine.submit(command).unwrap();
            if at % 3 == 0 {
                engine.flush().unwrap();
            }
        }
        let closed = engine.close().unwrap();
        let told = listener.0.lock().unwrap().clone();
        let before = acknowledged.len();
        let replayed: Vec<Told> =
            acknowledged.iter().map(|(stamp, events)| Told::Replayed(*stamp, events.clone())).collect();
        assert!(told[..before] == replayed, "the replayed commands differ from the acknowledged ones");
        let Told::Recovered(next, state) = &told[before] else { panic!("then came {:?}", told[before]) };
        assert_eq!(*next, Sequence(before as u64 + 1));
        let reopened = told[before + 1..].iter().map(|told| match told {
            Told::Acknowledged(stamp, events) => (*stamp, events.clone()),
            told => panic!("and then came {told:?}"),
        });
        acknowledged.extend(reopened);
        let model = crate::oracle::Oracle::of(&commands[..acknowledged.len()]);
        check_state(&model.state(before), state).unwrap();
        check_state(&model.state(acknowledged.len()), &closed.state).unwrap();
    }
    let stamps: Vec<Stamp> = acknowledged.iter().map(|(stamp, _)| *stamp).collect();
    assert!(stamps.is_sorted_by_key(|stamp| stamp.time), "time runs back: {stamps:?}");
    let mut times: Vec<UnixMs> = stamps.iter().map(|stamp| stamp.time).collect();
    times.dedup();
    assert!(times.len() > 3, "the clock was read for {} frames only", times.len());
    let mut logged = Vec::new();
    read_log::<LogError>(&folder.options, ShardOf::ONLY, |stamp, _| {
        logged.push(stamp);
        Ok(())
    })
    .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(logged, stamps, "the log disagrees");
}

/// A log whose last time is far ahead of the clock is opened, and the engine reports it.
pub fn a_clock_that_is_behind<E: Engine>() {
    let commands = Random::new(25).stream(20);
    for (behind_ms, told) in [(0, None), (60_000, None), (60_001, Some("60")), (3_600_000, Some("3600"))] {
        let disk = SimDisk::new(25, Faults::default());
        let mut folder = Folder::new(disk.clone());
        disk.put(&folder.log(), &Fixture::new(&commands, Framing::Many(5), ShardOf::ONLY).bytes);
        folder.options.clock = Clock::new(move || UnixMs(TIME.0 - behind_ms));
        let remarks = run::<E>(&folder.options, &commands, 5).unwrap().recovery.remarks;
        assert_eq!(remarks.len(), usize::from(told.is_some()), "{behind_ms} ms behind: {remarks:?}");
        let words = told.map_or(String::new(), |time| format!("the clock is {time} seconds behind"));
        assert!(remarks.iter().all(|remark| remark.contains(&words)), "{remarks:?}");
    }
}

/// What is cut off as torn is kept in a file beside the log, and the remark names the file.
pub fn the_torn_end_is_kept<E: Engine>() {
    let disk = SimDisk::new(26, Faults::default());
    let folder = Folder::new(disk.clone());
    let log = Fixture::new(&Random::new(26).stream(20), Framing::Many(10), ShardOf::ONLY);
    let torn = &log.bytes[log.frames[1].start..log.end() - 30];
    disk.put(&folder.log(), &log.bytes[..log.end() - 30]);
    let recovery = run::<E>(&folder.options, &[], 1).unwrap().recovery;
    assert_eq!(recovery.commands, 10);
    let kept = disk.paths().into_iter().find(|path| disk.read(path).is_some_and(|bytes| torn.starts_with(&bytes)));
    let kept = kept.filter(|path| disk.read(path).unwrap().len() as u64 == recovery.torn_bytes);
    let kept = kept.unwrap_or_else(|| panic!("{} torn bytes are gone", recovery.torn_bytes));
    assert!(disk.durable(&kept).is_some_and(|bytes| !bytes.is_empty()), "a crash would lose them");
    let name = kept.display().to_string();
    assert!(recovery.remarks.iter().any(|remark| remark.contains(&name)), "{:?}", recovery.remarks);
}
