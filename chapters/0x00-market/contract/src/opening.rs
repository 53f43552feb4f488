//! Opening: one engine at a time, names that are on disk, and a first start that was cut short.

use std::sync::Arc;

use crate::faults::Faults;
use crate::fixture::unsynced_disk;
use crate::folder::Folder;
use crate::harness::{Acks, check_state, run};
use crate::oracle::Oracle;
use crate::sim_disk::SimDisk;
use crate::streams::Random;
use market::log::ShardOf;
use market::{Command, DataDir, Disk, Engine, EngineError, MarketId, Options};

/// An engine that opens a directory that is in use gets an error that names the owner, and nothing changes.
/// When the other engine is closed, dropped or dead, the directory is free.
pub fn one_engine_at_a_time<E: Engine>() {
    let simulated = SimDisk::new(1, Faults::default());
    one_at_a_time::<E>(&Folder::new(simulated));
    one_at_a_time::<E>(&Folder::new(unsynced_disk()));

    // A kill and a crash release the lock.
    let disk = SimDisk::new(2, Faults::default());
    let mut folder = Folder::new(disk.clone());
    let open = |folder: &Folder| E::open(&folder.options, &mut Acks::default().receivers());
    let held = open(&folder).unwrap();
    for after in [disk.kill(), disk.crash()] {
        folder.options.disk = Arc::new(after);
        drop(open(&folder).unwrap());
    }
    drop(held);
}

fn one_at_a_time<E: Engine>(folder: &Folder) {
    let commands = Random::new(13).stream(60);
    let open = || E::open(&folder.options, &mut Acks::default().receivers());
    let (mut engine, _) = open().unwrap();
    for &command in &commands[..40] {
        engine.submit(command).unwrap();
    }
    engine.flush().unwrap();
    let before = folder.files();
    let error = folder.refusal::<E>().unwrap();
    let words = error.to_string();
    assert!(matches!(error, EngineError::Locked { .. }), "another error was expected than: {words}");
    let names = [folder.path().display().to_string(), format!("process {}", std::process::id())];
    assert!(names.iter().all(|name| words.contains(name)), "the error does not name {names:?}: {words}");
    assert!(folder.files() == before, "the engine that was refused changed files");
    for &command in &commands[40..] {
        engine.submit(command).unwrap();
    }
    engine.close().unwrap();
    let (engine, recovery) = open().unwrap();
    assert_eq!(recovery.commands, 60, "the refused engine acknowledged commands");
    drop(engine);
    drop(open().unwrap());
}

/// The log has its name, but the sync that makes the name durable failed, or the process died before it. The
/// next engine repeats the sync before it acknowledges a command.
pub fn names_are_synced_again<E: Engine>() {
    let oracle = Oracle::of(&Random::new(14).stream(40));
    for seed in 0..20 {
        for fault in 0..4 {
            let disk = SimDisk::new(seed, Faults::default());
            let mut folder = Folder::new(disk.clone());
            disk.set_faults(match fault {
                0 | 1 => Faults { names_sync_fails_at: Some(1 + fault), ..Faults::default() },
                _ => Faults { power_fails_at: Some(fault - 1), ..Faults::default() },
            });
            assert!(E::open(&folder.options, &mut Acks::default().receivers()).is_err(), "it opened");
            let disk = disk.kill();
            folder.options.disk = Arc::new(disk.clone());
            folder.goes_on::<E>(&oracle, 0, 40).unwrap();
            folder.options.disk = Arc::new(disk.crash());
            let back = folder.recovers::<E>(&oracle, 40);
            back.unwrap_or_else(|error| panic!("seed {seed}, fault {fault}: a name was lost: {error}"));
        }
    }
}

/// After a first start, however it ended, all logs are there or none: no command in them was acknowledged.
pub fn a_first_start_cut_short<E: Engine>() {
    first_start_cut_short::<E>(1);
}

/// The same in shards, where the start may end between two logs.
pub fn a_first_start_cut_short_in_shards<E: Engine>() {
    (2..=4).for_each(first_start_cut_short::<E>);
}

fn first_start_cut_short<E: Engine>(shards: u16) {
    let commands: Vec<Command> = (0..12).map(|market| Command::Open { market: MarketId(market) }).collect();
    let oracle = Oracle::of(&commands);
    for (operation, machine_dies) in (1..).flat_map(|operation| [(operation, true), (operation, false)]) {
        let name = format!("{shards} shards, cut short in operation {operation}, machine dies: {machine_dies}");
        let disk = SimDisk::new(operation, Faults::default());
        let mut folder = Folder::new(disk.clone());
        folder.options.shards = shards;
        let options = folder.options.clone();
        let first_start = |disk: &SimDisk| {
            let data_dir = DataDir::open(disk, &options.data_dir)?;
            data_dir.first_start(&Options { disk: Arc::new(disk.clone()), ..options.clone() }, &commands)
        };
        disk.set_faults(Faults { power_fails_at: Some(operation), ..Faults::default() });
        let done = first_start(&disk).is_ok();
        let disk = if machine_dies { disk.crash() } else { disk.kill() };
        // Whether the directory is opened at once, or its logs are created again before that.
        let again = disk.copy();
        let made = first_start(&again).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!(done && made), "{name}: a second first start happened");
        for (disk, least) in [(again, 12), (disk, if done { 12 } else { 0 })] {
            folder.options.disk = Arc::new(disk.clone());
            let opened = run::<E>(&folder.options, &[], 1).unwrap_or_else(|error| panic!("{name}: {error}"));
            let count = opened.recovery.commands;
            assert!(count == 12 || count == least, "{name}: {count} commands are there");
            check_state(&oracle.state(count as usize), &opened.closed.state).unwrap();
            // From here on a missing log is a loss.
            let lost = folder.path().join(ShardOf { shard: 0, shards }.file_name());
            if shards > 1 && count > 0 {
                disk.remove(&lost).unwrap();
                folder.refusal::<E>().unwrap_or_else(|error| panic!("{name}, then a log was lost: {error}"));
                assert!(matches!(first_start(&disk), Ok(false)), "{name}: logs were created in place of a lost one");
            }
        }
        if done && machine_dies {
            break;
        }
    }
}
