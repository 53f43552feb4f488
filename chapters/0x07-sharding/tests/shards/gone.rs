//! Logs that are gone: the engine does not begin others in their place, nor switch to a set that is not whole.

use std::sync::Arc;

use contract::Faults;
use contract::harness::run;
use contract::streams::Random;
use market::log::ShardOf;
use market::{Disk as _, EngineError, LogError};

use super::{Engine, commands, filled, reshard};

/// A missing log took acknowledged commands with it: an error, whichever shard's it was.
#[test]
fn a_missing_log_is_an_error() {
    let commands = commands();
    for missing in 0..4 {
        let (disk, folder) = filled(4, &commands);
        let log = folder.path().join(ShardOf { shard: missing, shards: 4 }.file_name());
        disk.remove(&log).unwrap();
        let paths = disk.paths();
        let error = folder.refusal::<Engine>().unwrap();
        assert!(
            matches!(&error, EngineError::Log(LogError::Missing { path }) if *path == log),
            "shard {missing}: another error was expected than: {error}"
        );
        assert!(error.to_string().contains(&log.display().to_string()), "{error}");
        assert_eq!(disk.paths(), paths, "a refused directory was changed");
        assert!(reshard(&disk, folder.path(), 2).is_err(), "resharding went on without shard {missing}");
        assert_eq!(disk.paths(), paths, "resharding changed a directory that it refused");
    }
}

/// All logs are gone, and a watermark shows that there were some: no others take their place.
#[test]
fn a_set_of_logs_that_is_gone_is_an_error() {
    let (disk, folder) = filled(3, &commands());
    for path in disk.paths().iter().filter(|path| path.extension().is_some_and(|kind| kind == "log")) {
        disk.remove(path).unwrap();
    }
    let paths = disk.paths();
    let error = folder.refusal::<Engine>().unwrap();
    assert!(matches!(&error, EngineError::Log(LogError::Gone { .. })), "another error was expected than: {error}");
    assert_eq!(disk.paths(), paths, "a refused directory was changed");
}

/// A resharding is interrupted after it was declared, and then a draft of the new logs is lost: the other logs stay.
#[test]
fn a_switch_to_logs_that_are_gone_is_refused() {
    let commands = Random::new(6).stream(100);
    let mut refused = 0;
    for operation in 1.. {
        let (disk, mut folder) = filled(1, &commands);
        disk.set_faults(Faults { power_fails_at: Some(operation), ..Faults::default() });
        let cut_short = reshard(&disk, folder.path(), 2).is_err();
        let disk = disk.kill();
        let is_declared = disk.read(&folder.path().join("SWITCH-TO-2")).is_some();
        let drafts = disk.paths().into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "draft"));
        for draft in drafts.filter(|_| is_declared) {
            let disk = disk.copy();
            let bytes = disk.read(&draft).unwrap();
            disk.remove(&draft).unwrap();
            let before = disk.contents();
            folder.options.disk = Arc::new(disk.clone());
            for shards in [1, 2] {
                folder.options.shards = shards;
                let words = folder.refusal::<Engine>().unwrap().to_string();
                let log = draft.with_extension("log").file_name().unwrap().display().to_string();
                assert!(words.contains("SWITCH-TO-2") && words.contains(&log), "{words}");
                assert_eq!(disk.contents(), before, "the engine refused, but files changed: {words}");
            }
            disk.rot(&draft, &bytes);
            assert_eq!(run::<Engine>(&folder.options, &[], 1).unwrap().recovery.commands, 100);
            refused += 1;
        }
        if !cut_short {
            break;
        }
    }
    assert!(refused > 0, "no switch was interrupted");
}
