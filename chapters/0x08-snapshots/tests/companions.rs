//! What the shadow carries along is there again after any start, and no program loses what it does not know.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use ch08::Chapter;
use ch08::shadow::Shadow;
use contract::folder::Folder;
use contract::harness::run;
use contract::streams::Random;
use keeping::once::snapshot;
use keeping::reshard::reshard;
use market::companion::Companion;
use market::log::ShardOf;
use market::snapshot::list;
use market::{Command, Event, Options, RealDisk, Sequence, Stamp};

type Engine = <Chapter as runner::Chapter>::Engine;

/// Counts commands and events, to see whether one was missed or came twice.
#[derive(Clone, Default)]
struct Counter(Arc<Mutex<[u64; 3]>>);

impl Companion for Counter {
    fn section(&self) -> [u8; 8] {
        *b"COUNTER\0"
    }

    fn observe(&mut self, stamp: Stamp, command: &Command, events: &[Event]) {
        let mut counts = self.0.lock().unwrap();
        counts[0] += 1;
        counts[1] += events.len() as u64;
        counts[2] = counts[2].wrapping_mul(31).wrapping_add(stamp.sequence.0 ^ u64::from(command.market().0));
    }

    fn save(&self, section: &mut dyn Write) -> io::Result<()> {
        self.0.lock().unwrap().iter().try_for_each(|count| section.write_all(&count.to_le_bytes()))
    }

    fn load(&mut self, section: &mut dyn Read) -> io::Result<()> {
        for count in self.0.lock().unwrap().iter_mut() {
            let mut bytes = [0; 8];
            section.read_exact(&mut bytes)?;
            *count = count.wrapping_add(u64::from_le_bytes(bytes));
        }
        Ok(())
    }
}

fn with(options: &Options, counter: &Counter) -> Options {
    let counter = counter.clone();
    let make = move |_| vec![Box::new(counter.clone()) as Box<dyn Companion>];
    Options { companions: Some(Arc::new(make)), ..options.clone() }
}

fn options(folder: &Path) -> Options {
    Options { segment_commands: Some(64), ..Options::new(folder) }
}

/// What a shadow has counted when it has read everything.
fn counted(options: &Options) -> [u64; 3] {
    let counter = Counter::default();
    let mut shadow = Shadow::begin(&with(options, &counter), ShardOf::ONLY).unwrap();
    while shadow.follow(Sequence(u64::MAX), |_, _, _| ()).unwrap() > 0 {}
    let counts = counter.0.lock().unwrap();
    *counts
}

#[test]
fn a_companion_holds_what_it_held_after_any_start() {
    let folder = Folder::new(RealDisk);
    let options = options(&folder.options.data_dir);
    let commands = Random::new(9).stream(300);
    run::<Engine>(&options, &commands[..200], 10).unwrap();
    let whole_log = counted(&options);
    // A snapshot of a program without the companion: the whole log has what it lacks.
    snapshot::<Shadow>(&options).unwrap();
    assert_eq!(counted(&options), whole_log, "from a snapshot without its section");
    snapshot::<Shadow>(&with(&options, &Counter::default())).unwrap();
    run::<Engine>(&options, &commands[200..250], 10).unwrap();
    snapshot::<Shadow>(&with(&options, &Counter::default())).unwrap();
    run::<Engine>(&options, &commands[250..], 10).unwrap();
    let from_snapshot = counted(&options);
    for (_, path) in list(&RealDisk, &folder.options.data_dir, ShardOf::ONLY).unwrap() {
        std::fs::remove_file(path).unwrap();
    }
    assert_eq!(counted(&options), from_snapshot, "the whole log, and a snapshot with what came after it");
    assert_eq!(from_snapshot[0], whole_log[0] + 100);
}

#[test]
fn no_program_loses_a_section_that_it_does_not_know() {
    let folder = Folder::new(RealDisk);
    let trimmed = Options { trim_log: true, ..options(&folder.options.data_dir) };
    let commands = Random::new(9).stream(400);
    for some in commands.chunks(100) {
        run::<Engine>(&trimmed, some, 10).unwrap();
        snapshot::<Shadow>(&with(&trimmed, &Counter::default())).unwrap();
    }
    run::<Engine>(&trimmed, &commands[..10], 10).unwrap();
    let before = list(&RealDisk, &folder.options.data_dir, ShardOf::ONLY).unwrap();
    let refused = snapshot::<Shadow>(&trimmed).unwrap_err().to_string();
    assert!(refused.contains("section COUNTER") && refused.contains("would lose"), "{refused}");
    assert_eq!(
        list(&RealDisk, &folder.options.data_dir, ShardOf::ONLY).unwrap(),
        before,
        "nothing was written or removed"
    );
    let refused = reshard::<Shadow>(&RealDisk, &folder.options.data_dir, 2).unwrap_err().to_string();
    assert!(refused.contains("section COUNTER") && refused.contains("nothing was changed"), "{refused}");
    assert_eq!(list(&RealDisk, &folder.options.data_dir, ShardOf::ONLY).unwrap(), before);
    // The engine itself needs none of it.
    run::<Engine>(&trimmed, &commands[..10], 10).unwrap();
}

#[test]
fn a_section_that_cannot_be_read_is_no_empty_one() {
    /// Reads less than its section holds.
    struct Hasty;
    impl Companion for Hasty {
        fn section(&self) -> [u8; 8] {
            *b"COUNTER\0"
        }
        fn observe(&mut self, _: Stamp, _: &Command, _: &[Event]) {}
        fn save(&self, _: &mut dyn Write) -> io::Result<()> {
            Ok(())
        }
        fn load(&mut self, section: &mut dyn Read) -> io::Result<()> {
            section.read_exact(&mut [0; 8])
        }
    }
    let folder = Folder::new(RealDisk);
    let options = options(&folder.options.data_dir);
    run::<Engine>(&options, &Random::new(9).stream(100), 10).unwrap();
    snapshot::<Shadow>(&with(&options, &Counter::default())).unwrap();
    let hasty = Options { companions: Some(Arc::new(|_| vec![Box::new(Hasty) as Box<dyn Companion>])), ..options };
    let error = Shadow::begin(&hasty, ShardOf::ONLY).err().unwrap().to_string();
    assert!(error.contains("COUNTER") && error.contains("were not read"), "{error}");
}
