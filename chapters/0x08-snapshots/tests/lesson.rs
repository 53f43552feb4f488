//! The lesson of 0x08: a shadow writes snapshots behind the engine, and a start replays only what came after the newest.
//! This test fails on the engine of 0x07 and passes when the exercise is done.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ch08::Chapter;
use contract::folder::Folder;
use contract::harness::check_state;
use contract::streams::Random;
use contract::{Faults, SimDisk};
use market::log::ShardOf;
use market::model::Model;
use market::snapshot::list;
use market::{Acknowledge, Engine as _, Event, Stamp};

type Engine = <Chapter as runner::Chapter>::Engine;

/// Counts the commands that were replayed.
#[derive(Clone, Default)]
struct Replayed(Arc<AtomicU64>);

impl Acknowledge for Replayed {
    fn acknowledge(&mut self, _stamp: Stamp, _events: &[Event]) {}

    fn replayed(&mut self, _stamp: Stamp, _events: &[Event]) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_start_replays_what_came_after_the_snapshot() {
    let disk = SimDisk::new(1, Faults::default());
    let mut folder = Folder::new(disk.clone());
    folder.options.snapshot_every = Some(100);
    let (commands, mut model) = (Random::new(1).stream(1_000), Model::default());
    let (mut engine, _) = Engine::open(&folder.options, &mut |_| Box::new(Replayed::default())).expect("opened");
    for &command in &commands {
        model.apply(&command);
        engine.submit(command).expect("taken");
    }
    engine.flush().expect("acknowledged");
    // The shadow is behind, but not for ever. It needs milliseconds; looks are counted and not seconds, because a
    // stopped machine moves no shadow.
    let newest =
        || list(&disk, folder.path(), ShardOf::ONLY).expect("listed").first().map_or(0, |(next, _)| next.0 - 1);
    for _ in 0..5_000 {
        if newest() >= 900 {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    engine.close().expect("closed");
    let behind = newest();
    assert!((900..=1_000).contains(&behind), "the newest snapshot was taken after command {behind}");

    let replayed = Replayed::default();
    let (engine, recovery) = Engine::open(&folder.options, &mut |_| Box::new(replayed.clone())).expect("opened again");
    assert_eq!(replayed.0.load(Ordering::Relaxed), 1_000 - behind, "commands that were replayed");
    assert_eq!(recovery.commands, 1_000, "commands that the log holds");
    assert_eq!(recovery.replayed, 1_000 - behind, "commands that opening says it replayed");
    check_state(&model.state(), &engine.close().expect("closed again").state).expect("the model's state");
}
