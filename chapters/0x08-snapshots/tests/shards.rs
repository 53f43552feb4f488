//! Shards: the same answers from any number of them, and a data directory that records its number.
//!
//! The order between markets of different shards means nothing, so every comparison is market by
//! market, with the model and thereby with every other chapter.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use ch08::Chapter;
use ch08::reshard::reshard;
use contract::fixture::{TIME, header, unsynced_disk};
use contract::folder::Folder;
use contract::harness::{Acks, Expected, check_events, check_state, run};
use contract::oracle::Oracle;
use contract::streams::Random;
use contract::{Faults, SimDisk};
use market::data_dir::shard_counts;
use market::flow::{self, FlowName};
use market::log::{RECORD_BYTES, ShardOf, encode_log};
use market::log_reader::LogReader;
use market::model::Model;
use market::{Acknowledge, Command, Disk, Engine as _, EngineError, Event, LogError, MarketId, RealDisk, Stage, Stamp};

#[path = "shards/gone.rs"]
mod gone;

type Engine = <Chapter as runner::Chapter>::Engine;

/// The set-up of `venue`, part of its body, and commands of every kind in more markets than shards.
fn commands() -> Vec<Command> {
    let flow = flow::generate(FlowName::Venue, 1_500, 3);
    [flow.setup, flow.body].concat()
}

fn folder(disk: impl Disk + 'static, shards: u16) -> Folder {
    let mut folder = Folder::new(disk);
    folder.options.shards = shards;
    folder
}

/// The commands of each market, in order, as the logs have them.
fn histories(disk: &dyn Disk, folder: &Path, shards: u16) -> BTreeMap<MarketId, Vec<Command>> {
    let mut histories: BTreeMap<MarketId, Vec<Command>> = BTreeMap::new();
    for shard in 0..shards {
        let of = ShardOf { shard, shards };
        let path = folder.join(of.file_name());
        let mut file = disk.open(&path).unwrap().unwrap_or_else(|| panic!("{} is missing", path.display()));
        let mut reader = LogReader::new(&mut *file, &path).unwrap();
        assert_eq!(reader.header.shard, of);
        while let Some(frame) = reader.next_frame().unwrap() {
            for (_, command) in frame {
                assert_eq!(ShardOf::market(command.market(), shards), of, "{command:?} is in another shard's log");
                histories.entry(command.market()).or_default().push(command);
            }
        }
    }
    histories
}

fn by_market(commands: &[Command]) -> BTreeMap<MarketId, Vec<Command>> {
    let mut histories: BTreeMap<MarketId, Vec<Command>> = BTreeMap::new();
    for &command in commands {
        histories.entry(command.market()).or_default().push(command);
    }
    histories
}

/// From 1 to 8 shards: every market's events and state are the model's, so 0x01's, and each number
/// gives every market the same.
#[test]
fn any_number_of_shards_gives_the_same_answers() {
    let commands = commands();
    let mut model = Model::default();
    let expected: Vec<Expected> =
        commands.iter().map(|&command| Expected { command, events: model.apply(&command) }).collect();
    for shards in 1..=8 {
        let folder = folder(SimDisk::new(0, Faults::default()), shards);
        let ran = run::<Engine>(&folder.options, &commands, 700).unwrap();
        check_events(&expected, &ran.acks, shards).unwrap_or_else(|error| panic!("{shards} shards: {error}"));
        check_state(&model.state(), &ran.closed.state).unwrap_or_else(|error| panic!("{shards} shards: {error}"));
        let at_work = ran.acks.iter().map(|ack| ack.shard).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(at_work.len(), usize::from(shards), "shards without work prove nothing");
        let again = run::<Engine>(&folder.options, &[], 1).unwrap();
        assert_eq!(again.recovery.commands, commands.len() as u64);
        check_state(&model.state(), &again.closed.state).unwrap();
    }
}

/// A receiver that waits before each acknowledgement, or reports that there was one.
enum Receiver {
    Waits(mpsc::Receiver<()>),
    Says(mpsc::Sender<()>),
}

impl Acknowledge for Receiver {
    fn acknowledge(&mut self, _stamp: Stamp, _events: &[Event]) {
        match self {
            Receiver::Waits(way) => way.recv().unwrap(),
            Receiver::Says(told) => told.send(()).unwrap(),
        }
    }
}

/// All shards have their commands before the engine waits for the first: a slow shard delays no other.
fn all_have_their_commands_before_one_is_waited_for(end: fn(Engine) -> Result<(), EngineError>) {
    let folder = folder(SimDisk::new(0, Faults::default()), 2);
    let ((go_on, way), (say, told)) = (mpsc::channel(), mpsc::channel());
    let mut receivers = vec![Box::new(Receiver::Says(say)), Box::new(Receiver::Waits(way))];
    let (mut engine, _) = Engine::open(&folder.options, &mut |_| receivers.pop().unwrap()).unwrap();
    for shard in 0..2 {
        let market = (1..).map(MarketId).find(|&market| ShardOf::market(market, 2).shard == shard).unwrap();
        engine.submit(Command::Open { market }).unwrap();
    }
    let ended = thread::spawn(move || end(engine));
    let heard = told.recv_timeout(Duration::from_secs(60));
    go_on.send(()).unwrap();
    ended.join().unwrap().unwrap();
    heard.expect("the second shard did not get its command while the engine waited for the first");
}

#[test]
fn a_flush_waits_for_no_shard_first() {
    all_have_their_commands_before_one_is_waited_for(|mut engine| engine.flush());
}

#[test]
fn a_close_waits_for_no_shard_first() {
    all_have_their_commands_before_one_is_waited_for(|engine| engine.close().map(drop));
}

/// An engine's report when it closes covers all its shards: the stages' total times, and the remarks of each.
#[test]
fn the_reports_of_shards_are_combined() {
    let folder = folder(SimDisk::new(0, Faults::default()), 2);
    let closed = run::<<Chapter as runner::Chapter>::Measured>(&folder.options, &commands(), 700).unwrap().closed;
    let stages = closed.stages.expect("a measured engine has stages");
    for stage in Stage::ALL {
        assert!(!stages.of(stage).is_zero(), "no time was measured in {}", stage.key());
    }
    for shard in ["shard 0: ", "shard 1: "] {
        let busy = format!("{shard}matching was busy");
        assert!(closed.remarks.iter().any(|remark| remark.starts_with(&busy)), "{:?}", closed.remarks);
    }
}

/// The requested space is reserved once: each log has its share of it.
#[test]
fn each_log_has_its_share_of_the_room() {
    let disk = SimDisk::new(0, Faults::default());
    let mut folder = folder(disk.clone(), 4);
    folder.options.reserve_commands = 4_000;
    let _engine = Engine::open(&folder.options, &mut Acks::default().receivers()).unwrap();
    for shard in 0..4 {
        let log = disk.read(&folder.path().join(ShardOf { shard, shards: 4 }.file_name())).unwrap();
        let room = log.len() / RECORD_BYTES;
        assert!((1_000..2_000).contains(&room), "shard {shard} has space for {room} commands");
    }
}

/// A data directory with `shards` shards that holds these commands.
fn filled(shards: u16, commands: &[Command]) -> (SimDisk, Folder) {
    let disk = SimDisk::new(0, Faults::default());
    let folder = folder(disk.clone(), shards);
    run::<Engine>(&folder.options, commands, commands.len()).unwrap();
    (disk, folder)
}

/// Every other number of shards is refused, with the numbers and both solutions; nothing changes.
#[test]
fn another_number_of_shards_is_refused() {
    let commands = Random::new(1).stream(100);
    for shards in [1, 2, 3, 8] {
        let (disk, mut folder) = filled(shards, &commands);
        let paths = disk.paths();
        for asked in (1..=8).filter(|&asked| asked != shards) {
            folder.options.shards = asked;
            let error = folder.refusal::<Engine>().unwrap();
            let words = error.to_string();
            assert!(
                matches!(&error, EngineError::Log(LogError::OtherShards { found, asked: by, .. })
                    if (*found, *by) == (shards, asked)),
                "{words}"
            );
            let folder = folder.path().display().to_string();
            for part in [&folder, &format!("--shards {shards}"), &format!("--reshard {asked}")] {
                assert!(words.contains(part), "the error does not say {part}: {words}");
            }
        }
        assert_eq!(disk.paths(), paths, "a refused directory was changed");
        folder.options.shards = shards;
        assert_eq!(run::<Engine>(&folder.options, &[], 1).unwrap().recovery.commands, 100);
    }
}

/// An engine is killed after it created all logs but the first shard's: the next one completes the set.
#[test]
fn logs_without_a_command_need_no_first() {
    let (disk, folder) = filled(4, &[]);
    for shards in [0..1, 0..3] {
        shards.for_each(|shard| disk.remove(&folder.path().join(ShardOf { shard, shards: 4 }.file_name())).unwrap());
        assert_eq!(run::<Engine>(&folder.options, &[], 1).unwrap().recovery.commands, 0);
    }
}

/// From each of these numbers to each: every market keeps its history, and the engine its state.
#[test]
fn resharding_keeps_every_history() {
    let oracle = Oracle::of(&Random::new(2).stream(600));
    let commands: Vec<Command> = oracle.steps(0).iter().map(|step| step.command).collect();
    for (before, after) in pairs() {
        let (disk, mut folder) = filled(before, &commands);
        let said = reshard(&disk, folder.path(), after).unwrap();
        assert!(said.contains(&format!("{before} shards are now {after}; 600 commands were rewritten")), "{said}");
        assert_eq!(shard_counts(&disk, folder.path()).unwrap(), [after], "{before} to {after}");
        assert_eq!(logs_and_drafts(&disk), usize::from(after), "logs are left over: {:?}", disk.paths());
        assert_eq!(histories(&disk, folder.path(), after), by_market(&commands), "{before} to {after}");
        folder.options.shards = after;
        let again = run::<Engine>(&folder.options, &[], 1).unwrap();
        assert_eq!(again.recovery.commands, commands.len() as u64);
        check_state(&oracle.state(commands.len()), &again.closed.state).unwrap();
        assert!(reshard(&disk, folder.path(), after).unwrap().contains("already"));
    }
}

fn pairs() -> impl Iterator<Item = (u16, u16)> {
    let numbers = [1, 2, 3, 8];
    numbers.into_iter().flat_map(move |before| numbers.map(|after| (before, after))).filter(|(a, b)| a != b)
}

/// How many logs there are, drafts among them.
fn logs_and_drafts(disk: &SimDisk) -> usize {
    let paths = disk.paths();
    paths.iter().filter(|path| path.extension().is_some_and(|kind| kind == "log" || kind == "draft")).count()
}

/// The power fails in each operation of a resharding: the directory opens with one number of shards, and tells a
/// program that asks for the other; and a second resharding ends with every history complete.
#[test]
fn resharding_can_be_cut_short_anywhere() {
    let commands = Random::new(3).stream(300);
    let histories_wanted = by_market(&commands);
    for (before, after) in pairs() {
        for operation in 1.. {
            let (disk, mut folder) = filled(before, &commands);
            let path = folder.path().to_path_buf();
            disk.set_faults(Faults { power_fails_at: Some(operation), ..Faults::default() });
            let cut_short = reshard(&disk, &path, after).is_err();
            let disk = disk.crash();
            folder.options.disk = std::sync::Arc::new(disk.clone());
            let found = shard_counts(&disk, &path).unwrap();
            let name = format!("{before} to {after}, cut short in operation {operation}, which left {found:?}");
            let whole = found.iter().all(|&shards| histories(&disk, &path, shards) == histories_wanted);
            assert!(!found.is_empty() && whole, "{name}: what looks complete is not");
            let opened = [before, after].map(|shards| {
                folder.options.shards = shards;
                run::<Engine>(&folder.options, &[], 1).map(|opened| opened.recovery.commands)
            });
            match opened {
                [Ok(300), Err(words)] | [Err(words), Ok(300)] => {
                    assert!(words.contains("--reshard"), "{name}: {words}")
                }
                opened => panic!("{name}: {opened:?}"),
            }
            reshard(&disk, &path, after).unwrap_or_else(|error| panic!("{name}: the second time: {error}"));
            assert_eq!(shard_counts(&disk, &path).unwrap(), [after], "{name}");
            assert_eq!(logs_and_drafts(&disk), usize::from(after), "{name}: left over: {:?}", disk.paths());
            assert_eq!(histories(&disk, &path, after), histories_wanted, "{name}");
            if !cut_short {
                break;
            }
        }
    }
}

/// Work continues in a directory that an interrupted resharding left in disorder; leftovers stay gone.
#[test]
fn leftovers_of_a_resharding_never_reappear() {
    let commands = Random::new(4).stream(300);
    let (first, second) = commands.split_at(200);
    let (disk, folder) = filled(1, first);
    // It was interrupted before shard 0 of the new logs was created: one of the others exists.
    let leftover = folder.path().join(ShardOf { shard: 1, shards: 2 }.file_name());
    let stale = encode_log(&header(ShardOf { shard: 1, shards: 2 }), TIME, &first[..20]);
    drop(disk.create(&leftover, &stale).unwrap());
    run::<Engine>(&folder.options, second, 50).unwrap();
    reshard(&disk, folder.path(), 2).unwrap();
    assert_eq!(histories(&disk, folder.path(), 2), by_market(&commands));
}

/// On real files, through the program's own entry point.
#[test]
fn resharding_real_files() {
    let folder = folder(unsynced_disk(), 3);
    let commands = Random::new(5).stream(200);
    run::<Engine>(&folder.options, &commands, 100).unwrap();
    reshard(&RealDisk, folder.path(), 2).unwrap();
    let logs: Vec<PathBuf> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "log"))
        .collect();
    assert_eq!(logs.len(), 2, "{logs:?}");
    assert_eq!(histories(&unsynced_disk(), folder.path(), 2), by_market(&commands));
    let words = reshard(&unsynced_disk(), &folder.path().join("elsewhere"), 2).unwrap_err().to_string();
    assert!(words.contains("no log to reshard"), "{words}");
}
