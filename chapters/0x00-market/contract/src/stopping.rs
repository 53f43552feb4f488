//! After an error an engine is done: it refuses every call, and nothing more reaches the disk or the receiver
//! of acknowledgements. What is on disk is then uncertain, and a call that continued could acknowledge an
//! uncertain command, or log a batch twice.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use crate::faults::Faults;
use crate::folder::Folder;
use crate::harness::{Acks, run};
use crate::oracle::Oracle;
use crate::sim_disk::SimDisk;
use crate::streams::Random;
use market::{AccountId, Acknowledge, Cents, Command, Engine, EngineError, Event, MarketId, Stamp};

/// How many commands come between two flushes.
const GROUP: usize = 5;

/// Enough entries that even a ledger with several large buffers must write some.
const ENTRIES: u64 = 30_000;

/// The calls that an engine offers, in the order in which they are made; closing ends it.
const CALLS: [&str; 4] = ["submit", "poll", "flush", "close"];

/// A sync or a write fails. The next one would succeed, so only the engine itself can stop.
pub fn nothing_after_a_disk_error<E: Engine>() {
    let commands = Random::new(15).stream(40);
    for at in 1..=4 {
        let sync = Faults { sync_fails_at: Some(at), ..Faults::default() };
        let write = Faults { write_fails_at: Some(at), ..Faults::default() };
        for (faults, batch_max) in [(&sync, 1), (&sync, 1_024), (&write, 1), (&write, 1_024)] {
            let scene = Scene { commands: &commands, batch_max, flush_every: GROUP, panics_at: u64::MAX };
            scene.plays::<E>(&format!("{faults:?}"), |_, disk| disk.set_faults(faults.clone()));
        }
    }
}

/// The receiver of acknowledgements panics, and the caller catches the panic and continues.
pub fn nothing_after_a_panic_of_the_receiver<E: Engine>() {
    let commands = Random::new(16).stream(40);
    for (panics_at, batch_max) in [(1, 1), (7, 1), (1, 1_024), (7, 1_024), (7, 2)] {
        let scene = Scene { commands: &commands, batch_max, flush_every: GROUP, panics_at };
        scene.plays::<E>(&format!("a panic at acknowledgement {panics_at}"), |_, _| {});
    }
}

/// The disk accepts the log but not the ledger.
pub fn nothing_after_a_ledger_error<E: Engine>() {
    let full = std::path::Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let (market, account) = (MarketId(1), AccountId(1));
    let deposits = (0..ENTRIES).map(|cents| Command::Deposit { market, account, amount: Cents(1 + cents), request: 0 });
    let commands: Vec<Command> = std::iter::once(Command::Open { market }).chain(deposits).collect();
    for (batch_max, flush_every) in [(1, GROUP), (1_024, GROUP), (1_024, usize::MAX)] {
        let scene = Scene { commands: &commands, batch_max, flush_every, panics_at: u64::MAX };
        // The name of the ledger's draft is a device that accepts no bytes.
        #[cfg(unix)]
        scene.plays::<E>("a ledger on a full disk", |folder, _| {
            std::os::unix::fs::symlink(full, folder.path().join("ledger.draft")).unwrap();
        });
    }
}

/// A ledger of a few entries fits into any buffer. If the disk accepts nothing, the engine must report that when it
/// closes, at the latest: once it has closed without an error, the ledger is written.
pub fn a_short_ledger_is_written<E: Engine>() {
    let full = std::path::Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let (market, account) = (MarketId(1), AccountId(1));
    let folder = Folder::new(SimDisk::new(18, Faults::default()));
    #[cfg(unix)]
    std::os::unix::fs::symlink(full, folder.path().join("ledger.draft")).unwrap();
    let Ok((mut engine, _)) = E::open(&folder.options, &mut Acks::default().receivers()) else { return };
    let commands = [Command::Open { market }, Command::Deposit { market, account, amount: Cents(1), request: 0 }];
    let went = commands.into_iter().try_for_each(|command| engine.submit(command).map(drop));
    let closed = went.and_then(|()| engine.close().map(drop));
    let Err(error) = closed else {
        panic!("the ledger's disk is full and one entry was made, but the engine closed without an error");
    };
    let words = error.to_string();
    assert!(words.contains("write the ledger"), "the ledger's disk is full, but the engine says: {words}");
}

/// What leads to an error.
struct Scene<'a> {
    commands: &'a [Command],
    batch_max: usize,
    flush_every: usize,
    /// The acknowledgement at which the receiver panics.
    panics_at: u64,
}

impl Scene<'_> {
    /// Plays it once for each call that may come first after the error.
    fn plays<E: Engine>(&self, name: &str, prepare: impl Fn(&Folder, &SimDisk)) {
        let oracle = Oracle::of(self.commands);
        for (first, call) in CALLS.iter().enumerate() {
            let disk = SimDisk::new(17, Faults::default());
            let mut folder = Folder::new(disk.clone());
            folder.options.batch_max = self.batch_max;
            prepare(&folder, &disk);
            let then = self.play::<E>(&folder, &disk, first).and_then(|submitted| {
                let _ = std::fs::remove_file(folder.path().join("ledger.bin"));
                folder.options.disk = Arc::new(disk.kill());
                let back = run::<E>(&folder.options, &[], 1)?.recovery.commands as usize;
                if back > submitted {
                    return Err(format!("{submitted} commands were submitted, and {back} are in the log"));
                }
                folder.recovers::<E>(&oracle, back)
            });
            if let Err(complaint) = then {
                panic!("{name}, batches of {}, {call} comes first: {complaint}", self.batch_max);
            }
        }
    }

    /// Submits until there is an error, then makes every call from `first` on. Returns how many commands were
    /// submitted.
    fn play<E: Engine>(&self, folder: &Folder, disk: &SimDisk, first: usize) -> Result<usize, String> {
        let told = Arc::new(AtomicU64::new(0));
        let receiver = Fragile { told: Arc::clone(&told), panics_at: self.panics_at };
        let opened = E::open(&folder.options, &mut |_| Box::new(receiver.clone()));
        let Ok((mut engine, _)) = opened else { return Ok(0) };
        let (mut submitted, mut went) = (0, Ok(()));
        while went.is_ok() && submitted < self.commands.len() {
            went = attempt(|| engine.submit(self.commands[submitted]).map(drop));
            submitted += 1;
            if went.is_ok() && submitted.is_multiple_of(self.flush_every) {
                went = attempt(|| engine.flush());
            }
        }
        if went.and_then(|()| attempt(|| engine.flush())).is_ok() {
            return Err("there was an error, but the engine went on".into());
        }
        let before = (disk.counts(), told.load(SeqCst));
        let refused = |call: &str, went: Result<(), String>| match went {
            Ok(()) => Err(format!("after an error {call} succeeded")),
            Err(words) if words.starts_with(PANICKED) => Err(format!("after an error {call} panicked: {words}")),
            Err(_) => Ok(()),
        };
        for call in &CALLS[first..CALLS.len() - 1] {
            refused(
                call,
                match *call {
                    "submit" => attempt(|| engine.submit(self.commands[0]).map(drop)),
                    "poll" => attempt(|| engine.poll()),
                    _ => attempt(|| engine.flush()),
                },
            )?;
        }
        refused("close", attempt(|| engine.close().map(drop)))?;
        let after = (disk.counts(), told.load(SeqCst));
        if after != before {
            return Err(format!("it went on after an error: before {before:?}, after {after:?}"));
        }
        Ok(submitted)
    }
}

const PANICKED: &str = "it panicked";

/// Does it, and treats a panic as an error, as a careless caller would.
fn attempt(work: impl FnOnce() -> Result<(), EngineError>) -> Result<(), String> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(went) => went.map_err(|error| error.to_string()),
        Err(_) => Err(PANICKED.into()),
    }
}

/// Counts acknowledgements, and panics at one of them.
#[derive(Clone)]
struct Fragile {
    told: Arc<AtomicU64>,
    panics_at: u64,
}

impl Acknowledge for Fragile {
    fn acknowledge(&mut self, Stamp { sequence, .. }: Stamp, _events: &[Event]) {
        let told = 1 + self.told.fetch_add(1, SeqCst);
        assert!(told != self.panics_at, "the receiver panicked at command {sequence}");
    }
}
